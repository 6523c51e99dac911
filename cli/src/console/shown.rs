//! The options of commands that show a file's facts.

use std::path::PathBuf;

use serde::Serialize;

use super::{failure::Failure, input::Input, output::print};

/// A file, and the form of its facts.
#[derive(clap::Args)]
pub struct InspectArgs {
    /// The file to read; - is standard input
    #[arg(value_name = "IN", default_value = "-", hide_default_value = true)]
    input: PathBuf,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

impl InspectArgs {
    /// Opens the file.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(&self) -> Result<Input, Failure> {
        Input::open(&self.input)
    }

    /// Prints the facts as JSON, or as `text` makes them for people.
    ///
    /// # Errors
    /// If standard output cannot be written to.
    pub fn print<F: Serialize>(
        &self,
        facts: &F,
        text: impl FnOnce(&F) -> String,
    ) -> Result<(), Failure> {
        let text = if self.json {
            serde_json::to_string_pretty(facts).expect("plain data") + "\n"
        } else {
            text(facts)
        };
        print(text.as_bytes())
    }
}
