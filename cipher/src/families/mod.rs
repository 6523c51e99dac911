//! The definitions: one file per paper, in its notation, slow and plain.
//!
//! They are the yardstick every backend is tested against, and the place to read what a cipher *is*.
//! [`Plain`](crate::Plain) makes any of them a [`Keystream`](crate::Keystream).

pub mod rc4;
pub mod rc4a;

/// A cipher's state that makes its keystream a byte at a time.
pub trait Prga {
    /// One step of the pseudo-random generation algorithm: the next byte of keystream.
    fn prga(&mut self) -> u8;
}

impl Prga for rc4::State {
    #[inline]
    fn prga(&mut self) -> u8 {
        self.prga()
    }
}
