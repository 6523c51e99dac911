//! Object streams: where they are, what they hold, and their faults.

use std::io::Write;

use arcfour_formats::pdf::{Document, Encryption};
use flate2::{Compression, write::ZlibEncoder};

use super::{
    CATALOG, PAGES, decrypted, encrypted, pdf_of,
    small::{find, moved, replaced},
    with_object_stream,
};

/// An object stream is the object that the table says, has a right Length, and at most 64 MiB.
#[test]
fn object_streams_are_where_the_table_says() {
    let (index, bytes) = ("1 0 2 34 ", [CATALOG, b" ", PAGES].concat());
    let table = [0, 0, 0, 2, 3, 0, 2, 3, 1, 1, 9, 0, 1, 0, 0];
    let file = with_object_stream("/ObjStm", "", index, &bytes, &table);
    let not_there = "object stream 3: it is not there";
    for (old, new, why) in [
        ("3 0 obj", "3 1 obj", not_there),
        ("3 0 obj", "7 0 obj", not_there),
        ("stream\n1 0", "strean\n1 0", not_there),
        ("3 0 obj", "3 0 abj", "object stream 3: it cannot be read"),
        ("/N 2", "/M 2", "object stream 3: it has no N"),
        ("/First 9", "/Furst 9", "object stream 3: it has no index"),
    ] {
        let error = encrypted(&replaced(&file, old, new), 2).unwrap_err();
        assert!(error.contains(why), "{error}; expected {why}");
    }
    let length = format!("/Length {} >>", index.len() + bytes.len());
    let wrong = moved(&file, &length, &length.replace("/Length ", "/Length 1"));
    let error = encrypted(&wrong, 2).unwrap_err();
    assert!(error.contains("object stream 3: its Length is wrong"), "{error}");
    let mut document = Document::repair(wrong).unwrap();
    document.encrypt(&Encryption::default()).unwrap();
    let mut made = vec![];
    document.write(&mut made).unwrap();
    assert!(decrypted(&made).unwrap().starts_with(&file[..find(&file, "4 0 obj")]));
    for (len, is_taken) in [(64 << 20, true), ((64 << 20) + 1, false)] {
        let large = [&bytes[..], &vec![b' '; len - index.len() - bytes.len()]].concat();
        let file = with_object_stream("/ObjStm", "", index, &large, &table);
        let result = Document::read(file).unwrap().encrypt(&Encryption::default());
        assert_eq!(result.is_ok(), is_taken, "{len}");
    }
}

/// Each object comes from its own object stream.
#[test]
fn a_file_may_have_several_object_streams() {
    let stream = |number: u32, index: &str, bytes: &[u8]| {
        let count = index.split_whitespace().count() / 2;
        let (first, len) = (index.len(), index.len() + bytes.len());
        let head = format!("/Type /ObjStm /N {count} /First {first} /Length {len}");
        let head = format!("{number} 0 obj\n<< {head} >>\nstream\n{index}");
        [head.as_bytes(), bytes, b"\nendstream\nendobj\n"].concat()
    };
    let mut file =
        [b"%PDF-1.5\n", &stream(3, "1 0 2 34 ", &[CATALOG, b" ", PAGES].concat())[..]].concat();
    let second = file.len() as u8;
    file.extend(stream(6, "5 0 7 2 ", b"6 (text)"));
    let third = file.len();
    file.extend(b"8 0 obj\n<< /Length 5 0 R >>\nstream\nAttack\nendstream\nendobj\n");
    let at = file.len();
    let table = [
        [0, 0, 0, 0],
        [2, 0, 3, 0],
        [2, 0, 3, 1],
        [1, 0, 9, 0],
        [0, 0, 0, 0],
        [2, 0, 6, 0],
        [1, 0, second, 0],
        [2, 0, 6, 1],
        [1, (third >> 8) as u8, third as u8, 0],
    ];
    file.extend(format!("9 0 obj\n<< /Type /XRef /W [1 2 1] /Size 9 /Root 1 0 R /A [7 0 R 8 0 R] /Length {} >>\nstream\n", 4 * table.len()).bytes());
    file.extend(table.concat());
    file.extend(format!("\nendstream\nendobj\nstartxref\n{at}\n%%EOF\n").bytes());
    let plain = decrypted(&encrypted(&file, 2).unwrap()).unwrap();
    assert!(plain.starts_with(&file[..at]));
}

/// Two object streams of 5 MiB hold the lengths of ten streams in turn. The reader keeps one of the two, so that each
/// length needs the other decoded again. The file has some 11 KB. All decoded bytes are 50 MiB, and 1,024 times its
/// size are 11 MB.
#[test]
fn object_streams_may_be_decoded_again_and_again() {
    const STREAMS: usize = 10;
    let container = |number: usize, objects: &[(usize, &[u8])]| {
        let (mut index, mut bytes) = (String::new(), vec![]);
        for (number, object) in objects {
            index += &format!("{number} {} ", bytes.len());
            bytes.extend_from_slice(object);
            bytes.push(b' ');
        }
        bytes.resize(5 << 20, b' ');
        let mut packed = ZlibEncoder::new(vec![], Compression::best());
        packed.write_all(&[index.as_bytes(), &bytes].concat()).unwrap();
        let packed = packed.finish().unwrap();
        let (count, first, len) = (objects.len(), index.len(), packed.len());
        let head =
            format!("/Type /ObjStm /N {count} /First {first} /Filter /FlateDecode /Length {len}");
        let head = format!("{number} 0 obj\n<< {head} >>\nstream\n");
        [head.as_bytes(), &packed, b"\nendstream\nendobj\n"].concat()
    };
    let lengths =
        |odd: usize| (0..STREAMS).filter(move |n| n % 2 == odd).map(|n| (5 + n, &b"6"[..]));
    let first: Vec<_> = [(1, CATALOG), (2, PAGES)].into_iter().chain(lengths(0)).collect();
    let second: Vec<_> = lengths(1).collect();
    let mut file = b"%PDF-1.5\n".to_vec();
    let mut table = vec![(0, 0, 0), (2, 3, 0), (2, 3, 1), (1, file.len(), 0)];
    file.extend(container(3, &first));
    table.push((1, file.len(), 0));
    file.extend(container(4, &second));
    table.extend((0..STREAMS).map(|n| (2, 3 + n % 2, n / 2 + if n % 2 == 0 { 2 } else { 0 })));
    for n in 0..STREAMS {
        table.push((1, file.len(), 0));
        let head = format!("{} 0 obj\n<< /Length {} 0 R >>\n", 5 + STREAMS + n, 5 + n);
        file.extend([head.as_bytes(), b"stream\nAttack\nendstream\nendobj\n"].concat());
    }
    let (at, size) = (file.len(), table.len());
    let all: String = (5 + STREAMS..size).map(|n| format!("{n} 0 R ")).collect();
    file.extend(format!("{size} 0 obj\n<< /Type /XRef /W [1 2 1] /Size {size} /Root 1 0 R /A [{all}] /Length {} >>\nstream\n", 4 * size).bytes());
    for (kind, place, index) in table {
        file.extend([kind, (place >> 8) as u8, place as u8, index as u8]);
    }
    file.extend(format!("\nendstream\nendobj\nstartxref\n{at}\n%%EOF\n").bytes());
    assert!(file.len() < 20_000, "{}", file.len());
    let plain = decrypted(&encrypted(&file, 2).unwrap()).unwrap();
    assert!(plain.starts_with(&file[..at]));
}

#[test]
fn object_streams_keep_their_bytes_and_hold_what_the_table_says() {
    let (index, bytes) = ("1 0 % one\n2 34 ", [CATALOG, b" ", PAGES].concat());
    let table = [0, 0, 0, 2, 3, 0, 2, 3, 1, 1, 9, 0, 1, 0, 0];
    let whole = with_object_stream("/ObjStm", "", index, &bytes, &table);
    let plain = decrypted(&encrypted(&whole, 2).unwrap()).unwrap();
    let end = memchr::memmem::find(&whole, b"endobj").unwrap();
    assert_eq!(plain[..end], whole[..end]);
    for (kind, entries, index, why) in [
        ("/O", "", index, "object stream 3: its Type is not ObjStm"),
        ("/ObjStm", "", "1 0 9 34 ", "object 2: object stream 3: it does not have this object"),
        ("/ObjStm", "", "x 0 2 34 ", "object stream 3: its index is not numbers"),
        ("/ObjStm", "", "1 0 2 99 ", "object stream 3: its index leads out of it"),
        ("/ObjStm", "/Filter /DCTDecode", index, "its filter DCTDecode is not for data"),
        ("/ObjStm", "/Filter /Fl", index, "object stream 3: its Flate data are damaged"),
    ] {
        let file = with_object_stream(kind, entries, index, &bytes, &table);
        let error = encrypted(&file, 2).unwrap_err();
        assert!(error.contains(why), "{error}; expected {why}");
    }
}

/// qpdf writes such streams. The place of an object in its stream then needs more than 16 bits.
#[test]
fn an_object_stream_may_hold_more_than_65536_objects() {
    let count = (1u32 << 16) + 100;
    let mut index = String::new();
    let mut bytes = vec![];
    for place in 0..count {
        let number = if place < 2 { place + 1 } else { place + 3 };
        index += &format!("{number} {} ", bytes.len());
        bytes.extend(match place {
            0 => CATALOG.to_vec(),
            1 => PAGES.to_vec(),
            _ => format!("({place})").into_bytes(),
        });
        bytes.push(b' ');
    }
    let mut file = b"%PDF-1.5\n".to_vec();
    let (first, len) = (index.len(), index.len() + bytes.len());
    let head =
        format!("3 0 obj\n<< /Type /ObjStm /N {count} /First {first} /Length {len} >>\nstream\n");
    file.extend([head.as_bytes(), index.as_bytes(), &bytes, b"\nendstream\nendobj\n"].concat());
    let at = file.len();
    let size = count + 3;
    let head = format!("/Type /XRef /W [1 1 3] /Size {size} /Root 1 0 R /Length {}", 5 * size);
    file.extend(format!("4 0 obj\n<< {head} >>\nstream\n").bytes());
    for number in 0..size {
        file.extend(match number {
            0 => [0, 0, 0, 0, 0],
            3 => [1, 9, 0, 0, 0],
            4 => [0, 0, 0, 0, 0],
            _ => {
                let place = if number < 3 { number - 1 } else { number - 3 };
                let [_, high, middle, low] = place.to_be_bytes();
                [2, 3, high, middle, low]
            }
        });
    }
    file.extend(format!("\nendstream\nendobj\nstartxref\n{at}\n%%EOF\n").bytes());

    let plain = decrypted(&encrypted(&file, 2).unwrap()).unwrap();
    let end = memchr::memmem::find(&file, b"endobj").unwrap();
    assert!(plain[..end] == file[..end], "the object stream keeps its bytes");
    // Reading the result finds each object at its place, up to the last.
    assert!(decrypted(&encrypted(&plain, 2).unwrap()).unwrap()[..end] == file[..end]);
}

/// A name that changes the direction of text would falsify the message.
#[test]
fn unseen_characters_of_names_are_escaped() {
    for (name, shown) in [
        ("a#e2#80#aeb", r"a\u{202e}b"),
        ("a#1b#5b2J", r"a\u{1b}[2J"),
        ("a#e2#80#a8b", r"a\u{2028}b"),
        ("a#c3#a9b", "a\u{e9}b"),
        ("a#c2#adb", r"a\u{ad}b"),
        ("a#d8#9cb", r"a\u{61c}b"),
        ("a#e2#80#8bb", r"a\u{200b}b"),
        ("a#e2#81#a0b", r"a\u{2060}b"),
        ("a#ef#bb#bfb", r"a\u{feff}b"),
        ("a#ef#bf#b9b", r"a\u{fff9}b"),
        ("a#f3#a0#81#81b", r"a\u{e0041}b"),
    ] {
        let stream = format!(
            "<< /Length 1 /Type /ObjStm /N 1 /First 0 /Filter /{name} >>\nstream\nx\nendstream"
        );
        let file = pdf_of(&[CATALOG.into(), PAGES.into(), stream.into()], "");
        let at = memchr::memmem::rfind(&file, b"xref\n0 4").unwrap();
        let mut file = file[..at].to_vec();
        let places = [b"\n1 0 obj", b"\n2 0 obj", b"\n3 0 obj"]
            .map(|object| memchr::memmem::find(&file, object).unwrap() as u8 + 1);
        // Object 4 is in the object stream; the table is object 5.
        let table = file.len();
        let head = "5 0 obj\n<< /Type /XRef /W [1 1 1] /Size 6 /Root 1 0 R /Info 4 0 R /Length 18 >>\nstream\n";
        file.extend(head.bytes());
        for (kind, place) in
            [(0, 0), (1, places[0]), (1, places[1]), (1, places[2]), (2, 3), (0, 0)]
        {
            file.extend([kind, place, 0]);
        }
        file.extend(format!("\nendstream\nendobj\nstartxref\n{table}\n%%EOF\n").bytes());
        let error = encrypted(&file, 2).unwrap_err();
        assert!(error.contains(shown), "{error:?}; expected {shown:?}");
    }
}
