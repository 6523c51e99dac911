//! PDF documents encrypted with RC4 by the standard security handler (ISO 32000-1:2008, §7.6). V is
//! 1, 2 or 4, R is 2, 3 or 4, and keys have 40 to 128 bits.
//!
//! [`Standard`] is the handler: pure functions from an encryption dictionary and a password to
//! keys. [`Document`] reads, decrypts or encrypts, and writes a whole file.
//!
//! Where the standard and existing files disagree, this module follows the files:
//!
//! - V 1 has 40 bits and ignores `Length`. With R 3 too, and then the 50 rounds of MD5 take 5
//!   bytes.
//! - V 2 without a `Length` has 40 bits, or else 128. A `Length` that is no multiple of 8 is rounded
//!   down. If the password is then wrong, or the `Length` is impossible, 128 bits are tried, then 40.
//! - V 2 with R 2 has 40 bits, or else as `Length` says.
//! - O and U that lack their last bytes are filled up with zeros.
//! - V 4 has 128 bits, with or without a `Length`. If the password is then wrong, a shorter
//!   `Length` is tried. Zeros extend such a key to 16 bytes for the objects.
//! - `EncryptMetadata false` changes the key only with R 4.
//! - Object streams are encrypted as streams, and their objects are not encrypted again.
//!   Cross-reference streams are not encrypted.

mod ciphers;
mod crypt;
mod document;
mod error;
mod file;
mod filters;
mod object;
mod output;
mod password;
mod plan;
mod rebuild;
mod references;
mod rewrite;
mod scan;
mod source;
mod standard;
mod string;
mod table;
mod token;
mod value;
mod write;

pub use crypt::{Method, Security};
pub use document::{Document, Encryption, find_header};
pub use error::Error;
pub use password::{pdf_doc_encoding, readings};
pub use source::Source;
pub use standard::{FileKey, PAD, Password, Standard};
