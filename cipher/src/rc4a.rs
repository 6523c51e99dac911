//! RC4A for use in programs: the definition's state, advanced by the machine's fastest backend.

use cipher::{KeySizeUser, consts::U32, inout::InOutBuf};

use crate::{
    Backend, KeyLengthError,
    families::rc4a::State,
    keystream::{discard, key_init, stream_cipher},
};

/// RC4A: a keystream and its position. Wiped when dropped.
///
/// Also implements the RustCrypto traits [`KeyInit`](cipher::KeyInit) and
/// [`StreamCipher`](cipher::StreamCipher).
#[derive(Clone)]
pub struct Rc4a {
    state: State,
    position: u64,
    backend: Backend,
}

impl Rc4a {
    /// Sets up RC4A with a key of 1 to 256 bytes, at position 0.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn from_key(key: &[u8]) -> Result<Self, KeyLengthError> {
        Self::with_backend(key, Backend::detect())
    }

    /// Sets up RC4A by a backend other than the fastest, for tests and measurements.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn with_backend(key: &[u8], backend: Backend) -> Result<Self, KeyLengthError> {
        Ok(Self { state: State::ksa(key)?, position: 0, backend })
    }

    /// Returns the state of the stream, for tests and teaching.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Writes the next `out.len()` bytes of keystream.
    pub fn fill(&mut self, out: &mut [u8]) {
        self.position = self.position.wrapping_add(out.len() as u64);
        self.backend.rc4a_fill(&mut self.state, out);
    }

    fn xor(&mut self, data: InOutBuf<'_, '_, u8>) {
        self.position = self.position.wrapping_add(data.len() as u64);
        self.backend.rc4a_xor(&mut self.state, data);
    }

    /// Advances by `n` bytes. Takes as long as making the bytes.
    pub fn skip(&mut self, n: u64) {
        discard(self, n);
    }

    /// Returns how many bytes of keystream have been used or skipped so far (modulo 2^64).
    pub fn position(&self) -> u64 {
        self.position
    }
}

stream_cipher!(Rc4a);
key_init!(Rc4a);

impl KeySizeUser for Rc4a {
    type KeySize = U32;
}

// Its state wipes all secrets.
#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for Rc4a {}

impl core::fmt::Debug for Rc4a {
    /// Shows neither key nor table.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Rc4a")
            .field("position", &self.position)
            .field("backend", &self.backend)
            .finish_non_exhaustive()
    }
}
