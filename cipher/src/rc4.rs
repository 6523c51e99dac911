//! RC4 for use in programs: the definition's state, advanced by the machine's fastest backend.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;

use cipher::{KeySizeUser, consts::U32, inout::InOutBuf};

use crate::{
    Backend,
    error::{KeyLengthError, check_key},
    families::rc4::State,
    keystream::{discard, key_init, stream_cipher},
};

/// RC4: a keystream and its position. Wiped when dropped.
///
/// Also implements the RustCrypto traits [`KeyInit`](cipher::KeyInit) and
/// [`StreamCipher`](cipher::StreamCipher), with the key length chosen at run time through
/// `KeyInit::new_from_slice`, as the crate `rc4` does. It cannot seek: RC4's state at a position is
/// known only by making every byte before it.
// The state comes first and is aligned to 256: backends keep j in the low byte of an address.
#[repr(C, align(256))]
pub struct Rc4 {
    pub(crate) state: State,
    position: u64,
    backend: Backend,
}

impl Rc4 {
    /// Sets up RC4 with a key of 1 to 256 bytes, at position 0.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn from_key(key: &[u8]) -> Result<Self, KeyLengthError> {
        Self::with_backend(key, Backend::detect())
    }

    /// Sets up RC4-drop\[n\]: discards the first `n` bytes of keystream, and counts positions from
    /// the byte after them. Mironov (CRYPTO 2002) advises n ≥ 768, better
    /// [`RECOMMENDED_DROP`](crate::RECOMMENDED_DROP); files and protocols use 256, 768,
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

    /// Sets up RC4 by a backend other than the fastest, for tests and measurements.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn with_backend(key: &[u8], backend: Backend) -> Result<Self, KeyLengthError> {
        check_key(key)?;
        let mut rc4 = Self::unkeyed(backend);
        backend.schedule(&mut rc4, key);
        Ok(rc4)
    }

    /// Sets up RC4 in a box. The state is made there and does not move, so that no copy of it stays on
    /// the stack.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    #[cfg(feature = "alloc")]
    pub fn boxed(key: &[u8], backend: Backend) -> Result<Box<Self>, KeyLengthError> {
        check_key(key)?;
        let mut rc4 = Box::new(Self::unkeyed(backend));
        backend.schedule(&mut rc4, key);
        Ok(rc4)
    }

    /// Encrypts or decrypts a whole message: the state is made where it is used and wiped there.
    ///
    /// ```
    /// # use arcfour::Rc4;
    /// let mut text = *b"Baptiste";
    /// Rc4::crypt(b"Quentin", &mut text)?;
    /// assert_eq!(text, [0xb0, 0x7c, 0xe1, 0xf8, 0xd3, 0x4c, 0xb9, 0x24]);
    /// # Ok::<(), arcfour::KeyLengthError>(())
    /// ```
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes; the message then stays as it was.
    pub fn crypt(key: &[u8], message: &mut [u8]) -> Result<(), KeyLengthError> {
        check_key(key)?;
        let mut rc4 = Self::unkeyed(Backend::detect());
        rc4.backend.schedule(&mut rc4, key);
        rc4.apply(message);
        Ok(())
    }

    /// Continues from the [`parts`](State::parts) of a saved state, which becomes position 0. A
    /// table that is no permutation of 0 to 255 is accepted; its output is not RC4.
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
        rc4.set_parts(s, i, j);
        rc4
    }

    /// Continues from a saved state as [`from_parts`](Self::from_parts) does, in place.
    pub fn set_parts(&mut self, s: &[u8; 256], i: u8, j: u8) {
        self.state.s.copy_from_slice(s);
        (self.state.i, self.state.j) = (i, j);
        self.position = 0;
    }

    pub(crate) fn unkeyed(backend: Backend) -> Self {
        Self { state: State::new(), position: 0, backend }
    }

    /// Resets the table and the position; the caller must run the key schedule next.
    pub(crate) fn reset(&mut self) {
        self.state.reset();
        self.position = 0;
    }

    /// Adds `n` to the position; the caller must produce the `n` bytes.
    pub(crate) fn add_position(&mut self, n: usize) {
        self.position = self.position.wrapping_add(n as u64);
    }

    /// Starts over with another key, at position 0, in place. Use it for many short messages.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes; the stream then stays as it was.
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), KeyLengthError> {
        check_key(key)?;
        self.reset();
        self.backend.schedule(self, key);
        Ok(())
    }

    /// Writes the next `out.len()` bytes of keystream.
    pub fn fill(&mut self, out: &mut [u8]) {
        self.add_position(out.len());
        self.backend.fill(self, out);
    }

    fn xor(&mut self, data: InOutBuf<'_, '_, u8>) {
        self.add_position(data.len());
        self.backend.xor(self, data);
    }

    /// Advances by `n` bytes. RC4 cannot jump: this takes as long as making the bytes.
    pub fn skip(&mut self, n: u64) {
        discard(self, n);
    }

    /// Returns how many bytes of keystream have been used or skipped so far (modulo 2^64).
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns the state of the stream, for tests and teaching.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the backend that does the work.
    pub fn backend(&self) -> Backend {
        self.backend
    }
}

impl Clone for Rc4 {
    fn clone(&self) -> Self {
        let mut rc4 = Self::unkeyed(self.backend);
        rc4.clone_from(self);
        rc4
    }

    /// Copies the stream directly to its new place, so that no other copy of the state is left.
    fn clone_from(&mut self, source: &Self) {
        self.state.s.copy_from_slice(&source.state.s);
        (self.state.i, self.state.j) = (source.state.i, source.state.j);
        (self.position, self.backend) = (source.position, source.backend);
    }
}

stream_cipher!(Rc4);
key_init!(Rc4);

impl KeySizeUser for Rc4 {
    type KeySize = U32;
}

// Its state wipes all secrets.
#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for Rc4 {}

impl core::fmt::Debug for Rc4 {
    /// Shows neither key nor table.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Rc4")
            .field("position", &self.position)
            .field("backend", &self.backend)
            .finish_non_exhaustive()
    }
}
