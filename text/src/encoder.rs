//! Bytes to text.

use std::convert::Infallible;

use data_encoding::{BASE64, HEXLOWER};

use super::{encoding::Encoding, transform::Transform};

/// Digits in a line of base64, as `openssl enc -a` and PEM (RFC 7468, §2) write it.
pub const LINE_DIGITS: usize = 64;

/// Encodes bytes as hexadecimal or base64 text.
#[derive(Debug)]
pub struct Encoder {
    encoding: Encoding,
    group: [u8; 3],
    /// Number of bytes in `group`.
    len: usize,
    /// Digits in the line so far; `None` if the text is not in lines.
    column: Option<usize>,
}

impl Encoder {
    /// An encoder that writes no line end.
    pub fn new(encoding: Encoding) -> Self {
        Self { encoding, group: [0; 3], len: 0, column: None }
    }

    /// An encoder of base64 that writes an LF after every [`LINE_DIGITS`] digits and after the last.
    pub fn base64_in_lines() -> Self {
        Self { column: Some(0), ..Self::new(Encoding::Base64) }
    }

    /// Writes the digits of `bytes`, which fit into the line.
    fn encode(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let digits = match self.encoding {
            Encoding::Hex => &HEXLOWER,
            Encoding::Base64 => &BASE64,
        };
        let at = out.len();
        let len = digits.encode_len(bytes.len());
        out.resize(at + len, 0);
        digits.encode_mut(bytes, &mut out[at..]);
        let Some(column) = &mut self.column else { return };
        *column += len;
        if *column == LINE_DIGITS {
            *column = 0;
            out.push(b'\n');
        }
    }
}

impl Transform for Encoder {
    type Error = Infallible;

    fn push(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<(), Infallible> {
        let group = self.encoding.group_bytes();
        let mut rest = input;
        while !rest.is_empty() {
            if self.len > 0 || rest.len() < group {
                self.group[self.len] = rest[0];
                self.len += 1;
                rest = &rest[1..];
                if self.len == group {
                    self.len = 0;
                    let whole = self.group;
                    self.encode(&whole[..group], out);
                }
                continue;
            }
            let room = self.column.map_or(usize::MAX, |column| (LINE_DIGITS - column) / 4 * 3);
            let (whole, after) = rest.split_at(rest.len().min(room) / group * group);
            self.encode(whole, out);
            rest = after;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), Infallible> {
        let (group, len) = (self.group, std::mem::take(&mut self.len));
        if len > 0 {
            self.encode(&group[..len], out);
        }
        if self.column.is_some_and(|column| column > 0) {
            self.column = Some(0);
            out.push(b'\n');
        }
        Ok(())
    }
}
