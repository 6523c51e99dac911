#![doc = include_str!("../README.md")]
#![warn(missing_debug_implementations)]

mod decoder;
mod encoder;
mod encoding;
mod error;
mod shell;
mod shown;
mod transform;

pub use decoder::{Decoder, decode_hex};
pub use encoder::{Encoder, LINE_DIGITS};
pub use encoding::Encoding;
pub use error::{QuotedByte, TextError, TextFault};
pub use shell::{quoted, quoted_path};
pub use shown::Escaped;
pub use transform::{Reader, Transform};
