//! The RC4 a program uses: the definition's state, driven by the machine's fastest backend.

use cipher::{
    BlockSizeUser, InvalidLength, Key, KeyInit, KeySizeUser, StreamCipher, StreamCipherError,
    consts::{U1, U32},
    inout::InOutBuf,
};
use zeroize::ZeroizeOnDrop;

use crate::{
    Backend, Keystream,
    error::{KeyLengthError, check_key},
    families::rc4::State,
};

/// RC4: one stream of keystream, and where it stands. Wiped when dropped.
///
/// Also implements the RustCrypto traits [`KeyInit`] and [`StreamCipher`], with the key length
/// chosen at run time through [`KeyInit::new_from_slice`], as the crate `rc4` does.
///
/// The state comes first and lies on a multiple of 256: backends keep j in the low byte of an
/// address.
#[derive(Clone)]
#[repr(C, align(256))]
pub struct Rc4 {
    pub(crate) state: State,
    position: u64,
    backend: Backend,
}

impl Rc4 {
    /// RC4 with a key of 1 to 256 bytes, at position 0.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn from_key(key: &[u8]) -> Result<Self, KeyLengthError> {
        Self::with_backend(key, Backend::detect())
    }

    /// RC4-drop\[n\]: the first `n` bytes of keystream are discarded, and position 0 is behind
    /// them. Mironov (CRYPTO 2002) advises n ≥ 768, better 3072; files and protocols use 256, 768,
    /// 1024, 1536 and 3072.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn with_drop(key: &[u8], n: u64) -> Result<Self, KeyLengthError> {
        let mut rc4 = Self::from_key(key)?;
        rc4.skip(n);
        rc4.position = 0;
        Ok(rc4)
    }

    /// RC4 by the backend given: for tests and measurements.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn with_backend(key: &[u8], backend: Backend) -> Result<Self, KeyLengthError> {
        check_key(key)?;
        let mut rc4 = Self::unkeyed(backend);
        (backend.ops().schedule)(&mut rc4, key);
        Ok(rc4)
    }

    /// Goes on from the [`parts`](State::parts) of a state that was kept, which becomes position 0.
    /// A table that is no permutation of 0 to 255 does no harm, but gives no RC4.
    ///
    /// ```
    /// # use arcfour::Rc4;
    /// let mut rc4 = Rc4::from_key(b"Quentin")?;
    /// rc4.skip(1000);
    /// let (s, i, j) = rc4.state().parts();
    /// let mut resumed = Rc4::from_parts(s, i, j);
    /// let mut keystream = [[0; 100]; 2];
    /// rc4.fill(&mut keystream[0]);
    /// resumed.fill(&mut keystream[1]);
    /// assert_eq!(keystream[0], keystream[1]);
    /// # Ok::<(), arcfour::KeyLengthError>(())
    /// ```
    pub fn from_parts(s: &[u8; 256], i: u8, j: u8) -> Self {
        let mut rc4 = Self::unkeyed(Backend::detect());
        (rc4.state.s, rc4.state.i, rc4.state.j) = (*s, i, j);
        rc4
    }

    pub(crate) fn unkeyed(backend: Backend) -> Self {
        Self { state: State::new(), position: 0, backend }
    }

    /// Itself, as before the key schedule: the caller keys the state.
    pub(crate) fn restarted(&mut self) -> &mut Self {
        self.state.reset();
        self.position = 0;
        self
    }

    /// Itself, `n` bytes on: the caller advances the state.
    pub(crate) fn advanced(&mut self, n: usize) -> &mut Self {
        self.position = self.position.wrapping_add(n as u64);
        self
    }

    /// Starts over with another key, at position 0, in place: what to use for many short messages.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes; the stream then stays as it was.
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), KeyLengthError> {
        check_key(key)?;
        (self.backend.ops().schedule)(self.restarted(), key);
        Ok(())
    }

    /// Writes the next `out.len()` bytes of keystream.
    pub fn fill(&mut self, out: &mut [u8]) {
        (self.backend.ops().fill)(self.advanced(out.len()), out);
    }

    /// Xors the next `data.len()` bytes of keystream into `data`: encrypts and decrypts.
    pub fn apply(&mut self, data: &mut [u8]) {
        self.unchecked_apply_keystream_inout(data.into());
    }

    /// Advances by `n` bytes. RC4 cannot jump: this takes as long as making the bytes.
    pub fn skip(&mut self, n: u64) {
        Keystream::skip(self, n);
    }

    /// How many bytes of keystream have been used or skipped so far (modulo 2^64).
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The state the stream is in, for tests and teaching.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The backend that does the work.
    pub fn backend(&self) -> Backend {
        self.backend
    }
}

impl KeySizeUser for Rc4 {
    /// What the fixed-length [`KeyInit::new`] takes; any length from 1 to 256 goes through
    /// [`KeyInit::new_from_slice`].
    type KeySize = U32;
}

impl KeyInit for Rc4 {
    fn new(key: &Key<Self>) -> Self {
        Self::from_key(key).expect("32 bytes are a valid key")
    }

    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Self::from_key(key)?)
    }
}

impl BlockSizeUser for Rc4 {
    type BlockSize = U1;
}

impl StreamCipher for Rc4 {
    fn check_remaining(&self, _data_len: usize) -> Result<(), StreamCipherError> {
        Ok(())
    }

    fn unchecked_apply_keystream_inout(&mut self, data: InOutBuf<'_, '_, u8>) {
        (self.backend.ops().xor)(self.advanced(data.len()), data);
    }

    fn unchecked_write_keystream(&mut self, out: &mut [u8]) {
        self.fill(out);
    }
}

impl ZeroizeOnDrop for Rc4 {}

impl core::fmt::Debug for Rc4 {
    /// Neither key nor table.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Rc4")
            .field("position", &self.position)
            .field("backend", &self.backend)
            .finish_non_exhaustive()
    }
}
