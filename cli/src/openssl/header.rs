//! The header of `openssl enc`: `Salted__` and the salt.

use std::fmt;

use super::{SALT, Salt};
use crate::failure::Shown;

const MAGIC: &[u8; 8] = b"Salted__";
/// How many bytes a header has.
pub(super) const LEN: usize = MAGIC.len() + SALT;

/// What is wrong with the beginning of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// It should be a header, and is not.
    Missing {
        /// The first byte that differs.
        offset: usize,
        /// That byte.
        byte: u8,
    },
    /// The file ends in its header.
    Truncated {
        /// How many bytes it has.
        len: usize,
    },
    /// It is a header, and should not be.
    Unexpected,
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { offset, byte } => write!(
                f,
                "offset {offset}: {} where the header 'Salted__' should be; if the input is base64, \
                 add --base64; if it was written without a header, add --nosalt or --salt",
                Shown(*byte)
            ),
            Self::Truncated { len } => {
                write!(f, "the input has {len} bytes; its header alone must have {LEN}")
            }
            Self::Unexpected => write!(
                f,
                "the input begins with the header 'Salted__', which has the salt; leave out \
                 --nosalt and --salt"
            ),
        }
    }
}

impl std::error::Error for HeaderError {}

/// The header with this salt.
pub fn write(salt: [u8; SALT]) -> [u8; LEN] {
    let mut header = [0; LEN];
    header[..MAGIC.len()].copy_from_slice(MAGIC);
    header[MAGIC.len()..].copy_from_slice(&salt);
    header
}

/// What a file begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// How many bytes of header stand before the ciphertext.
    pub header_len: usize,
    /// The salt, wherever it is from.
    pub salt: Option<[u8; SALT]>,
}

/// What a file begins with whose first bytes are `head`; None if it takes more of them to tell.
/// `ended` says that there are no more.
///
/// # Errors
/// If a header is expected and not there, or the other way round.
pub fn read(salt: Salt, head: &[u8], ended: bool) -> Result<Option<Beginning>, HeaderError> {
    let alike = head.iter().zip(MAGIC).take_while(|(a, b)| a == b).count();
    let salt = match salt {
        Salt::Header => {
            if let Some(&byte) = head.get(alike).filter(|_| alike < MAGIC.len()) {
                return Err(HeaderError::Missing { offset: alike, byte });
            }
            return match head[alike..].first_chunk() {
                Some(&salt) => Ok(Some(Beginning { header_len: LEN, salt: Some(salt) })),
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
