//! Errors of keys and initialisation vectors.

use core::fmt;

/// The shortest key, in bytes.
pub const MIN_KEY: usize = 1;
/// The longest key, in bytes: the key schedule has 256 steps, so further bytes would never be read.
pub const MAX_KEY: usize = 256;

/// A key whose length is outside 1 to 256 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyLengthError {
    /// The length of the refused key, in bytes.
    pub given: usize,
}

/// Returns `Ok` if `key` has 1 to 256 bytes.
pub(crate) const fn check_key(key: &[u8]) -> Result<(), KeyLengthError> {
    match key.len() {
        MIN_KEY..=MAX_KEY => Ok(()),
        given => Err(KeyLengthError { given }),
    }
}

impl fmt::Display for KeyLengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the key has {} bytes; it must have {MIN_KEY} to {MAX_KEY}", self.given)
    }
}

impl core::error::Error for KeyLengthError {}

impl From<KeyLengthError> for cipher::InvalidLength {
    fn from(_: KeyLengthError) -> Self {
        Self
    }
}

/// A key or an IV whose length is outside 1 to 256 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthError {
    /// The length of the key is wrong.
    Key(KeyLengthError),
    /// The length of the IV is wrong.
    Iv {
        /// The length of the IV refused, in bytes.
        given: usize,
    },
}

impl fmt::Display for LengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(error) => error.fmt(f),
            Self::Iv { given } => {
                write!(f, "the IV has {given} bytes; it must have {MIN_KEY} to {MAX_KEY}")
            }
        }
    }
}

impl core::error::Error for LengthError {}
