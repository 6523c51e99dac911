//! Tests on random objects that encryption and decryption change only strings and streams.
//!
//! A second reader, written for these tests, knows strings, comments and streams (ISO 32000-1, §7.2
//! and §7.3). All else is plain bytes to it.

#[path = "pdf/objects.rs"]
mod objects;

use std::iter;

use arcfour_formats::pdf::{Document, Encryption};
use proptest::{collection::vec, prelude::*, sample::select};

use objects::pdf_of;

/// A part of a file.
#[derive(Debug, PartialEq)]
enum Part {
    /// Bytes that stay: numbers, names, keywords, brackets, comments and white space.
    Kept(Vec<u8>),
    /// The bytes of a string of either notation.
    String(Vec<u8>),
    /// The data of a stream.
    Stream(Vec<u8>),
}

/// Returns the parts of a file's beginning. The last integer before a stream is the length of its
/// data.
fn parts(mut bytes: &[u8]) -> Vec<Part> {
    let (mut parts, mut kept, mut integer) = (vec![], vec![], 0);
    while let Some(&byte) = bytes.first() {
        let take = match byte {
            b'%' => bytes.iter().position(|byte| b"\r\n".contains(byte)).unwrap_or(bytes.len()),
            b'<' | b'>' if bytes.get(1) == Some(&byte) => 2,
            b'(' | b'<' => {
                let (value, used) = if byte == b'(' { literal(bytes) } else { hex(bytes) };
                parts.push(Part::Kept(std::mem::take(&mut kept)));
                parts.push(Part::String(value));
                bytes = &bytes[used..];
                continue;
            }
            b'0'..=b'9' => {
                let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
                integer = str::from_utf8(&bytes[..digits]).unwrap().parse().unwrap_or(0);
                digits
            }
            _ if bytes.starts_with(b"\nstream\n") => {
                kept.extend(&bytes[..8]);
                parts.push(Part::Kept(std::mem::take(&mut kept)));
                parts.push(Part::Stream(bytes[8..8 + integer].to_vec()));
                bytes = &bytes[8 + integer..];
                continue;
            }
            _ => 1,
        };
        kept.extend(&bytes[..take]);
        bytes = &bytes[take..];
    }
    parts.push(Part::Kept(kept));
    parts
}

/// Returns the bytes of a string in parentheses, and its length in the file.
fn literal(bytes: &[u8]) -> (Vec<u8>, usize) {
    let (mut value, mut depth, mut at) = (vec![], 0, 0);
    loop {
        let byte = bytes[at];
        at += 1;
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => (),
        }
        if depth == 0 {
            return (value, at);
        }
        match byte {
            b'(' if at == 1 => (),
            b'\r' => {
                at += usize::from(bytes[at] == b'\n');
                value.push(b'\n');
            }
            b'\\' => {
                let escaped = bytes[at];
                let digits =
                    bytes[at..].iter().take(3).take_while(|byte| (b'0'..=b'7').contains(byte));
                let digits = digits.count();
                at += digits.max(1);
                match escaped {
                    b'0'..=b'7' => {
                        let text = str::from_utf8(&bytes[at - digits..at]).unwrap();
                        value.push(u32::from_str_radix(text, 8).unwrap() as u8);
                    }
                    b'n' => value.push(b'\n'),
                    b'r' => value.push(b'\r'),
                    b't' => value.push(b'\t'),
                    b'b' => value.push(8),
                    b'f' => value.push(12),
                    b'\n' => (),
                    b'\r' => at += usize::from(bytes[at] == b'\n'),
                    other => value.push(other),
                }
            }
            byte => value.push(byte),
        }
    }
}

/// Does the same for a string in angle brackets.
fn hex(bytes: &[u8]) -> (Vec<u8>, usize) {
    let end = bytes.iter().position(|&byte| byte == b'>').unwrap();
    let mut digits: Vec<u8> = bytes[1..end].iter().copied().filter(u8::is_ascii_hexdigit).collect();
    digits.extend(iter::repeat_n(b'0', digits.len() % 2));
    let pair = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    (digits.chunks(2).map(pair).collect(), end + 1)
}

/// White space and comments, for tokens that need a separator.
fn space() -> impl Strategy<Value = Vec<u8>> {
    let spaces =
        [" ", "\n", "\r", "\r\n", "\t", "\0", "\x0c", "  ", "%\n", "% (a <b\r", " %)>>\r\n"];
    select(spaces.map(|text| text.as_bytes().to_vec()).to_vec())
}

fn text(values: &[&str]) -> impl Strategy<Value = Vec<u8>> + use<> {
    select(values.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>())
}

/// A string of either notation, with every escape, line ends and nested parentheses.
fn string() -> impl Strategy<Value = Vec<u8>> {
    let raw = any::<u8>().prop_filter("is written otherwise", |byte| !b"()\\".contains(byte));
    let piece = prop_oneof![
        raw.prop_map(|byte| vec![byte]),
        text(&[
            "\\n", "\\r", "\\t", "\\b", "\\f", "\\(", "\\)", "\\\\", "\\q", "(", "\r", "\r\n", "\n"
        ]),
        text(&[
            "\\0", "\\7", "\\53", "\\053", "\\0053", "\\377", "\\777", "\\8", "\\\n", "\\\r",
            "\\\r\n"
        ]),
    ];
    let literal = vec(piece, 0..12).prop_map(|pieces| {
        let nested = pieces.iter().filter(|piece| *piece == b"(").count();
        [b"(".to_vec(), pieces.concat(), vec![b')'; nested + 1]].concat()
    });
    let hex = "<[0-9a-fA-F \t\r\n]{0,20}>".prop_map(String::into_bytes);
    prop_oneof![literal, hex]
}

/// An object that is not a stream, with white space between tokens where needed.
fn object() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        text(&[
            "null",
            "true",
            "false",
            "0",
            "-0",
            "+17",
            "37.774929512345",
            "-.002",
            "4.",
            "16777217.0"
        ]),
        text(&[
            "00012",
            "2147483648",
            "99999999999999999999",
            "1 0 R",
            "9 65535 R",
            "1.0e5",
            "--5",
            "a*b"
        ]),
        "/[A-Za-z0-9_.+'!*$&;:@-]{0,6}".prop_map(|name| format!("{name}#61#20#c3z").into_bytes()),
        "/[g-z][A-Za-z0-9]{0,9}".prop_map(String::into_bytes),
    ];
    let leaf = prop_oneof![
        (word, space()).prop_map(|(word, space)| [word, space].concat()),
        string(),
        (string(), space()).prop_map(|(string, space)| [string, space].concat()),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        let array =
            vec(inner.clone(), 0..6).prop_map(|items| [b"[", &items.concat()[..], b"]"].concat());
        let entry = ("/[g-z][A-Za-z0-9#]{0,5}", space(), inner)
            .prop_map(|(key, space, value)| [key.into_bytes(), space, value].concat());
        let dict =
            vec(entry, 0..5).prop_map(|entries| [b"<<", &entries.concat()[..], b">>"].concat());
        prop_oneof![array, dict]
    })
}

/// An object of a file.
fn indirect() -> impl Strategy<Value = Vec<u8>> {
    let stream = (object(), vec(any::<u8>(), 0..80)).prop_map(|(value, data)| {
        let head =
            [b"<< /zz ", &value[..], format!(" /Length {} >>\nstream\n", data.len()).as_bytes()]
                .concat();
        [head, data, b"\nendstream".to_vec()].concat()
    });
    prop_oneof![3 => object(), 1 => stream]
}

fn written(document: Document) -> Vec<u8> {
    let mut file = vec![];
    document.write(&mut file).unwrap();
    file
}

/// The beginning of a file, before its cross-reference and before the objects that encryption adds.
fn body(file: &[u8]) -> &[u8] {
    let mark = b"\n/the-last\nendobj\n";
    &file[..memchr::memmem::rfind(file, mark).unwrap() + mark.len()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn encryption_and_decryption_keep_every_other_byte(
        random in vec(indirect(), 1..8),
        version in select(vec![2, 4]),
    ) {
        let mut objects: Vec<Vec<u8>> = vec![
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            b"<< /Type /Pages /Kids [] /Count 0 >>".to_vec(),
        ];
        objects.extend(random);
        objects.push(b"/the-last".to_vec());
        let file = pdf_of(&objects, "");
        let before = parts(body(&file));

        let mut document = Document::read(file.clone()).unwrap();
        document.encrypt(&Encryption { version, ..Encryption::default() }).unwrap();
        let encrypted = written(document);
        let between = parts(body(&encrypted));
        prop_assert_eq!(between.len(), before.len());
        for (one, other) in before.iter().zip(&between) {
            match (one, other) {
                (Part::Kept(one), Part::Kept(other)) => prop_assert_eq!(one, other),
                (Part::String(one), Part::String(other)) | (Part::Stream(one), Part::Stream(other)) => {
                    prop_assert_eq!(one.len(), other.len());
                    prop_assert!(one.len() < 8 || one != other, "{:?} is not encrypted", one);
                }
                _ => prop_assert!(false, "{:?} became {:?}", one, other),
            }
        }

        let mut document = Document::read(encrypted).unwrap();
        let (key, _) = document.security().unwrap().open(b"").unwrap();
        document.decrypt(&key).unwrap();
        prop_assert_eq!(parts(body(&written(document))), before);
    }
}
