#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod batch;
mod error;
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

pub use error::{Error, Fault};
pub use header::{Cost, Family, HEADER_LEN, Header, KeyKind};
pub use keys::{KeyFileError, Secret};
pub use layout::{ChunkSize, ChunkSizeError};
pub use open::Opener;
pub use seal::{Options, Sealer};
