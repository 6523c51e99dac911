//! The file that a command reads and the file that it writes.

use std::path::{Path, PathBuf};

use super::{
    failure::Failure,
    identity::Guard,
    input::Input,
    output::{Output, Shown},
};

/// The options for the input and the output.
#[derive(clap::Args)]
pub struct FileArgs {
    /// The file to read; - is standard input
    #[arg(value_name = "IN", default_value = "-", hide_default_value = true)]
    input: PathBuf,
    /// The file to write [default: standard output]; - is standard output, even if it is a
    /// terminal
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace OUT if the file exists
    #[arg(long)]
    force: bool,
}

impl FileArgs {
    /// Returns true if the input is standard input.
    pub fn reads_stdin(&self) -> bool {
        self.input == Path::new("-")
    }

    /// Returns the input's path, and true if an output may be replaced.
    pub fn parts(&self) -> (&Path, bool) {
        (&self.input, self.force)
    }

    /// Opens the input and the output, which must be neither the input nor the file of a secret.
    ///
    /// # Errors
    /// If they cannot be opened.
    pub fn open(
        &self,
        shown: Shown,
        secrets: &[Option<&Guard>],
    ) -> Result<(Input, Output), Failure> {
        let input = Input::open(&self.input)?;
        let guard = input.guard();
        let guards = [&[Some(&guard)], secrets].concat();
        let output = Output::open(self.output.as_deref(), self.force, shown, &guards)?;
        Ok((input, output))
    }
}
