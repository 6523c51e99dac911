#![doc = include_str!("../README.md")]
#![warn(missing_debug_implementations)]
#![forbid(unsafe_code)]

mod batch;
mod fault;
mod header;
mod keys;
mod layout;
mod open;
mod pipeline;
mod seal;
#[cfg(test)]
mod testkit;
#[cfg(test)]
mod tests;

pub use fault::{Error, Fault};
pub use header::{Cipher, Cost, Header, KeyKind, VerifiedHeader};
pub use keys::{KeyFile, KeyFileError, PassphraseError, Secret};
pub use layout::{ChunkSize, ChunkSizeError, HEADER_LEN, MAX_PASSPHRASE};
pub use open::Opener;
pub use seal::{Options, Sealer};
