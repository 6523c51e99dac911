//! The interface that all ciphers of the crate share.

use crate::wipe::wipe;

/// A keystream and its position: the interface of every cipher of the crate.
///
/// ```
/// use arcfour::{Keystream, Rc4, Spritz};
///
/// let mut ciphers: [Box<dyn Keystream>; 2] =
///     [Box::new(Rc4::from_key(b"Key")?), Box::new(Spritz::from_key(b"Key")?)];
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

    /// Returns how many bytes of keystream have been used or skipped so far (modulo 2^64).
    fn position(&self) -> u64;

    /// Advances by `n` bytes. Takes as long as making `n` bytes, unless the cipher's documentation
    /// says otherwise.
    fn skip(&mut self, n: u64) {
        discard(self, n);
    }
}

/// Makes `n` bytes and wipes them.
pub(crate) fn discard(cipher: &mut (impl Keystream + ?Sized), n: u64) {
    if n == 0 {
        return;
    }
    let mut unused = [0; 4096];
    let mut left = n;
    while left > 0 {
        let step = left.min(unused.len() as u64);
        cipher.fill(&mut unused[..step as usize]);
        left -= step;
    }
    wipe(&mut unused);
}

/// Implements the traits that every cipher has, on its own `fill`, `xor`, `skip` and `position`.
macro_rules! stream_cipher {
    ($cipher:ty $(where [$($generics:tt)*])?) => {
        impl $(<$($generics)*>)? $cipher {
            /// Xors the next `data.len()` bytes of keystream into `data`: encrypts and decrypts.
            pub fn apply(&mut self, data: &mut [u8]) {
                self.xor(data.into());
            }
        }

        impl $(<$($generics)*>)? crate::Keystream for $cipher {
            fn fill(&mut self, out: &mut [u8]) {
                self.fill(out);
            }

            fn apply(&mut self, data: &mut [u8]) {
                self.apply(data);
            }

            fn position(&self) -> u64 {
                self.position()
            }

            fn skip(&mut self, n: u64) {
                self.skip(n);
            }
        }

        impl $(<$($generics)*>)? cipher::BlockSizeUser for $cipher {
            type BlockSize = cipher::consts::U1;
        }

        impl $(<$($generics)*>)? cipher::StreamCipher for $cipher {
            /// Always `Ok`, because no program can reach the end of these keystreams.
            fn check_remaining(&self, _data_len: usize) -> Result<(), cipher::StreamCipherError> {
                Ok(())
            }

            fn unchecked_apply_keystream_inout(
                &mut self,
                data: cipher::inout::InOutBuf<'_, '_, u8>,
            ) {
                self.xor(data);
            }

            fn unchecked_write_keystream(&mut self, out: &mut [u8]) {
                self.fill(out);
            }
        }
    };
}

/// Implements [`KeyInit`](cipher::KeyInit) on the cipher's own `from_key`.
macro_rules! key_init {
    ($cipher:ty $(where [$($generics:tt)*])?) => {
        impl $(<$($generics)*>)? cipher::KeyInit for $cipher {
            /// Takes a key of 32 bytes. Any other length goes through `new_from_slice`.
            fn new(key: &cipher::Key<Self>) -> Self {
                Self::from_key(key).expect("32 bytes are a valid key")
            }

            /// Takes a key of 1 to 256 bytes.
            fn new_from_slice(key: &[u8]) -> Result<Self, cipher::InvalidLength> {
                Ok(Self::from_key(key)?)
            }
        }
    };
}

pub(crate) use {key_init, stream_cipher};
