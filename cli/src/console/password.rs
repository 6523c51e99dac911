//! Sources of the password or the key of another program's document. Every copy made here is wiped
//! when dropped.

use std::{ffi::OsString, path::PathBuf};

use arcfour_files::{SecretFile, secret_from_environment};
use arcfour_formats::text::decode_hex;
use zeroize::Zeroizing;

use super::{
    failure::Failure,
    identity::Guard,
    key::BETWEEN_BYTES,
    secret::{ask, first_line, open_file, without_mark},
};

const HEADING: &str = "Password (at most one; without one, the empty password)";

/// At most one source of a password.
#[derive(clap::Args)]
#[group(multiple = false)]
pub struct PasswordArgs {
    /// Ask for the password on the terminal
    #[arg(long, help_heading = HEADING)]
    password: bool,
    /// The password is the first line of this file; - is standard input
    #[arg(long, value_name = "PATH", help_heading = HEADING)]
    password_file: Option<PathBuf>,
    /// The password is the value of this environment variable
    #[arg(long, value_name = "NAME", help_heading = HEADING)]
    password_env: Option<OsString>,
}

/// At most one source of a password, or of the key that a password makes.
#[derive(clap::Args)]
pub struct PasswordOrKeyArgs {
    #[command(flatten)]
    password: PasswordArgs,
    /// The key of the file instead of a password, as hexadecimal digits from `arcfour find`.
    /// Visible to all users in `ps`
    #[arg(
        long,
        value_name = "HEX",
        allow_hyphen_values = true,
        conflicts_with = "PasswordArgs",
        help_heading = HEADING
    )]
    file_key: Option<OsString>,
}

/// The source of a password. A file is open.
pub enum PasswordSource {
    /// The empty password.
    Empty,
    /// The terminal.
    Prompt,
    /// A file, and its path for messages.
    File(SecretFile, PathBuf, Guard),
    /// A password.
    Password(Zeroizing<Vec<u8>>),
    /// A key.
    Key(Zeroizing<Vec<u8>>),
}

/// A password or a key.
pub enum Opens {
    /// A password.
    Password(Zeroizing<Vec<u8>>),
    /// The key that a password makes.
    Key(Zeroizing<Vec<u8>>),
}

impl PasswordArgs {
    /// Opens the source; `stdin_is_data` says that standard input cannot be it.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(self, stdin_is_data: bool) -> Result<PasswordSource, Failure> {
        if let Some(path) = self.password_file {
            let (file, guard) = open_file(&path, "password file", stdin_is_data)?;
            return Ok(PasswordSource::File(file, path, guard));
        }
        if let Some(name) = self.password_env {
            return match secret_from_environment(&name) {
                Some(value) => Ok(PasswordSource::Password(value)),
                None => Err(Failure::Usage(
                    "the environment variable that --password-env names is not set".into(),
                )),
            };
        }
        Ok(if self.password { PasswordSource::Prompt } else { PasswordSource::Empty })
    }
}

impl PasswordOrKeyArgs {
    /// Opens the source; `stdin_is_data` says that standard input cannot be it.
    ///
    /// # Errors
    /// If it cannot be opened, or is not a key.
    pub fn open(self, stdin_is_data: bool) -> Result<PasswordSource, Failure> {
        let Some(digits) = self.file_key else { return self.password.open(stdin_is_data) };
        let digits = Zeroizing::new(digits.into_encoded_bytes());
        let refused =
            |error| Failure::Usage(format!("cannot decode the file key: {error}{BETWEEN_BYTES}"));
        Ok(PasswordSource::Key(Zeroizing::new(decode_hex(&digits).map_err(refused)?)))
    }
}

impl PasswordSource {
    /// Returns the guard that refuses the password's file as output.
    pub fn guard(&self) -> Option<&Guard> {
        match self {
            Self::File(_, _, guard) => Some(guard),
            _ => None,
        }
    }

    /// Returns true if no password was given.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    /// Reads the password or key. A new password is asked for twice.
    ///
    /// # Errors
    /// If that fails.
    pub fn read(self, new: bool) -> Result<Opens, Failure> {
        Ok(match self {
            Self::Empty => Opens::Password(Zeroizing::default()),
            Self::Prompt => Opens::Password(ask("password", new)?),
            Self::File(file, path, _) => {
                let line = first_line(file, &path, "password")?;
                let name = format!("the password file '{}'", path.display());
                Opens::Password(Zeroizing::new(without_mark(&line, &name)?.to_vec()))
            }
            Self::Password(text) => Opens::Password(text),
            Self::Key(bytes) => Opens::Key(bytes),
        })
    }
}
