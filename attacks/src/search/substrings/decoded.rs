//! What a piece of a file holds: its bytes, and what they are in hexadecimal digits, base64, UTF-16 and blobs of keys.

use std::{
    fmt,
    ops::{Range, RangeInclusive},
};

/// How a key stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// Its bytes: binary, text, or text of UTF-16 that is the key with its zero bytes.
    Bytes,
    /// Its text in UTF-16, of either byte order: the key has one byte for each character.
    Utf16,
    /// Hexadecimal digits, side by side or as `de ad`, `de:ad`, `de-ad`, `\xde\xad`, `%de%ad`, `0xde, 0xad`.
    Hex,
    /// The same in UTF-16.
    HexUtf16,
    /// Base64, of the standard's alphabet or that for addresses, without line ends.
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

/// What may stand between the digits of two bytes.
const SEPARATORS: [&[u8]; 9] = [b"", b" ", b":", b"-", b"%", b"\\x", b" 0x", b",0x", b", 0x"];

/// The most bytes of a file that one byte of a key takes: `, 0xde` in UTF-16.
pub(super) const WIDEST: usize = 12;
/// How many bytes before its offset a key may need: two characters of base64 in UTF-16.
pub(super) const BEFORE: usize = 4;

/// The headers of a PLAINTEXTKEYBLOB with a key of 40 bits for `CALG_RC4`, and of a SIMPLEBLOB under a key for `CALG_RSA_KEYX`.
const PLAINTEXT_BLOB: [u8; 12] = [8, 2, 0, 0, 1, 0x68, 0, 0, 5, 0, 0, 0];
const SIMPLE_BLOB: [u8; 12] = [1, 2, 0, 0, 1, 0x68, 0, 0, 0, 0xa4, 0, 0];
/// Bytes of the keys in a SIMPLEBLOB.
const IN_BLOB: RangeInclusive<usize> = 5..=16;
/// How many bytes from the start of a blob on decide what its key is: the zero byte before the padding is the last.
pub(super) const BLOB: usize = SIMPLE_BLOB.len() + *IN_BLOB.end() + 1;

/// Bytes that stand side by side once they are decoded.
#[derive(Debug)]
pub(super) struct Run {
    /// Where they are in [`Decoded::bytes`].
    pub(super) range: Range<usize>,
    pub(super) form: Form,
}

/// A piece of a file in all forms.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    /// Where in the piece each byte begins.
    pub(super) offsets: Vec<u32>,
    /// In the order of their bytes; they cover all of them.
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
                    // Only a zero byte between them joins two characters.
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

    /// Adds the keys in blobs. All of a key stands at the start of its blob.
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
            // The key may hold zero bytes itself; the padding has none.
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

    /// Adds what is written in `text` as hexadecimal digits and as base64.
    fn add_digits(&mut self, text: &[u8], offsets: &[u32], least: usize, forms: [Form; 2]) {
        // A pair of digits follows one other at most, so runs share none.
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
            // Four characters are three bytes, and any of them may be the first.
            for phase in 0..len.min(4) {
                let run = &text[at + phase..at + len];
                let offsets = &offsets[at + phase..at + len];
                self.add(forms[1], base64(run, offsets), least);
            }
            at += len + 1;
        }
    }
}

/// Whether a character of UTF-16 below 256 is text.
fn is_text(byte: u8) -> bool {
    matches!(byte, b'\t' | b' '..=b'~' | 0xa0..)
}

/// The byte whose two digits stand at `at`.
fn pair(text: &[u8], at: usize) -> Option<u8> {
    let digit = |at: usize| char::from(*text.get(at)?).to_digit(16);
    Some((digit(at)? << 4 | digit(at + 1)?) as u8)
}

/// Where the digits of the next byte stand.
fn after(text: &[u8], at: usize) -> Option<usize> {
    let end = at + 2;
    let between = SEPARATORS.iter().filter(|separator| text[end..].starts_with(separator));
    between.map(|separator| end + separator.len()).find(|&next| pair(text, next).is_some())
}

/// The value of a character of base64.
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

/// The bytes of characters of base64, each with the offset of the character that it begins in.
fn base64<'a>(run: &'a [u8], offsets: &'a [u32]) -> impl Iterator<Item = (u8, u32)> + 'a {
    let value = |at: usize| u16::from(sextet(run[at]).expect("it was looked at"));
    (0..run.len().saturating_sub(1)).filter(|at| at % 4 != 3).map(move |at| {
        let both = value(at) << 6 | value(at + 1);
        ((both >> (4 - 2 * (at % 4))) as u8, offsets[at])
    })
}
