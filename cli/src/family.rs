//! The families of ciphers, by name.

use arcfour::{Backend, Keystream, Rc4, Rc4a};

use crate::failure::Failure;

/// A family of ciphers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Family {
    /// RC4 itself
    #[default]
    Rc4,
    /// RC4A, two tables that look up each other
    Rc4a,
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
    ) -> Result<Box<dyn Keystream + Send>, Failure> {
        let backend = backend.unwrap_or_else(Backend::detect);
        Ok(match self {
            Self::Rc4 => Box::new(Rc4::with_backend(key, backend)?),
            Self::Rc4a => Box::new(Rc4a::with_backend(key, backend)?),
        })
    }
}
