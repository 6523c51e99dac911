//! The readers of `openssl enc` files: whatever the text and its pieces, bytes, header and fault
//! equal a plain reading of the whole.
#![cfg_attr(not(test), no_main)]

use arcfour::families::rc4::State;
use arcfour_formats::{
    Transform,
    openssl::{Decryptor, Encryptor, HeaderError, OpensslError, Options, Salt, Text, derive_key},
    text::{Decoder, Encoder, Encoding, TextError, TextFault},
};

// The first byte is the length of the pieces (0: all at once), the rest is the text.
arcfour_fuzz::target!(|data: &[u8]| {
    let Some((&cut, text)) = data.split_first() else { return };
    let cut = if cut == 0 { text.len().max(1) } else { cut.into() };
    let base64 = || Decoder::new(Encoding::Base64);
    let expected = plain(text);
    assert_eq!(converted(base64(), text, cut), expected);

    for lines in [true, false] {
        let encoder = match lines {
            true => Encoder::base64_in_lines(),
            false => Encoder::new(Encoding::Base64),
        };
        let (encoded, result) = converted(encoder, text, cut);
        assert_eq!((&encoded, result), (&encoded_at_once(text, lines), Ok(())));
        assert_eq!(converted(base64(), &encoded, cut), (text.to_vec(), Ok(())));
    }

    for salt in [Salt::Header, Salt::Given([7; 8]), Salt::None] {
        let options = Options { salt, ..Options::default() };
        decrypt(options, text, Ok(()), text, cut);
        let options = Options { text: Text::Base64, ..options };
        decrypt(options, &expected.0, expected.1, text, cut);
        let file = Encryptor::new(b"a", options).unwrap().convert(text).unwrap();
        let decrypted = converted(Decryptor::new(b"a", options), &file, cut);
        assert_eq!(decrypted, (text.to_vec(), Ok(())));
    }
});

/// What a transform makes of pieces of `cut` bytes.
fn converted<T: Transform>(
    mut transform: T,
    input: &[u8],
    cut: usize,
) -> (Vec<u8>, Result<(), T::Error>) {
    let mut out = vec![];
    let pushed = input.chunks(cut).try_for_each(|piece| transform.push(piece, &mut out));
    let result = pushed.and_then(|()| transform.finish(&mut out));
    (out, result)
}

/// The base64 decoder by the rule itself, one digit after the other.
fn plain(text: &[u8]) -> (Vec<u8>, Result<(), TextError>) {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let error =
        |at: usize, fault| Err(TextError { encoding: Encoding::Base64, offset: at as u64, fault });
    let (mut bytes, mut values, mut fill, mut next_digit) = (vec![], vec![], 0, 0);
    for (at, &byte) in text.iter().enumerate() {
        let digit = DIGITS.iter().position(|&digit| digit == byte);
        match (byte, digit) {
            (b' ' | b'\t' | b'\r' | b'\n', _) => continue,
            _ if fill > 0 && values.is_empty() => {
                return (bytes, error(at, TextFault::AfterTheEnd(byte)));
            }
            (b'=', _) if values.len() >= 2 => {
                fill += 1;
                values.push(0);
            }
            (_, Some(value)) if fill == 0 => values.push(value as u32),
            _ => return (bytes, error(at, TextFault::NotADigit(byte))),
        }
        next_digit = at + 1;
        if values.len() == 4 {
            let group = values.drain(..).fold(0, |group, value| group << 6 | value);
            if group & ((1 << (8 * fill)) - 1) != 0 {
                return (bytes, error(at, TextFault::LooseBits));
            }
            bytes.extend_from_slice(&group.to_be_bytes()[1..4 - fill]);
        }
    }
    let complete = values.is_empty();
    (bytes, if complete { Ok(()) } else { error(next_digit, TextFault::Incomplete) })
}

fn encoded_at_once(bytes: &[u8], lines: bool) -> Vec<u8> {
    let text = data_encoding::BASE64.encode(bytes).into_bytes();
    match lines {
        false => text,
        true => text.chunks(64).flat_map(|line| [line, b"\n"].concat()).collect(),
    }
}

/// Holds the decryptor against the rule: `bytes` and `fault` are what `file` decodes to.
fn decrypt(options: Options, bytes: &[u8], fault: Result<(), TextError>, file: &[u8], cut: usize) {
    let (out, result) = converted(Decryptor::new(b"a", options), file, cut);
    let alike = bytes.iter().zip(b"Salted__").take_while(|(a, b)| a == b).count();
    let header = match options.salt {
        Salt::Header if alike < 8 && alike < bytes.len() => {
            Err(HeaderError::Missing { offset: alike, byte: bytes[alike] })
        }
        Salt::Header if bytes.len() >= 16 => Ok((16, bytes[8..].first_chunk().copied())),
        // A fault of the text is all that is known of a header that it cuts off.
        Salt::Header if fault.is_err() => {
            return assert_eq!(result, Err(fault.unwrap_err().into()));
        }
        Salt::Header => Err(HeaderError::Truncated { len: bytes.len() }),
        _ if alike == 8 => Err(HeaderError::Unexpected),
        _ if fault.is_err() && alike == bytes.len() => {
            return assert_eq!(result, Err(fault.unwrap_err().into()));
        }
        Salt::Given(salt) | Salt::GivenInHeader(salt) => Ok((0, Some(salt))),
        Salt::None => Ok((0, None)),
    };
    match header {
        Err(error) => assert_eq!((out, result), (vec![], Err(OpensslError::Header(error)))),
        Ok((len, salt)) => {
            let mut state = State::ksa(&derive_key(b"a", salt, options).unwrap()).unwrap();
            let plain: Vec<u8> = bytes[len..].iter().map(|byte| byte ^ state.prga()).collect();
            assert_eq!((out, result), (plain, fault.map_err(OpensslError::Text)));
        }
    }
}
