//! The RC4A a program uses: the definition's state, driven by the machine's fastest backend.

use cipher::{BlockSizeUser, StreamCipher, StreamCipherError, consts::U1, inout::InOutBuf};
use zeroize::ZeroizeOnDrop;

use crate::{Backend, KeyLengthError, Keystream, families::rc4a::State};

/// RC4A: one stream of keystream, and where it stands. Wiped when dropped.
#[derive(Clone)]
pub struct Rc4a {
    state: State,
    position: u64,
    backend: Backend,
}

impl Rc4a {
    /// RC4A with a key of 1 to 256 bytes, at position 0.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn from_key(key: &[u8]) -> Result<Self, KeyLengthError> {
        Self::with_backend(key, Backend::detect())
    }

    /// RC4A by the backend given: for tests and measurements.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn with_backend(key: &[u8], backend: Backend) -> Result<Self, KeyLengthError> {
        Ok(Self { state: State::ksa(key)?, position: 0, backend })
    }

    /// The state the stream is in, for tests and teaching.
    pub fn state(&self) -> &State {
        &self.state
    }

    fn advanced(&mut self, n: usize) -> &mut State {
        self.position = self.position.wrapping_add(n as u64);
        &mut self.state
    }
}

impl Keystream for Rc4a {
    fn fill(&mut self, out: &mut [u8]) {
        (self.backend.ops().rc4a.fill)(self.advanced(out.len()), out);
    }

    fn apply(&mut self, data: &mut [u8]) {
        self.unchecked_apply_keystream_inout(data.into());
    }

    fn position(&self) -> u64 {
        self.position
    }
}

impl BlockSizeUser for Rc4a {
    type BlockSize = U1;
}

impl StreamCipher for Rc4a {
    fn check_remaining(&self, _data_len: usize) -> Result<(), StreamCipherError> {
        Ok(())
    }

    fn unchecked_apply_keystream_inout(&mut self, data: InOutBuf<'_, '_, u8>) {
        (self.backend.ops().rc4a.xor)(self.advanced(data.len()), data);
    }

    fn unchecked_write_keystream(&mut self, out: &mut [u8]) {
        self.fill(out);
    }
}

impl ZeroizeOnDrop for Rc4a {}

impl core::fmt::Debug for Rc4a {
    /// Neither key nor table.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Rc4a")
            .field("position", &self.position)
            .field("backend", &self.backend)
            .finish_non_exhaustive()
    }
}
