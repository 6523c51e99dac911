//! `arcfour office decrypt`

use arcfour_formats::office::{Document, Error, FileKey, OpenedWith};

use crate::console::{
    batch::{BatchArgs, Plain, Refused, open_with},
    document::{needs_password, no_password_opens, read_all},
    failure::Failure,
    files::FileArgs,
    input::Input,
    output::Shown,
    password::{Opens, PasswordOrKeyArgs},
    say::say,
    stream::Sink,
};

/// Decrypt a Word, Excel, PowerPoint or Access file that is encrypted with RC4 or obfuscated with XOR
///
/// A wrong password and a damaged file give different errors, and neither leaves an output file.
/// The key of a file has 5 bytes with the handler of Office 97, as `arcfour find --office` prints
/// it, and 20 with RC4 CryptoAPI. With the handler of Office 97, a password of more than 15
/// characters is tried whole and then truncated to 15, as in Word. Without a password, an Excel
/// file is tried with Excel's default one, VelvetSweatshop. A database of Access 97 to 2003 needs
/// no password, because its key is in the file. The database's password is removed. A message names
/// the parts that stay encrypted: embedded objects in a workbook with CryptoAPI, and damaged parts.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour office decrypt old.doc --password -o plain.doc
  arcfour office decrypt old.xls --file-key 960af82bef -o plain.xls
  arcfour office decrypt shelf/ --passwords known.txt --to opened/")]
pub(super) struct Args {
    #[command(flatten)]
    files: FileArgs,
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
            return self.batch.run(first, force, &guards, |input| decrypt(input, &candidates));
        }
        let (input, mut output) = self.files.open(Shown::Raw("a pipe"), &guards)?;
        let name = input.name().to_owned();
        let given = !password.is_empty();
        let candidates = self.batch.candidates(password.read(false)?, list)?;
        let failed = |error| match error {
            Error::WrongPassword if listed.is_some() => no_password_opens(&name),
            Error::WrongPassword if !given => needs_password(&name),
            Error::KeyLength { .. } | Error::Text => Failure::Usage(error.to_string()),
            error => Failure::Work(format!("cannot decrypt {name}: {error}")),
        };
        let document = Document::read(read_all(input)?).map_err(failed)?;
        let (key, note) = key(&document, &candidates).map_err(failed)?;
        if let Some(with) = note {
            say(&format!("note: {name} opens with {with}"));
        }
        let decrypted = document.decrypt(&key).map_err(failed)?;
        output.write(&decrypted.file)?;
        for what in decrypted.left_out {
            say(&format!("warning: {name}: still encrypted: {what}"));
        }
        output.commit()
    }
}

/// The key of a document, by the first of several passwords that opens it, and the message about the
/// password.
fn key(
    document: &Document,
    candidates: &[Opens],
) -> Result<(FileKey, Option<&'static str>), Error> {
    let open = |candidate: &Opens| match candidate {
        Opens::Password(password) => document.open(password).map(|(key, with)| (key, note(with))),
        Opens::Key(bytes) => document.key(bytes).map(|key| (key, None)),
    };
    // Another document may have this key, and a list may be in another encoding.
    let is_of_another = |error: &Error| {
        matches!(
            error,
            Error::WrongPassword | Error::WrongKey | Error::KeyLength { .. } | Error::Text
        )
    };
    open_with(candidates, open, is_of_another, Error::WrongPassword)
}

/// Decrypts one of many documents.
fn decrypt(input: Input, candidates: &[Opens]) -> Result<Plain, Refused> {
    let refused = |error| match error {
        Error::NotEncrypted => Refused::NotEncrypted,
        Error::WrongPassword => Refused::Because("no password opens it".to_owned()),
        error => Refused::Because(error.to_string()),
    };
    let document = Document::read(read_all(input)?).map_err(refused)?;
    let (key, note) = key(&document, candidates).map_err(refused)?;
    let decrypted = document.decrypt(&key).map_err(refused)?;
    let note = note.map(|with| format!("with {with}"));
    let left_out = decrypted.left_out.iter().map(|what| format!("still encrypted: {what}"));
    let notes = note.into_iter().chain(left_out).collect();
    Ok(Plain { write: Box::new(move |output| output.write(&decrypted.file)), notes })
}

/// Returns the message about the password that opened a document.
fn note(with: OpenedWith) -> Option<&'static str> {
    match with {
        OpenedWith::Password => None,
        OpenedWith::First15 => Some("the first 15 characters of the password"),
        OpenedWith::StoredKey => Some("the key that it holds; no password is needed"),
        OpenedWith::ExcelDefault => Some("Excel's default password, VelvetSweatshop"),
    }
}
