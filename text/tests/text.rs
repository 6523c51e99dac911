//! The output of encoders and decoders does not depend on how the input is cut, read or
//! interrupted.

mod pieces;

use std::io::{self, Read};

use arcfour_text::{
    Decoder, Encoder, Encoding, QuotedByte, TextError, TextFault, Transform, decode_hex,
};
use pieces::{pushed, same};

#[test]
fn encoders_and_decoders() {
    let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
    for len in (0..=50).chain([95, 96, 97, 1000]) {
        let bytes = &bytes[..len];
        let hex = || Encoder::new(Encoding::Hex);
        let one_line = || Encoder::new(Encoding::Base64);
        same(hex, bytes);
        same(one_line, bytes);
        same(Encoder::base64_in_lines, bytes);
        assert_eq!(hex().convert(bytes).unwrap(), data_encoding::HEXLOWER.encode(bytes).as_bytes());
        let plain = one_line().convert(bytes).unwrap();
        assert_eq!(plain, data_encoding::BASE64.encode(bytes).as_bytes());
        let lines: Vec<u8> = plain.chunks(64).flat_map(|line| [line, b"\n"].concat()).collect();
        assert_eq!(Encoder::base64_in_lines().convert(bytes).unwrap(), lines);
        for text in [&plain, &lines] {
            same(|| Decoder::new(Encoding::Base64), text);
            assert_eq!(Decoder::new(Encoding::Base64).convert(text).unwrap(), bytes);
        }
        let mut digits = hex().convert(bytes).unwrap();
        digits.extend_from_slice(b"\r\n");
        same(|| Decoder::new(Encoding::Hex), &digits);
        assert_eq!(Decoder::new(Encoding::Hex).convert(&digits).unwrap(), bytes);
    }
}

#[test]
fn faults_have_their_place_and_what_comes_before_them_is_kept() {
    use TextFault::{AfterTheEnd, Incomplete, LooseBits, NotADigit};
    for (encoding, text, bytes, offset, fault) in [
        (Encoding::Hex, &b"1f,10"[..], 1, 2, NotADigit(b',')),
        (Encoding::Hex, b"1f1\n", 1, 3, Incomplete),
        (Encoding::Hex, b"1f\n\n", 1, 3, AfterTheEnd(b'\n')),
        (Encoding::Hex, b"1f\r\n\r", 1, 4, AfterTheEnd(b'\r')),
        (Encoding::Hex, b"1f\r1", 1, 2, NotADigit(b'\r')),
        (Encoding::Hex, b"1\nf", 0, 2, AfterTheEnd(b'f')),
        (Encoding::Hex, b"1f\r10", 1, 2, NotADigit(b'\r')),
        (Encoding::Hex, b"1f\n10", 1, 3, AfterTheEnd(b'1')),
        (Encoding::Base64, b"jjjDB1Y=jjjD", 5, 8, AfterTheEnd(b'j')),
        (Encoding::Base64, b"jjjD\x0bB1Y=", 3, 4, NotADigit(0x0b)),
        (Encoding::Base64, b"jj jDB1 Y=\t. ", 5, 11, AfterTheEnd(b'.')),
        (Encoding::Base64, b"jjjDB1Z=", 3, 7, LooseBits),
        (Encoding::Base64, b"jjjDB1Y=\nj", 5, 9, AfterTheEnd(b'j')),
        (Encoding::Base64, b"jjjDB1Y\n", 3, 7, Incomplete),
        (Encoding::Base64, b"jj=j", 0, 3, NotADigit(b'j')),
        (Encoding::Base64, b"jj=0", 0, 3, NotADigit(b'0')),
        (Encoding::Base64, b"j===", 0, 1, NotADigit(b'=')),
        (Encoding::Hex, b"1f=", 1, 2, NotADigit(b'=')),
        (Encoding::Base64, b"jjjD B1Y\t\r ", 3, 8, Incomplete),
    ] {
        same(|| Decoder::new(encoding), text);
        let (out, error) = pushed(Decoder::new(encoding), text, text.len());
        assert_eq!((out.len(), error), (bytes, Some(TextError { encoding, offset, fault })));
    }
}

#[test]
fn base64_has_spaces_tabs_and_line_ends_anywhere() {
    for text in
        [" jjjDB1Y=", "jjjD B1Y= ", "jj\tjD\r\nB\n\n1Y =\r", "\r\n j j j D B 1 Y\t=\n \t\r\n"]
    {
        same(|| Decoder::new(Encoding::Base64), text.as_bytes());
        let bytes = Decoder::new(Encoding::Base64).convert(text.as_bytes()).unwrap();
        assert_eq!(bytes, b"\x8e\x38\xc3\x07\x56", "{text:?}");
    }
}

#[test]
fn a_reader_that_lies_about_its_length_does_no_harm() {
    struct Liar(usize);
    impl Read for Liar {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            Ok(if self.0 == 1 { room.len() + 1 } else { 0 })
        }
    }
    let mut out = vec![];
    Encoder::new(Encoding::Hex).reader(Liar(0)).read_to_end(&mut out).unwrap();
    assert!(out.iter().all(|&digit| digit == b'0'));
}

#[test]
fn hexadecimal_bytes_stand_apart_by_spaces_and_single_colons() {
    use TextFault::{Incomplete, NotADigit, WithinByte};
    for (text, bytes) in [
        ("", &[][..]),
        ("0aF1", &[0x0a, 0xf1]),
        ("  5c  c3 ", &[0x5c, 0xc3]),
        ("00:ff: 7e", &[0x00, 0xff, 0x7e]),
    ] {
        assert_eq!(decode_hex(text.as_bytes()).as_deref(), Ok(bytes), "{text}");
    }
    for (text, offset, fault) in [
        ("0", 1, Incomplete),
        ("0a1", 3, Incomplete),
        ("0 a", 1, WithinByte(b' ')),
        ("0:a", 1, WithinByte(b':')),
        ("0xa", 1, NotADigit(b'x')),
        ("0a,1b", 2, NotADigit(b',')),
        (":0a", 0, NotADigit(b':')),
        ("0a::1b", 3, NotADigit(b':')),
        ("0a:", 2, NotADigit(b':')),
        ("0a: ", 2, NotADigit(b':')),
        ("0a\n", 2, NotADigit(b'\n')),
    ] {
        let error = TextError { encoding: Encoding::Hex, offset, fault };
        assert_eq!(decode_hex(text.as_bytes()), Err(error), "{text}");
    }
}

#[test]
fn a_message_names_the_place_and_the_byte() {
    use TextFault::{AfterTheEnd, Incomplete, LooseBits, NotADigit, WithinByte};
    for (encoding, fault, message) in [
        (Encoding::Hex, NotADigit(b'x'), "'x' is not a hexadecimal digit"),
        (Encoding::Base64, NotADigit(0x7f), "byte 0x7f is not a base64 digit"),
        (Encoding::Hex, WithinByte(b' '), "' ' comes after the first digit of a byte"),
        (Encoding::Hex, AfterTheEnd(b'\n'), "byte 0x0a comes after a line end"),
        (Encoding::Base64, AfterTheEnd(b'~'), "'~' comes after the padding"),
        (Encoding::Base64, LooseBits, "the padding cuts off bits"),
        (Encoding::Hex, Incomplete, "the digits end in the middle of a byte"),
        (Encoding::Base64, Incomplete, "the base64 text ends in the middle of a group"),
    ] {
        let shown = TextError { encoding, offset: 7, fault }.to_string();
        assert!(shown.starts_with(&format!("offset 7: {message}")), "{shown}");
    }
    assert_eq!(QuotedByte(0xff).to_string(), "byte 0xff");
}

/// What a reader holds may be a key.
#[test]
fn a_reader_does_not_show_its_bytes() {
    let reader = Decoder::new(Encoding::Hex).reader(&b"5e"[..]);
    assert_eq!(format!("{reader:?}"), "Reader { .. }");
}
