//! PDF documents encrypted with RC4 by the standard security handler (ISO 32000-1:2008, §7.6). V is
//! 1, 2 or 4, R is 2, 3 or 4, and keys have 40 to 128 bits.
//!
//! [`Standard`] is the handler as pure functions from what an encryption dictionary says to keys.
//! [`Document`] is a whole file: it is read, decrypted or encrypted, and written.
//!
//! Where the standard and the files there are disagree, this reads the files:
//!
//! - V 1 has 40 bits, whatever `Length` says; with R 3 too, where the 50 rounds of MD5 take 5 bytes.
//! - V 2 without a `Length` has 40 bits, or else 128; with one that cannot be, the other way round.
//! - V 4 has 128 bits, with or without a `Length`. If the password does not fit so, a shorter
//!   `Length` is tried; such a key is extended with zeros to 16 bytes for the objects.
//! - `EncryptMetadata false` goes into the key with R 4 alone.
//! - Object streams are encrypted as streams, and the objects in them not once more; cross-reference
//!   streams are not encrypted at all.

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
pub use document::{Document, Encryption};
pub use error::Error;
pub use password::pdf_doc_encoding;
pub use source::Source;
pub use standard::{FileKey, PAD, Password, Standard};
