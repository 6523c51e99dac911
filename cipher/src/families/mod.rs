//! The definitions: one file per paper, in its notation, slow and plain.
//!
//! They are the yardstick every backend is tested against, and the place to read what a cipher *is*.
//! [`Plain`](crate::Plain) makes any of them a [`Keystream`](crate::Keystream).

pub mod parc4i;
pub mod parc4r;
pub mod rc4;
pub mod rc4a;
pub mod rc4plus;
pub mod spritz;
pub mod vmpc;

use cipher::inout::InOutBuf;

/// A cipher's state that makes its keystream a byte at a time.
pub trait Prga {
    /// One step of the pseudo-random generation algorithm: the next byte of keystream.
    fn prga(&mut self) -> u8;
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
