//! Text to bytes.

use data_encoding::{BASE64, BASE64_NOPAD, HEXLOWER_PERMISSIVE};

use super::{
    encoding::Encoding,
    error::{TextError, TextFault},
    transform::Transform,
};

/// Decodes bytes in hexadecimal digits as people write them: `0a1b2c`, `0a 1b 2c` or `0a:1b:2c`.
///
/// Spaces may surround bytes, and one colon may stand between two. Line ends are refused.
///
/// # Errors
/// At the first other character, or if a byte has one digit.
///
/// ```
/// use arcfour_text::decode_hex;
///
/// assert_eq!(decode_hex(b"00fF")?, [0x00, 0xff]);
/// assert_eq!(decode_hex(b"00:fF")?, decode_hex(b" 00 fF")?);
/// assert_eq!(decode_hex(b"0x").unwrap_err().offset, 1);
/// # Ok::<(), arcfour_text::TextError>(())
/// ```
pub fn decode_hex(text: &[u8]) -> Result<Vec<u8>, TextError> {
    let error = |at, fault| Err(TextError { encoding: Encoding::Hex, offset: at as u64, fault });
    // The full capacity from the start, because growing would leave a copy of a key in freed
    // memory.
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let mut high = None;
    // The offset of a colon that no byte has followed, and whether a colon may come next.
    let (mut colon, mut colon_fits) = (None, false);
    for (at, &byte) in text.iter().enumerate() {
        match (char::from(byte).to_digit(16), high) {
            (Some(digit), None) => {
                high = Some(digit);
                colon = None;
            }
            (Some(digit), Some(first)) => {
                bytes.push((first << 4 | digit) as u8);
                (high, colon_fits) = (None, true);
            }
            (None, Some(_)) if matches!(byte, b' ' | b':') => {
                return error(at, TextFault::WithinByte(byte));
            }
            (None, None) if byte == b' ' => {}
            (None, None) if byte == b':' && colon_fits => (colon, colon_fits) = (Some(at), false),
            _ => return error(at, TextFault::NotADigit(byte)),
        }
    }
    match colon {
        Some(at) => error(at, TextFault::NotADigit(b':')),
        None if high.is_some() => error(text.len(), TextFault::Incomplete),
        None => Ok(bytes),
    }
}

/// Decodes hexadecimal or base64 text.
///
/// Hexadecimal text may have one line end, LF or CR LF, at its end. Base64 may have spaces, tabs and
/// line ends anywhere, as OpenSSL reads it. The last base64 group must be padded, and the bits that
/// belong to no byte must be zero.
#[derive(Debug)]
pub struct Decoder {
    encoding: Encoding,
    /// Bytes of text read so far.
    offset: u64,
    /// Offset of the next digit.
    next_digit: u64,
    group: [u8; 4],
    /// Number of digits in `group`.
    len: usize,
    /// True if the last byte was a CR of hexadecimal text, which an LF must follow.
    cr: bool,
    /// True if the end of the text has begun: the line end of hexadecimal text, or the padding of
    /// base64.
    ending: bool,
}

impl Decoder {
    /// A decoder at the start of a text.
    pub fn new(encoding: Encoding) -> Self {
        Self { encoding, offset: 0, next_digit: 0, group: [0; 4], len: 0, cr: false, ending: false }
    }

    fn error(&self, offset: u64, fault: TextFault) -> TextError {
        TextError { encoding: self.encoding, offset, fault }
    }

    /// Decodes the whole groups at the start of `text` and returns their number of digits.
    fn decode_groups(&mut self, text: &[u8], out: &mut Vec<u8>) -> usize {
        if self.len > 0 || self.cr || self.ending {
            return 0;
        }
        // Base64 comes in lines. A longer line takes several calls.
        let (digits, limit) = match self.encoding {
            Encoding::Hex => (&HEXLOWER_PERMISSIVE, text.len()),
            Encoding::Base64 => (&BASE64_NOPAD, text.len().min(64)),
        };
        let group = self.encoding.group_digits();
        let groups = limit / group;
        let at = out.len();
        out.resize(at + groups * self.encoding.group_bytes(), 0);
        let text = &text[..groups * group];
        let (read, written) = digits.decode_mut(text, &mut out[at..]).map_or_else(
            |partial| (partial.read, partial.written),
            |written| (text.len(), written),
        );
        out.truncate(at + written);
        self.offset += read as u64;
        self.next_digit = self.offset;
        read
    }

    /// Reads one byte of text.
    fn step(&mut self, byte: u8, out: &mut Vec<u8>) -> Result<(), TextError> {
        let base64 = self.encoding == Encoding::Base64;
        let offset = self.offset;
        self.offset += 1;
        if std::mem::take(&mut self.cr) && byte != b'\n' {
            return Err(self.error(offset - 1, TextFault::NotADigit(b'\r')));
        }
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' if base64 => return Ok(()),
            b'\r' if !self.ending => {
                self.cr = true;
                return Ok(());
            }
            b'\n' if !self.ending => {
                self.ending = true;
                return Ok(());
            }
            _ if self.ending && (self.len == 0 || !base64) => {
                return Err(self.error(offset, TextFault::AfterTheEnd(byte)));
            }
            b'=' if base64 && self.len >= 2 => self.ending = true,
            b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F' if !self.ending => {}
            b'g'..=b'z' | b'G'..=b'Z' | b'+' | b'/' if base64 && !self.ending => {}
            _ => return Err(self.error(offset, TextFault::NotADigit(byte))),
        }
        self.next_digit = self.offset;
        self.group[self.len] = byte;
        self.len += 1;
        if self.len < self.encoding.group_digits() {
            return Ok(());
        }
        self.len = 0;
        let mut bytes = [0; 3];
        let decoded = match self.encoding {
            Encoding::Hex => HEXLOWER_PERMISSIVE.decode_mut(&self.group[..2], &mut bytes[..1]),
            Encoding::Base64 => BASE64.decode_mut(&self.group, &mut bytes),
        };
        let len = decoded.map_err(|_| self.error(offset, TextFault::LooseBits))?;
        out.extend_from_slice(&bytes[..len]);
        Ok(())
    }
}

impl Transform for Decoder {
    type Error = TextError;

    fn push(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<(), TextError> {
        let mut rest = input;
        loop {
            rest = &rest[self.decode_groups(rest, out)..];
            let Some((&byte, after)) = rest.split_first() else { return Ok(()) };
            self.step(byte, out)?;
            rest = after;
        }
    }

    fn finish(&mut self, _: &mut Vec<u8>) -> Result<(), TextError> {
        match (self.cr, self.len) {
            (true, _) => Err(self.error(self.offset - 1, TextFault::NotADigit(b'\r'))),
            (_, 0) => Ok(()),
            _ => Err(self.error(self.next_digit, TextFault::Incomplete)),
        }
    }
}
