//! `arcfour pdf decrypt`

use arcfour_formats::pdf::{Error, FileKey, Security};

use super::files::{failed, read, reason, warn_of_loss, write};
use crate::console::{
    batch::{BatchArgs, Plain, Refused, open_with},
    document::{needs_password, no_password_opens},
    facts::pdf::source,
    failure::Failure,
    files::FileArgs,
    input::Input,
    output::Shown,
    password::{Opens, PasswordOrKeyArgs},
};

/// Decrypt a PDF file that is encrypted with RC4
///
/// The password is the user's or the owner's. The empty password opens many files. A wrong password
/// and a damaged file give different errors, and neither leaves an output file. A file that has
/// lost objects is refused, unless --repair is given.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour pdf decrypt old.pdf -o plain.pdf
  arcfour pdf decrypt old.pdf --password -o plain.pdf
  arcfour pdf decrypt old.pdf --file-key 9009fda08b -o plain.pdf
  arcfour pdf decrypt shelf/ --passwords known.txt --to opened/")]
pub(super) struct Args {
    #[command(flatten)]
    files: FileArgs,
    /// Recover the readable part of a damaged file, with a warning
    #[arg(long)]
    repair: bool,
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    password: PasswordOrKeyArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let password = self.password.open(self.files.reads_stdin())?;
        let list = self.batch.list(self.files.reads_stdin())?;
        let secret = password.guard().cloned();
        let listed = list.as_ref().map(|(_, guard)| guard.clone());
        let guards = [secret.as_ref(), listed.as_ref()];
        if self.batch.folder().is_some() {
            let (first, force) = self.files.parts();
            let candidates = self.batch.candidates(password.read(false)?, list)?;
            let decrypt = |input| decrypt(input, &candidates, self.repair);
            return self.batch.run(first, force, &guards, decrypt);
        }
        let (input, mut output) = self.files.open(Shown::Raw("a pipe"), &guards)?;
        let name = input.name().to_owned();
        let given = !password.is_empty();
        let candidates = self.batch.candidates(password.read(false)?, list)?;
        let failed = |error| match error {
            Error::WrongPassword if listed.is_some() => no_password_opens(&name),
            Error::WrongPassword if !given => needs_password(&name),
            error => failed("decrypt", &name, &error),
        };
        let mut document = read(source(input)?, self.repair).map_err(failed)?;
        let security = document.security().ok_or(Error::NotEncrypted).map_err(failed)?;
        let key = key(security, &candidates).map_err(|error| match (error, &candidates[..]) {
            (error @ Error::KeyLength(_), [Opens::Key(_)]) => Failure::Usage(error.to_string()),
            (error, _) => failed(error),
        })?;
        document.decrypt(&key).map_err(failed)?;
        warn_of_loss(&document, &name, "decrypted");
        write(document, &mut output)?;
        output.commit()
    }
}

/// The key of a document, by the first of several passwords that opens it.
fn key(security: &Security, candidates: &[Opens]) -> Result<FileKey, Error> {
    let open = |candidate: &Opens| match candidate {
        Opens::Password(password) => security.open(password).map(|(key, _)| key),
        Opens::Key(bytes) => {
            let key = FileKey::new(bytes)?;
            security.check(&key).map(|_| key)
        }
    };
    // A key may belong to another document.
    let is_of_another = |error: &Error| {
        matches!(error, Error::WrongPassword | Error::WrongKey | Error::KeyLength(_))
    };
    open_with(candidates, open, is_of_another, Error::WrongPassword)
}

/// Decrypts one of many documents.
fn decrypt(input: Input, candidates: &[Opens], repair: bool) -> Result<Plain, Refused> {
    let refused = |error| match error {
        Error::NotEncrypted => Refused::NotEncrypted,
        Error::WrongPassword => Refused::Because("no password opens it".to_owned()),
        error => Refused::Because(reason(&error)),
    };
    let mut document = read(source(input)?, repair).map_err(refused)?;
    let security = document.security().ok_or(Refused::NotEncrypted)?;
    let key = key(security, candidates).map_err(refused)?;
    document.decrypt(&key).map_err(refused)?;
    let lost = document.lost().map(|lost| format!("it is damaged: {lost}"));
    let notes = lost.into_iter().collect();
    Ok(Plain { write: Box::new(|output| write(document, output)), notes })
}
