//! Why an Office document is not read or decrypted.

/// Why an Office document is not read or decrypted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file is not a document of Word, Excel, PowerPoint or Access 97 to 2003.
    #[error("not a document of Word, Excel, PowerPoint or Access 97 to 2003: {0}")]
    Format(String),
    /// The document is damaged.
    #[error("the document is damaged: {0}")]
    Damaged(String),
    /// The document is not encrypted.
    #[error("the document is not encrypted")]
    NotEncrypted,
    /// The document is protected in another way.
    #[error("the document is protected by {0}")]
    Unsupported(String),
    /// The password is wrong.
    #[error("wrong password")]
    WrongPassword,
    /// The password is not text.
    #[error("the password is not UTF-8")]
    Text,
    /// The key does not open the document.
    #[error("wrong key: it does not fit the document's verifier")]
    WrongKey,
    /// A file key of this document has another length.
    #[error("a file key of this document has {expected} bytes, not {len}")]
    KeyLength {
        /// The right length in bytes.
        expected: usize,
        /// The given length in bytes.
        len: usize,
    },
}

pub(super) fn damaged(what: &str) -> Error {
    Error::Damaged(what.to_owned())
}
