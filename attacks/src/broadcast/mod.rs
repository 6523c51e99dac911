//! The same plaintext under many keys, or again and again under one: what the biases of the keystream give away.
//!
//! [`likeliest`] takes each byte for itself, by the biases of single bytes at the start of a keystream. [`Cookie`] is for text
//! anywhere in it, by the biases of pairs of bytes.

mod cookie;
mod list;
mod single;

pub use cookie::{Alphabet, COOKIE, Cookie, Likelihoods, Surroundings};
pub use single::{
    Counts, MAX_CIPHERTEXTS, POSITIONS, ciphertexts, likeliest, likelihoods, recorded_keystreams,
};
