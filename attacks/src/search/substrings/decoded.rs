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
    /// Hexadecimal digits, side by side or as `de ad`, `de:ad`, `de-ad`, `de, ad`, `\xde\xad`, `%de%ad`, `0xde, 0xad`, also
    /// over several lines.
    Hex,
    /// The same in UTF-16.
    HexUtf16,
    /// Base64 with the standard or the URL alphabet, also over several lines.
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

/// Maximum number of spaces, tabs and line ends between the digits of two bytes, or between two lines of base64.
const BLANKS: usize = 32;
/// Maximum number of file bytes for one byte of a key: 4/3 characters of base64 in UTF-16, with blanks after each. A key
/// needs one byte more, because it may begin within a character.
pub(super) const WIDEST: usize = 2 * (4 * (1 + BLANKS)).div_ceil(3);
/// Number of bytes before its offset that a key may need: two characters of base64 in UTF-16, with blanks after each.
pub(super) const BEFORE: usize = 2 * 2 * (1 + BLANKS);

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
        let mut run: Vec<(u8, u32)> = vec![];
        while at < text.len() {
            run.clear();
            while let Some(value) = text.get(at).copied().and_then(sextet) {
                run.push((value, offsets[at]));
                at = after_line(text, at + 1);
            }
            // Four characters are three bytes, and a group may begin at any character.
            for phase in 0..run.len().min(4) {
                self.add(forms[1], base64(&run[phase..]), least);
            }
            at += 1;
        }
    }
}

/// Returns true if a character of UTF-16 below 256 is text.
fn is_text(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\r' | b'\n' | b' '..=b'~' | 0xa0..)
}

/// Returns the byte whose two digits are at `at`.
fn pair(text: &[u8], at: usize) -> Option<u8> {
    let digit = |at: usize| char::from(*text.get(at)?).to_digit(16);
    Some((digit(at)? << 4 | digit(at + 1)?) as u8)
}

/// Returns the place of the next byte's digits. No separator has a pair of digits in it.
fn after(text: &[u8], at: usize) -> Option<usize> {
    let mut next = at + 2;
    match text.get(next) {
        Some(b'-' | b'%') => next += 1,
        other => {
            next += usize::from(matches!(other, Some(b',' | b';' | b':')));
            next += blanks(&text[next..]);
            let is_apart = next > at + 2;
            let prefixes: &[&[u8]] = if is_apart { &[b"\\x", b"0x"] } else { &[b"\\x"] };
            let rest = &text[next..];
            next += if prefixes.iter().any(|prefix| rest.starts_with(prefix)) { 2 } else { 0 };
        }
    }
    pair(text, next).map(|_| next)
}

/// Returns the number of spaces, tabs and line ends at the start of `text`, or 0 if there are too many.
fn blanks(text: &[u8]) -> usize {
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let blanks = text.iter().take(BLANKS + 1).take_while(is_blank).count();
    if blanks <= BLANKS { blanks } else { 0 }
}

/// Returns `at`, or the start of the next line's text if the line ends there.
fn after_line(text: &[u8], at: usize) -> usize {
    let blanks = blanks(&text[at..]);
    let ends = text[at..at + blanks].iter().any(|byte| matches!(byte, b'\r' | b'\n'));
    if ends { at + blanks } else { at }
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

/// Decodes the values of base64 characters, each with its offset. A byte has the offset of the character in which it
/// begins.
fn base64(run: &[(u8, u32)]) -> impl Iterator<Item = (u8, u32)> {
    let pairs = run.windows(2).enumerate().filter(|(at, _)| at % 4 != 3);
    pairs.map(|(at, pair)| {
        let both = u16::from(pair[0].0) << 6 | u16::from(pair[1].0);
        ((both >> (4 - 2 * (at % 4))) as u8, pair[0].1)
    })
}
