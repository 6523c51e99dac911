//! The families of ciphers, by name.

use arcfour::{Backend, Rc4, cipher::StreamCipher};

use crate::failure::Failure;

/// A family of ciphers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Family {
    /// RC4 itself
    #[default]
    Rc4,
}

impl Family {
    /// The cipher of this family with `key`, at position 0, on `backend` if the family has a
    /// choice.
    ///
    /// # Errors
    /// If the family refuses the key.
    pub fn start(
        self,
        key: &[u8],
        backend: Option<Backend>,
    ) -> Result<Box<dyn StreamCipher + Send>, Failure> {
        Ok(match self {
            Self::Rc4 => Box::new(Rc4::with_backend(key, backend.unwrap_or_else(Backend::detect))?),
        })
    }
}

/// Discards `n` bytes of keystream.
pub fn skip(cipher: &mut (dyn StreamCipher + Send), n: u64) {
    let mut unused = zeroize::Zeroizing::new([0; 4096]);
    let mut left = n;
    while left > 0 {
        let step = left.min(unused.len() as u64);
        cipher.write_keystream(&mut unused[..step as usize]);
        left -= step;
    }
}
