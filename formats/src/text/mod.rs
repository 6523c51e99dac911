//! Hexadecimal and base64 text (RFC 4648, §8 and §4) that arrives in pieces of any length.
//!
//! Reading is strict: nothing is guessed, and every fault has its offset in the text.

mod decoder;
mod encoder;
mod encoding;
mod error;

pub use decoder::{Decoder, decode_hex};
pub use encoder::{Encoder, LINE_DIGITS};
pub use encoding::Encoding;
pub(crate) use error::QuotedByte;
pub use error::{TextError, TextFault};
