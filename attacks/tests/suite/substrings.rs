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

const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// Returns the key of `len` bytes that begins at `at`, by the definition of each form.
fn defined(file: &[u8], at: usize, len: usize) -> Vec<(Form, Vec<u8>)> {
    let narrow = file[at..].to_vec();
    // Characters with one zero byte between them.
    let wide = |from: usize| {
        let mut text = vec![];
        for at in (from..file.len()).step_by(2) {
            let before = at == from || file[at - 1] == 0;
            if !before || !matches!(file[at], b'\t' | b'\r' | b'\n' | 0x20..=0x7e | 0xa0..) {
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
            // A comma, semicolon or colon, up to 32 blanks, and a prefix. Each may be missing, but
            // 0x does not follow digits.
            let of_marks = |mark: &'static str| {
                let rest = rest.strip_prefix(mark)?;
                let blanks = rest.len() - rest.trim_start_matches(BLANK).len();
                let rest = if blanks <= 32 { &rest[blanks..] } else { rest };
                let apart = !mark.is_empty() || (1..=32).contains(&blanks);
                let prefix = ["", "\\x", "0x"].into_iter().take(if apart { 3 } else { 2 });
                prefix.filter_map(|prefix| rest.strip_prefix(prefix)).find(|rest| begins(rest))
            };
            let alone = ["-", "%"].into_iter().filter_map(|mark| rest.strip_prefix(mark));
            let next = ["", ",", ";", ":"].into_iter().filter_map(of_marks);
            rest = next.chain(alone.filter(|rest| begins(rest))).next().unwrap_or("");
        }
        Some(key)
    };
    // `text` begins with the group of four that holds the key's first byte, at byte `first` and
    // character `at`.
    let base64 = |text: &[u8], first: usize, at: usize| {
        let text: String = text.iter().map(|&byte| char::from(byte)).collect();
        let (mut digits, mut places, mut rest) = (vec![], vec![], &text[..]);
        while let Some(byte) = rest.bytes().next().filter(|&byte| is_base64(byte)) {
            digits.push(match byte {
                b'-' => b'+',
                b'_' => b'/',
                other => other,
            });
            places.push(text.len() - rest.len());
            rest = &rest[1..];
            let blanks = rest.len() - rest.trim_start_matches(BLANK).len();
            if blanks <= 32 && rest[..blanks].contains(['\r', '\n']) {
                rest = &rest[blanks..];
            }
        }
        if places.get(first) != Some(&at) {
            return None;
        }
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
    // Two characters of base64 before it, with up to 32 blanks after each.
    for (first, before) in (0..3).flat_map(|first| (0..=66).map(move |before| (first, before))) {
        if let Some(group) = at.checked_sub(before).filter(|&group| is_base64(file[group])) {
            keys.extend(base64(&file[group..], first, before).map(|key| (Form::Base64, key)));
        }
        if let Some(group) = at.checked_sub(2 * before).filter(|&group| is_base64(file[group])) {
            keys.extend(base64(&wide(group), first, before).map(|key| (Form::Base64Utf16, key)));
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
        "([0-9a-f]{2}(, 0x|,0x| 0x|\\\\x|%|-|:| |,|; |,\n   0x|\r\n| {31,33}| :)){0,4}"
            .prop_map(String::into_bytes),
        "([A-Za-z0-9+/_-]{0,10}={0,2}(\r?\n {0,32})?){1,3}".prop_map(String::into_bytes),
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
    let hex = [" ".repeat(31), ",\n".to_owned() + &" ".repeat(31) + "0x", ", ".to_owned()];
    let hex = format!("0xde{}ad{}be{}ef010x23", hex[0], hex[1], hex[2]);
    let base64 = format!("3q{0}2+{0}7{0}8ASN{0}FZ4mrze8A", "\r\n".to_owned() + &"\t".repeat(30));
    let texts = ["0xde, 0xad, 0xbe, 0xef, 0x01, 0x23", "3q2+78ASNFZ4mrze8A", &hex, &base64];
    for text in texts {
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

/// What programs make of a key: xxd -i, xxd -p, od, base64, openssl and lists of numbers.
#[test]
fn a_key_over_several_lines_is_found() {
    let key: Vec<u8> = (0..40_u32).map(|n| (n * 59 + 7) as u8).collect();
    let digits: Vec<String> = key.iter().map(|byte| format!("{byte:02x}")).collect();
    let base64 = data_encoding::BASE64.encode(&key);
    let lines = |text: &str, len: usize, end: &str| {
        let lines: Vec<&str> =
            text.as_bytes().chunks(len).map(|line| str::from_utf8(line).unwrap()).collect();
        lines.join(end)
    };
    let c: Vec<String> =
        digits.chunks(12).map(|line| format!("  0x{}", line.join(", 0x"))).collect();
    let columns: Vec<String> = digits.chunks(15).map(|line| line.join(":")).collect();
    for (text, form) in [
        (format!("unsigned char k[] = {{\n{}\n}};", c.join(",\n")), Form::Hex),
        (lines(&digits.concat(), 16, "\n"), Form::Hex),
        (lines(&digits.concat(), 16, "\r\n"), Form::Hex),
        (columns.join(":\n                    "), Form::Hex),
        (digits.join(","), Form::Hex),
        (digits.join(", "), Form::Hex),
        (digits.join("; "), Form::Hex),
        (digits.join("\t"), Form::Hex),
        (lines(&base64, 20, "\n"), Form::Base64),
        (lines(&base64, 76, "\r\n"), Form::Base64),
        (lines(&base64, 16, "\n    "), Form::Base64),
    ] {
        for wide in [false, true] {
            let file: Vec<u8> = match wide {
                false => text.clone().into_bytes(),
                true => text.bytes().flat_map(|byte| [byte, 0]).collect(),
            };
            let form = match (form, wide) {
                (form, false) => form,
                (Form::Hex, true) => Form::HexUtf16,
                (_, true) => Form::Base64Utf16,
            };
            let substrings = Substrings::new([40]).unwrap();
            let found = search(&substrings, &file, 64, &lenient(Family::Rc4));
            assert!(found.iter().any(|one| one.key == key && one.form == form), "{text:?}");
        }
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
