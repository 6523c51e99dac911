#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;

#[allow(unsafe_code)]
mod backends;
mod error;
pub mod families;
#[cfg(feature = "alloc")]
mod family;
mod keystream;
mod many;
mod parc4r;
mod rc4;
mod rc4a;

pub use backends::{Backend, Technique};
pub use cipher::{self, KeyInit, StreamCipher, consts};
pub use error::{KeyLengthError, MAX_KEY, MIN_KEY};
#[cfg(feature = "alloc")]
pub use family::{DynKeystream, Facts, Family, StartError, Status, UnknownFamily};
pub use keystream::{Keystream, Plain};
pub use many::{apply_many, fill_many, lanes, rekey_many, sample_many};
pub use parc4r::Parc4r;
pub use rc4::Rc4;
pub use rc4a::Rc4a;
