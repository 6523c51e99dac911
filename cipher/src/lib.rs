#![doc = include_str!("../README.md")]
#![no_std]

#[allow(unsafe_code)]
mod backends;
mod error;
pub mod families;
mod keystream;
mod many;
mod parc4r;
mod rc4;
mod rc4a;

pub use backends::{Backend, Technique};
pub use cipher::{self, KeyInit, StreamCipher, consts};
pub use error::{KeyLengthError, MAX_KEY, MIN_KEY};
pub use keystream::{Keystream, Plain};
pub use many::{apply_many, fill_many, lanes, rekey_many, sample_many};
pub use parc4r::Parc4r;
pub use rc4::Rc4;
pub use rc4a::Rc4a;
