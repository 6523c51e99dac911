//! Decodes a piece of a file in every form in which a key may be stored: plain bytes, hexadecimal
//! digits, base64, UTF-16 and key blobs.

use std::{
    fmt,
    ops::{Range, RangeInclusive},
};

/// The form in which a file stores a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// The key's bytes. This includes UTF-16 text whose zero bytes belong to the key.
    Bytes,
    /// UTF-16 text in either byte order. The key has one byte for each character.
    Utf16,
    /// Hexadecimal digits, side by side or as `de ad`, `de:ad`, `de-ad`, `\xde\xad`, `%de%ad`, `0xde, 0xad`.
    Hex,
    /// The same in UTF-16.
    HexUtf16,
    /// Base64 with the standard or the URL alphabet, without line ends.
    Base64,
    /// The same in UTF-16.
    Base64Utf16,
    /// A blob of the CryptoAPI. A PLAINTEXTKEYBLOB of 40 bits has a key with a salt of zeros. A
    /// SIMPLEBLOB under the exponent-one key is the padded key itself, its last byte first.
    Blob,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "bytes",
            Self::Utf16 => "UTF-16",
            Self::Hex => "hexadecimal digits",
            Self::HexUtf16 => "hexadecimal digits in UTF-16",
            Self::Base64 => "base64",
            Self::Base64Utf16 => "base64 in UTF-16",
            Self::Blob => "a blob of the CryptoAPI",
        })
    }
}

/// Separators between the digits of two bytes.
const SEPARATORS: [&[u8]; 9] = [b"", b" ", b":", b"-", b"%", b"\\x", b" 0x", b",0x", b", 0x"];

/// Maximum number of file bytes for one byte of a key: `, 0xde` in UTF-16.
pub(super) const WIDEST: usize = 12;
/// Number of bytes before its offset that a key may need: two characters of base64 in UTF-16.
pub(super) const BEFORE: usize = 4;

/// The headers of a PLAINTEXTKEYBLOB with a key of 40 bits for `CALG_RC4`, and of a SIMPLEBLOB under a key for `CALG_RSA_KEYX`.
const PLAINTEXT_BLOB: [u8; 12] = [8, 2, 0, 0, 1, 0x68, 0, 0, 5, 0, 0, 0];
const SIMPLE_BLOB: [u8; 12] = [1, 2, 0, 0, 1, 0x68, 0, 0, 0, 0xa4, 0, 0];
/// Sizes of the keys in a SIMPLEBLOB, in bytes.
const IN_BLOB: RangeInclusive<usize> = 5..=16;
/// Number of bytes from the start of a blob that determine its key. The last is the zero byte
/// before the padding.
pub(super) const BLOB: usize = SIMPLE_BLOB.len() + *IN_BLOB.end() + 1;

/// A run of decoded bytes.
#[derive(Debug)]
pub(super) struct Run {
    /// Its place in [`Decoded::bytes`].
    pub(super) range: Range<usize>,
    pub(super) form: Form,
}

/// A piece of a file in all forms.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    /// Offset in the piece of each decoded byte.
    pub(super) offsets: Vec<u32>,
    /// The runs in the order of their bytes. They cover all bytes.
    pub(super) runs: Vec<Run>,
}

impl Decoded {
    /// Decodes `piece`, less than 4 GiB. Runs of less than `least` bytes are left out.
    pub(super) fn fill(&mut self, piece: &[u8], least: usize) {
        self.bytes.clear();
        self.offsets.clear();
        self.runs.clear();
        let identity: Vec<u32> = (0..piece.len() as u32).collect();
        self.add(Form::Bytes, piece.iter().copied().zip(identity.iter().copied()), least);
        self.add_digits(piece, &identity, least, [Form::Hex, Form::Base64]);
        self.add_blobs(piece, least);
        for parity in 0..2 {
            let mut at = parity;
            while at < piece.len() {
                let start = at;
                while at < piece.len() && is_text(piece[at]) {
                    at += 2;
                    // Two characters are joined only by a zero byte between them.
                    if piece.get(at - 1) != Some(&0) {
                        break;
                    }
                }
                if at == start {
                    at += 2;
                    continue;
                }
                let places = (start..at).step_by(2);
                let text: Vec<u8> = places.clone().map(|at| piece[at]).collect();
                let offsets: Vec<u32> = places.map(|at| at as u32).collect();
                if text.len() >= least {
                    let all = text.iter().copied().zip(offsets.iter().copied());
                    self.add(Form::Utf16, all, least);
                    let forms = [Form::HexUtf16, Form::Base64Utf16];
                    self.add_digits(&text, &offsets, least, forms);
                }
            }
        }
    }

    /// Adds the keys in blobs. A whole key is at the start of its blob.
    fn add_blobs(&mut self, piece: &[u8], least: usize) {
        for (at, blob) in (0..piece.len()).map(|at| (at, &piece[at..])) {
            let mut add = |key: &mut dyn Iterator<Item = &u8>, len: usize| {
                let salt = if len == 5 { 11 } else { 0 };
                let salted = key.copied().chain(std::iter::repeat_n(0, salt));
                self.add(Form::Blob, salted.map(|byte| (byte, at as u32)), least);
            };
            if let Some(key) = blob.strip_prefix(&PLAINTEXT_BLOB).and_then(|key| key.get(..5)) {
                add(&mut key.iter(), 5);
            }
            let Some(block) = blob.strip_prefix(&SIMPLE_BLOB) else { continue };
            // The key may contain zero bytes; the padding has none.
            for len in IN_BLOB.filter(|&len| block.get(len) == Some(&0)) {
                add(&mut block[..len].iter().rev(), len);
            }
        }
    }

    /// Adds a run, if it is long enough.
    fn add(&mut self, form: Form, run: impl Iterator<Item = (u8, u32)>, least: usize) {
        let start = self.bytes.len();
        for (byte, offset) in run {
            self.bytes.push(byte);
            self.offsets.push(offset);
        }
        let end = self.bytes.len();
        if end - start >= least.max(1) {
            self.runs.push(Run { range: start..end, form });
        } else {
            self.bytes.truncate(start);
            self.offsets.truncate(start);
        }
    }

    /// Decodes the hexadecimal digits and the base64 in `text`, and adds the bytes.
    fn add_digits(&mut self, text: &[u8], offsets: &[u32], least: usize, forms: [Form; 2]) {
        // A pair of digits follows at most one other pair, so runs never overlap.
        let mut taken = vec![false; text.len()];
        for start in 0..text.len() {
            if taken[start] || pair(text, start).is_none() {
                continue;
            }
            let mut next = Some(start);
            let run = std::iter::from_fn(|| {
                let at = next?;
                taken[at] = true;
                next = after(text, at);
                Some((pair(text, at)?, offsets[at]))
            });
            self.add(forms[0], run, least);
        }
        let mut at = 0;
        while at < text.len() {
            let len = text[at..].iter().take_while(|byte| sextet(**byte).is_some()).count();
            // Four characters are three bytes, and a group may begin at any character.
            for phase in 0..len.min(4) {
                let run = &text[at + phase..at + len];
                let offsets = &offsets[at + phase..at + len];
                self.add(forms[1], base64(run, offsets), least);
            }
            at += len + 1;
        }
    }
}

/// Returns true if a character of UTF-16 below 256 is text.
fn is_text(byte: u8) -> bool {
    matches!(byte, b'\t' | b' '..=b'~' | 0xa0..)
}

/// Returns the byte whose two digits are at `at`.
fn pair(text: &[u8], at: usize) -> Option<u8> {
    let digit = |at: usize| char::from(*text.get(at)?).to_digit(16);
    Some((digit(at)? << 4 | digit(at + 1)?) as u8)
}

/// Returns the place of the next byte's digits.
fn after(text: &[u8], at: usize) -> Option<usize> {
    let end = at + 2;
    let between = SEPARATORS.iter().filter(|separator| text[end..].starts_with(separator));
    between.map(|separator| end + separator.len()).find(|&next| pair(text, next).is_some())
}

/// Returns the value of a base64 character.
fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

/// Decodes base64 characters. Each byte comes with the offset of the character in which it begins.
fn base64<'a>(run: &'a [u8], offsets: &'a [u32]) -> impl Iterator<Item = (u8, u32)> + 'a {
    let value = |at: usize| u16::from(sextet(run[at]).expect("it was looked at"));
    (0..run.len().saturating_sub(1)).filter(|at| at % 4 != 3).map(move |at| {
        let both = value(at) << 6 | value(at + 1);
        ((both >> (4 - 2 * (at % 4))) as u8, offsets[at])
    })
}
