//! Objects of small PDF files made by hand: which are encrypted, with which keys, and what stays.

use arcfour_formats::pdf::{Document, Encryption, Error, Standard};
use data_encoding::HEXLOWER;

use super::{CATALOG, PAGES, decrypted, encrypted, pdf_of, repaired, with_object_stream};

/// A file whose objects from 4 on are these. The trailer leads to each.
pub(super) fn reached(objects: &[Vec<u8>]) -> Vec<u8> {
    let all: String = (4..4 + objects.len()).map(|n| format!("{n} 0 R ")).collect();
    let all = format!("[{all}]").into_bytes();
    let objects = [&[CATALOG.to_vec(), PAGES.to_vec(), all][..], objects].concat();
    let id = "/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]";
    pdf_of(&objects, &format!("/Info 3 0 R {id}"))
}

/// The objects of a file: everything before its table.
pub(super) fn body(file: &[u8]) -> &[u8] {
    &file[..memchr::memmem::rfind(file, b"xref\n0 ").unwrap()]
}

pub(super) fn find(file: &[u8], what: &str) -> usize {
    memchr::memmem::find(file, what.as_bytes()).unwrap_or_else(|| panic!("{what}"))
}

pub(super) fn replaced(file: &[u8], old: &str, new: &str) -> Vec<u8> {
    let at = find(file, old);
    [&file[..at], new.as_bytes(), &file[at + old.len()..]].concat()
}

/// Does the same before the newest table, whose place the end of the file names.
pub(super) fn moved(file: &[u8], old: &str, new: &str) -> Vec<u8> {
    let start = memchr::memmem::rfind(file, b"startxref\n").unwrap() + 10;
    let (before, number) = (&file[..start], str::from_utf8(&file[start..]).unwrap());
    let number: usize = number.split('\n').next().unwrap().parse().unwrap();
    let end = format!("{}\n%%EOF\n", number + new.len() - old.len());
    [&replaced(before, old, new), end.as_bytes()].concat()
}

/// Checks that encryption and decryption give the same objects.
pub(super) fn round_trip(file: &[u8]) {
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

/// Only the EF entry of a file specification says that these streams are attachments.
#[test]
fn attachments_need_no_type() {
    let stream = |text: &str| format!("<< /Length 14 >>\nstream\n{text}\nendstream").into_bytes();
    let texts = ["Attack at dawn", "Attack at dusk", "Attack at noon", "A plain stream"];
    let direct = b"<< /Type /Filespec /EF << /F 5 0 R /#55F 6 0 R >> /RF [8 0 R] >>".to_vec();
    let by_reference = b"[<< /E#46 10 0 R >>]".to_vec();
    let [a, b, c, d] = texts.map(stream);
    let file = reached(&[direct, a, b, c, d, by_reference, b"<< /F 7 0 R >>".to_vec()]);
    let made = encrypted(&file, 4).unwrap();
    // The filter Identity leaves the attachments as they are, encrypted here.
    let changed = moved(&made, "/Filter /Standard", "/Filter /Standard /EFF /Identity");
    let plain = decrypted(&changed).unwrap();
    let there = texts.map(|text| memchr::memmem::find(&plain, text.as_bytes()).is_some());
    assert_eq!(there, [false, false, false, true]);
    round_trip(&file);
}

/// Other readers open these files too. R 2 has a key of more than 40 bits, O or U lacks its last
/// bytes, or the password is in Windows-1252.
#[test]
fn dictionaries_that_depart_from_the_standard_are_read() {
    let opened = |standard: &Standard, lens: [usize; 2], password: &str| {
        let entries = [(&standard.owner, lens[0]), (&standard.user, lens[1])]
            .map(|(bytes, len)| HEXLOWER.encode(&bytes[..len]));
        let dict = format!(
            "/Encrypt << /Filter /Standard /V 2 /R {} /Length 128 /P -4 /O <{}> /U <{}> >>",
            standard.revision, entries[0], entries[1]
        );
        let file = pdf_of(&[CATALOG.into(), PAGES.into()], &dict);
        let document = Document::read(file).unwrap();
        let opened = document.security().unwrap().open(password.as_bytes());
        opened.map(|(key, _)| key == standard.file_key(b"user \x80"))
    };
    // The last byte of O is 0 for this owner's password.
    let made = |revision, key_len| {
        let standard = Standard {
            version: 2,
            revision,
            key_len,
            owner: [0; 32],
            user: [0; 32],
            permissions: -4,
            id: vec![],
            encrypt_metadata: true,
        };
        let owners = (0..2000).map(|n| n.to_string());
        let mut all =
            owners.map(|owner| standard.clone().with_passwords(b"user \x80", owner.as_bytes()));
        all.find(|standard| standard.owner[31] == 0).unwrap()
    };
    for (revision, key_len) in [(2, 5), (2, 16), (3, 16)] {
        let standard = made(revision, key_len);
        assert_eq!(opened(&standard, [32, 32], "user \u{20ac}"), Ok(true));
        assert_eq!(opened(&standard, [31, 32], "user \u{20ac}"), Ok(true));
        assert_eq!(opened(&standard, [32, 32], "user \u{81}"), Err(Error::WrongPassword));
        let short = if revision == 2 { Err(Error::WrongPassword) } else { Ok(true) };
        assert_eq!(opened(&standard, [32, 16], "user \u{20ac}"), short);
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
        ("/V 2 /R 2 /Length 128", &[5, 16]),
        ("/V 2 /R 3", &[5, 16]),
        ("/V 2 /R 3 /Length 40", &[5]),
        ("/V 2 /R 3 /Length 56", &[7]),
        ("/V 2 /R 3 /Length 128", &[16]),
        ("/V 2 /R 3 /Length 5", &[5]),
        ("/V 2 /R 3 /Length 16", &[16]),
        ("/V 2 /R 3 /Length 4", &[16, 5]),
        ("/V 2 /R 3 /Length 17", &[16, 5]),
        ("/V 2 /R 3 /Length 39", &[16, 5]),
        ("/V 2 /R 3 /Length 41", &[5, 16]),
        ("/V 2 /R 3 /Length 57", &[7, 16, 5]),
        ("/V 2 /R 3 /Length 127", &[15, 16, 5]),
        ("/V 2 /R 3 /Length 129", &[16, 5]),
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
