//! Records of key searches: the keys that a record covers, the merging of records, and the errors
//! of wrong records.

use std::{num::NonZero, ops::ControlFlow, sync::Arc};

use arcfour::Family;
use arcfour_attacks::search::{
    Ended, KeyTest, Kind, Known, MAX_MATCHES, MAX_RECORD, OfficeVerifier, PasswordTest,
    PdfVerifier, Plaintext, Record, RecordError, Search,
};
use proptest::{collection::vec, prelude::*};
use sha2::{Digest, Sha256};

use super::{
    key_tests::Seven,
    search::{encrypted, pattern, run, search, space},
};

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
