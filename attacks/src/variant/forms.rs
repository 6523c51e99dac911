//! The forms of a key that programs use.

use arcfour::MAX_KEY;
use data_encoding::{BASE64, HEXLOWER, HEXLOWER_PERMISSIVE, HEXUPPER};
use md5::Md5;
use sha1::Sha1;
use sha2::{Sha256, Sha512};
use zeroize::Zeroizing;

use crate::{cryptoapi::DeriveKey, digest::digest};

/// The usual parameters of CryptDeriveKey.
const USUAL_WAYS: [&str; 15] = [
    "md5-40",
    "md5-40-salt",
    "md5-56",
    "md5-64",
    "md5-128",
    "sha1-40",
    "sha1-40-salt",
    "sha1-56",
    "sha1-64",
    "sha1-128",
    "sha256-40",
    "sha256-40-salt",
    "sha256-56",
    "sha256-64",
    "sha256-128",
];

/// A key derived from a given key.
pub(super) struct Form {
    /// The index of the given key.
    pub(super) given: usize,
    /// The derivation; empty for the key itself.
    pub(super) name: String,
    pub(super) key: Zeroizing<Vec<u8>>,
}

/// The name of a form, and the derived key.
type Named = (String, Zeroizing<Vec<u8>>);

/// Returns the forms of the keys without repetitions: first the keys, then their derivations.
pub(super) fn forms(keys: &[&[u8]]) -> Vec<Form> {
    let mut all: Vec<Form> = vec![];
    let mut add = |given, (name, key): Named| {
        let known = |other: &Form| other.key == key;
        if (1..=MAX_KEY).contains(&key.len()) && !all.iter().any(known) {
            all.push(Form { given, name, key });
        }
    };
    for (given, key) in keys.iter().enumerate() {
        add(given, (String::new(), Zeroizing::new(key.to_vec())));
    }
    for (given, key) in keys.iter().enumerate() {
        of_one(key).into_iter().for_each(|form| add(given, form));
    }
    all
}

/// Returns every form of a key.
fn of_one(key: &[u8]) -> Vec<Named> {
    let joined = |parts: &[&[u8]]| Zeroizing::new(parts.concat());
    let mut bases = vec![(String::new(), joined(&[key]))];
    let zero = |key: &[u8], zeros: usize| joined(&[key, &vec![0; zeros]]);
    let wide = |order: fn(u16) -> [u8; 2]| {
        let mut text = Zeroizing::new(vec![0; 2 * key.len()]);
        for (two, &byte) in text.chunks_exact_mut(2).zip(key) {
            two.copy_from_slice(&order(byte.into()));
        }
        text
    };
    let little = wide(u16::to_le_bytes);
    bases.push(("with a zero byte at its end".into(), zero(key, 1)));
    bases.push(("UTF-16 with its zero at the end".into(), zero(&little, 2)));
    bases.push(("UTF-16".into(), little));
    bases.push(("UTF-16, big-endian".into(), wide(u16::to_be_bytes)));
    let trimmed = key.trim_ascii();
    for decoded in [HEXLOWER_PERMISSIVE.decode(trimmed).ok(), BASE64.decode(trimmed).ok()] {
        bases.extend(decoded.map(|bytes| ("decoded from its text".into(), Zeroizing::new(bytes))));
    }
    let mut all = bases.clone();
    for (name, base) in &bases {
        all.extend(hashed(name, base));
    }
    all.push(("reversed".into(), joined(&[key])));
    all.last_mut().expect("it was added").1.reverse();
    for width in [2, 4, 8] {
        let mut swapped = joined(&[key]);
        swapped.chunks_mut(width).for_each(<[u8]>::reverse);
        all.push((format!("with the bytes of each word of {width} reversed"), swapped));
    }
    let text = |text: String| Zeroizing::new(text.into_bytes());
    all.push(("in hexadecimal digits".into(), text(HEXLOWER.encode(key))));
    all.push(("in capital hexadecimal digits".into(), text(HEXUPPER.encode(key))));
    all.push(("in base64".into(), text(BASE64.encode(key))));
    for len in [5, 7, 8, 13, 16, 20, 24, 32, 64, 128, 256] {
        all.push(match len < key.len() {
            true => (format!("its first {len} bytes"), joined(&[&key[..len]])),
            false => (format!("with zeros to {len} bytes"), zero(key, len - key.len())),
        });
    }
    if let Some(end) = key.iter().position(|&byte| byte == 0) {
        all.push(("cut at its first zero byte".into(), joined(&[&key[..end]])));
    }
    all
}

/// Adds the hashes of a key or of its decoded text, and the keys that CryptDeriveKey derives.
fn hashed(name: &str, base: &[u8]) -> Vec<Named> {
    let of = |what: &str| match name {
        "" => what.to_owned(),
        name => format!("{what} of the key, {name}"),
    };
    let mut all = vec![];
    for (hash, bytes) in [
        ("MD5", digest::<Md5>(base)),
        ("SHA-1", digest::<Sha1>(base)),
        ("SHA-256", digest::<Sha256>(base)),
        ("SHA-512", digest::<Sha512>(base)),
    ] {
        let digits =
            [("digits", HEXLOWER.encode(&bytes)), ("capital digits", HEXUPPER.encode(&bytes))];
        all.push((of(hash), bytes));
        all.extend(digits.map(|(how, text)| {
            (of(&format!("{hash} in {how}")), Zeroizing::new(text.into_bytes()))
        }));
    }
    all.extend(USUAL_WAYS.iter().map(|way| {
        let derive: DeriveKey = way.parse().expect("it is a way");
        (of(&format!("CryptDeriveKey {way}")), derive.key(base))
    }));
    all
}
