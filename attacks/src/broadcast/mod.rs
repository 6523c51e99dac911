//! Recovers a plaintext that was encrypted under many keys, or repeatedly under one key, from the
//! biases of the keystream.
//!
//! [`likeliest`] recovers each byte separately, by the biases of single bytes at the start of a
//! keystream. [`Cookie`] recovers text at any place, by the biases of pairs of bytes.

mod cookie;
mod list;
mod single;

pub use cookie::{Alphabet, COOKIE, Cookie, Likelihoods, Surroundings};
pub use single::{
    Counts, MAX_CIPHERTEXTS, POSITIONS, ciphertexts, likeliest, likelihoods, recorded_keystreams,
};
