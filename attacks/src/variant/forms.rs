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

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of each form of some keys.
    #[test]
    fn forms_have_their_bytes() {
        let long = b"\xabbcdefg\0h";
        let zeros = |key: &[u8], len: usize| [key, &vec![0; len - key.len()]].concat();
        let hex = |digits: &str| HEXLOWER.decode(digits.as_bytes()).unwrap();
        for (key, name, bytes) in [
            (&long[..], "", long.to_vec()),
            (long, "with a zero byte at its end", [&long[..], b"\0"].concat()),
            (b"ab", "UTF-16", b"a\0b\0".to_vec()),
            (b"ab", "UTF-16 with its zero at the end", b"a\0b\0\0\0".to_vec()),
            (b"ab", "UTF-16, big-endian", b"\0a\0b".to_vec()),
            (b" 5a5B\n", "decoded from its text", b"Z[".to_vec()),
            (b"QUJD", "decoded from its text", b"ABC".to_vec()),
            (long, "reversed", b"h\0gfedcb\xab".to_vec()),
            (long, "with the bytes of each word of 2 reversed", b"b\xabdcfe\0gh".to_vec()),
            (long, "with the bytes of each word of 4 reversed", b"dcb\xab\0gfeh".to_vec()),
            (long, "with the bytes of each word of 8 reversed", b"\0gfedcb\xabh".to_vec()),
            (long, "in hexadecimal digits", b"ab6263646566670068".to_vec()),
            (long, "in capital hexadecimal digits", b"AB6263646566670068".to_vec()),
            (b"abc", "in base64", b"YWJj".to_vec()),
            (long, "its first 5 bytes", long[..5].to_vec()),
            (long, "its first 8 bytes", long[..8].to_vec()),
            (long, "with zeros to 13 bytes", zeros(long, 13)),
            (long, "with zeros to 256 bytes", zeros(long, 256)),
            (b"ab", "with zeros to 5 bytes", zeros(b"ab", 5)),
            (b"abc\0d\0e", "cut at its first zero byte", b"abc".to_vec()),
            (b"abc", "MD5", hex("900150983cd24fb0d6963f7d28e17f72")),
            (b"abc", "SHA-1", hex("a9993e364706816aba3e25717850c26c9cd0d89d")),
            (b"abc", "SHA-1 in digits", b"a9993e364706816aba3e25717850c26c9cd0d89d".to_vec()),
            (b"abc", "MD5 in capital digits", b"900150983CD24FB0D6963F7D28E17F72".to_vec()),
            (
                b"616263",
                "MD5 of the key, decoded from its text",
                hex("900150983cd24fb0d6963f7d28e17f72"),
            ),
            (b"abc", "CryptDeriveKey md5-40", hex("900150983c")),
        ] {
            let forms = forms(&[key]);
            let form = forms.iter().find(|form| form.name == name);
            assert_eq!(form.map(|form| &form.key[..]), Some(&bytes[..]), "{name}");
        }
    }

    /// Keys come first and then their derivations. A form that is known or longer than a key is
    /// left out.
    #[test]
    fn no_form_comes_twice() {
        let long = [b'x'; 256];
        let keys: [&[u8]; 4] = [b"abc", b"cba", &long, b"abc"];
        let forms = forms(&keys);
        let given: Vec<_> = forms.iter().take_while(|form| form.name.is_empty()).collect();
        assert_eq!(given.iter().map(|form| form.given).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(given.iter().all(|form| form.key[..] == *keys[form.given]));
        for (n, form) in forms.iter().enumerate() {
            assert!((1..=256).contains(&form.key.len()));
            assert!(forms[..n].iter().all(|other| other.key != form.key), "{}", form.name);
        }
        // "abc" reversed is "cba", and a whole key cut to its length is itself.
        assert!(
            forms.iter().all(|form| form.name != "reversed" && form.name != "its first 256 bytes")
        );
        let cut = forms.iter().find(|form| form.name == "its first 128 bytes").unwrap();
        assert_eq!((cut.given, &cut.key[..]), (2, &long[..128]));
        // An empty key has no form but its zeros.
        assert!(super::forms(&[b"\0a"]).iter().all(|form| !form.key.is_empty()));
    }
}
