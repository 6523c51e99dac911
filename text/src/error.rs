//! Errors of encoded text, with their place.

use std::fmt;

use super::encoding::Encoding;

/// A fault of a text and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The encoding that the text was read as.
    pub encoding: Encoding,
    /// Bytes of text before the fault, spaces and line ends included.
    pub offset: u64,
    /// The fault.
    pub fault: TextFault,
}

/// A kind of fault in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFault {
    /// This byte is not a digit of the encoding, or is padding where none can be.
    NotADigit(u8),
    /// This space or colon stands between the two digits of a byte.
    WithinByte(u8),
    /// This byte comes after the end of the text: the line end of hexadecimal text, the padding of
    /// base64.
    AfterTheEnd(u8),
    /// The last base64 digit before the padding has bits that belong to no byte and are not zero.
    /// The offset is the place of the last padding character.
    LooseBits,
    /// The text ends within a group of digits. The offset is where the missing digit belongs.
    Incomplete,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { encoding, offset, fault } = *self;
        write!(f, "offset {offset}: ")?;
        match (fault, encoding) {
            (TextFault::NotADigit(byte), Encoding::Hex) => write!(
                f,
                "{} is not a hexadecimal digit; allowed are 0-9, a-f and A-F",
                QuotedByte(byte)
            ),
            (TextFault::NotADigit(byte), Encoding::Base64) => write!(
                f,
                "{} is not a base64 digit; allowed are A-Z, a-z, 0-9, + and /, spaces, tabs, line ends, \
                 and = to fill up the last four",
                QuotedByte(byte)
            ),
            (TextFault::WithinByte(byte), _) => {
                write!(
                    f,
                    "{} comes after the first digit of a byte; each byte has two",
                    QuotedByte(byte)
                )
            }
            (TextFault::AfterTheEnd(byte), Encoding::Hex) => write!(
                f,
                "{} comes after a line end; one is allowed, as the last of the input",
                QuotedByte(byte)
            ),
            (TextFault::AfterTheEnd(byte), Encoding::Base64) => {
                write!(f, "{} comes after the padding that ends base64 text", QuotedByte(byte))
            }
            (TextFault::LooseBits, _) => write!(
                f,
                "the padding cuts off bits that are not zero; digits are wrong or missing"
            ),
            (TextFault::Incomplete, Encoding::Hex) => {
                write!(f, "the digits end in the middle of a byte; each byte has two")
            }
            (TextFault::Incomplete, Encoding::Base64) => write!(
                f,
                "the base64 text ends in the middle of a group of four digits; it was cut off"
            ),
        }
    }
}

impl std::error::Error for TextError {}

/// Shows a byte in a message: printable ASCII as itself, any other by its number.
#[derive(Debug)]
pub struct QuotedByte(pub u8);

impl fmt::Display for QuotedByte {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            byte @ b' '..=b'~' => write!(f, "'{}'", char::from(byte)),
            byte => write!(f, "byte 0x{byte:02x}"),
        }
    }
}
