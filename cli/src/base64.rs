//! Base64 text (RFC 4648, §4) in lines, as `openssl enc -a` writes it and mail programs re-wrap it.

use std::fmt;

use data_encoding::{BASE64, BASE64_NOPAD};

use crate::failure::Shown;

/// How many digits a line has.
const LINE: usize = 64;

/// What is wrong with base64 text, and where: offsets count bytes of text from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base64Error {
    /// A byte that is no digit, or padding where none can be.
    NotADigit {
        /// Where it stands.
        offset: u64,
        /// The byte.
        byte: u8,
    },
    /// A byte behind the padding that closes the text.
    BehindTheEnd {
        /// Where it stands.
        offset: u64,
        /// The byte.
        byte: u8,
    },
    /// The last digit before the padding has bits that belong to no byte.
    LooseBits {
        /// Where the padding ends.
        offset: u64,
    },
    /// The text ends in the middle of a group of four digits.
    Truncated {
        /// How long it is.
        offset: u64,
    },
}

impl fmt::Display for Base64Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotADigit { offset, byte } => write!(
                f,
                "offset {offset}: {} is not a base64 digit; allowed are A-Z, a-z, 0-9, + and /, \
                 line ends, and = to fill up the last four",
                Shown(*byte)
            ),
            Self::BehindTheEnd { offset, byte } => write!(
                f,
                "offset {offset}: {} stands behind the padding that ends base64 text",
                Shown(*byte)
            ),
            Self::LooseBits { offset } => write!(
                f,
                "offset {offset}: the padding cuts off bits that are not zero; digits are wrong \
                 or missing"
            ),
            Self::Truncated { offset } => write!(
                f,
                "offset {offset}: the base64 text ends in the middle of a group of four digits; \
                 it was cut off"
            ),
        }
    }
}

impl std::error::Error for Base64Error {}

/// Decodes a text that arrives in pieces of any length.
///
/// Line ends (LF or CR LF) may stand anywhere. The last group must be padded, with the bits that
/// belong to no byte zero.
#[derive(Debug, Default)]
pub struct Decoder {
    offset: u64,
    group: [u8; 4],
    len: usize,
    cr: bool,
    padded: bool,
}

impl Decoder {
    /// Decodes the next `text` to the start of `out`: how many bytes, and what stopped it early.
    ///
    /// # Panics
    /// If `out` has not as much room as `text` has bytes, and three more.
    pub fn push(&mut self, text: &[u8], out: &mut [u8]) -> (usize, Result<(), Base64Error>) {
        let mut rest = text;
        let mut len = 0;
        while !rest.is_empty() {
            let (read, written) = self.groups(rest, &mut out[len..]);
            rest = &rest[read..];
            len += written;
            if let Some((&byte, behind)) = rest.split_first() {
                rest = behind;
                match self.step(byte, &mut out[len..]) {
                    Ok(written) => len += written,
                    Err(error) => return (len, Err(error)),
                }
            }
        }
        (len, Ok(()))
    }

    /// Decodes whole groups up to the length of a line: how many digits read, how many bytes
    /// written.
    fn groups(&mut self, text: &[u8], out: &mut [u8]) -> (usize, usize) {
        if self.len != 0 || self.cr || self.padded {
            return (0, 0);
        }
        let line = text.len().min(LINE) & !3;
        let (read, written) = BASE64_NOPAD
            .decode_mut(&text[..line], &mut out[..line / 4 * 3])
            .map_or_else(|partial| (partial.read, partial.written), |written| (line, written));
        self.offset += read as u64;
        (read, written)
    }

    /// Takes one byte of text: how many bytes it completes.
    fn step(&mut self, byte: u8, out: &mut [u8]) -> Result<usize, Base64Error> {
        let offset = self.offset;
        self.offset += 1;
        if std::mem::take(&mut self.cr) && byte != b'\n' {
            return Err(Base64Error::NotADigit { offset: offset - 1, byte: b'\r' });
        }
        match byte {
            b'\n' => return Ok(0),
            b'\r' => {
                self.cr = true;
                return Ok(0);
            }
            _ if self.padded && self.len == 0 => {
                return Err(Base64Error::BehindTheEnd { offset, byte });
            }
            b'=' if self.len >= 2 => self.padded = true,
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' if !self.padded => {}
            _ => return Err(Base64Error::NotADigit { offset, byte }),
        }
        self.group[self.len] = byte;
        self.len = (self.len + 1) % 4;
        if self.len != 0 {
            return Ok(0);
        }
        let loose = |_| Base64Error::LooseBits { offset };
        BASE64.decode_mut(&self.group, &mut out[..3]).map_err(|partial| loose(partial.error))
    }

    /// The end of the text.
    ///
    /// # Errors
    /// If it ends in the middle of a group or of a line end.
    pub fn finish(&self) -> Result<(), Base64Error> {
        match (self.cr, self.len) {
            (true, _) => Err(Base64Error::NotADigit { offset: self.offset - 1, byte: b'\r' }),
            (_, 0) => Ok(()),
            _ => Err(Base64Error::Truncated { offset: self.offset }),
        }
    }
}

/// Encodes bytes that arrive in pieces of any length.
#[derive(Debug)]
pub struct Encoder {
    group: [u8; 3],
    len: usize,
    /// Digits in the line so far; None if there are no lines.
    column: Option<usize>,
}

impl Encoder {
    /// An encoder that ends every 64th digit's line, and the last, with LF; or writes no line end.
    pub fn new(lines: bool) -> Self {
        Self { group: [0; 3], len: 0, column: lines.then_some(0) }
    }

    /// Writes the digits of `bytes`, but for those of an incomplete group of three, to the start of
    /// `out`: how many bytes of text.
    ///
    /// # Panics
    /// If `out` has not twice as much room as there are `bytes`, and eight more.
    pub fn push(&mut self, bytes: &[u8], out: &mut [u8]) -> usize {
        let mut rest = bytes;
        let mut len = 0;
        while !rest.is_empty() {
            let room = self.column.map_or(usize::MAX, |column| (LINE - column) / 4 * 3);
            let whole = rest.len().min(room) / 3 * 3;
            if self.len > 0 || whole == 0 {
                self.group[self.len] = rest[0];
                rest = &rest[1..];
                self.len = (self.len + 1) % 3;
                if self.len == 0 {
                    let group = self.group;
                    len += self.encode(&group, &mut out[len..]);
                }
            } else {
                len += self.encode(&rest[..whole], &mut out[len..]);
                rest = &rest[whole..];
            }
        }
        len
    }

    /// Writes digits that fit into the line.
    fn encode(&mut self, bytes: &[u8], out: &mut [u8]) -> usize {
        let digits = BASE64.encode_len(bytes.len());
        BASE64.encode_mut(bytes, &mut out[..digits]);
        let Some(column) = &mut self.column else { return digits };
        *column += digits;
        if *column < LINE {
            return digits;
        }
        *column = 0;
        out[digits] = b'\n';
        digits + 1
    }

    /// Writes the end of the text: the last group with its padding, and the last line end.
    ///
    /// # Panics
    /// If `out` has no room for five bytes.
    pub fn finish(&mut self, out: &mut [u8]) -> usize {
        let group = self.group;
        let len = std::mem::take(&mut self.len);
        let len = if len > 0 { self.encode(&group[..len], out) } else { 0 };
        if self.column.is_none_or(|column| column == 0) {
            return len;
        }
        self.column = Some(0);
        out[len] = b'\n';
        len + 1
    }
}
