//! Compares keys of CryptDeriveKey with the keys that Wine derives and exports:
//! ../../cryptoapi/wine.txt.

use std::{fs, ops::ControlFlow, sync::atomic::AtomicBool};

use arcfour::{Family, Rc4};
use arcfour_attacks::{
    cryptoapi::DeriveKey,
    search::{Form, KeyTest, Known, Plaintext, Substrings},
};
use data_encoding::HEXLOWER;

/// The header of a key's blob: its type, version 2, CALG_RC4, and for a PLAINTEXTKEYBLOB the bytes of the key.
const PLAINTEXT: &str = "0802000001680000";
const SIMPLE: &str = "010200000168000000a40000";

/// Returns our parameters for a provider's hash, bits and salt; `None` for MD2, which we lack.
fn way(provider: &str, hash: &str, bits: &str, salt: &str) -> Option<DeriveKey> {
    let name = match (provider, bits, salt) {
        // Wine's Enhanced provider has no salt here, while its other providers use the rest of the
        // hash.
        ("enhanced", "40", "create") => format!("{hash}-40"),
        (.., "create") => format!("{hash}-128"),
        (_, "40", "default") => format!("{hash}-40-salt"),
        _ => format!("{hash}-{bits}"),
    };
    name.parse().ok()
}

/// Finds the key with the length of `key` that makes the keystream, in a file with a blob.
fn in_a_file(blob: &str, key: &[u8], keystream: &[u8]) -> Vec<u8> {
    let blob = HEXLOWER.decode(blob.as_bytes()).unwrap();
    let file = [&b"before"[..], &blob, b"after"].concat();
    let plain = Plaintext::new().with(0, "00 00 00 00 00 00 00 00".parse().unwrap());
    let known = Known::new(&plain, keystream, 0).unwrap();
    let test = KeyTest::new(known, Family::Rc4, None).unwrap();
    let substrings = Substrings::new([key.len()]).unwrap();
    let mut found = vec![];
    let go = AtomicBool::new(false);
    substrings.walk().search(&file, 0..file.len(), &test, &go, |_, some| {
        found.extend(some);
        ControlFlow::Continue(())
    });
    let [one] = &found[..] else { panic!("{blob:02x?}: {found:?}") };
    // The bytes of a PLAINTEXTKEYBLOB are the key, unless it has a salt.
    let in_blob = blob[0] == 1 || key.len() != blob.len() - 12;
    let wanted = if in_blob { (Form::Blob, 6) } else { (Form::Bytes, 18) };
    assert_eq!((one.form, one.offset), wanted);
    one.key.clone()
}

#[test]
fn wine_derives_and_exports_the_same_keys() {
    let text = fs::read_to_string("cryptoapi/wine.txt").unwrap();
    let (mut equal, mut refused, mut unknown) = (0, 0, 0);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<_> = line.split(' ').collect();
        let [provider, hash, bits, salt, rest @ ..] = &columns[..] else { panic!("{line}") };
        let [plain, simple, made] = rest else {
            assert!(matches!(rest, ["refused", _]), "{line}");
            refused += 1;
            continue;
        };
        let Some(derive) = way(provider, hash, bits, salt) else {
            assert_eq!(*hash, "md2", "{line}");
            unknown += 1;
            continue;
        };
        let key = derive.key(b"password");
        let mut keystream = [0; 16];
        Rc4::from_key(&key).unwrap().apply(&mut keystream);
        assert_eq!(HEXLOWER.encode(&keystream), *made, "{line}");
        // A blob has the bytes of the key without its salt.
        let len = bits.parse::<usize>().unwrap() / 8;
        let digits = HEXLOWER.encode(&key[..len]);
        assert_eq!(*plain, format!("{PLAINTEXT}{len:02x}000000{digits}"), "{line}");
        let reversed: Vec<u8> = key[..len].iter().rev().copied().collect();
        assert!(simple.starts_with(&format!("{SIMPLE}{}00", HEXLOWER.encode(&reversed))), "{line}");
        // The blob lacks a salt made of the rest of the hash.
        if *salt != "create" || key.len() == len {
            assert_eq!(in_a_file(plain, &key, &keystream), *key, "{line}");
            assert_eq!(in_a_file(simple, &key, &keystream), *key, "{line}");
        }
        equal += 1;
    }
    assert_eq!((equal, refused, unknown), (351, 324, 81));
}

#[test]
fn each_way_has_a_name_that_reads_back() {
    let mut names = vec![];
    for way in DeriveKey::all() {
        assert_eq!(way.to_string().parse(), Ok(way));
        names.push(way.to_string());
    }
    assert_eq!(names.len(), 6 * 13);
    assert!("md5-128-salt".parse::<DeriveKey>().is_err() && "md2-40".parse::<DeriveKey>().is_err());
}
