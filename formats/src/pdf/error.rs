//! Why a PDF file is not read, decrypted or encrypted.

use std::io;

/// Why a PDF file is not read, decrypted or encrypted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be read as a PDF file.
    #[error("not a PDF file that can be read: {0}")]
    Damaged(String),
    /// The bytes of the file cannot be had.
    #[error("its bytes cannot be read: {0}")]
    Read(String),
    /// Something of the file is lost; what is there can be had by asking for a repair.
    #[error("the file is damaged: {0}")]
    Incomplete(String),
    /// The file is not encrypted.
    #[error("the file is not encrypted")]
    NotEncrypted,
    /// The file is encrypted already.
    #[error("the file is encrypted already")]
    AlreadyEncrypted,
    /// The file is encrypted in a way that is not RC4 by a password.
    #[error("the file is encrypted with {0}")]
    Unsupported(String),
    /// The encryption dictionary does not say what it must.
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
