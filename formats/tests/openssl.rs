//! Reads files of the real `openssl enc`, and lets `openssl enc` read our files.

use std::{
    ffi::OsStr,
    io::{Read, Write},
    os::unix::ffi::OsStrExt,
    process::{Command, Stdio},
    thread,
};

use arcfour_formats::{
    Transform,
    openssl::{
        Cipher, Decryptor, Derivation, Encryptor, Hash, HeaderError, HexLength, NoPbkdf2, Options,
        Salt, Text, padded_hex,
    },
};
use proptest::{collection::vec, prelude::*, sample::select, test_runner::Config};

const PASSPHRASE: &[u8] = "Quentin, \u{e9}t\u{e9}".as_bytes();
const SALT: [u8; 8] = [0, 255, 10, 32, 83, 97, 108, 116];
/// Lengths around a line of base64 (48 bytes, 16 of them for a header) and around a reader's chunk.
const LENGTHS: [usize; 11] = [0, 1, 2, 31, 32, 33, 47, 48, 49, 65_520, 65_537];

/// `openssl enc` with these options.
fn openssl(options: Options, passphrase: &[u8], direction: &str, input: &[u8]) -> Vec<u8> {
    let mut args: Vec<String> = vec!["-md".into(), options.hash.name().into()];
    let mut add = |words: &[&str]| args.extend(words.iter().map(|&word| word.to_owned()));
    match options.derivation {
        Derivation::BytesToKey => {}
        Derivation::Pbkdf2(10_000) => add(&["-pbkdf2"]),
        Derivation::Pbkdf2(n) => add(&["-iter", &n.to_string()]),
    }
    match options.salt {
        Salt::Header => {}
        Salt::Given(salt) => add(&["-S", &format!("{:016x}", u64::from_be_bytes(salt))]),
        Salt::GivenInHeader(_) => panic!("OpenSSL 3 writes no such header"),
        Salt::None => add(&["-nosalt"]),
    }
    enc(options, passphrase, direction, &args, input).0
}

/// Runs `openssl enc` with these words, and the cipher and text form of these options. Returns its
/// output and messages.
fn enc(
    options: Options,
    passphrase: &[u8],
    direction: &str,
    words: &[String],
    input: &[u8],
) -> (Vec<u8>, String) {
    let mut command = Command::new("openssl");
    command.args(["enc", direction, &format!("-{}", options.cipher.name())]);
    command.args(["-provider", "legacy", "-provider", "default"]).args(words);
    command.args(match options.text {
        Text::Raw => &[][..],
        Text::Base64Lines => &["-a"],
        Text::Base64 => &["-a", "-A"],
    });
    if !words.iter().any(|word| word == "-K") {
        command.args(["-pass", "env:PASSPHRASE"]);
        command.env("PASSPHRASE", OsStr::from_bytes(passphrase));
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input).unwrap());
        child.wait_with_output().unwrap()
    });
    assert!(output.status.success(), "{options:?} {words:?}");
    (output.stdout, String::from_utf8(output.stderr).unwrap())
}

fn agree(options: Options, len: usize) {
    agree_on(options, PASSPHRASE, &(0..len).map(|at| (at % 251) as u8).collect::<Vec<_>>());
}

/// Each program reads the other's output. Without a random salt the outputs are equal.
fn agree_on(options: Options, passphrase: &[u8], plain: &[u8]) {
    let theirs = openssl(options, passphrase, "-e", plain);
    let read = Decryptor::new(passphrase, options).convert(&theirs).unwrap();
    assert!(read == plain, "{options:?}, {} bytes", plain.len());
    let mut ours = vec![];
    let mut reader = Encryptor::new(passphrase, options).unwrap().reader(plain);
    reader.read_to_end(&mut ours).unwrap();
    if options.salt == Salt::Header {
        assert!(plain.is_empty() || ours != theirs, "a salt used twice");
        assert!(openssl(options, passphrase, "-d", &ours) == plain, "{options:?}");
    } else {
        assert!(ours == theirs, "{options:?}, {} bytes", plain.len());
    }
}

/// The key derivations of OpenSSL.
fn derivations(hash: Hash) -> &'static [Derivation] {
    let every = &[Derivation::BytesToKey, Derivation::Pbkdf2(1), Derivation::Pbkdf2(10_000)];
    if hash.has_pbkdf2() { every } else { &every[..1] }
}

#[test]
fn every_hash_of_openssl() {
    for hash in Hash::ALL {
        for &derivation in &derivations(hash)[..derivations(hash).len().min(2)] {
            agree(Options { hash, derivation, salt: Salt::Given(SALT), ..Options::default() }, 100);
        }
    }
}

/// We accept exactly the names that this OpenSSL lists.
#[test]
fn no_hash_is_missing() {
    let list = Command::new("openssl").args(["dgst", "-list"]).output().unwrap().stdout;
    let list = String::from_utf8(list).unwrap();
    let names: Vec<&str> =
        list.split_whitespace().filter_map(|word| word.strip_prefix('-')).collect();
    assert!(names.len() >= Hash::ALL.len(), "{list}");
    for name in names {
        assert!(name.parse::<Hash>().is_ok(), "{name}");
        assert!(name.to_uppercase().parse::<Hash>().is_ok(), "{name}");
    }
    for hash in Hash::ALL {
        assert_eq!(
            hash.names().iter().map(|name| name.parse()).collect::<Vec<_>>(),
            vec![Ok(hash); hash.names().len()]
        );
    }
}

#[test]
fn names_and_messages_are_plain() {
    for (name, cipher) in [("rc4", Cipher::Rc4), ("rc4-40", Cipher::Rc4_40)] {
        assert_eq!(name.parse(), Ok(cipher));
    }
    let unknown = "RC4".parse::<Cipher>().unwrap_err().to_string();
    assert_eq!(unknown, "unknown cipher; there are rc4, rc4-40");
    let unknown = "md2".parse::<Hash>().unwrap_err().to_string();
    assert!(unknown.starts_with("unknown hash function; there are md5, sha256, sha1, "));
    for (error, message) in [
        (
            HeaderError::Missing { offset: 6, byte: b'.' },
            "offset 6: '.' where the header 'Salted__' should be",
        ),
        (
            HeaderError::Truncated { len: 15 },
            "the input has 15 bytes; its header alone must have 16",
        ),
        (
            HeaderError::Unexpected,
            "the input begins with the header 'Salted__', which has the salt",
        ),
    ] {
        assert_eq!(error.to_string(), message);
    }
}

/// Nothing is held back but bytes that may be a header.
#[test]
fn a_file_without_a_header_is_decrypted_as_it_comes() {
    let options = Options { salt: Salt::None, ..Options::default() };
    let mut decryptor = Decryptor::new(PASSPHRASE, options);
    let mut plain = vec![];
    for (piece, len) in [(&b""[..], 0), (b"Salt", 0), (b"y", 5), (b"!", 6)] {
        decryptor.push(piece, &mut plain).unwrap();
        assert_eq!(plain.len(), len);
    }
}

#[test]
fn pbkdf2_without_hmac_is_refused() {
    assert!(Hash::ALL.iter().all(|hash| hash.has_pbkdf2() != hash.name().starts_with("shake")));
    for hash in [Hash::Shake128, Hash::Shake256] {
        let derivation = Derivation::Pbkdf2(1);
        let options = Options { hash, derivation, salt: Salt::None, ..Options::default() };
        let refused = Decryptor::new(PASSPHRASE, options).convert(b"file").unwrap_err();
        assert_eq!(refused, NoPbkdf2(hash).into());
        let error = Encryptor::new(PASSPHRASE, options).err().unwrap();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    }
}

/// OpenSSL before 3.0 wrote a header with the salt of `-S`; the rest of the file is the same.
#[test]
fn a_given_salt_in_a_header() {
    let options = Options { salt: Salt::GivenInHeader(SALT), ..Options::default() };
    let mut file = vec![];
    let mut reader = Encryptor::new(PASSPHRASE, options).unwrap().reader(&b"hello"[..]);
    reader.read_to_end(&mut file).unwrap();
    let bare = Options { salt: Salt::Given(SALT), ..options };
    let theirs = openssl(bare, PASSPHRASE, "-e", b"hello");
    assert_eq!(file, [b"Salted__", &SALT[..], &theirs].concat());
    let salted = Options { salt: Salt::Header, ..options };
    assert_eq!(openssl(salted, PASSPHRASE, "-d", &file), b"hello");
    for options in [options, salted] {
        assert_eq!(Decryptor::new(PASSPHRASE, options).convert(&file).unwrap(), b"hello");
    }
}

prop_compose! {
    fn any_options()(
        hash in select(&Hash::ALL[..]),
        cipher in select(&Cipher::ALL[..]),
        iterations in proptest::option::of(1..50u32),
        given in any::<[u8; 8]>(),
        salt in 0..3usize,
        text in select(&[Text::Raw, Text::Base64Lines, Text::Base64][..]),
    ) -> Options {
        let iterations = iterations.filter(|_| hash.has_pbkdf2());
        let derivation = iterations.map_or(Derivation::BytesToKey, Derivation::Pbkdf2);
        let salt = [Salt::Header, Salt::Given(given), Salt::None][salt];
        Options { cipher, hash, derivation, salt, text, ..Options::default() }
    }
}

proptest! {
    #![proptest_config(Config { cases: 24, failure_persistence: None, ..Config::default() })]

    #[test]
    fn any_file_of_openssl(
        options in any_options(),
        passphrase in vec(1..=255u8, 1..40),
        plain in vec(any::<u8>(), 1..300),
    ) {
        agree_on(options, &passphrase, &plain);
    }

    /// OpenSSL accepts digits that are too short or too long, with a warning.
    #[test]
    fn digits_of_a_salt_or_a_key(
        digits in "[0-9a-fA-F]{0,40}",
        cipher in select(&Cipher::ALL[..]),
        is_key in any::<bool>(),
    ) {
        let options = Options { cipher, ..Options::default() };
        let len = if is_key { cipher.key_len() } else { 8 };
        let words = [if is_key { "-K" } else { "-S" }.to_owned(), digits.clone()];
        let (theirs, said) = enc(options, PASSPHRASE, "-e", &words, b"hello");
        let (bytes, changed) = padded_hex(digits.as_bytes(), len).unwrap();
        let mut ours = if is_key {
            Encryptor::with_key(&bytes, options)
        } else {
            let salt = Salt::Given(bytes[..].try_into().unwrap());
            Encryptor::new(PASSPHRASE, Options { salt, ..options }).unwrap()
        };
        let mut file = vec![];
        ours.push(b"hello", &mut file).unwrap();
        prop_assert_eq!(&file, &theirs);
        prop_assert_eq!(changed == Some(HexLength::Short), said.contains("too short"));
        prop_assert_eq!(changed == Some(HexLength::Long), said.contains("too long"));
        if is_key {
            let plain = Decryptor::with_key(&bytes, options).convert(&theirs).unwrap();
            prop_assert_eq!(plain, b"hello");
        }
    }
}

/// `openssl enc -K` writes a header if it has a passphrase too.
#[test]
fn a_key_leaves_out_a_header_that_is_there() {
    let options = Options::default();
    let words = ["-K".to_owned(), "00112233445566778899aabbccddeeff".to_owned()];
    let key: Vec<u8> = (0..16).map(|n| 0x11 * n).collect();
    let (theirs, _) = enc(options, PASSPHRASE, "-e", &words, b"hello");
    let whole = [&b"Salted__"[..], &SALT, &theirs].concat();
    let decrypted = |file: &[u8]| {
        // One byte at a time, so that the header comes in pieces.
        let mut plain = vec![];
        let mut ours = Decryptor::with_key(&key, options);
        file.chunks(1).for_each(|byte| ours.push(byte, &mut plain).unwrap());
        ours.finish(&mut plain).unwrap();
        plain
    };
    assert_eq!(decrypted(&whole), b"hello");
    assert_eq!(decrypted(&theirs), b"hello");
    // A shorter file has no header. RC4 is its own inverse.
    for len in [0, 3, 8, 15] {
        assert_eq!(decrypted(&decrypted(&whole[..len])), &whole[..len], "{len}");
    }
}

#[test]
#[ignore = "some minutes: make test-full"]
fn every_way_to_make_a_key() {
    for cipher in Cipher::ALL {
        for hash in Hash::ALL {
            for &derivation in derivations(hash) {
                for salt in [Salt::Header, Salt::Given(SALT), Salt::None] {
                    agree(Options { cipher, hash, derivation, salt, ..Options::default() }, 100);
                }
            }
        }
    }
}

#[test]
fn every_length_and_form() {
    for salt in [Salt::Header, Salt::None] {
        for text in [Text::Raw, Text::Base64Lines, Text::Base64] {
            for len in LENGTHS {
                if text == Text::Base64 && len > 1000 {
                    continue; // OpenSSL reads no longer lines
                }
                agree(Options { salt, text, ..Options::default() }, len);
            }
        }
    }
}
