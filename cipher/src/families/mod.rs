//! The definitions: one file per paper, in its notation, slow and plain.
//!
//! They are the yardstick every backend is tested against, and the place to read what a cipher *is*.

pub mod rc4;
