//! Files of `openssl enc -rc4` and `openssl enc -rc4-40`. A file is an optional header with a salt,
//! then RC4 under a key derived from a passphrase. All of it may be base64 text.
//!
//! The format has no check: a wrong passphrase, hash or cipher gives other bytes, and no error.
//! Nothing in a file describes how it was made, so [`Options`] must.
//!
//! Source: `openssl-enc(1)` and `EVP_BytesToKey(3)` of OpenSSL 3.0; PBKDF2 is RFC 8018, §5.2.
//!
//! ```
//! use std::io::Read;
//! use arcfour_formats::{Transform, openssl::{Decryptor, Encryptor, Options}};
//!
//! let options = Options::default();
//! let mut file = Vec::new();
//! Encryptor::new(b"Quentin", options)?.reader(&b"hello"[..]).read_to_end(&mut file)?;
//! assert!(file.starts_with(b"Salted__"));
//! assert_eq!(Decryptor::new(b"Quentin", options).convert(&file)?, b"hello");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decryptor;
mod encryptor;
mod hash;
mod header;
mod key;
mod md5_sha1;
mod name;
mod options;

pub use decryptor::{Decryptor, OpensslError};
pub use encryptor::Encryptor;
pub use hash::Hash;
pub use header::{HEADER_LEN, HeaderError, MAGIC};
pub use key::{HexLength, NoPbkdf2, derive_key, padded_hex};
pub use name::UnknownName;
pub use options::{Cipher, DEFAULT_ITERATIONS, Derivation, Options, SALT_LEN, Salt, Text};
