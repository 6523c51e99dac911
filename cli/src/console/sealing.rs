//! The options and files that sealing and opening share.

use std::{num::NonZero, thread};

use super::{
    failure::Failure,
    files::FileArgs,
    input::Input,
    output::{Output, Shown},
    secret::{SecretArgs, SecretSource},
    size,
};

/// Options that sealing and opening share.
#[derive(clap::Args)]
pub struct WorkArgs {
    #[command(flatten)]
    files: FileArgs,
    /// How many threads work, 1 to 256 [default: one per core]
    #[arg(long, value_name = "N", value_parser = size::within(1..=256_u16), allow_negative_numbers = true)]
    threads: Option<u16>,
}

impl WorkArgs {
    /// Opens the input, the output and the source of the secret. The passphrase prompt comes later,
    /// so that no user types a passphrase for an output that cannot be created.
    pub fn open(&self, secret: SecretArgs) -> Result<(Input, Output, SecretSource), Failure> {
        let secret = secret.open(self.files.reads_stdin())?;
        let (input, output) = self.files.open(Shown::Raw("a pipe"), &[secret.guard()])?;
        Ok((input, output, secret))
    }

    pub fn threads(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.map_or_else(cores, usize::from)
    }
}
