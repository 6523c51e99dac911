//! Compares the key search with a plain loop over every key.

use std::{num::NonZero, ops::ControlFlow, sync::Arc};

use arcfour::Family;
use arcfour_attacks::search::{
    Ended, KeySpace, KeyTest, Kind, Known, OfficeVerifier, PasswordTest, Pattern, PdfVerifier,
    Plaintext, Record, Search, SpaceError,
};

const IV: &[u8] = b"an IV";

pub(super) fn pattern(text: &str) -> Pattern {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub(super) fn space(text: &str) -> KeySpace {
    KeySpace::new(pattern(text)).unwrap()
}

fn cipher(family: Family, key: &[u8]) -> Box<dyn arcfour::DynKeystream> {
    family.start(key, family.takes_iv().then_some(IV), None).unwrap()
}

/// `plain` encrypted after `drop` bytes.
pub(super) fn encrypted(family: Family, key: &[u8], drop: u64, plain: &[u8]) -> Vec<u8> {
    let mut text = plain.to_vec();
    let mut cipher = cipher(family, key);
    cipher.skip(drop);
    cipher.apply(&mut text);
    text
}

pub(super) fn search(family: Family, keys: &str, known: Known) -> Search {
    let iv = family.takes_iv().then(|| IV.to_vec());
    Search::new(space(keys), KeyTest::new(known, family, iv).unwrap())
}

pub(super) fn run(search: &Search) -> Record {
    let mut record = Record::new(search);
    let threads = NonZero::new(3).unwrap();
    let whole = 0..search.space().size();
    assert_eq!(
        search.run(whole, threads, &mut record, |_, _| ControlFlow::Continue(())),
        Ended::Complete
    );
    assert!(record.is_complete());
    record
}

/// The search and a plain loop find the same keys, for every test at every position and every
/// family.
#[test]
fn all_matches_and_nothing_else() {
    let plain = b"%PDF-1.4 and what follows";
    for &family in Family::ALL {
        for (at, drop) in [(0, 0), (1, 0), (9, 0), (0, 1), (0, 256), (3, 3072), (17, 1023)] {
            let keys = if family == Family::Rc4 { "[41-43] ?? 4? 78" } else { "[41-43] 00 4? 78" };
            let space = space(keys);
            let planted = space.key(space.size() / 3 * 2);
            let text = encrypted(family, &planted, drop, plain);
            // The known plaintext is so short that other keys match too.
            let known =
                Plaintext::new().with(at, Pattern::exact(&plain[at as usize..][..1]).unwrap());
            let known = Known::new(&known, &text, drop).unwrap();
            let found = run(&search(family, keys, known));
            let expected: Vec<_> = (0..space.size())
                .map(|number| (number, space.key(number)))
                .filter(|(_, key)| {
                    let byte = encrypted(family, key, drop, &text)[at as usize];
                    byte == plain[at as usize]
                })
                .collect();
            assert!(expected.iter().any(|(_, key)| *key == planted));
            assert_eq!(found.matches(), expected, "{family}, byte {at} after {drop}");
        }
    }
}

/// Every length of key, and so every way in which the schedule repeats the key.
#[test]
fn every_length_of_key() {
    for len in 1..=256 {
        let keys = format!("[00-13] {}", format!("{:02x} ", len % 251).repeat(len - 1));
        let space = space(&keys);
        let planted = space.key(13);
        let text = encrypted(Family::Rc4, &planted, 0, b"Plaintext");
        let known = Plaintext::new().with(0, Pattern::exact(b"Plaintext").unwrap());
        let search = search(Family::Rc4, &keys, Known::new(&known, &text, 0).unwrap());
        assert_eq!(run(&search).matches(), [(13, planted)]);
    }
}

/// The number of keys that match by chance is near the search's expectation.
#[test]
fn chance_matches_come_as_often_as_expected() {
    let text = [0x5a; 64];
    for (plain, kinds) in [
        (Some("?1 [00-7f]"), None),
        (Some("41"), None),
        (None, Some((Kind::Printable, 6))),
        (None, Some((Kind::Utf8, 4))),
    ] {
        let mut known = Plaintext::new();
        let mut len = text.len();
        if let Some(plain) = plain {
            known = known.with(2, pattern(plain));
        }
        if let Some((kind, bytes)) = kinds {
            known = known.of_kind(kind);
            len = bytes;
        }
        let known = Known::new(&known, &text[..len], 0).unwrap();
        let search = search(Family::Rc4, "?? ?? [00-07]", known);
        let expected = search.expected_by_chance();
        let found = run(&search).matches().len() as f64;
        assert!(
            (found - expected).abs() < 5.0 * expected.sqrt(),
            "{kinds:?}: {found}, not {expected}"
        );
    }
}

#[test]
fn shards_cover_the_space_once() {
    let space = space("?? [00-04] 1?");
    for count in [1, 2, 3, 7, 100] {
        let mut next = 0;
        for index in 1..=count {
            let shard = space.shard(index, count).unwrap();
            assert_eq!(shard.start, next);
            next = shard.end;
        }
        assert_eq!(next, space.size());
    }
    let keys = space.size();
    assert!(space.shard(keys as u64, keys as u64).is_ok());
    let count = keys as u64 + 1;
    assert_eq!(space.shard(1, count), Err(SpaceError::Shards { keys, count }));
    assert_eq!(space.shard(0, 4), Err(SpaceError::Shard { index: 0, count: 4 }));
    assert_eq!(space.shard(5, 4), Err(SpaceError::Shard { index: 5, count: 4 }));
    let whole = KeySpace::new(pattern("??{8}")).unwrap();
    assert_eq!((whole.size(), whole.bits()), (1 << 64, 64.0));
    assert_eq!((space.size(), space.bits()), (20_480, 20_480_f64.log2()));
    assert_eq!(whole.shard(u64::MAX, u64::MAX).unwrap().end, 1 << 64);
}

#[test]
fn a_search_stops_where_too_many_keys_match() {
    let known = Known::new(&Plaintext::new().with(0, pattern("[00-fe]")), b"text", 0).unwrap();
    let search = search(Family::Rc4, "?? ?? ??", known);
    let mut record = Record::new(&search);
    let whole = 0..search.space().size();
    let ended =
        search.run(whole, NonZero::<usize>::MIN, &mut record, |_, _| ControlFlow::Continue(()));
    assert_eq!(ended, Ended::TooManyMatches);
}

/// The verifiers of `vectors/office.toml` and `vectors/pdf.toml`: the key is found wherever it stands in a
/// batch of the loop.
#[test]
fn the_key_of_a_document_is_found_at_every_place() {
    fn bytes<const N: usize>(digits: &str) -> [u8; N] {
        data_encoding::HEXLOWER.decode(digits.as_bytes()).unwrap().try_into().unwrap()
    }
    let office = KeyTest::office(OfficeVerifier {
        verifier: bytes("3487e201bb3c9ea93d903979baa4c643"),
        verifier_hash: bytes("41649e422fa1c08a887326f6035284c0"),
    });
    // The hash of the pad and the ID of all vectors. `vectors/pdf.py` and the tests of the crate
    // `arcfour-formats` compute it.
    let hash = bytes("8e8ae3c9897cfb07b843cf58f48ab9d8");
    let pdf = |user| KeyTest::pdf(PdfVerifier { hash, user: bytes(user) });
    for (test, key) in [
        (office, "960af82bef"),
        (pdf("1c154366c8a501fa9536a0d12ae2e2ff"), "1843922f10"), // v1-r3-length-40, v4-r4-40
        (pdf("2c7911360922053302ab9ef4573546a7"), "262c97e53d"), // v2-r3-no-length
    ] {
        let key: [u8; 5] = bytes(key);
        let last = u128::from(key[4]);
        assert_eq!(test.passes(&key), Ok(true));
        assert_eq!(test.passes(&key[1..]), Ok(false));
        let [a, b, c, d, _] = key;
        let search = Search::new(space(&format!("{a:02x} {b:02x} {c:02x} {d:02x} ??")), test);
        for start in 0..=last {
            // At the last end a batch ends before the place of the key in the batch before.
            for end in [last, last + 1, 0x100, last + 160] {
                if end > 0x100 {
                    continue;
                }
                let mut record = Record::new(&search);
                let one = NonZero::<usize>::MIN;
                search.run(start..end, one, &mut record, |_, _| ControlFlow::Continue(()));
                let expected: &[_] = if end > last { &[(last, key.to_vec())] } else { &[] };
                assert_eq!(record.matches(), expected, "{start}..{end}");
            }
        }
    }
}

/// Every password of a range is tried once, in whole batches and in others.
#[test]
fn passwords_of_a_range_are_tried() {
    /// Passwords that end with a digit.
    #[derive(Debug)]
    struct Digits;

    impl PasswordTest for Digits {
        fn passes(&self, password: &[u8]) -> bool {
            password[1].is_ascii_digit()
        }

        fn known_bits(&self) -> f64 {
            1.0
        }

        fn canonical(&self) -> String {
            "digits".to_owned()
        }
    }

    let search = Search::new(space("[61-67] ??"), KeyTest::password(Arc::new(Digits)));
    // A batch has 640 passwords.
    for range in [0..1792, 0..1, 48..49, 47..59, 700..1341, 60..1791] {
        let mut record = Record::new(&search);
        let one = NonZero::<usize>::MIN;
        let ended = search.run(range.clone(), one, &mut record, |_, _| ControlFlow::Continue(()));
        assert_eq!(ended, Ended::Complete);
        let right = range.filter(|number| (48..58).contains(&(number % 256)));
        let right: Vec<_> = right.map(|number| (number, search.space().key(number))).collect();
        assert_eq!(record.matches(), right);
    }
}
