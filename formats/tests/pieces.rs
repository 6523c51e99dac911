//! The output for files of `openssl enc` does not depend on how the input is cut, read or
//! interrupted.

#[allow(dead_code, reason = "the tests of text use all of it")]
#[path = "../../text/tests/pieces/mod.rs"]
mod pieces;

use arcfour_formats::{
    Transform,
    openssl::{Decryptor, Encryptor, HeaderError, OpensslError, Options, Salt, Text},
};
use pieces::same;

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
