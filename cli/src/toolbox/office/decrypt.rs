//! `arcfour office decrypt`

use arcfour_formats::office::{Document, Error, OpenedWith};

use crate::{
    failure::{Failure, warn},
    output::Shown,
    password::{Opens, PasswordOrKeyArgs},
    stream::Sink,
    toolbox::{
        document::{needs_password, read_all},
        files::FileArgs,
    },
};

/// Decrypt a Word, Excel, PowerPoint or Access file that is encrypted with RC4 or obfuscated with XOR
///
/// A wrong password and a damaged file give different errors, and neither leaves an output file. The key
/// of a file has 5 bytes with the handler of Office 97, as `arcfour find --office` prints it, and 20 with
/// RC4 CryptoAPI. With the handler of Office 97, a password of more than 15 characters is tried whole and then
/// cut to 15, as Word cut it. Without a password, an Excel file is tried with Excel's default one,
/// VelvetSweatshop. A database of Access 97 to 2003 needs no password: its key lies in the file; its own
/// password is taken out. A message names what stays encrypted: objects that a workbook with CryptoAPI embeds, and parts
/// that are damaged.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour office decrypt old.doc --password -o plain.doc
  arcfour office decrypt old.xls --file-key 960af82bef -o plain.xls")]
pub(super) struct Args {
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    password: PasswordOrKeyArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let password = self.password.open(self.files.reads_stdin())?;
        let (input, mut output) = self.files.open(Shown::Raw("a pipe"), password.guard())?;
        let name = input.name().to_owned();
        let given = !password.is_empty();
        let opens = password.read(false)?;
        let failed = |error| match error {
            Error::WrongPassword if !given => needs_password(&name),
            Error::KeyLength { .. } | Error::Text => Failure::Usage(error.to_string()),
            error => Failure::Work(format!("cannot decrypt {name}: {error}")),
        };
        let document = Document::read(read_all(input)?).map_err(failed)?;
        let key = match opens {
            Opens::Password(password) => {
                let (key, with) = document.open(&password).map_err(failed)?;
                if let Some(with) = note(with) {
                    warn("arcfour", &format!("note: {name} opens with {with}"));
                }
                key
            }
            Opens::Key(bytes) => document.key(&bytes).map_err(failed)?,
        };
        let decrypted = document.decrypt(&key).map_err(failed)?;
        output.write(&decrypted.file)?;
        for what in decrypted.left_out {
            warn("arcfour", &format!("warning: {name}: still encrypted: {what}"));
        }
        output.commit()
    }
}

/// What is to be said of the password that opened a document.
fn note(with: OpenedWith) -> Option<&'static str> {
    match with {
        OpenedWith::Password => None,
        OpenedWith::First15 => Some("the first 15 characters of the password"),
        OpenedWith::StoredKey => Some("the key that it holds; no password is needed"),
        OpenedWith::ExcelDefault => Some("Excel's default password, VelvetSweatshop"),
    }
}
