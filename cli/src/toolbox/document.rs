//! Documents of other programs: read whole, decrypted or encrypted, written.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use crate::{
    failure::Failure,
    input::Input,
    output::{Output, Shown},
    password::PasswordSource,
};

/// Where a document is read from, and written to.
#[derive(clap::Args)]
pub(super) struct WorkArgs {
    /// The file to read; - is standard input
    #[arg(value_name = "IN", default_value = "-", hide_default_value = true)]
    input: PathBuf,
    /// The file to write [default: standard output]; - is standard output, even if it is a
    /// terminal
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace the file OUT if there is one
    #[arg(long)]
    force: bool,
}

impl WorkArgs {
    /// Whether the input is standard input.
    pub(super) fn reads_stdin(&self) -> bool {
        self.input == Path::new("-")
    }

    /// Opens the input and the output, which must not be the file of a password.
    ///
    /// # Errors
    /// If they cannot be opened.
    pub(super) fn open(&self, password: &PasswordSource) -> Result<(Input, Output), Failure> {
        let input = Input::open(&self.input)?;
        let guard = input.guard();
        let guards = [Some(&guard), password.guard()];
        let shown = Shown::Raw("a pipe");
        let output = Output::open(self.output.as_deref(), self.force, shown, &guards)?;
        Ok((input, output))
    }
}

/// Reads all of a document. One that is longer than any that can be used is not read to its end.
///
/// # Errors
/// If it cannot be read.
pub(super) fn read_all(input: Input) -> Result<Vec<u8>, Failure> {
    const MOST: u64 = 1 << 31;
    let name = input.name().to_owned();
    let mut bytes = Vec::with_capacity(input.size().unwrap_or(0).min(MOST) as usize + 1);
    let read = input.take(MOST).read_to_end(&mut bytes);
    read.map_err(|error| Failure::read(&name, &error))?;
    Ok(bytes)
}
