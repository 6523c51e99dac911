//! `arcfour pdf`

mod decrypt;
mod encrypt;
mod files;
mod inspect;

use crate::console::failure::Failure;

/// Inspect or decrypt PDF files; encrypt them for tests
///
/// Reads RC4 of the standard security handler, with keys of 40 to 128 bits. `qpdf` opens files with
/// AES.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour pdf inspect old.pdf
  arcfour pdf decrypt old.pdf --password -o plain.pdf
  arcfour find --pdf old.pdf --estimate")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Inspect(inspect::Args),
    Decrypt(decrypt::Args),
    Encrypt(encrypt::Args),
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Inspect(args) => args.run(),
            Command::Decrypt(args) => args.run(),
            Command::Encrypt(args) => args.run(),
        }
    }
}
