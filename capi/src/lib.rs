#![doc = include_str!("../README.md")]
// An FFI edge: pointers come in, and `raw` makes references of them.
#![allow(unsafe_code)]
// The C header documents every function, and states once what all pointers must satisfy.
#![allow(clippy::missing_safety_doc)]

mod enc;
mod error;
mod family;
mod many;
mod openssl;
mod raw;
mod sealed;
mod stream;
