//! Compares the search of every substring with its definition, byte by byte.

use std::{
    collections::{HashMap, HashSet},
    ops::ControlFlow,
    sync::atomic::AtomicBool,
};

use arcfour::{Family, Rc4};
use arcfour_attacks::search::{
    Form, Found, KeyTest, Known, Plaintext, Substrings, SubstringsError, WINDOW, Walk,
};
use proptest::{collection::vec, prelude::*, sample::select};

/// A test that nearly every key passes, and one for a cipher without lanes.
fn lenient(family: Family) -> KeyTest {
    let plain = Plaintext::new().with(0, "[01-ff]".parse().unwrap());
    KeyTest::new(Known::new(&plain, b"\0", 0).unwrap(), family, None).unwrap()
}

/// Cuts the file into pieces of `size` bytes.
fn in_pieces(
    substrings: &Substrings,
    file: &[u8],
    size: usize,
    mut each: impl FnMut(&mut Walk<'_>, &[u8], std::ops::Range<usize>, usize),
) {
    let mut walk = substrings.walk();
    for start in (0..file.len()).step_by(size) {
        let begin = start.saturating_sub(substrings.before());
        let end = (start + size).min(file.len());
        let piece = &file[begin..(end + substrings.after()).min(file.len())];
        each(&mut walk, piece, start - begin..end - begin, begin);
    }
}

fn search(substrings: &Substrings, file: &[u8], size: usize, test: &KeyTest) -> Vec<Found> {
    let mut found = vec![];
    in_pieces(substrings, file, size, |walk, piece, starts, begin| {
        let mut tried = 0;
        let all =
            walk.search(piece, starts.clone(), test, &AtomicBool::new(false), |keys, some| {
                tried += keys;
                found.extend(
                    some.into_iter().map(|one| Found { offset: begin + one.offset, ..one }),
                );
                ControlFlow::Continue(())
            });
        assert!(all);
        assert_eq!(tried, walk.count(piece, starts));
    });
    found
}

/// Returns the key of `len` bytes that begins at `at`, by the definition of each form.
fn defined(file: &[u8], at: usize, len: usize) -> Vec<(Form, Vec<u8>)> {
    let narrow = file[at..].to_vec();
    // Characters with one zero byte between them.
    let wide = |from: usize| {
        let mut text = vec![];
        for at in (from..file.len()).step_by(2) {
            let before = at == from || file[at - 1] == 0;
            if !before || !matches!(file[at], b'\t' | 0x20..=0x7e | 0xa0..) {
                break;
            }
            text.push(file[at]);
        }
        text
    };
    let hex = |text: &[u8]| {
        let text: String = text.iter().map(|&byte| char::from(byte)).collect();
        let mut rest = &text[..];
        let mut key = vec![];
        while key.len() < len {
            let digits = rest.get(..2).filter(|two| two.bytes().all(|b| b.is_ascii_hexdigit()))?;
            key.push(u8::from_str_radix(digits, 16).unwrap());
            rest = &rest[2..];
            let begins = |rest: &str| {
                rest.get(..2).is_some_and(|two| two.bytes().all(|b| b.is_ascii_hexdigit()))
            };
            let separators = ["", " ", ":", "-", "%", "\\x", " 0x", ",0x", ", 0x"];
            let next = separators.iter().filter_map(|separator| rest.strip_prefix(separator));
            rest = next.into_iter().find(|rest| begins(rest)).unwrap_or("");
        }
        Some(key)
    };
    // `text` begins with the group of four that holds the key's first byte, at byte `first`.
    let base64 = |text: &[u8], first: usize| {
        let digits: Vec<u8> = text
            .iter()
            .map(|byte| match byte {
                b'-' => b'+',
                b'_' => b'/',
                other => *other,
            })
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
            .collect();
        let whole = digits.len() - usize::from(digits.len() % 4 == 1);
        let mut spec = data_encoding::Specification::new();
        spec.symbols.push_str("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
        spec.check_trailing_bits = false;
        let bytes = spec.encoding().unwrap().decode(&digits[..whole]).unwrap();
        bytes.get(first..first + len).map(<[u8]>::to_vec)
    };
    let mut keys = vec![];
    keys.extend(narrow.get(..len).map(|key| (Form::Bytes, key.to_vec())));
    keys.extend(hex(&narrow).map(|key| (Form::Hex, key)));
    let text = wide(at);
    keys.extend(text.get(..len).map(|key| (Form::Utf16, key.to_vec())));
    keys.extend(hex(&text).map(|key| (Form::HexUtf16, key)));
    for first in 0..3 {
        if let Some(group) = at.checked_sub(first) {
            keys.extend(base64(&file[group..], first).map(|key| (Form::Base64, key)));
        }
        if let Some(group) = at.checked_sub(2 * first) {
            keys.extend(base64(&wide(group), first).map(|key| (Form::Base64Utf16, key)));
        }
    }
    keys.extend(blob(&narrow, len).into_iter().map(|key| (Form::Blob, key)));
    keys
}

/// A SIMPLEBLOB under the exponent-one key, cut in its padding.
const SIMPLE: &[u8] = b"\x01\x02\0\0\x01\x68\0\0\0\xa4\0\0!t3rc3S\0pad";

/// Returns the keys of `len` bytes in a blob of the CryptoAPI.
fn blob(file: &[u8], len: usize) -> Vec<Vec<u8>> {
    let mut whole = vec![];
    if file.starts_with(b"\x08\x02\0\0\x01\x68\0\0\x05\0\0\0") && file.len() >= 17 {
        whole.push(file[12..17].to_vec());
    }
    if file.starts_with(b"\x01\x02\0\0\x01\x68\0\0\0\xa4\0\0") {
        let ends = (17..=28).filter(|&end| file.get(end) == Some(&0));
        whole.extend(ends.map(|end| file[12..end].iter().rev().copied().collect()));
    }
    for key in whole.iter_mut().filter(|key| key.len() == 5) {
        key.extend([0; 11]);
    }
    whole.iter().flat_map(|key| key.windows(len)).map(<[u8]>::to_vec).collect()
}

/// Parts of files in which different forms are adjacent.
fn files() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        vec(any::<u8>(), 0..6),
        vec(Just(0), 0..20),
        "[0-9a-fA-F]{0,12}".prop_map(String::into_bytes),
        "([0-9a-f]{2}(, 0x|,0x| 0x|\\\\x|%|-|:| )){0,4}".prop_map(String::into_bytes),
        "[A-Za-z0-9+/_-]{0,10}={0,2}".prop_map(String::into_bytes),
        select(vec!["key", "key: ", "\t", "0x", "é"]).prop_map(|text| text.as_bytes().to_vec()),
        select(vec![&b"\x08\x02\0\0\x01\x68\0\0\x05\0\0\0Sesam"[..], SIMPLE])
            .prop_map(<[u8]>::to_vec),
    ];
    let wide = |(part, wide): (Vec<u8>, bool)| {
        if wide { part.into_iter().flat_map(|byte| [byte, 0]).collect() } else { part }
    };
    vec((part, any::<bool>()).prop_map(wide), 0..8).prop_map(|parts| parts.concat())
}

/// Checks that the search in pieces of `size` bytes finds exactly the keys of the definition, at
/// their places.
fn check(file: &[u8], lengths: &[usize], size: usize, family: Family) -> Result<(), TestCaseError> {
    let substrings = Substrings::new(lengths.iter().copied()).unwrap();
    let test = lenient(family);
    let mut keys: HashMap<Vec<u8>, HashSet<(usize, Form)>> = HashMap::new();
    for at in 0..file.len() {
        for &len in substrings.lengths() {
            for (form, key) in defined(file, at, len) {
                keys.entry(key).or_default().insert((at, form));
            }
        }
    }
    let mut counted = 0;
    in_pieces(&substrings, file, size, |walk, piece, starts, _| {
        counted += walk.count(piece, starts);
    });
    prop_assert!(counted >= keys.len() as u64);
    let found = search(&substrings, file, size, &test);
    for one in &found {
        let places = keys.get(&one.key);
        prop_assert!(places.is_some_and(|at| at.contains(&(one.offset, one.form))), "{one:?}");
    }
    let passing: HashSet<_> = keys.into_keys().filter(|key| test.passes(key).unwrap()).collect();
    let found: HashSet<_> = found.into_iter().map(|one| one.key).collect();
    prop_assert_eq!(found, passing);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn as_defined(
        file in files(),
        lengths in vec(1_usize..10, 1..4),
        size in 1_usize..70,
        family in select(vec![Family::Rc4, Family::Rc4a]),
    ) {
        check(&file, &lengths, size, family)?;
    }
}

/// The widest forms, in pieces that cut them at every place.
#[test]
fn nothing_is_missed_where_pieces_meet() {
    for text in ["0xde, 0xad, 0xbe, 0xef, 0x01, 0x23", "3q2+78ASNFZ4mrze8A"] {
        let wide: Vec<u8> = text.bytes().flat_map(|byte| [byte, 0]).collect();
        for file in [text.as_bytes(), &wide, SIMPLE] {
            for size in [1, 2, 3, 5, 8, 13, 1000] {
                check(file, &[3, 5, 6], size, Family::Rc4).unwrap();
            }
        }
    }
    let longest = [&SIMPLE[..12], b"!quite-a-secret!", &[0], &[9; 20]].concat();
    for size in [1, 2, 3, 5, 8, 13, 1000] {
        check(SIMPLE, &[1, 2], size, Family::Rc4).unwrap();
        check(&longest, &[1, 2], size, Family::Rc4).unwrap();
    }
}

#[test]
fn the_longest_keys_are_tried() {
    let file: Vec<u8> = (0..300_u32).map(|n| (n * 7 % 251) as u8).collect();
    check(&file, &[255, 256], 100, Family::Rc4).unwrap();
}

/// A run ends where another begins. A key across both was not tried before.
#[test]
fn runs_are_apart() {
    let file = b"444546..41424344..ABC";
    check(file, &[3, 4], file.len(), Family::Rc4).unwrap();
    assert!(lenient(Family::Rc4).passes(b"ABCD").unwrap());
}

/// A repeated key is tried once.
#[test]
fn repetition_is_not_tried_again() {
    let substrings = Substrings::new(4..=32).unwrap();
    let mut walk = substrings.walk();
    let zeros = vec![0; 1 << 20];
    assert_eq!(walk.count(&zeros, 0..zeros.len()), 29);
    let mut page = vec![0; 4096];
    Rc4::from_key(b"page").unwrap().apply(&mut page);
    let pages = page.repeat(64);
    let once = walk.count(&page, 0..page.len());
    let all = walk.count(&pages, 0..pages.len());
    // Keys across two pages are new, and the table may forget a place for another.
    assert!(once < all && all < once + once / 2, "{once} {all}");
}

#[test]
fn a_search_stops_when_it_is_told_to() {
    let substrings = Substrings::new([4]).unwrap();
    for family in [Family::Rc4, Family::Rc4a] {
        let mut walk = substrings.walk();
        let far = Plaintext::new().with(WINDOW - 1, "00".parse().unwrap());
        let known = Known::new(&far, &[0; WINDOW as usize], u64::from(u32::MAX)).unwrap();
        let endless = KeyTest::new(known, family, None).unwrap();
        let stop = AtomicBool::new(true);
        let none = |_, _: Vec<Found>| panic!("no key was tested");
        assert!(!walk.search(b"A key.", 0..6, &endless, &stop, none));
        let go = AtomicBool::new(false);
        let enough = |_, _: Vec<Found>| ControlFlow::Break(());
        assert!(!walk.search(b"A key.", 0..6, &lenient(family), &go, enough));
    }
}

#[test]
fn forms_have_names() {
    for (form, name) in [
        (Form::Bytes, "bytes"),
        (Form::Utf16, "UTF-16"),
        (Form::Hex, "hexadecimal digits"),
        (Form::HexUtf16, "hexadecimal digits in UTF-16"),
        (Form::Base64, "base64"),
        (Form::Base64Utf16, "base64 in UTF-16"),
        (Form::Blob, "a blob of the CryptoAPI"),
    ] {
        assert_eq!(form.to_string(), name);
    }
}

#[test]
fn bad_lengths() {
    assert_eq!(Substrings::new([]), Err(SubstringsError::None));
    assert_eq!(Substrings::new([5, 0]), Err(SubstringsError::Length(0)));
    assert_eq!(Substrings::new([257, 5]), Err(SubstringsError::Length(257)));
    assert_eq!(Substrings::new([16, 5, 16]).unwrap().lengths(), [5, 16]);
}
