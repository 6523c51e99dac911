//! Small PDF files made by hand, with exact contents and messages.

use arcfour_formats::pdf::{Document, Encryption, Error};

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
    let lens = (880..1040).chain(4060..4110).chain([16_300, 16_384, 70_000]);
    let objects: Vec<Vec<u8>> = lens
        .map(|len| {
            let space = " ".repeat(len);
            match len % 4 {
                0 => format!("({space})"),
                1 => format!("{space}1234567"),
                2 => format!("<</A 1{space}/Length 9>>stream\r\nAttack at\nendstream"),
                _ => format!("<</A[{space}]/Length 9>>\nstream\nAttack at\nendstream"),
            }
            .into_bytes()
        })
        .collect();
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
