//! `arcfour office`

mod decrypt;
mod inspect;

use crate::console::failure::Failure;

/// Inspect or decrypt Word, Excel, PowerPoint and Access files of 97 to 2003
///
/// Reads the RC4 of Office 97, with keys of 40 bits, and RC4 CryptoAPI, with keys of 40 to 128. The
/// older XOR obfuscation is decrypted too, and so is the encoding of Access, whose key is in the
/// file. `msoffcrypto-tool` opens the AES files of Office 2007 and later.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour office inspect old.doc
  arcfour office decrypt old.doc --password -o plain.doc
  arcfour find --office old.doc --estimate")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Inspect(inspect::Args),
    Decrypt(decrypt::Args),
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Inspect(args) => args.run(),
            Command::Decrypt(args) => args.run(),
        }
    }
}
