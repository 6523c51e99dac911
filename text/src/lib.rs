#![doc = include_str!("../README.md")]

mod decoder;
mod encoder;
mod encoding;
mod error;
mod transform;

pub use decoder::{Decoder, decode_hex};
pub use encoder::{Encoder, LINE_DIGITS};
pub use encoding::Encoding;
pub use error::{QuotedByte, TextError, TextFault};
pub use transform::{Reader, Transform};
