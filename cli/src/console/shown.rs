//! The options of commands that show a file's facts.

use std::path::PathBuf;

use serde::Serialize;

use super::{document::bare_hash, failure::Failure, input::Input, output::print};

/// A file, and the form of its facts.
#[derive(clap::Args)]
pub struct InspectArgs {
    /// The file to read; - is standard input
    #[arg(value_name = "IN", default_value = "-", hide_default_value = true)]
    input: PathBuf,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    /// Print only the hash of the password, as hashcat and john take it
    #[arg(long, conflicts_with = "json")]
    hash: bool,
}

impl InspectArgs {
    /// Opens the file.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(&self) -> Result<Input, Failure> {
        Input::open(&self.input)
    }

    /// Prints the facts of the file `name` as JSON, or as `text` makes them for people; or only the hash.
    ///
    /// # Errors
    /// If the hash is asked for and the file has no hash, or standard output cannot be written to.
    pub fn print<F: Serialize>(
        &self,
        name: &str,
        facts: &F,
        hash: Option<&str>,
        text: impl FnOnce(&F) -> String,
    ) -> Result<(), Failure> {
        let text = match (self.hash, self.json) {
            (true, _) => bare_hash(name, hash)?,
            (_, true) => serde_json::to_string_pretty(facts).expect("plain data") + "\n",
            _ => text(facts),
        };
        print(text.as_bytes())
    }
}
