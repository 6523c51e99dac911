//! The ciphers that have no backend besides their definition.

use cipher::{
    InvalidLength, Iv, IvSizeUser, Key, KeyIvInit, KeySizeUser,
    consts::{U16, U32},
    inout::InOutBuf,
};

use crate::{
    KeyLengthError,
    families::{
        self, FromKey, FromKeyIv, Prga, parc4i, rc4plus, spritz,
        vmpc::{self, LengthError},
    },
    keystream::{discard, key_init, stream_cipher},
};

/// A cipher that its definition computes, one byte at a time.
///
/// It is wiped when dropped if its state is wiped, as every state in [`families`] is.
#[derive(Clone)]
pub struct Plain<S> {
    state: S,
    position: u64,
}

/// VMPC. Also implements [`KeyIvInit`].
pub type Vmpc = Plain<vmpc::State>;
/// VMPC with the key schedule KSA3. Also implements [`KeyIvInit`].
pub type VmpcKsa3 = Plain<vmpc::State<vmpc::Ksa3>>;
/// RC4+.
pub type Rc4plus = Plain<rc4plus::State>;
/// Spritz.
pub type Spritz = Plain<spritz::State>;
/// PARC4-I as its Algorithm 2 is printed.
pub type Parc4i = Plain<parc4i::State>;
/// PARC4-I as the text above its Algorithm 2 describes it.
pub type Parc4iText = Plain<parc4i::State<parc4i::Text>>;

impl<S: FromKey> Plain<S> {
    /// Sets up the cipher with a key of 1 to 256 bytes, at position 0.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn from_key(key: &[u8]) -> Result<Self, KeyLengthError> {
        S::from_key(key).map(Self::new)
    }
}

impl<S: FromKeyIv> Plain<S> {
    /// Sets up the cipher with a key and an IV of 1 to 256 bytes each, at position 0.
    ///
    /// # Errors
    /// If the key or the IV is empty or has more than 256 bytes.
    pub fn from_key_iv(key: &[u8], iv: &[u8]) -> Result<Self, LengthError> {
        S::from_key_iv(key, iv).map(Self::new)
    }
}

impl<S: Prga> Plain<S> {
    /// Makes a cipher of a state, at position 0.
    pub fn new(state: S) -> Self {
        Self { state, position: 0 }
    }

    /// Writes the next `out.len()` bytes of keystream.
    pub fn fill(&mut self, out: &mut [u8]) {
        families::fill(self.count(out.len()), out);
    }

    fn xor(&mut self, data: InOutBuf<'_, '_, u8>) {
        families::xor(self.count(data.len()), data);
    }

    /// Advances by `n` bytes. Takes as long as making the bytes.
    pub fn skip(&mut self, n: u64) {
        discard(self, n);
    }

    /// Returns how many bytes of keystream have been used or skipped so far (modulo 2^64).
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns the state of the stream, for tests and teaching.
    pub fn state(&self) -> &S {
        &self.state
    }

    /// Adds `n` to the position and returns the state; the caller must take `n` bytes from it.
    fn count(&mut self, n: usize) -> &mut S {
        self.position = self.position.wrapping_add(n as u64);
        &mut self.state
    }
}

stream_cipher!(Plain<S> where [S: Prga]);
key_init!(Plain<S> where [S: FromKey]);

impl<S> KeySizeUser for Plain<S> {
    type KeySize = U32;
}

impl<S: FromKeyIv> IvSizeUser for Plain<S> {
    /// The key and IV of the VMPC author's test vectors.
    type IvSize = U16;
}

impl<S: FromKeyIv> KeyIvInit for Plain<S> {
    /// Takes a key of 32 and an IV of 16 bytes. Other lengths go through `new_from_slices`.
    fn new(key: &Key<Self>, iv: &Iv<Self>) -> Self {
        Self::from_key_iv(key, iv).expect("32 and 16 bytes are a valid key and IV")
    }

    /// Takes a key and an IV of 1 to 256 bytes each.
    fn new_from_slices(key: &[u8], iv: &[u8]) -> Result<Self, InvalidLength> {
        Self::from_key_iv(key, iv).map_err(|_| InvalidLength)
    }
}

#[cfg(feature = "zeroize")]
impl<S: zeroize::ZeroizeOnDrop> zeroize::ZeroizeOnDrop for Plain<S> {}

impl<S> core::fmt::Debug for Plain<S> {
    /// Shows neither key nor table.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Plain").field("position", &self.position).finish_non_exhaustive()
    }
}
