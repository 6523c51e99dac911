//! `arcfour pdf decrypt`

use arcfour_formats::pdf::{Document, Error, FileKey};

use super::{failed, write};
use crate::{
    failure::{Failure, warn},
    output::Shown,
    password::{Opens, PasswordOrKeyArgs},
    toolbox::{
        document::{needs_password, read_all},
        files::FileArgs,
    },
};

/// Decrypt a PDF file that is encrypted with RC4
///
/// The password is the user's or the owner's; many files open with the empty one. A wrong password
/// and a damaged file give different errors, and neither leaves an output file. A file that has lost
/// objects is refused, unless --repair is given.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour pdf decrypt old.pdf -o plain.pdf
  arcfour pdf decrypt old.pdf --password -o plain.pdf
  arcfour pdf decrypt old.pdf --file-key 9009fda08b -o plain.pdf")]
pub(super) struct Args {
    #[command(flatten)]
    files: FileArgs,
    /// Take what can be read of a damaged file, with a warning
    #[arg(long)]
    repair: bool,
    #[command(flatten)]
    password: PasswordOrKeyArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let password = self.password.open(self.files.reads_stdin())?;
        let (input, output) = self.files.open(Shown::Raw("a pipe"), password.guard())?;
        let name = input.name().to_owned();
        let given = !password.is_empty();
        let opens = password.read(false)?;
        let failed = |error| match error {
            Error::WrongPassword if !given => needs_password(&name),
            error => failed("decrypt", &name, &error),
        };
        let bytes = read_all(input)?;
        let read = if self.repair { Document::repair(bytes) } else { Document::read(bytes) };
        let mut document = read.map_err(failed)?;
        if let Some(lost) = document.lost() {
            warn("arcfour", &format!("warning: {name} is damaged: {lost}; the rest is decrypted"));
        }
        let security = document.security().ok_or(Error::NotEncrypted).map_err(failed)?;
        let key = match opens {
            Opens::Password(password) => security.open(&password).map_err(failed)?.0,
            Opens::Key(bytes) => {
                FileKey::new(&bytes).map_err(|error| Failure::Usage(error.to_string()))?
            }
        };
        document.decrypt(&key).map_err(failed)?;
        write(document, output)
    }
}
