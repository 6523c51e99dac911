//! `arcfour pdf encrypt`

use arcfour_formats::pdf::{Encryption, pdf_doc_encoding};

use super::files::{failed, read, warn_of_loss, write};
use crate::console::{
    facts::pdf::source,
    failure::Failure,
    files::FileArgs,
    output::Shown,
    password::{Opens, PasswordArgs},
};

/// Encrypt a PDF file with RC4, for tests and teaching: this protects nothing
///
/// The standard security handler with V 2, R 3 and a key of 128 bits. The password is both the
/// user's and the owner's.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  arcfour pdf encrypt plain.pdf --password --i-know-rc4-is-broken -o sample.pdf")]
pub(super) struct Args {
    #[command(flatten)]
    files: FileArgs,
    /// Confirm that the result is for tests or teaching
    #[arg(long, required = true)]
    i_know_rc4_is_broken: bool,
    /// Take what can be read of a damaged file, with a warning
    #[arg(long)]
    repair: bool,
    #[command(flatten)]
    password: PasswordArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        debug_assert!(self.i_know_rc4_is_broken, "clap requires it");
        let password = self.password.open(self.files.reads_stdin())?;
        let (input, mut output) = self.files.open(Shown::Raw("a pipe"), &[password.guard()])?;
        let name = input.name().to_owned();
        let failed = |error| failed("encrypt", &name, &error);
        let Opens::Password(password) = password.read(true)? else {
            unreachable!("no key was asked for")
        };
        let encoded = str::from_utf8(&password).ok().and_then(pdf_doc_encoding);
        let user_password = encoded.ok_or_else(|| {
            Failure::Usage(
                "the password has a character that PDFDocEncoding, in which it must be, lacks"
                    .into(),
            )
        })?;
        let mut document = read(source(input)?, self.repair).map_err(failed)?;
        let encryption = Encryption { user_password, ..Encryption::default() };
        document.encrypt(&encryption).map_err(failed)?;
        warn_of_loss(&document, &name, "encrypted");
        write(document, &mut output)?;
        output.commit()
    }
}
