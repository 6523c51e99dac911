//! Small PDF files made by hand, with exact contents and messages.

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

use arcfour_formats::pdf::{Document, Encryption, Error, Source};
use flate2::{Compression, write::ZlibEncoder};

use super::{CATALOG, PAGES, decrypted, encrypted, pdf_of, repaired, with_object_stream};

/// A file whose objects from 4 on are these. The trailer leads to each.
fn reached(objects: &[Vec<u8>]) -> Vec<u8> {
    let all: String = (4..4 + objects.len()).map(|n| format!("{n} 0 R ")).collect();
    let all = format!("[{all}]").into_bytes();
    let objects = [&[CATALOG.to_vec(), PAGES.to_vec(), all][..], objects].concat();
    let id = "/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]";
    pdf_of(&objects, &format!("/Info 3 0 R {id}"))
}

/// The objects of a file: everything before its table.
fn body(file: &[u8]) -> &[u8] {
    &file[..memchr::memmem::rfind(file, b"xref\n0 ").unwrap()]
}

fn find(file: &[u8], what: &str) -> usize {
    memchr::memmem::find(file, what.as_bytes()).unwrap_or_else(|| panic!("{what}"))
}

fn replaced(file: &[u8], old: &str, new: &str) -> Vec<u8> {
    let at = find(file, old);
    [&file[..at], new.as_bytes(), &file[at + old.len()..]].concat()
}

/// Does the same before the newest table, whose place the end of the file names.
fn moved(file: &[u8], old: &str, new: &str) -> Vec<u8> {
    let start = memchr::memmem::rfind(file, b"startxref\n").unwrap() + 10;
    let (before, number) = (&file[..start], str::from_utf8(&file[start..]).unwrap());
    let number: usize = number.split('\n').next().unwrap().parse().unwrap();
    let end = format!("{}\n%%EOF\n", number + new.len() - old.len());
    [&replaced(before, old, new), end.as_bytes()].concat()
}

/// Checks that encryption and decryption give the same objects.
fn round_trip(file: &[u8]) {
    for version in [2, 4] {
        let made = encrypted(file, version).unwrap();
        let plain = decrypted(&made).unwrap();
        assert!(plain.starts_with(body(file)), "{}", String::from_utf8_lossy(&plain));
    }
}

/// The reader looks at 1, 4 or 16 KiB at once. No object may be cut there.
#[test]
fn objects_of_every_length_are_read_whole() {
    let lens = (970..1030).chain(4070..4090).chain([16_300, 16_384, 70_000]);
    let object = |(len, kind): (usize, u8)| {
        let space = " ".repeat(len);
        match kind {
            0 => format!("({space})"),
            1 => format!("{space}1234567"),
            2 => format!("<</A 1{space}/Length 9>>stream\r\nAttack at\nendstream"),
            _ => format!("<</A[{space}]/Length 9>>\nstream\nAttack at\nendstream"),
        }
        .into_bytes()
    };
    let objects: Vec<Vec<u8>> =
        lens.flat_map(|len| [0, 1, 2, 3].map(|kind| (len, kind))).map(object).collect();
    round_trip(&reached(&objects));
}

/// A place in the table may be before white space and comments, or beyond the file.
#[test]
fn the_table_may_lead_before_an_object() {
    let objects = [b"(one)".to_vec(), b"(two) % 3 0 obj".to_vec(), b"(three)\n%\n  ".to_vec()];
    let file = reached(&objects);
    let table = body(&file).len();
    let shifted = |shift: usize| {
        let mut text = file[..table].to_vec();
        let lines = str::from_utf8(&file[table..]).unwrap().split_inclusive('\n');
        for line in lines {
            match line.strip_suffix(" 00000 n \n") {
                Some(place) => {
                    let place: usize = place.parse().unwrap();
                    text.extend(format!("{:010} 00000 n \n", place - shift).bytes());
                }
                None => text.extend(line.bytes()),
            }
        }
        text
    };
    assert!(shifted(0) == file);
    let plain = decrypted(&encrypted(&file, 2).unwrap()).unwrap();
    let again = decrypted(&encrypted(&shifted(1), 2).unwrap()).unwrap();
    assert!(again == plain, "{}", String::from_utf8_lossy(&again));
    let place = format!("{:010} 00000 n", find(&file, "6 0 obj"));
    for at in [file.len(), file.len() - 1, file.len() + 1, find(&file, "three")] {
        let changed = replaced(&file, &place, &format!("{at:010} 00000 n"));
        assert!(encrypted(&changed, 2).unwrap_err().contains("object 6 cannot be read"), "{at}");
    }
    let open = reached(&[b"(text".to_vec()]);
    assert!(encrypted(&open, 2).unwrap_err().contains("object 4 cannot be read"));
}

/// A wrong Length is found out, wherever the data end: at the edge of 16 KiB too.
#[test]
fn a_repair_finds_the_end_of_each_stream() {
    let lens = (16_370..16_390).chain([0, 1, 2, 40_000]);
    let stream = |length: usize, len: usize, end: &str| {
        let data: String = (0..len).map(|n| char::from(b'a' + (n % 23) as u8)).collect();
        format!("<< /Length {length} >>\nstream\n{data}{end}").into_bytes()
    };
    let ends = ["\nendstream", "\r\nendstream", "\rendstream", "endstream"];
    let all: Vec<_> = lens.zip(ends.into_iter().cycle()).collect();
    let wrong: Vec<_> = all.iter().map(|(len, end)| stream(7, *len, end)).collect();
    let right: Vec<_> = all.iter().map(|(len, end)| stream(*len, *len, end)).collect();
    let (lost, plain) = repaired(reached(&wrong));
    assert_eq!(
        lost,
        "object 4 has a stream of another Length than it says, and 23 more have faults"
    );
    assert!(plain.starts_with(body(&reached(&right))));
    for length in ["99999", "9223372036854775807", "-1", "(7)", "4 1 R", "9 0 R"] {
        let object = format!("<< /Length {length} >>\nstream\nAttack\nendstream");
        let file = reached(&[b"6".to_vec(), object.into_bytes()]);
        let why = "object 5 has a stream of another Length than it says";
        assert!(encrypted(&file, 2).unwrap_err().contains(why), "{length}");
    }
    round_trip(&reached(&[b"6".to_vec(), b"<</Length 4 0 R>>stream\nAttack\nendstream".to_vec()]));
    // The last object of a file, after its table.
    let file = reached(&[b"(text)".to_vec()]);
    for (end, is_whole) in [("endobj", true), ("endob", false), ("endstream", true)] {
        let at = file.len();
        let place = format!("{:010} 00000 n", find(&file, "4 0 obj"));
        let object = format!("4 0 obj\n<< /Length 7 >>\nstream\n{end}");
        let changed = replaced(&file, &place, &format!("{at:010} 00000 n"));
        let changed = [&changed[..], object.as_bytes()].concat();
        let why = match is_whole {
            true => "object 4 has a stream of another Length than it says",
            false => "object 4 has a stream without an end",
        };
        assert!(encrypted(&changed, 2).unwrap_err().contains(why), "{end}");
    }
}

#[test]
fn a_reference_has_the_generation_of_its_object() {
    let stream = "<< /Length 4 0 R >>\nstream\nAttack\nendstream";
    let file = reached(&[b"6".to_vec(), stream.into()]);
    let place = format!("{:010} 00000 n", find(&file, "4 0 obj"));
    let of_two = replaced(
        &replaced(&file, "4 0 obj", "4 2 obj"),
        &place,
        &place.replace(" 00000", " 00002"),
    );
    let why = "object 5 has a stream of another Length than it says";
    assert!(encrypted(&of_two, 2).unwrap_err().contains(why));
    round_trip(&replaced(&of_two, "/Length 4 0 R", "/Length 4 2 R"));
    let (index, bytes) = ("1 0 2 34 ", [CATALOG, b" ", PAGES].concat());
    let table = [0, 0, 0, 2, 3, 0, 2, 3, 1, 1, 9, 0, 1, 0, 0];
    let file = with_object_stream("/ObjStm", "", index, &bytes, &table);
    assert!(encrypted(&file, 2).is_ok());
    let error = encrypted(&replaced(&file, "/Root 1 0 R", "/Root 1 1 R"), 2).unwrap_err();
    assert!(error.contains("Root is not a dictionary"), "{error}");
}

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

#[test]
fn a_file_without_a_header_is_repaired() {
    let file = reached(&[b"(text)".to_vec()]);
    let bare = replaced(&file, "%PDF-1.5", "%PDE-1.5");
    let why = "it does not have %PDF- in its first 1024 bytes";
    let error = Document::read(bare.clone()).err().unwrap();
    assert!(error.to_string().ends_with(why), "{error}");
    let (lost, plain) = repaired(bare.clone());
    assert_eq!(lost, why);
    assert!(plain.starts_with(&[b"%PDF-1.7\n", body(&bare)].concat()));
    // The digits of a version are read up to 16 bytes after the first 1024.
    let long = [&[b'\n'; 1023][..], &replaced(&file, "1.5", "1.5678901234567")].concat();
    assert_eq!(Document::repair(long).unwrap().version(), "1.5678901234");
}

#[test]
fn a_lost_encryption_dictionary_is_found() {
    let file = encrypted(&reached(&[b"(text)".to_vec()]), 2).unwrap();
    let place = format!("{:010} 00000 n", find(&file, "5 0 obj"));
    let lost = replaced(&file, &place, "0000000007 00000 n");
    let error = Document::read(lost.clone()).err().unwrap();
    assert!(matches!(error, Error::Dictionary(_)), "{error}");
    let mut document = Document::repair(lost.clone()).unwrap();
    assert_eq!(document.lost(), Some("its encryption dictionary is not there"));
    let (key, _) = document.security().unwrap().open(b"").unwrap();
    document.decrypt(&key).unwrap();
    let mut plain = vec![];
    document.write(&mut plain).unwrap();
    assert!(plain.starts_with(body(&reached(&[b"(text)".to_vec()]))));
    // It is nowhere.
    let gone = replaced(&file, "5 0 obj", "5 0 abj");
    let dictionary = |result: Result<Document, Error>| match result {
        Err(Error::Dictionary(why)) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(dictionary(Document::repair(gone.clone())), "it is not a dictionary, or not there");
    let no_table = replaced(&gone, "startxref", "startxxxx");
    assert_eq!(dictionary(Document::repair(no_table)), "it is not a dictionary, or not there");
}

/// Embedded files and metadata have methods of their own only with V 4.
#[test]
fn embedded_files_are_encrypted_by_their_method() {
    let stream = |kind: &str| {
        format!("<< /Type /{kind} /Length 14 >>\nstream\nAttack at dawn\nendstream").into_bytes()
    };
    let file = reached(&[stream("EmbeddedFile"), stream("Metadata")]);
    round_trip(&file);
    for version in [2, 4] {
        let made = encrypted(&file, version).unwrap();
        assert!(memchr::memmem::find(&made, b"Attack at dawn").is_none());
        let clear = |entry: &str, kind: &str| {
            let changed = moved(&made, "/Filter /Standard", &format!("/Filter /Standard {entry}"));
            let plain = decrypted(&changed).unwrap();
            let at = find(&plain, &format!("/Type /{kind}"));
            plain[at..at + 80].windows(14).any(|bytes| bytes == b"Attack at dawn")
        };
        assert!(clear("", "EmbeddedFile") && clear("", "Metadata"));
        assert_eq!(clear("/EFF /Identity", "EmbeddedFile"), version == 2);
        assert!(clear("/EFF /Identity", "Metadata"));
        assert!(clear("/EFF /StdCF", "EmbeddedFile"));
    }
}

/// The key has the length that the dictionary says in bits or bytes, or a usual one.
#[test]
fn lengths_of_keys_are_those_of_the_dictionary() {
    let (zeros, filter) = ("00".repeat(32), "/CF << /A << /CFM /V2 >> >> /StmF /A /StrF /A");
    let lens = |entries: &str| {
        let dict = format!("/Encrypt << /Filter /Standard {entries} /O <{zeros}> /U <{zeros}> >>");
        let document = Document::read(pdf_of(&[CATALOG.into(), PAGES.into()], &dict)).unwrap();
        let handlers = document.security().unwrap().rc4().unwrap();
        handlers.into_iter().map(|standard| standard.key_len).collect::<Vec<_>>()
    };
    for (entries, expected) in [
        ("/V 1 /R 2 /Length 128", &[5][..]),
        ("/V 1 /R 3 /Length 128", &[5]),
        ("/V 2 /R 2 /Length 128", &[5]),
        ("/V 2 /R 3", &[5, 16]),
        ("/V 2 /R 3 /Length 40", &[5]),
        ("/V 2 /R 3 /Length 56", &[7]),
        ("/V 2 /R 3 /Length 128", &[16]),
        ("/V 2 /R 3 /Length 5", &[5]),
        ("/V 2 /R 3 /Length 16", &[16]),
        ("/V 2 /R 3 /Length 4", &[16, 5]),
        ("/V 2 /R 3 /Length 17", &[16, 5]),
        ("/V 2 /R 3 /Length 39", &[16, 5]),
        ("/V 2 /R 3 /Length 41", &[16, 5]),
        ("/V 2 /R 3 /Length 136", &[16, 5]),
        ("/V 2 /R 3 /Length 256", &[16, 5]),
    ] {
        assert_eq!(lens(entries), expected, "{entries}");
    }
    for (entries, expected) in [
        ("", &[16][..]),
        ("/Length 128", &[16]),
        ("/Length 40", &[16, 5]),
        ("/Length 12", &[16, 12]),
        ("/Length 41", &[16]),
    ] {
        let entries = format!("/V 4 /R 4 {entries} {filter}");
        assert_eq!(lens(&entries), expected, "{entries}");
        let both = entries.replace("/V2", "/V2 /Length 7");
        let both_expected = [&[16, 7][..], &expected[1..]].concat();
        assert_eq!(lens(&both), both_expected, "{both}");
    }
}

/// New objects get the numbers after all that the file uses or names, up to the last three.
#[test]
fn new_objects_have_the_next_numbers() {
    let added = |file: Vec<u8>| {
        let made = encrypted(&file, 2).unwrap();
        assert!(decrypted(&made).is_ok());
        let dict = memchr::memmem::rfind(&made, b" 0 obj\n<< /Filter /Standard").unwrap();
        let digits = made[..dict].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        str::from_utf8(&made[dict - digits..dict]).unwrap().parse::<u32>().unwrap()
    };
    for (named, next) in [
        (5, 6),
        (0xff_fffb, 0xff_fffc),
        (0xff_fffc, 0xff_fffd),
        (0xff_fffd, 5),
        (0xff_fffe, 5),
        (0xff_ffff, 5),
        (u32::MAX, 5),
    ] {
        assert_eq!(added(reached(&[format!("[{named} 0 R]").into_bytes()])), next, "{named}");
        let next = if named < 0x100_0000 { (named + 1).min(0xff_fffd) } else { 0xff_fffd };
        let pages = PAGES.strip_suffix(b">>").unwrap();
        let pages = [pages, format!("/N {named} 0 R >>").as_bytes()].concat();
        let table = [0, 0, 0, 2, 3, 0, 2, 3, 1, 1, 9, 0, 1, 0, 0];
        let bytes = [CATALOG, b" ", &pages].concat();
        let file = with_object_stream("/ObjStm", "", "1 0 2 34 ", &bytes, &table);
        assert_eq!(added(file), next, "{named}");
    }
    let trailer = |extra: &str| pdf_of(&[CATALOG.into(), PAGES.into()], extra);
    assert_eq!(added(trailer("/N 9 0 R")), 10);
    assert_eq!(added(trailer("/N 16777215 0 R")), 3);
    assert_eq!(added(trailer("/N 16777212 0 R")), 0xff_fffd);
    assert_eq!(added(trailer("/Size 9")), 9);
    assert_eq!(added(trailer("/Size 16777213")), 0xff_fffd);
    for extra in ["/N 16777213 0 R", "/N 16777214 0 R", "/Size 16777214"] {
        let error = encrypted(&trailer(extra), 2).unwrap_err();
        assert!(error.contains("no object number is left for its encryption"), "{error}");
    }
}

/// Returns the table that a file should end with: a line for each object, at its place.
fn table_of(file: &[u8], numbers: &[u32], trailer: &str) -> String {
    let mut runs = vec![];
    for run in numbers.chunk_by(|a, b| a + 1 == *b) {
        runs.push(format!("{} {}\n", run[0], run.len()));
        for number in run {
            runs.push(match number {
                0 => "0000000000 65535 f \n".to_owned(),
                _ => format!("{:010} 00000 n \n", find(file, &format!("\n{number} 0 obj")) + 1),
            });
        }
    }
    let at = memchr::memmem::rfind(file, b"xref\n0 ").unwrap();
    format!("xref\n{}trailer\n{trailer}\nstartxref\n{at}\n%%EOF\n", runs.concat())
}

#[test]
fn the_written_table_is_exact() {
    let id = "/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]";
    let file = reached(&[b"(text)".to_vec(), b"[8 0 R]".to_vec()]);
    let made = encrypted(&file, 2).unwrap();
    let entries = "<< /Root 1 0 R /Info 3 0 R";
    let (end, numbers) = ("/Size 10 /Encrypt 9 0 R >>", [0, 1, 2, 3, 4, 5, 9]);
    let table = table_of(&made, &numbers, &format!("{entries} {id}  {end}"));
    assert!(made.ends_with(table.as_bytes()), "{}", String::from_utf8_lossy(&made));
    let plain = decrypted(&made).unwrap();
    let table = table_of(&plain, &numbers, &format!("{entries} {id}   /Size 10 >>"));
    assert!(plain.ends_with(table.as_bytes()), "{}", String::from_utf8_lossy(&plain));
    assert!(memchr::memmem::find(&plain, b"\n9 0 obj\n null \nendobj\n").is_some());
    // A line end comes before the table.
    let body = memchr::memmem::rfind(&file, b"xref\n0 ").unwrap();
    let made = encrypted(&file[..file.len() - 1], 2).unwrap();
    assert!(made[body..].starts_with(b"9 0 obj\n"));
    for (end, more) in [("", ""), ("\r", ""), ("%", "\n"), ("%x", "\n")] {
        let longer = [&file[..], end.as_bytes()].concat();
        let made = encrypted(&longer, 2).unwrap();
        let between = format!("\n{end}{more}9 0 obj\n");
        assert!(made[body..].starts_with(between.as_bytes()), "{end:?}");
    }
}

/// Without a table, each object is found, wherever the reader's window of 4 KiB ends.
#[test]
fn a_repair_finds_every_object() {
    let gaps = (4040..4100).chain([1, 2, 5000]);
    let mut file = b"%PDF-1.5\n".to_vec();
    file.extend([b"1 0 obj\n", CATALOG, b"\nendobj\n2 0 obj\n", PAGES, b"\nendobj\n"].concat());
    let mut numbers = vec![0, 1, 2];
    for (number, gap) in (3..).zip(gaps) {
        file.extend(vec![b' '; gap]);
        file.extend(format!("\n{number} 0 obj\n(text)\nendobj\n").bytes());
        numbers.push(number);
    }
    // The data of a stream are skipped, if its Length is right.
    let inner = "2 0 obj (inner) endobj ".repeat(9);
    file.extend(
        format!("100 0 obj\n<< /Length {} >>\nstream\n{inner}\nendstream\nendobj\n", inner.len())
            .bytes(),
    );
    // No numbers of an object, and no object.
    file.extend(b"\n0 0 obj (zero) endobj\n16777215 0 obj (max) endobj\nx101 0 obj (x) endobj\n");
    file.extend(b"102 65536 obj (x) endobj\n103 obj (x) endobj\n");
    file.extend(b"104 0 obj << /Type /XRef /Root 2 0 R >> endobj\n");
    numbers.extend([100, 104]);
    let (lost, plain) = repaired(file.clone());
    assert_eq!(lost, "its cross-reference table cannot be read");
    assert!(plain.starts_with(&file));
    numbers.push(105); // the encryption dictionary
    let id = memchr::memmem::rfind(&plain, b"/ID [").unwrap();
    let id = String::from_utf8_lossy(&plain[id..][..74]);
    let table = table_of(&plain, &numbers, &format!("<< /Root 1 0 R  {id}  /Size 106 >>"));
    assert!(plain.ends_with(table.as_bytes()), "{}", &table[table.len() - 200..]);
    // So is each trailer.
    for gap in 4040..4100 {
        let mut file = b"%PDF-1.5\n1 0 obj\n<< >>\nendobj\n".to_vec();
        file.extend([b"2 0 obj\n", CATALOG, b"\nendobj\n", &vec![b' '; gap][..]].concat());
        file.extend(b"trailer << /Root 2 0 R /Info 1 0 R >>\n");
        let (_, plain) = repaired(file);
        find(&plain, "<< /Root 2 0 R /Info 1 0 R");
    }
}

/// A trailer with an encryption dictionary is kept, before a later one without.
#[test]
fn a_repair_takes_the_trailer_that_fits() {
    let objects = reached(&[b"(text)".to_vec()]);
    let made = encrypted(&objects, 2).unwrap();
    let start = memchr::memmem::rfind(&made, b"trailer").unwrap();
    let trailer = &made[start..memchr::memmem::rfind(&made, b"startxref").unwrap()];
    let bare = b"trailer\n<< /Root 1 0 R >>\n";
    for trailers in [[trailer, bare].concat(), [bare, trailer].concat()] {
        let file = [&made[..start], &trailers].concat();
        let mut document = Document::repair(file).unwrap();
        let (key, _) = document.security().unwrap().open(b"").unwrap();
        document.decrypt(&key).unwrap();
        let mut plain = vec![];
        document.write(&mut plain).unwrap();
        find(&plain, "4 0 obj\n(text)\nendobj");
    }
    // Without a trailer, the last catalog is the root.
    let file =
        b"%PDF-1.5\n1 0 obj\n<< /Type /Catalog >>\nendobj\n2 3 obj\n<< /Type /Catalog >>\nendobj\n";
    let (_, plain) = repaired(file.to_vec());
    find(&plain, "<< /Root 2 3 R ");
    let nothing = Document::repair(b"%PDF-1.5\n1 0 obj\n<< /Type /Pages >>\nendobj\n".to_vec());
    let error = nothing.err().unwrap().to_string();
    assert!(error.ends_with("it has neither a trailer nor a catalog"), "{error}");
    // Without a header, an object may be first.
    let file = b"1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n";
    let (lost, plain) = repaired(file.to_vec());
    assert_eq!(lost, "it does not have %PDF- in its first 1024 bytes");
    find(&plain, "%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>");
}

/// A repair without a table opens the object streams, and nothing else that looks like one.
#[test]
fn a_repair_opens_object_streams() {
    let index = "1 0 2 34 16777215 34 ";
    let bytes = [CATALOG, b" ", PAGES].concat();
    let stream = |number: u32, kind: &str, index: &str, bytes: &[u8]| {
        let count = index.split_whitespace().count() / 2;
        let head = format!(
            "{number} 0 obj\n<< {kind} /N {count} /First {} /Length {} >>\nstream\n",
            index.len(),
            index.len() + bytes.len()
        );
        [head.as_bytes(), index.as_bytes(), bytes, b"\nendstream\nendobj\n"].concat()
    };
    let file = [
        &b"%PDF-1.5\n"[..],
        &stream(3, "/Type /ObjStm", index, &bytes),
        &stream(4, "/Kind /ObjStm", "9 0 ", b"(four)"),
        b"5 0 obj\n<< /Type /ObjStm /N 0 /First 0 >>\nendobj\n",
        b"trailer\n<< /Root 1 0 R >>\n",
    ]
    .concat();
    let (_, plain) = repaired(file.clone());
    assert!(plain.starts_with(&file[..find(&file, "trailer")]));
    // The new table is a stream. It has the free object 0, the objects 1 to 5, the encryption
    // dictionary 6, and itself.
    let at = memchr::memmem::rfind(&plain, b"7 0 obj\n").unwrap();
    let end = String::from_utf8_lossy(&plain[at..]);
    assert!(end.starts_with("7 0 obj\n<< /Root 1 0 R"), "{end}");
    for part in ["/Size 8", "/Type /XRef /W [1 8 4] /Index [0 8] /Length 104"] {
        assert!(end.contains(part), "{end}");
    }
    let data = at + find(&plain[at..], "stream\n") + 7;
    let mut entries = [[0, 0, 0xffff]; 8];
    let place = |object: &str| find(&plain, object) as u64 + 1;
    entries[1..4].copy_from_slice(&[[2, 3, 0], [2, 3, 1], [1, 9, 0]]);
    entries[4] = [1, place("\n4 0 obj"), 0];
    entries[5] = [1, place("\n5 0 obj"), 0];
    entries[6] = [1, place("\n6 0 obj"), 0];
    entries[7] = [1, at as u64, 0];
    let mut expected = vec![];
    for [kind, second, third] in entries {
        expected.push(kind as u8);
        expected.extend(second.to_be_bytes());
        expected.extend((third as u32).to_be_bytes());
    }
    assert_eq!(plain[data..data + 104], expected);
    assert!(plain[data + 104..].starts_with(b"\nendstream\nendobj\nstartxref\n"));
}

/// Older revisions of an object are encrypted too, unless they have a fault or something newer is
/// inside them.
#[test]
fn older_revisions_are_encrypted_or_stay() {
    let first = reached(&[b"(one)".to_vec(), b"(two)".to_vec()]);
    let updated = |file: &[u8], new: &[(u32, usize)], end: &str| {
        let start = memchr::memmem::rfind(file, b"startxref\n").unwrap() + 10;
        let previous = str::from_utf8(&file[start..]).unwrap().split('\n').next().unwrap();
        let mut file = file.to_vec();
        let at = file.len();
        file.extend(b"xref\n");
        for (number, place) in new {
            file.extend(format!("{number} 1\n{place:010} 00000 n \n").bytes());
        }
        let id = "/ID [<00><00>]";
        file.extend(
            format!("trailer\n<< /Size 7 /Root 1 0 R /Info 3 0 R {id} /Prev {previous} >>{end}")
                .bytes(),
        );
        file.extend(format!("\nstartxref\n{at}\n%%EOF\n").bytes());
        file
    };
    let with = |old: &str, new: &str| {
        let at = find(&first, old);
        let mut file = replaced(&first, old, &format!("{new:width$}", width = old.len()));
        let place = file.len();
        file.extend(b"4 0 obj\n(newer)\nendobj\n");
        assert_eq!(at, find(&file, new));
        updated(&file, &[(4, place)], "")
    };
    let made = encrypted(&with("(one)", "(old)"), 2).unwrap();
    assert!(memchr::memmem::find(&made, b"(old)").is_none());
    let plain = decrypted(&made).unwrap();
    find(&plain, "4 0 obj\n(newer)");
    // Faults of older revisions are none of the file.
    let made = encrypted(&with("(one)\nendobj", "(old)\nendabj"), 2).unwrap();
    find(&made, "4 0 obj\n(old)");
    assert!(memchr::memmem::find(&made, b"(newer)").is_none());
    // Something newer is inside, or something older.
    let inner = "5 0 obj\n(five)\nendobj\n4 0 obj\n(middle)\nendobj\n";
    let stream = format!("<< /Length {} >>\nstream\n{inner}\nendstream", inner.len());
    let file = reached(&[stream.into_bytes(), b"(old five)".to_vec()]);
    let five = find(&file, "5 0 obj\n(five)");
    let middle = updated(&file, &[(4, find(&file, "4 0 obj\n(middle)"))], "");
    for new in [&[][..], &[(5, five)]] {
        let place = middle.len();
        let last = [&middle[..], b"4 0 obj\n(newest)\nendobj\n"].concat();
        let last = updated(&last, &[&[(4, place)], new].concat(), "");
        let made = encrypted(&last, 2).unwrap();
        let plain = decrypted(&made).unwrap();
        find(&plain, "4 0 obj\n(newest)");
        assert!(memchr::memmem::find(&made, b"(middle)").is_none());
        let visible = memchr::memmem::find_iter(&made, b"\n4 0 obj\n(").count();
        // The middle one is part of the data of the first, if the first is encrypted.
        assert_eq!(visible, if new.is_empty() { 1 } else { 2 });
        assert_eq!(memchr::memmem::find(&plain, b"(five)").is_some(), !new.is_empty());
    }
    // An object may begin where a section ends.
    let inside = updated(&first, &[(4, 0)], "4 0 obj\n(newer)\nendobj\n");
    let place = find(&inside, "4 0 obj\n(newer)");
    let inside = replaced(&inside, "4 1\n0000000000", &format!("4 1\n{place:010}"));
    let made = encrypted(&inside, 2).unwrap();
    let plain = decrypted(&made).unwrap();
    find(&plain, "4 0 obj\n(newer)");
    assert!(memchr::memmem::find(&made, b"(newer)").is_none());
}

/// What lies inside another object is no object, except in an older revision.
#[test]
fn objects_that_overlap_are_refused() {
    let inner = "5 0 obj\n(inner)\nendobj\n";
    let stream = format!("<< /Length {} >>\nstream\n{inner}\nendstream", inner.len());
    let file = reached(&[stream.into_bytes(), b"(five)".to_vec()]);
    let place = format!("{:010} 00000 n", find(&file, "5 0 obj\n(five)"));
    let changed =
        replaced(&file, &place, &format!("{:010} 00000 n", find(&file, "5 0 obj\n(inner)")));
    let error = encrypted(&changed, 2).unwrap_err();
    assert!(error.contains("object 5 overlaps another"), "{error}");
    // A table's own stream may be in the table, and something may refer to it.
    let bytes = [CATALOG, b" ", PAGES].concat();
    let mut table = [0, 0, 0, 2, 3, 0, 2, 3, 1, 1, 9, 0, 1, 0, 0];
    let file = with_object_stream("/ObjStm", "", "1 0 2 34 ", &bytes, &table);
    table[13] = find(&file, "4 0 obj") as u8;
    let file = with_object_stream("/ObjStm", "", "1 0 2 34 ", &bytes, &table);
    let file = replaced(&file, "/Root 1 0 R", "/Root 1 0 R /Test 4 0 R");
    let plain = decrypted(&encrypted(&file, 2).unwrap()).unwrap();
    find(&plain, "/Root 1 0 R /Test 4 0 R");
}

/// The dictionary of a linearized file is among the first 1024 bytes, and no stream.
#[test]
fn the_dictionary_of_a_linearized_file_becomes_null() {
    let at = |place: usize, object: &str| {
        let with = |pad: usize| reached(&[vec![b'7'; pad], object.as_bytes().to_vec()]);
        let file = with(place + 1 - find(&with(1), "\n5 0 obj"));
        assert_eq!(find(&file, "\n5 0 obj") + 1, place + 1);
        decrypted(&encrypted(&file, 2).unwrap()).unwrap()
    };
    let dict = "<< /Linearized 1 >>";
    find(&at(1022, dict), "5 0 obj\n null \nendobj");
    find(&at(1023, dict), &format!("5 0 obj\n{dict}\nendobj"));
    let stream = "<< /Linearized 1 /Length 1 >>\nstream\nx\nendstream";
    find(&at(1000, stream), &format!("5 0 obj\n{stream}\nendobj"));
}

/// The crypt filter is taken off, with the space after it, and a missing Length is put in.
#[test]
fn dictionaries_of_streams_are_changed_at_their_entries() {
    let stream = |entries: &str| format!("<< {entries}>>\nstream\nAttack\nendstream");
    let file = |entries: &str| reached(&[stream(entries).into_bytes()]);
    for (entries, plain) in [
        ("/Filter /Crypt  /Length 6 ", "/Length 6 "),
        ("/Filter[/Crypt] /Length 6 /DecodeParms[null]", "/Length 6 "),
        ("/Filter [/Crypt /RL]/Length 6 ", "/Filter [/RL]/Length 6 "),
        (
            "/Filter [/Crypt /RL] /DecodeParms [<</Name/Identity/A(b)>> null ] /Length 6 ",
            "/Filter [/RL] /DecodeParms [null ] /Length 6 ",
        ),
    ] {
        let made = encrypted(&file(entries), 4).unwrap();
        find(&made, &format!("<< {plain}>>"));
        find(&decrypted(&made).unwrap(), &format!("<< {plain}>>\nstream\nAttack"));
    }
    for (entries, mended) in [
        ("", "/Length 6 "),
        ("/A 1 ", "/A 1 /Length 6 "),
        ("/Length (7) /A(b)", "/Length 6 /A(b)"),
        ("/Length(7)/A 1", "/Length 6/A 1"),
        ("/Length 9/A[1]", "/Length 6/A[1]"),
    ] {
        let (_, plain) = repaired(file(entries));
        find(&plain, &format!("<< {mended}>>\nstream\nAttack"));
    }
    // A signature's contents stay at their place.
    round_trip(&reached(&[
        b"<</A(a)/ByteRange[0 1]/Contents(sign)/B(b)>>".to_vec(),
        b"<</Contents(sign)/ByteRange[0 1]/B(b)>>".to_vec(),
    ]));
}

/// Data of streams from nothing to more than the 8 MiB that are held at once, each with its own key.
#[test]
fn streams_of_every_size_are_encrypted_by_their_keys() {
    let lens = [0, 1, 15, 300, 1 << 16, 1 << 20, (1 << 23) + 1, 9 << 20, 7, 1 << 18, 1 << 19];
    let data =
        |n: usize, len: usize| (0..len).map(|at| ((at * 7 + n) % 251) as u8).collect::<Vec<_>>();
    let all: Vec<_> = lens.into_iter().enumerate().map(|(n, len)| data(n, len)).collect();
    let stream = |data: &Vec<u8>| {
        let head = format!("<< /Length {} >>\nstream\n", data.len());
        [head.as_bytes(), data, b"\nendstream"].concat()
    };
    let file = reached(&all.iter().map(stream).collect::<Vec<_>>());
    let mut document = Document::read(file.clone()).unwrap();
    let key = document.encrypt(&Encryption::default()).unwrap();
    let standard = document.security().unwrap().rc4().unwrap().remove(0);
    let mut made = vec![];
    document.write(&mut made).unwrap();
    let mut expected = file.clone();
    for (number, data) in (4..).zip(&all) {
        let mut cipher = data.clone();
        standard.object_key(&key, number, 0).apply(&mut cipher);
        let object = find(&expected, &format!("\n{number} 0 obj"));
        let at = object + find(&expected[object..], "stream\n") + 7;
        expected[at..at + data.len()].copy_from_slice(&cipher);
    }
    let body = body(&expected).len();
    assert!(made[..body] == expected[..body]);
    // The new table has the places of what was written in several pieces.
    assert!(decrypted(&made).unwrap()[..body] == file[..body]);
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

/// Only the trailer of an encrypted file names the key's parameters.
#[test]
fn a_repair_finds_a_long_trailer() {
    let file = encrypted(&reached(&[b"(text)".to_vec()]), 2).unwrap();
    let long = replaced(&file, "trailer\n<<", &format!("trailer\n<<{}", " ".repeat(20_000)));
    let cut = long[..memchr::memmem::rfind(&long, b"startxref").unwrap()].to_vec();
    let mut document = Document::repair(cut).unwrap();
    let (key, _) = document.security().expect("it is encrypted").open(b"").unwrap();
    document.decrypt(&key).unwrap();
    let mut made = vec![];
    document.write(&mut made).unwrap();
    assert!(memchr::memmem::find(&made, b"(text)").is_some());
}

/// A section is cut out up to its last byte, although it ends where the reader's window does.
#[test]
fn a_long_table_is_replaced_as_a_whole() {
    let file = reached(&[b"(text)".to_vec()]);
    let at = body(&file).len();
    let trailer = memchr::memmem::rfind(&file, b"trailer").unwrap();
    for pad in 0..90 {
        let free = "0000000000 00000 f \n".repeat(805);
        let text = format!("5 805\n{free}{}", " ".repeat(pad));
        let long = [&file[..trailer], text.as_bytes(), &file[trailer..]].concat();
        let made = encrypted(&long, 2).unwrap();
        assert!(made[at..].starts_with(b"\n810 0 obj\n"), "{pad}");
        assert_eq!(memchr::memmem::find_iter(&made, b"startxref").count(), 1, "{pad}");
    }
    let cut = [&file[..], format!("xref\n0 2\n00000%startxref {}", file.len()).as_bytes()].concat();
    let error = encrypted(&cut, 2).unwrap_err();
    assert!(error.contains("its cross-reference table cannot be read"), "{error}");
}

/// In a hybrid file, the stream of a section has the objects that its table hides as free.
#[test]
fn a_hybrid_file_has_both_kinds_of_tables() {
    let mut file = reached(&[b"(text)".to_vec(), b"<< /Length 5 0 R >>".to_vec()]);
    file.truncate(body(&file).len());
    let container = file.len();
    file.extend(b"6 0 obj\n<< /Type /ObjStm /N 2 /First 8 /Length 18 >>\nstream\n7 0 4 7 (seven)(4)\nendstream\nendobj\n");
    let hidden = file.len();
    file.extend(
        b"8 0 obj\n<< /Type /XRef /W [1 2 1] /Size 9 /Index [4 1 6 3] /Length 16 >>\nstream\n",
    );
    let [.., high, low] = container.to_be_bytes();
    file.extend([2, 0, 6, 1, 1, high, low, 0, 2, 0, 6, 0, 0, 0, 0, 0]);
    file.extend(b"\nendstream\nendobj\n");
    let at = file.len();
    let mut table = "xref\n0 9\n0000000000 65535 f \n".to_owned();
    for number in 1..6 {
        table += &format!("{:010} 00000 n \n", find(&file, &format!("\n{number} 0 obj")) + 1);
    }
    table += &"0000000000 65535 f \n".repeat(3);
    file.extend(table.bytes());
    file.extend(format!("trailer\n<< /Size 9 /Root 1 0 R /Info 7 0 R /XRefStm {hidden} >>\nstartxref\n{at}\n%%EOF\n").bytes());
    let plain = decrypted(&encrypted(&file, 2).unwrap()).unwrap();
    // Object 7 is in the object stream, and object 4 where the table says.
    assert!(memchr::memmem::find(&plain, &[2, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0]).is_some());
    assert!(memchr::memmem::find(&plain, &[2, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 1]).is_none());
    assert!(plain.starts_with(&file[..hidden]));
}

/// An open file that cannot be read from one place on.
struct Unreadable(Cursor<Vec<u8>>, u64);

impl Read for Unreadable {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.position() == self.1 {
            true => Err(io::Error::other("a bad sector")),
            false => self.0.read(buffer),
        }
    }
}

impl Seek for Unreadable {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

/// A section that is a stream must be whole; a fault of the medium is told from damage.
#[test]
fn the_stream_of_a_table_is_whole() {
    let bytes = [CATALOG, b" ", PAGES].concat();
    let table = [0, 0, 0, 2, 3, 0, 2, 3, 1, 1, 9, 0, 1, 0, 0];
    let file = with_object_stream("/ObjStm", "", "1 0 2 34 ", &bytes, &table);
    let made = encrypted(&file, 2).unwrap();
    let at = find(&file, "4 0 obj");
    find(&made, "endobj\n\n5 0 obj\n<< /Filter /Standard");
    assert_eq!(memchr::memmem::find_iter(&made, b"startxref").count(), 1);
    for (old, new) in [
        ("/Type /XRef", "/Type /XXef"),
        ("/Size 5", "(a) 4  "),
        ("/Length 15", "/Length 99"),
        ("/Length 15", "/Length 14"),
        ("/Length 15", "/Length -1"),
        ("/W [1 1 1]", "/W [1 1 2]"),
        ("/Root 1 0 R", "/Filter /No"),
    ] {
        let error = encrypted(&replaced(&file, old, new), 2).unwrap_err();
        assert!(error.contains("its cross-reference table cannot be read"), "{new}: {error}");
    }
    let none = replaced(&file, &format!("startxref\n{at}"), "startxref\n0");
    let first = [b"%PDF-1.5\n", &file[at..]].concat();
    let first = replaced(&first, &format!("startxref\n{at}"), "startxref\n0");
    for file in [none, first] {
        let error = Document::read(file).err().unwrap().to_string();
        assert!(error.contains("its cross-reference table cannot be read"), "{error}");
    }
    let source =
        |bad: usize| Source::new(Unreadable(Cursor::new(file.clone()), bad as u64)).unwrap();
    assert!(Document::read(source(file.len())).is_ok());
    for bad in [0, at - 1] {
        let long = [&file[..], &vec![b' '; 940]].concat();
        let file = Unreadable(Cursor::new(long), bad as u64);
        let error = Document::read(Source::new(file).unwrap()).err();
        assert_eq!(error, Some(Error::Read("a bad sector".to_owned())), "{bad}");
    }
}
