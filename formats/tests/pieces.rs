//! What comes out does not depend on how the input is cut, read or interrupted.

use std::{
    fmt::Debug,
    io::{self, ErrorKind, Read},
};

use arcfour_formats::{
    Transform,
    openssl::{Decryptor, Encryptor, HeaderError, OpensslError, Options, Salt, Text},
    text::{Decoder, Encoder, Encoding, TextError, TextFault},
};

/// Gives pieces of one length, with an interruption before each.
struct Uneven<'a> {
    rest: &'a [u8],
    len: usize,
    interrupted: bool,
}

impl Read for Uneven<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        let len = self.len.min(self.rest.len()).min(room.len());
        let (piece, rest) = self.rest.split_at(len);
        room[..len].copy_from_slice(piece);
        self.rest = rest;
        Ok(len)
    }
}

/// What `transform` makes of `input` in pieces of `len` bytes: bytes, then a fault.
fn pushed<T: Transform>(mut transform: T, input: &[u8], len: usize) -> (Vec<u8>, Option<T::Error>) {
    let mut out = vec![];
    for piece in input.chunks(len) {
        if let Err(error) = transform.push(piece, &mut out) {
            return (out, Some(error));
        }
    }
    let error = transform.finish(&mut out).err();
    (out, error)
}

/// The same through a reader, into a buffer of `len` bytes.
fn read<T: Transform>(transform: T, input: &[u8], len: usize) -> (Vec<u8>, Option<T::Error>) {
    let mut reader = transform.reader(Uneven { rest: input, len, interrupted: false });
    let (mut out, mut room) = (vec![], vec![0; len]);
    loop {
        match reader.read(&mut room) {
            Ok(0) => return (out, None),
            Ok(n) => out.extend_from_slice(&room[..n]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::InvalidData);
                assert_eq!(reader.read(&mut room).unwrap(), 0, "nothing comes after a fault");
                let fault = error.into_inner().unwrap().downcast().unwrap();
                return (out, Some(*fault));
            }
        }
    }
}

fn same<T: Transform<Error: Debug + PartialEq>>(new: impl Fn() -> T, input: &[u8]) {
    let whole = pushed(new(), input, input.len().max(1));
    for len in (1..=9).chain([47, 48, 49, 63, 64, 65, 4096]) {
        assert_eq!(pushed(new(), input, len), whole, "{len}");
        assert_eq!(read(new(), input, len), whole, "{len}");
    }
}

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
        (Encoding::Base64, b"jjjD B1Y=", 3, 4, NotADigit(b' ')),
        (Encoding::Base64, b"jjjDB1Z=", 3, 7, LooseBits),
        (Encoding::Base64, b"jjjDB1Y=\nj", 5, 9, AfterTheEnd(b'j')),
        (Encoding::Base64, b"jjjDB1Y\n", 3, 7, Incomplete),
        (Encoding::Base64, b"jj=j", 0, 3, NotADigit(b'j')),
        (Encoding::Base64, b"jjjD\r", 3, 4, NotADigit(b'\r')),
    ] {
        same(|| Decoder::new(encoding), text);
        let (out, error) = pushed(Decoder::new(encoding), text, text.len());
        assert_eq!((out.len(), error), (bytes, Some(TextError { encoding, offset, fault })));
    }
}

#[test]
fn openssl_files() {
    let plain: Vec<u8> = (0..=255).cycle().take(700).collect();
    for text in [Text::Raw, Text::Base64Lines, Text::Base64] {
        for salt in [Salt::Header, Salt::Given(*b"saltsalt"), Salt::None] {
            let options = Options { text, salt, ..Options::default() };
            for len in [0, 1, 5, 700] {
                let file = Encryptor::new(b"a", options).unwrap().convert(&plain[..len]).unwrap();
                same(|| Decryptor::new(b"a", options), &file);
                let read = Decryptor::new(b"a", options).convert(&file);
                assert_eq!(read.as_deref(), Ok(&plain[..len]));
                if salt != Salt::Header {
                    same(|| Encryptor::new(b"a", options).unwrap(), &plain[..len]);
                }
            }
        }
    }
}

#[test]
fn headers_that_are_missing_cut_or_not_wanted() {
    let header = Options::default();
    let none = Options { salt: Salt::None, ..header };
    for (options, file, error) in [
        (header, &b"Salted. "[..], HeaderError::Missing { offset: 6, byte: b'.' }),
        (header, b"Salted__1234567", HeaderError::Truncated { len: 15 }),
        (header, b"", HeaderError::Truncated { len: 0 }),
        (none, b"Salted__", HeaderError::Unexpected),
    ] {
        same(|| Decryptor::new(b"a", options), file);
        let read = Decryptor::new(b"a", options).convert(file);
        assert_eq!(read, Err(OpensslError::Header(error)));
    }
    assert_eq!(Decryptor::new(b"a", none).convert(b"Salted_").unwrap().len(), 7);
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
