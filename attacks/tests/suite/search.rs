//! Compares the key search with a plain loop over every key.

use std::{num::NonZero, ops::ControlFlow, sync::Arc};

use arcfour::Family;
use arcfour_attacks::search::{
    Ended, KeySpace, KeyTest, Kind, Known, KnownError, MAX_MATCHES, MAX_RECORD, OfficeVerifier,
    PasswordTest, Pattern, PdfVerifier, Plaintext, Record, RecordError, Search, SpaceError,
};

use proptest::{collection::vec, prelude::*, sample::select};
use sha2::{Digest, Sha256};

const IV: &[u8] = b"an IV";

fn pattern(text: &str) -> Pattern {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn space(text: &str) -> KeySpace {
    KeySpace::new(pattern(text)).unwrap()
}

fn cipher(family: Family, key: &[u8]) -> Box<dyn arcfour::DynKeystream> {
    family.start(key, family.takes_iv().then_some(IV), None).unwrap()
}

/// `plain` encrypted after `drop` bytes.
fn encrypted(family: Family, key: &[u8], drop: u64, plain: &[u8]) -> Vec<u8> {
    let mut text = plain.to_vec();
    let mut cipher = cipher(family, key);
    cipher.skip(drop);
    cipher.apply(&mut text);
    text
}

fn search(family: Family, keys: &str, known: Known) -> Search {
    let iv = family.takes_iv().then(|| IV.to_vec());
    Search::new(space(keys), KeyTest::new(known, family, iv).unwrap())
}

fn run(search: &Search) -> Record {
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
fn kinds_of_text_are_recognised() {
    let zip = b"PK\x03\x04\x14\x00\x00\x00\x08\x00, the rest of the header of a file, and the file compressed";
    let utf8 =
        "Où est la clé ? Sous le paillasson, naturellement : elle y est toujours, où qu'on soit.";
    for (kind, plain) in [
        (Kind::Zip, &zip[..]),
        (Kind::Utf8, utf8.as_bytes()),
        (
            Kind::Printable,
            b"Dear Sir,\r\n\tenclosed please find the minutes of the last meeting, with thanks.",
        ),
    ] {
        // The text is also cut inside a character.
        for len in [plain.len(), 64, 16, 2] {
            let text = encrypted(Family::Rc4, b"Quentin", 768, &plain[..len]);
            let known = Known::new(&Plaintext::new().of_kind(kind), &text, 768).unwrap();
            let search = search(Family::Rc4, "51 75 65 6e 74 69 [60-6f]", known.clone());
            let test = KeyTest::new(known, Family::Rc4, None).unwrap();
            assert!(test.passes(b"Quentin").unwrap(), "{kind:?} of {len} bytes");
            assert!(len < 16 || !test.passes(b"Quentim").unwrap());
            assert!(run(&search).matches().iter().any(|(_, key)| key == b"Quentin"));
        }
    }
}

proptest! {
    /// The test of a plaintext and the search on its ciphertext agree.
    #[test]
    fn a_text_fits_where_its_key_passes(
        mut text in vec(select(b"PK\x03\x04 az\n\x00\x7f\xc3\xbc\xff".to_vec()), 0..70),
        zip in any::<bool>(),
        kinds in vec(select(vec![Kind::Printable, Kind::Utf8, Kind::Zip]), 0..2),
        (offset, byte) in (0..70u64, select(b"Ka\x03".to_vec())),
    ) {
        if zip {
            text = [b"PK\x03\x04\x14\x00\x00\x00\x08\x00", &text[..]].concat();
        }
        let exact = Pattern::exact(&[byte]).unwrap();
        let mut plain = Plaintext::new().with(offset, exact);
        plain = kinds.iter().fold(plain, |plain, &kind| plain.of_kind(kind));
        let ciphertext = encrypted(Family::Rc4, b"Quentin", 0, &text);
        let passes = match Known::new(&plain, &ciphertext, 0) {
            Ok(known) => KeyTest::new(known, Family::Rc4, None).unwrap().passes(b"Quentin").unwrap(),
            Err(_) => false,
        };
        prop_assert_eq!(plain.fits(&text), passes);
        let alone = kinds.iter().fold(Plaintext::new(), |plain, &kind| plain.of_kind(kind));
        if let Ok(known) = Known::new(&alone, &ciphertext, 0) {
            let test = KeyTest::new(known, Family::Rc4, None).unwrap();
            prop_assert_eq!(alone.fits(&text), test.passes(b"Quentin").unwrap());
        }
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

fn example() -> Search {
    let text = encrypted(Family::Rc4, b"K\x21y", 0, b"Plaintext");
    let known = Known::new(&Plaintext::new().with(0, pattern("50 6c")), &text, 0).unwrap();
    search(Family::Rc4, "4b ?? 79", known)
}

/// A search that is stopped at every block and continued from its record ends like an uninterrupted
/// one.
#[test]
fn a_search_goes_on_from_its_record() {
    let text = encrypted(Family::Rc4, b"a key", 0, b"Plaintext");
    let known = Known::new(&Plaintext::new().with(0, pattern("50")), &text, 0).unwrap();
    let search = search(Family::Rc4, "61 20 [68-6b] ?? ??", known);
    let whole = run(&search);
    let mut record = Record::new(&search);
    let mut starts = 0;
    loop {
        starts += 1;
        let before = record.done();
        let threads = NonZero::new(2).unwrap();
        let ended = search.run(0..search.space().size(), threads, &mut record, |record, _| {
            if record.done() > before { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        record = Record::from_text(&record.to_text()).unwrap();
        record.check_search(&whole).unwrap();
        if ended == Ended::Complete {
            break;
        }
    }
    assert!(starts > 2, "{starts} starts");
    assert_eq!(record, whole);
}

#[test]
fn records_merge_to_the_whole_in_any_order() {
    let search = example();
    let shard = |index| {
        let mut record = Record::new(&search);
        let range = search.space().shard(index, 3).unwrap();
        search.run(range, NonZero::<usize>::MIN, &mut record, |_, _| ControlFlow::Continue(()));
        record
    };
    let mut merged = shard(2);
    merged.merge(&shard(3)).unwrap();
    assert!(!merged.is_complete());
    merged.merge(&shard(1)).unwrap();
    assert_eq!(merged, run(&search));
    let before = merged.clone();
    assert_eq!(merged.merge(&shard(2)), Err(RecordError::Twice { first: 86, last: 170 }));
    assert_eq!(merged, before);
}

#[test]
fn records_of_other_searches_are_refused() {
    let text = encrypted(Family::Rc4, b"K\x21y", 0, b"Plaintext");
    let known = |plain, text: &[u8], drop| {
        Known::new(&Plaintext::new().with(0, pattern(plain)), text, drop).unwrap()
    };
    let mut record = Record::new(&example());
    for other in [
        search(Family::Rc4, "4b ?? 78", known("50 6c", &text, 0)),
        search(Family::Rc4, "4b ?? 79", known("50 6d", &text, 0)),
        search(Family::Rc4, "4b ?? 79", known("50 6c", &text, 1)),
        search(Family::Rc4, "4b ?? 79", known("50 6c", b"other text", 0)),
        search(Family::Rc4a, "4b ?? 79", known("50 6c", &text, 0)),
    ] {
        assert!(matches!(record.merge(&Record::new(&other)), Err(RecordError::Search { .. })));
        assert!(record.check_search(&Record::new(&other)).is_err());
    }
    assert_eq!(record.check_search(&Record::new(&example())), Ok(()));
}

/// A record with any changed byte is refused, or has the same meaning.
#[test]
fn a_changed_record_is_refused() {
    let record = run(&example());
    let text = record.to_text();
    for at in 0..text.len() {
        for change in [1, 2, 32] {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= change;
            let Ok(changed) = String::from_utf8(bytes) else { continue };
            if let Ok(read) = Record::from_text(&changed) {
                assert_eq!(read, record, "byte {at} ^ {change}");
            }
        }
        // The line end may be missing.
        assert!(at + 1 == text.len() || Record::from_text(&text[..at]).is_err());
    }
}

/// What a record with a right checksum may say of ten keys.
#[test]
fn impossible_values_are_refused() {
    let id = "00".repeat(32);
    let text = |format: &str, search: &str, covered: &str, matches: &str| {
        let with = |sum: &str| {
            format!(
                "{{\"format\":\"{format}\",\"search\":\"{search}\",\"last\":9,\"covered\":[{covered}],\
                 \"matches\":[{matches}],\"sum\":\"{sum}\"}}\n"
            )
        };
        with(&data_encoding::HEXLOWER.encode(&Sha256::digest(with(""))))
    };
    let format = "arcfour search 1";
    let twice = |first, last| Err(RecordError::Twice { first, last });
    let bad = |field| Err(RecordError::Contents(field));
    for (covered, matches, result) in [
        ("", "", Ok(0)),
        ("[0,9]", "[0,\"00\"],[9,\"ff\"]", Ok(10)),
        ("[5,5],[0,2]", "", Ok(4)),
        ("[0,10]", "", bad("covered")),
        ("[10,10]", "", bad("covered")),
        ("[5,4]", "", bad("covered")),
        ("[3,5],[5,6]", "", twice(5, 5)),
        ("[3,8],[4,6]", "", twice(4, 6)),
        ("[0,5]", "[6,\"00\"]", bad("matches")),
        ("[6,9]", "[5,\"00\"]", bad("matches")),
        ("[0,9]", "[6,\"0g\"]", bad("matches")),
    ] {
        let text = text(format, &id, covered, matches);
        assert_eq!(Record::from_text(&text).map(|record| record.done()), result, "{text}");
    }
    let short = Record::from_text(&text(format, &id[2..], "", ""));
    assert_eq!(short.map(|record| record.done()), bad("search"));
    let other = Record::from_text(&text("arcfour search 2", &id, "", ""));
    assert!(matches!(other, Err(RecordError::Format(error)) if error.contains("arcfour search 2")));
    let changed = text(format, &id, "[0,5]", "").replace("[0,5]", "[0,6]");
    assert_eq!(Record::from_text(&changed), Err(RecordError::Checksum));
    let more = text(format, &id, "", "").replace("{", "{\"more\":1,");
    assert!(matches!(Record::from_text(&more), Err(RecordError::Format(_))));
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

/// The bytes of ciphertext that a plaintext needs.
#[test]
fn a_plaintext_reaches_its_last_known_byte() {
    let at = |plain: Plaintext, offset, text| plain.with(offset, pattern(text));
    let plain = || Plaintext::new();
    for (plain, reach) in [
        (plain(), 0),
        (at(plain(), 0, "41"), 1),
        (at(at(plain(), 7, "41 42"), 3, "43"), 9),
        (plain().of_kind(Kind::Utf8), 64),
        (at(plain().of_kind(Kind::Zip), 62, "41"), 64),
        (at(plain().of_kind(Kind::Zip), 63, "41 41"), 65),
        (at(plain(), u64::MAX, "41 41"), u64::MAX),
    ] {
        assert_eq!(plain.reach(), reach);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let known = |plain: Plaintext, text: &[u8]| Known::new(&plain, text, 0).unwrap_err();
    let at = |offset, text| Plaintext::new().with(offset, pattern(text));
    assert_eq!(known(at(3, "41 42"), b"four"), KnownError::Short { end: 4, len: 4 });
    assert_eq!(known(at(u64::MAX, "41"), b"four"), KnownError::Far(u64::MAX));
    let far = Known::new(&at(0, "41"), b"four", u64::MAX - 4);
    assert_eq!(far.unwrap_err(), KnownError::Drop(u64::MAX - 4));
    assert_eq!(known(at(0, "41 42").with(1, pattern("43")), b"four"), KnownError::Contradiction(1));
    assert_eq!(known(at(0, "80").of_kind(Kind::Printable), b"four"), KnownError::Contradiction(0));
    assert_eq!(known(at(0, "?? ??"), b"four"), KnownError::Nothing);
    assert_eq!(known(Plaintext::new().of_kind(Kind::Utf8), b""), KnownError::Nothing);
    assert_eq!(KeySpace::new(pattern("00{257}")), Err(SpaceError::KeyLength(257)));
    assert!(
        matches!(KeySpace::new(pattern("??{8} [00,01]")), Err(SpaceError::Large { bits }) if bits == 65.0)
    );
    let text = "K".repeat(9);
    let vmpc = Known::new(&at(0, "41"), text.as_bytes(), 0).unwrap();
    assert!(KeyTest::new(vmpc, Family::Vmpc, None).is_err());
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

/// A password that has seven bytes.
#[derive(Debug)]
struct Seven;

impl PasswordTest for Seven {
    fn passes(&self, password: &[u8]) -> bool {
        password.len() == 7
    }

    fn known_bits(&self) -> f64 {
        12.5
    }

    fn canonical(&self) -> String {
        "seven".to_owned()
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

/// Records of searches that differ in one thing do not fit together.
#[test]
fn every_part_of_a_test_names_it() {
    let known =
        |text: &[u8]| Known::new(&Plaintext::new().with(0, pattern("41")), text, 0).unwrap();
    let rc4 = || KeyTest::new(known(b"text"), Family::Rc4, None).unwrap();
    let vmpc = |iv: &[u8]| KeyTest::new(known(b"text"), Family::Vmpc, Some(iv.to_vec())).unwrap();
    let variant = |text: &str| KeyTest::of_variant(known(b"text"), text.parse().unwrap()).unwrap();
    let office = |verifier: u8, hash: u8| {
        KeyTest::office(OfficeVerifier { verifier: [verifier; 16], verifier_hash: [hash; 16] })
    };
    let pdf = |hash: u8, user: u8| KeyTest::pdf(PdfVerifier { hash: [hash; 16], user: [user; 16] });
    let kind = |kind| {
        let known = Known::new(&Plaintext::new().of_kind(kind), b"text", 0).unwrap();
        KeyTest::new(known, Family::Rc4, None).unwrap()
    };
    let tests = [
        rc4(),
        KeyTest::new(known(b"next"), Family::Rc4, None).unwrap(),
        KeyTest::new(known(b"text"), Family::Spritz, None).unwrap(),
        vmpc(b"1"),
        vmpc(b"2"),
        variant("swap=none"),
        variant("swap=half"),
        rc4().derived("md5-40".parse().unwrap()),
        rc4().derived("md5-48".parse().unwrap()),
        office(1, 2),
        office(1, 3),
        office(4, 2),
        pdf(1, 2),
        pdf(1, 3),
        pdf(4, 2),
        KeyTest::password(Arc::new(Seven)),
        kind(Kind::Printable),
        kind(Kind::Utf8),
    ];
    let records: Vec<_> =
        tests.map(|test| Record::new(&Search::new(space("00{4} ??"), test))).into();
    for (n, one) in records.iter().enumerate() {
        for (m, other) in records.iter().enumerate() {
            assert_eq!(one.check_search(other).is_ok(), n == m, "{n} {m}");
        }
    }
    let list = |name: &str| Record::of_list(&rc4(), name, 7);
    assert!(
        list("a").check_search(&list("a")).is_ok() && list("a").check_search(&list("b")).is_err()
    );
}

proptest! {
    /// A record of a list of 64 keys agrees with a table of bits. Both name the covered keys, the
    /// missing keys, and the keys that would be covered twice.
    #[test]
    fn a_record_covers_what_was_added(
        parts in vec((0..64_u128, 1..9_u128), 0..20),
        (start, end) in (0..65_u128, 0..65_u128),
    ) {
        let known = Known::new(&Plaintext::new().with(0, pattern("41")), b"text", 0).unwrap();
        let test = KeyTest::new(known, Family::Rc4, None).unwrap();
        let mut record = Record::of_list(&test, "a list", 64);
        let mut covered = 0_u128;
        let bits = |start: u128, end: u128| ((1_u128 << end) - 1) & !((1 << start) - 1);
        for (start, len) in parts {
            let end = (start + len).min(64);
            let (range, both) = (bits(start, end), covered & bits(start, end));
            let one = (start, vec![start as u8]);
            match record.add(start..end, [one.clone()]) {
                Ok(()) => {
                    prop_assert_eq!(both, 0);
                    covered |= range;
                    prop_assert!(record.matches().contains(&one));
                }
                Err(error) => {
                    let first = u128::from(both.trailing_zeros());
                    let last = first + u128::from((both >> first).trailing_ones()) - 1;
                    prop_assert_eq!(error, RecordError::Twice { first, last });
                }
            }
            prop_assert!(record.matches().is_sorted());
        }
        let ranges = |wanted: u128| {
            let mut ranges: Vec<std::ops::Range<u128>> = vec![];
            for n in (0..64).filter(|n| wanted >> n & 1 == 1) {
                match ranges.last_mut() {
                    Some(last) if last.end == n => last.end += 1,
                    _ => ranges.push(n..n + 1),
                }
            }
            ranges
        };
        prop_assert_eq!(record.covered(), ranges(covered));
        prop_assert_eq!(record.done(), u128::from(covered.count_ones()));
        prop_assert_eq!((record.keys(), record.is_complete()), (64, covered == u128::from(u64::MAX)));
        let wanted = if start < end { bits(start, end) } else { 0 };
        prop_assert_eq!(record.missing(start..end), ranges(wanted & !covered));
        prop_assert_eq!(Record::from_text(&record.to_text()), Ok(record));
    }
}

/// A record takes 100,000 matches and no more.
#[test]
fn a_record_takes_many_matches() {
    #[derive(Debug)]
    struct Any;

    impl PasswordTest for Any {
        fn passes(&self, _: &[u8]) -> bool {
            true
        }

        fn known_bits(&self) -> f64 {
            0.0
        }

        fn canonical(&self) -> String {
            "any".to_owned()
        }
    }

    for (mask, ended) in [
        ("[00-f9] [00-c7] [01-02]", Ended::Complete),
        ("[00-fa] [00-c7] [01-02]", Ended::TooManyMatches),
    ] {
        let search = Search::new(space(mask), KeyTest::password(Arc::new(Any)));
        let mut record = Record::new(&search);
        let (all, one) = (0..search.space().size(), NonZero::<usize>::MIN);
        assert_eq!(search.run(all, one, &mut record, |_, _| ControlFlow::Continue(())), ended);
        assert!(ended == Ended::TooManyMatches || record.matches().len() == MAX_MATCHES);
        // What a search writes, a reader takes.
        assert!((record.to_text().len() as u64) < MAX_RECORD);
    }
}

/// Keys of a list that pass, and the information of each test.
#[test]
fn a_test_tells_what_it_knows() {
    let text = encrypted(Family::Rc4, b"Quentin", 0, b"Plaintext");
    let plain = Plaintext::new().with(0, pattern("50 6c [60-6f]"));
    let known = Known::new(&plain, &text, 0).unwrap();
    let rc4 = KeyTest::new(known.clone(), Family::Rc4, None).unwrap();
    let variant = KeyTest::of_variant(known, "rc4".parse().unwrap()).unwrap();
    let password = KeyTest::password(Arc::new(Seven));
    let (verifier, verifier_hash) = ([0; 16], [0; 16]);
    let office = KeyTest::office(OfficeVerifier { verifier, verifier_hash });
    let pdf = KeyTest::pdf(PdfVerifier { hash: [0; 16], user: [0; 16] });
    let derived = rc4.clone().derived("md5-40".parse().unwrap());
    for (test, bits, passwords, passing) in [
        (rc4, 20.0, false, vec![1, 3]),
        (variant, 20.0, false, vec![1, 3]),
        (derived, 20.0, false, vec![]),
        (password, 12.5, true, vec![0, 1, 3]),
        (office, 128.0, false, vec![]),
        (pdf, 128.0, false, vec![]),
    ] {
        let keys: [&[u8]; 4] = [b"quentin", b"Quentin", b"Quenti", b"Quentin"];
        assert_eq!(test.passing(&keys), Ok(passing), "{test:?}");
        assert_eq!((test.known_bits(), test.is_of_passwords()), (bits, passwords), "{test:?}");
        assert_eq!(test.expected_by_chance(3 << 20), 3.0 * (20.0 - bits).exp2(), "{test:?}");
        let search = Search::new(space("61 ?? 63"), test);
        assert_eq!((search.known_bits(), search.is_of_passwords()), (bits, passwords));
        assert_eq!(search.expected_by_chance(), (8.0 - bits).exp2());
    }
}

mod patterns {
    use arcfour_attacks::search::{ByteSet, Pattern};
    use proptest::prelude::*;

    #[test]
    fn faults_are_named_with_their_place() {
        for (text, message) in [
            ("", "the pattern is empty: it must have at least one byte, such as '??' or '4f'"),
            ("  ", "the pattern is empty: it must have at least one byte, such as '??' or '4f'"),
            ("4", "expected the second digit of a byte, or '?', at offset 1 of the pattern"),
            ("41 4", "expected the second digit of a byte, or '?', at offset 4 of the pattern"),
            ("0x41", "expected the second digit of a byte, or '?', at offset 1 of the pattern"),
            ("41,42", "expected a hexadecimal digit, '?' or '[' at offset 2 of the pattern"),
            ("é1", "expected a hexadecimal digit, '?' or '[' at offset 0 of the pattern"),
            ("[41", "expected '-', ',' or ']' at offset 3 of the pattern"),
            ("[]", "expected two hexadecimal digits at offset 1 of the pattern"),
            ("[5a-41]", "the range 5a-41 at offset 1 of the pattern goes down"),
            ("41{0}", "expected a count of at least 1 at offset 3 of the pattern"),
            ("41{", "expected a count of at least 1 at offset 3 of the pattern"),
            ("41{3", "expected '}' at offset 4 of the pattern"),
            ("41{99999999999999999999}", "the pattern has more than 4096 bytes"),
        ] {
            assert_eq!(text.parse::<Pattern>().unwrap_err().to_string(), message, "{text:?}");
        }
    }

    /// The shortest text of a set, and the longest pattern.
    #[test]
    fn sets_are_printed_in_runs() {
        for (text, printed) in [
            ("00", "00"),
            ("4F", "4f"),
            ("[4f]", "4f"),
            ("[00-ff]", "??"),
            ("[40-4f]", "4?"),
            ("[05,15,25,35,45,55,65,75,85,95,a5,b5,c5,d5,e5,f5]", "?5"),
            ("[01,02,03,07]", "[01-03,07]"),
            ("[fe,00,ff,10-11]", "[00,10-11,fe-ff]"),
            ("[41]{2} 5a", "41 41 5a"),
        ] {
            let pattern: Pattern = text.parse().unwrap();
            assert_eq!(
                (pattern.to_string(), format!("{:?}", pattern.sets()[0])),
                (
                    printed.to_owned(),
                    printed[..printed.find(' ').unwrap_or(printed.len())].to_owned()
                )
            );
        }
        for (text, length) in [
            ("??{4096}", Some(4096)),
            ("??{4097}", None),
            ("??{4095}41", Some(4096)),
            ("41 ??{4096}", None),
        ] {
            assert_eq!(text.parse::<Pattern>().ok().map(|pattern| pattern.sets().len()), length);
        }
        assert!(Pattern::exact(&[7; 4096]).is_ok() && Pattern::exact(&[7; 4097]).is_err());
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(sets in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..20), 1..9)) {
            let sets = sets.into_iter().map(|values| values.into_iter().collect::<ByteSet>()).collect();
            let pattern = Pattern::new(sets).unwrap();
            prop_assert_eq!(pattern.to_string().parse(), Ok(pattern));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[0-9a-f?{}\\[\\], -]{0,20}|.{0,8}") {
            let _ = text.parse::<Pattern>();
        }
    }
}
