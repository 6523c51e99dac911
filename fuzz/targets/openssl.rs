//! The reader of `openssl enc` files: whatever the text and however it is cut, bytes, header and
//! fault are those of a plain reading of the whole.
#![no_main]

use arcfour_cli::{
    base64::{Base64Error, Decoder, Encoder},
    openssl::{Beginning, HeaderError, Salt, read, write},
};
use libfuzzer_sys::fuzz_target;

// The first byte is the length of the pieces (0: all at once), the rest is the text.
fuzz_target!(|data: &[u8]| {
    let Some((&cut, text)) = data.split_first() else { return };
    let cut = if cut == 0 { text.len() } else { cut.into() };
    let expected = plain(text);
    assert_eq!(decoded(text, cut), expected);

    for lines in [true, false] {
        let encoded = encoded(text, cut, lines);
        assert_eq!(encoded, encoded_at_once(text, lines));
        assert_eq!(decoded(&encoded, cut), (text.to_vec(), Ok(())));
    }

    // The header of what was decoded, and of the text itself.
    for file in [&expected.0, text] {
        for salt in [Salt::Header, Salt::Given([7; 8]), Salt::None] {
            header(salt, file, cut);
        }
    }
});

/// The decoder under test, given `cut` bytes of text at a time.
fn decoded(text: &[u8], cut: usize) -> (Vec<u8>, Result<(), Base64Error>) {
    let mut decoder = Decoder::default();
    let mut bytes = Vec::new();
    for piece in text.chunks(cut.max(1)) {
        let mut out = vec![0; piece.len() + 3];
        let (len, result) = decoder.push(piece, &mut out);
        bytes.extend_from_slice(&out[..len]);
        if result.is_err() {
            return (bytes, result);
        }
    }
    (bytes, decoder.finish())
}

/// The same by the rule itself, one digit after the other.
fn plain(text: &[u8]) -> (Vec<u8>, Result<(), Base64Error>) {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut values, mut fill) = (Vec::new(), Vec::new(), 0);
    for (at, &byte) in text.iter().enumerate() {
        let offset = at as u64;
        let digit = DIGITS.iter().position(|&digit| digit == byte);
        match (byte, digit) {
            (b'\n', _) => continue,
            (b'\r', _) => match text.get(at + 1) {
                Some(b'\n') => continue,
                _ => return (bytes, Err(Base64Error::NotADigit { offset, byte })),
            },
            _ if fill > 0 && values.is_empty() => {
                return (bytes, Err(Base64Error::BehindTheEnd { offset, byte }));
            }
            (b'=', _) if values.len() >= 2 => {
                fill += 1;
                values.push(0);
            }
            (_, Some(value)) if fill == 0 => values.push(value as u32),
            _ => return (bytes, Err(Base64Error::NotADigit { offset, byte })),
        }
        if values.len() == 4 {
            let group = values.drain(..).fold(0, |group, value| group << 6 | value);
            if group & ((1 << (8 * fill)) - 1) != 0 {
                return (bytes, Err(Base64Error::LooseBits { offset }));
            }
            bytes.extend_from_slice(&group.to_be_bytes()[1..4 - fill]);
        }
    }
    let offset = text.len() as u64;
    (bytes, if values.is_empty() { Ok(()) } else { Err(Base64Error::Truncated { offset }) })
}

fn encoded(bytes: &[u8], cut: usize, lines: bool) -> Vec<u8> {
    let mut encoder = Encoder::new(lines);
    let mut text = Vec::new();
    for piece in bytes.chunks(cut.max(1)) {
        let mut out = vec![0; 2 * piece.len() + 8];
        let len = encoder.push(piece, &mut out);
        text.extend_from_slice(&out[..len]);
    }
    let mut out = [0; 5];
    let len = encoder.finish(&mut out);
    text.extend_from_slice(&out[..len]);
    text
}

fn encoded_at_once(bytes: &[u8], lines: bool) -> Vec<u8> {
    let text = data_encoding::BASE64.encode(bytes).into_bytes();
    match lines {
        false => text,
        true => text.chunks(64).flat_map(|line| [line, b"\n"].concat()).collect(),
    }
}

/// Once there is a verdict, more of the file does not change it, and it is that of the rule.
fn header(salt: Salt, file: &[u8], cut: usize) {
    let whole = read(salt, file, true);
    let lengths = (0..file.len()).step_by(cut.max(1));
    if let Some(early) = lengths.map(|len| read(salt, &file[..len], false)).find(|v| *v != Ok(None))
    {
        assert_eq!(early, whole);
    }
    let salted = file.starts_with(b"Salted__");
    match (salt, whole) {
        (Salt::Header, Ok(Some(Beginning { header_len: 16, salt: Some(salt) }))) => {
            assert_eq!(write(salt), file[..16])
        }
        (Salt::Header, Err(HeaderError::Missing { offset, byte })) => {
            assert!(!salted && file[..offset] == b"Salted__"[..offset] && file[offset] == byte);
            assert_ne!(byte, b"Salted__"[offset]);
        }
        (Salt::Header, Err(HeaderError::Truncated { len })) => {
            assert!(len == file.len() && len < 16);
        }
        (Salt::Given(_) | Salt::None, Err(HeaderError::Unexpected)) => assert!(salted),
        (Salt::Given(given), Ok(found)) => {
            assert!(!salted);
            assert_eq!(found, Some(Beginning { header_len: 0, salt: Some(given) }));
        }
        (Salt::None, Ok(found)) => {
            assert!(!salted);
            assert_eq!(found, Some(Beginning { header_len: 0, salt: None }));
        }
        (_, verdict) => panic!("{salt:?}: {verdict:?}"),
    }
}
