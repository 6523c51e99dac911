#![doc = include_str!("../README.md")]
// An FFI edge: pointers come in, and `raw` is where they become references.
#![allow(unsafe_code)]
// The C header documents every function, and says once for all what a pointer must be.
#![allow(clippy::missing_safety_doc)]

mod enc;
mod error;
mod family;
mod many;
mod openssl;
mod raw;
mod sealed;
mod stream;
