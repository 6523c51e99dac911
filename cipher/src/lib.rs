#![doc = include_str!("../README.md")]
#![warn(missing_debug_implementations)]
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
#[cfg(feature = "parc4r")]
mod parc4r;
mod plain;
mod rc4;
mod rc4a;
mod transposed;
mod wipe;

pub use backends::{Backend, Technique};
pub use cipher::{self, KeyInit, KeyIvInit, StreamCipher, StreamCipherSeek, consts};
pub use error::{KeyLengthError, MAX_KEY, MIN_KEY};
pub use families::rc4::RECOMMENDED_DROP;
#[cfg(feature = "alloc")]
pub use family::{DynKeystream, Facts, Family, StartError, Status, UnknownFamily};
pub use keystream::Keystream;
pub use many::{apply_many, fill_many, lanes, rekey_many, sample_many};
#[cfg(feature = "parc4r")]
pub use parc4r::Parc4r;
pub use plain::{Parc4i, Parc4iText, Plain, Rc4plus, Spritz, Vmpc, VmpcKsa3};
pub use rc4::Rc4;
pub use rc4a::Rc4a;
pub use transposed::FirstBytes;
