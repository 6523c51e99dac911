//! The hexadecimal reader: whatever the text and however it is cut, the bytes and the fault are
//! those of a plain reading of the whole.
#![no_main]

use arcfour_cli::hex::{Decoder, HexError, decode, encode};
use libfuzzer_sys::fuzz_target;

// The first byte is the length of the pieces (0: all at once), the rest is the text.
fuzz_target!(|data: &[u8]| {
    let Some((&cut, text)) = data.split_first() else { return };
    let expected = plain(text);
    assert_eq!(pieces(text, if cut == 0 { text.len() } else { cut.into() }), expected);

    // A key is the same text without a line end.
    if !text.contains(&b'\n') {
        match decode(text) {
            Ok(bytes) => assert_eq!((bytes, Ok(())), expected),
            Err(HexError::NotADigit { offset, byte }) => assert_eq!(text[offset as usize], byte),
            Err(error) => assert_eq!(Err(error), expected.1),
        }
    }

    let mut digits = vec![0; 2 * text.len()];
    assert_eq!(encode(text, &mut digits), digits.len());
    assert_eq!(pieces(&digits, usize::from(cut) + 1), (text.to_vec(), Ok(())));
});

/// The reader under test, given `length` bytes of text at a time.
fn pieces(text: &[u8], length: usize) -> (Vec<u8>, Result<(), HexError>) {
    let mut decoder = Decoder::default();
    let mut bytes = Vec::new();
    for piece in text.chunks(length.max(1)) {
        let mut out = vec![0; piece.len() / 2 + 1];
        let (len, result) = decoder.push(piece, &mut out);
        bytes.extend_from_slice(&out[..len]);
        if result.is_err() {
            return (bytes, result);
        }
    }
    (bytes, decoder.finish())
}

/// The same by the rule itself: digits, then at most one line end, then nothing.
fn plain(text: &[u8]) -> (Vec<u8>, Result<(), HexError>) {
    let digits = text.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let bytes = text[..digits]
        .chunks_exact(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect();
    let line_end = match &text[digits..] {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => 0,
    };
    let result = match text.get(digits + line_end) {
        Some(&byte) if line_end == 0 => Err(HexError::NotADigit { offset: digits as u64, byte }),
        Some(&byte) => Err(HexError::BehindTheEnd { offset: (digits + line_end) as u64, byte }),
        None if digits % 2 == 1 => Err(HexError::OddDigits { digits: digits as u64 }),
        None => Ok(()),
    };
    (bytes, result)
}
