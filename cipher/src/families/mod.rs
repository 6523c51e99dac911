//! The definitions: one file per paper, in its notation, slow and plain.
//!
//! Every backend is tested against them. Read them to learn what a cipher does.
//! [`Plain`](crate::Plain) makes any of them a [`Keystream`](crate::Keystream).

pub mod parc4i;
#[cfg(feature = "parc4r")]
pub mod parc4r;
pub mod rc4;
pub mod rc4a;
pub mod rc4plus;
pub mod spritz;
#[cfg(feature = "alloc")]
pub mod variant;
pub mod vmpc;

use cipher::inout::InOutBuf;

use crate::error::{KeyLengthError, LengthError};

/// A cipher's state that makes its keystream a byte at a time.
pub trait Prga {
    /// One step of the pseudo-random generation algorithm: the next byte of keystream.
    fn prga(&mut self) -> u8;
}

/// A state that a key sets up. Its cipher is a [`KeyInit`](cipher::KeyInit).
pub trait FromKey: Prga + Sized {
    /// Makes the state before the first byte, from a key of 1 to 256 bytes.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    fn from_key(key: &[u8]) -> Result<Self, KeyLengthError>;
}

/// A state that a key and an IV set up. Its cipher is a [`KeyIvInit`](cipher::KeyIvInit).
pub trait FromKeyIv: Prga + Sized {
    /// Makes the state before the first byte, from a key and an IV of 1 to 256 bytes each.
    ///
    /// # Errors
    /// If the key or the IV is empty or has more than 256 bytes.
    fn from_key_iv(key: &[u8], iv: &[u8]) -> Result<Self, LengthError>;
}

/// Writes the next bytes of keystream.
pub(crate) fn fill(state: &mut impl Prga, out: &mut [u8]) {
    out.fill_with(|| state.prga());
}

/// Xors the next bytes of keystream into data, in place or from one buffer to another.
pub(crate) fn xor(state: &mut impl Prga, data: InOutBuf<'_, '_, u8>) {
    for mut byte in data {
        *byte.get_out() = *byte.get_in() ^ state.prga();
    }
}

impl Prga for rc4::State {
    #[inline]
    fn prga(&mut self) -> u8 {
        self.prga()
    }
}

impl FromKey for rc4::State {
    fn from_key(key: &[u8]) -> Result<Self, KeyLengthError> {
        Self::ksa(key)
    }
}
