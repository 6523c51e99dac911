//! Why a PDF file is not read, decrypted or encrypted.

use std::io;

/// Why a PDF file is not read, decrypted or encrypted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be read as a PDF file.
    #[error("not a PDF file that can be read: {0}")]
    Damaged(String),
    /// The bytes of the file cannot be read.
    #[error("its bytes cannot be read: {0}")]
    Read(String),
    /// A part of the file is lost; a repair recovers the rest.
    #[error("the file is damaged: {0}")]
    Incomplete(String),
    /// The file is not encrypted.
    #[error("the file is not encrypted")]
    NotEncrypted,
    /// The file is encrypted already.
    #[error("the file is encrypted already")]
    AlreadyEncrypted,
    /// The file is encrypted by another method than RC4 with a password.
    #[error("the file is encrypted with {0}")]
    Unsupported(String),
    /// The encryption dictionary lacks a required entry.
    #[error("the encryption dictionary is damaged: {0}")]
    Dictionary(String),
    /// The password is neither the user's nor the owner's.
    #[error("wrong password")]
    WrongPassword,
    /// The key does not open the file.
    #[error("wrong key: it does not fit the file's U entry")]
    WrongKey,
    /// No file key has this number of bytes.
    #[error("a file key has 5 to 16 bytes, not {0}")]
    KeyLength(usize),
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Read(error.to_string())
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        Self::other(error)
    }
}
