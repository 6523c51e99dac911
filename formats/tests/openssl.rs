//! Files of the real `openssl enc`, read; and files of ours, read by it.

use std::{
    io::{Read, Write},
    process::{Command, Stdio},
    thread,
};

use arcfour_formats::{
    Transform,
    openssl::{Cipher, Decryptor, Derivation, Encryptor, Hash, Options, Salt, Text},
};

const PASSPHRASE: &str = "Quentin, \u{e9}t\u{e9}";
const SALT: [u8; 8] = [0, 255, 10, 32, 83, 97, 108, 116];
/// At both sides of a line of base64 (48 bytes, of which a header takes 16) and of a reader's chunk.
const LENGTHS: [usize; 11] = [0, 1, 2, 31, 32, 33, 47, 48, 49, 65_520, 65_537];

/// The same options in OpenSSL's language.
fn openssl(options: Options, direction: &str, input: &[u8]) -> Vec<u8> {
    let mut args = vec!["enc".to_owned(), direction.into(), format!("-{}", options.cipher.name())];
    let mut add = |words: &[&str]| args.extend(words.iter().map(|&word| word.to_owned()));
    add(&["-provider", "legacy", "-provider", "default", "-pass", "env:PASSPHRASE"]);
    add(&["-md", options.hash.name()]);
    match options.derivation {
        Derivation::BytesToKey => {}
        Derivation::Pbkdf2(10_000) => add(&["-pbkdf2"]),
        Derivation::Pbkdf2(n) => add(&["-iter", &n.to_string()]),
    }
    match options.salt {
        Salt::Header => {}
        Salt::Given(_) => add(&["-S", "00ff0a2053616c74"]),
        Salt::None => add(&["-nosalt"]),
    }
    match options.text {
        Text::Raw => {}
        Text::Base64Lines => add(&["-a"]),
        Text::Base64 => add(&["-a", "-A"]),
    }
    let mut child = Command::new("openssl")
        .args(args)
        .env("PASSPHRASE", PASSPHRASE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input).unwrap());
        child.wait_with_output().unwrap()
    });
    assert!(output.status.success(), "{options:?}");
    output.stdout
}

fn agree(options: Options, len: usize) {
    let plain: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
    let theirs = openssl(options, "-e", &plain);
    let passphrase = PASSPHRASE.as_bytes();
    let read = Decryptor::new(passphrase, options).convert(&theirs).unwrap();
    assert!(read == plain, "{options:?}, {len} bytes");
    let mut ours = vec![];
    let mut reader = Encryptor::new(passphrase, options).unwrap().reader(&plain[..]);
    reader.read_to_end(&mut ours).unwrap();
    assert!(openssl(options, "-d", &ours) == plain, "{options:?}, {len} bytes");
    match options.salt {
        Salt::Header => assert!(len == 0 || ours != theirs, "a salt used twice"),
        _ => assert!(ours == theirs, "{options:?}, {len} bytes"),
    }
}

#[test]
fn every_way_to_make_a_key() {
    for cipher in Cipher::ALL {
        for hash in Hash::ALL {
            for derivation in
                [Derivation::BytesToKey, Derivation::Pbkdf2(1), Derivation::Pbkdf2(10_000)]
            {
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
                    continue; // OpenSSL reads no longer line
                }
                agree(Options { salt, text, ..Options::default() }, len);
            }
        }
    }
}
