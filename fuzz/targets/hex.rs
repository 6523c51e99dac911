//! The hexadecimal decoder: whatever the text and its pieces, the bytes and the fault equal a plain
//! reading of the whole.
#![cfg_attr(not(test), no_main)]

use arcfour_formats::{
    Transform,
    text::{Decoder, Encoder, Encoding, TextError, TextFault, decode_hex},
};

// The first byte is the length of the pieces (0: all at once), the rest is the text.
arcfour_fuzz::target!(|data: &[u8]| {
    let Some((&cut, text)) = data.split_first() else { return };
    let cut = if cut == 0 { text.len().max(1) } else { cut.into() };
    let expected = plain(text);
    assert_eq!(decoded(text, cut), expected);

    assert_eq!(decode_hex(text), key(text));

    let mut digits = vec![];
    let mut encoder = Encoder::new(Encoding::Hex);
    for piece in text.chunks(cut) {
        encoder.push(piece, &mut digits).unwrap();
    }
    encoder.finish(&mut digits).unwrap();
    assert_eq!(decoded(&digits, cut), (text.to_vec(), Ok(())));
});

/// A key by the rule itself: parts between colons, in them pairs of digits with spaces around.
fn key(text: &[u8]) -> Result<Vec<u8>, TextError> {
    let mut bytes = vec![];
    let mut offset = 0;
    let error =
        |at: usize, fault| Err(TextError { encoding: Encoding::Hex, offset: at as u64, fault });
    let parts: Vec<&[u8]> = text.split(|&byte| byte == b':').collect();
    for (n, part) in parts.iter().enumerate() {
        let mut at = 0;
        loop {
            at += part[at..].iter().take_while(|&&byte| byte == b' ').count();
            let is_digit = |at: usize| part.get(at).map(u8::is_ascii_hexdigit);
            match (is_digit(at), is_digit(at + 1)) {
                (None, _) => break,
                (Some(false), _) => return error(offset + at, TextFault::NotADigit(part[at])),
                (_, Some(true)) => {
                    let pair = std::str::from_utf8(&part[at..at + 2]).unwrap();
                    bytes.push(u8::from_str_radix(pair, 16).unwrap());
                    at += 2;
                }
                _ => match text.get(offset + at + 1) {
                    None => return error(text.len(), TextFault::Incomplete),
                    Some(&byte @ (b' ' | b':')) => {
                        return error(offset + at + 1, TextFault::WithinByte(byte));
                    }
                    Some(&byte) => return error(offset + at + 1, TextFault::NotADigit(byte)),
                },
            }
        }
        // A colon must have a byte on either side.
        let empty = |part: &[u8]| part.iter().all(|&byte| byte == b' ');
        let last = n + 1 == parts.len();
        if !last && empty(part) || n + 2 == parts.len() && empty(parts[n + 1]) {
            return error(offset + part.len(), TextFault::NotADigit(b':'));
        }
        offset += part.len() + 1;
    }
    Ok(bytes)
}

/// What the decoder under test makes of pieces of `cut` bytes.
fn decoded(text: &[u8], cut: usize) -> (Vec<u8>, Result<(), TextError>) {
    let mut decoder = Decoder::new(Encoding::Hex);
    let mut bytes = vec![];
    let pushed = text.chunks(cut).try_for_each(|piece| decoder.push(piece, &mut bytes));
    let result = pushed.and_then(|()| decoder.finish(&mut bytes));
    (bytes, result)
}

/// The same by the rule itself: digits, then at most one line end, then nothing.
fn plain(text: &[u8]) -> (Vec<u8>, Result<(), TextError>) {
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
    let (offset, fault) = match text.get(digits + line_end) {
        Some(&byte) if line_end == 0 => (digits, TextFault::NotADigit(byte)),
        Some(&byte) => (digits + line_end, TextFault::AfterTheEnd(byte)),
        None if digits % 2 == 1 => (digits, TextFault::Incomplete),
        None => return (bytes, Ok(())),
    };
    (bytes, Err(TextError { encoding: Encoding::Hex, offset: offset as u64, fault }))
}
