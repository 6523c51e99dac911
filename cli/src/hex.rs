//! Hexadecimal text: strictly digits, in any case, and nothing to be guessed.

use std::fmt;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};

use crate::failure::Shown;

/// What is wrong with hexadecimal text, and where: offsets count bytes of text from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HexError {
    /// A byte that is no digit.
    NotADigit {
        /// Where it stands.
        offset: u64,
        /// The byte.
        byte: u8,
    },
    /// A byte behind the line end that closes the text.
    BehindTheEnd {
        /// Where it stands.
        offset: u64,
        /// The byte.
        byte: u8,
    },
    /// The last byte has only one digit.
    OddDigits {
        /// How many digits there are: also where the next one should stand.
        digits: u64,
    },
}

impl fmt::Display for HexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotADigit { offset, byte } => write!(
                f,
                "offset {offset}: {} is not a hexadecimal digit; allowed are 0-9, a-f and A-F",
                Shown(*byte)
            ),
            Self::BehindTheEnd { offset, byte } => write!(
                f,
                "offset {offset}: {} stands behind a line end; one is allowed, as the last of the \
                 input",
                Shown(*byte)
            ),
            Self::OddDigits { digits } => write!(
                f,
                "offset {digits}: the digits end in the middle of a byte; each byte has two"
            ),
        }
    }
}

impl std::error::Error for HexError {}

/// Decodes a whole text of digits, with no line end.
///
/// # Errors
/// At the first byte that is no digit, or if the number of digits is odd.
pub fn decode(text: &[u8]) -> Result<Vec<u8>, HexError> {
    if let Some(at) = text.iter().position(|byte| !byte.is_ascii_hexdigit()) {
        return Err(HexError::NotADigit { offset: at as u64, byte: text[at] });
    }
    HEXLOWER_PERMISSIVE.decode(text).map_err(|_| HexError::OddDigits { digits: text.len() as u64 })
}

/// Writes `bytes` as lower-case digits to the start of `out`, and returns how many these are.
///
/// # Panics
/// If `out` has not twice as many bytes.
pub fn encode(bytes: &[u8], out: &mut [u8]) -> usize {
    let digits = 2 * bytes.len();
    HEXLOWER.encode_mut(bytes, &mut out[..digits]);
    digits
}

/// Decodes a text that arrives in pieces of any length.
///
/// One line end (LF or CR LF) may close the text.
#[derive(Debug, Default)]
pub struct Decoder {
    offset: u64,
    digits: u64,
    high: Option<u8>,
    line_end: LineEnd,
}

/// How much of the closing line end has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LineEnd {
    #[default]
    None,
    Cr,
    Whole,
}

impl Decoder {
    /// Decodes the next `text` to the start of `out`: how many bytes, and what stopped it early.
    ///
    /// # Panics
    /// If `out` has not room for half of `text` and a byte more.
    pub fn push(&mut self, text: &[u8], out: &mut [u8]) -> (usize, Result<(), HexError>) {
        let mut rest = text;
        let mut len = 0;
        while !rest.is_empty() {
            let (read, written) = self.pairs(rest, &mut out[len..]);
            rest = &rest[read..];
            len += written;
            if let Some((&byte, behind)) = rest.split_first() {
                rest = behind;
                match self.step(byte) {
                    Ok(None) => {}
                    Ok(Some(decoded)) => {
                        out[len] = decoded;
                        len += 1;
                    }
                    Err(error) => return (len, Err(error)),
                }
            }
        }
        (len, Ok(()))
    }

    /// Decodes whole bytes as far as there are digits: how many read, and how many written.
    fn pairs(&mut self, text: &[u8], out: &mut [u8]) -> (usize, usize) {
        let even = text.len() & !1;
        if self.high.is_some() || self.line_end != LineEnd::None || even == 0 {
            return (0, 0);
        }
        let (read, written) = HEXLOWER_PERMISSIVE
            .decode_mut(&text[..even], &mut out[..even / 2])
            .map_or_else(|partial| (partial.read, partial.written), |written| (even, written));
        self.offset += read as u64;
        self.digits += read as u64;
        (read, written)
    }

    /// Takes one byte of text.
    fn step(&mut self, byte: u8) -> Result<Option<u8>, HexError> {
        let offset = self.offset;
        self.offset += 1;
        match (self.line_end, byte) {
            (LineEnd::None | LineEnd::Cr, b'\n') => {
                self.line_end = LineEnd::Whole;
                Ok(None)
            }
            (LineEnd::None, b'\r') => {
                self.line_end = LineEnd::Cr;
                Ok(None)
            }
            (LineEnd::None, _) => {
                let value = char::from(byte).to_digit(16);
                let low = value.ok_or(HexError::NotADigit { offset, byte })? as u8;
                self.digits += 1;
                match self.high.take() {
                    Some(high) => Ok(Some(high << 4 | low)),
                    None => {
                        self.high = Some(low);
                        Ok(None)
                    }
                }
            }
            (LineEnd::Cr, _) => Err(HexError::NotADigit { offset: offset - 1, byte: b'\r' }),
            (LineEnd::Whole, _) => Err(HexError::BehindTheEnd { offset, byte }),
        }
    }

    /// The end of the text.
    ///
    /// # Errors
    /// If it ends in the middle of a byte or of a line end.
    pub fn finish(&self) -> Result<(), HexError> {
        match (self.line_end, self.high) {
            (LineEnd::Cr, _) => Err(HexError::NotADigit { offset: self.offset - 1, byte: b'\r' }),
            (_, Some(_)) => Err(HexError::OddDigits { digits: self.digits }),
            (_, None) => Ok(()),
        }
    }
}
