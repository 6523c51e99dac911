//! The header: `Salted__` and the salt.

use std::fmt;

use super::options::{SALT_LEN, Salt};
use crate::text::QuotedByte;

/// The first bytes of a file with a salt.
pub const MAGIC: &[u8; 8] = b"Salted__";
/// Bytes of a header.
pub const HEADER_LEN: usize = MAGIC.len() + SALT_LEN;

/// An error in the beginning of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// The file must begin with a header and does not.
    Missing {
        /// The first byte that differs from [`MAGIC`].
        offset: usize,
        /// The byte found there.
        byte: u8,
    },
    /// The file ends within its header.
    Truncated {
        /// Bytes of the file.
        len: usize,
    },
    /// The file begins with a header, and the options say that it has none.
    Unexpected,
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { offset, byte } => {
                let byte = QuotedByte(*byte);
                write!(f, "offset {offset}: {byte} where the header 'Salted__' should be")
            }
            Self::Truncated { len } => {
                write!(f, "the input has {len} bytes; its header alone must have {HEADER_LEN}")
            }
            Self::Unexpected => {
                write!(f, "the input begins with the header 'Salted__', which has the salt")
            }
        }
    }
}

impl std::error::Error for HeaderError {}

/// Writes the header with this salt.
pub(super) fn write(salt: [u8; SALT_LEN]) -> [u8; HEADER_LEN] {
    let mut header = [0; HEADER_LEN];
    header[..MAGIC.len()].copy_from_slice(MAGIC);
    header[MAGIC.len()..].copy_from_slice(&salt);
    header
}

/// The beginning of a file, before the ciphertext.
pub(super) struct Beginning {
    /// Bytes of header.
    pub header_len: usize,
    /// The salt, from the header or from the options.
    pub salt: Option<[u8; SALT_LEN]>,
}

/// Reads the beginning of a file from its first bytes, `head`. Returns `None` if more bytes are
/// needed. `ended` is true if the file has no more.
///
/// # Errors
/// If an expected header is missing or cut off, or a header is present but not expected.
pub(super) fn read(salt: Salt, head: &[u8], ended: bool) -> Result<Option<Beginning>, HeaderError> {
    let alike = head.iter().zip(MAGIC).take_while(|(a, b)| a == b).count();
    let salt = match salt {
        Salt::Header | Salt::GivenInHeader(_) => {
            if let Some(&byte) = head.get(alike).filter(|_| alike < MAGIC.len()) {
                return Err(HeaderError::Missing { offset: alike, byte });
            }
            return match head[alike..].first_chunk() {
                Some(&salt) => Ok(Some(Beginning { header_len: HEADER_LEN, salt: Some(salt) })),
                None if ended => Err(HeaderError::Truncated { len: head.len() }),
                None => Ok(None),
            };
        }
        Salt::Given(salt) => Some(salt),
        Salt::None => None,
    };
    if alike == MAGIC.len() {
        return Err(HeaderError::Unexpected);
    }
    Ok((alike < head.len() || ended).then_some(Beginning { header_len: 0, salt }))
}

/// Reads the beginning of a file that may or may not have a header, as [`read`] does.
pub(super) fn if_there(head: &[u8], ended: bool) -> Option<Beginning> {
    let alike = head.iter().zip(MAGIC).take_while(|(a, b)| a == b).count();
    match head[alike..].first_chunk() {
        _ if alike < head.len().min(MAGIC.len()) => Some(Beginning { header_len: 0, salt: None }),
        Some(&salt) => Some(Beginning { header_len: HEADER_LEN, salt: Some(salt) }),
        None => ended.then_some(Beginning { header_len: 0, salt: None }),
    }
}
