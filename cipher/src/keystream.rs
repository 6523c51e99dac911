//! What all ciphers of the crate have in common, and the ciphers that are their definition.

use cipher::{BlockSizeUser, StreamCipher, StreamCipherError, consts::U1, inout::InOutBuf};
use zeroize::Zeroize;

use crate::{
    Rc4,
    families::{self, Prga},
};

/// One stream of keystream, and where it stands: every cipher of the crate, behind one door.
///
/// ```
/// use arcfour::{Keystream, Plain, Rc4, families::rc4a};
///
/// let mut ciphers: [Box<dyn Keystream>; 2] =
///     [Box::new(Rc4::from_key(b"Key")?), Box::new(Plain::new(rc4a::State::ksa(b"Key")?))];
/// for cipher in &mut ciphers {
///     let mut text = *b"Plaintext";
///     cipher.apply(&mut text);
///     assert_eq!(cipher.position(), 9);
/// }
/// # Ok::<(), arcfour::KeyLengthError>(())
/// ```
pub trait Keystream {
    /// Writes the next `out.len()` bytes of keystream.
    fn fill(&mut self, out: &mut [u8]);

    /// Xors the next `data.len()` bytes of keystream into `data`: encrypts and decrypts.
    fn apply(&mut self, data: &mut [u8]);

    /// How many bytes of keystream have been used or skipped so far (modulo 2^64).
    fn position(&self) -> u64;

    /// Advances by `n` bytes. Takes as long as making them, unless the cipher says otherwise.
    fn skip(&mut self, n: u64) {
        if n == 0 {
            return;
        }
        let mut unused = [0; 4096];
        let mut left = n;
        while left > 0 {
            let step = left.min(unused.len() as u64);
            self.fill(&mut unused[..step as usize]);
            left -= step;
        }
        unused.zeroize();
    }
}

impl Keystream for Rc4 {
    fn fill(&mut self, out: &mut [u8]) {
        self.fill(out);
    }

    fn apply(&mut self, data: &mut [u8]) {
        self.apply(data);
    }

    fn position(&self) -> u64 {
        self.position()
    }
}

/// A cipher as its definition computes it: a byte at a time. Wiped when dropped.
///
/// Also implements the RustCrypto trait [`StreamCipher`].
#[derive(Clone)]
pub struct Plain<S> {
    state: S,
    position: u64,
}

impl<S: Prga> Plain<S> {
    /// The cipher in the state given, which counts as position 0.
    pub fn new(state: S) -> Self {
        Self { state, position: 0 }
    }

    /// The state the stream is in, for tests and teaching.
    pub fn state(&self) -> &S {
        &self.state
    }

    /// The state, which the caller is about to take `n` bytes from.
    fn advanced(&mut self, n: usize) -> &mut S {
        self.position = self.position.wrapping_add(n as u64);
        &mut self.state
    }
}

impl<S: Prga> Keystream for Plain<S> {
    fn fill(&mut self, out: &mut [u8]) {
        families::fill(self.advanced(out.len()), out);
    }

    fn apply(&mut self, data: &mut [u8]) {
        self.unchecked_apply_keystream_inout(data.into());
    }

    fn position(&self) -> u64 {
        self.position
    }
}

impl<S> BlockSizeUser for Plain<S> {
    type BlockSize = U1;
}

impl<S: Prga> StreamCipher for Plain<S> {
    fn check_remaining(&self, _data_len: usize) -> Result<(), StreamCipherError> {
        Ok(())
    }

    fn unchecked_apply_keystream_inout(&mut self, data: InOutBuf<'_, '_, u8>) {
        families::xor(self.advanced(data.len()), data);
    }

    fn unchecked_write_keystream(&mut self, out: &mut [u8]) {
        self.fill(out);
    }
}

impl<S> core::fmt::Debug for Plain<S> {
    /// Neither key nor table.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Plain").field("position", &self.position).finish_non_exhaustive()
    }
}
