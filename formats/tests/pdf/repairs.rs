//! Damaged PDF files: the repair finds their objects again. The program tells the user of the
//! damage.

use arcfour_formats::pdf::{Document, Encryption, Error};

use super::{
    CATALOG, PAGES, decrypted, encrypted, pdf_of, repaired,
    small::{body, find, reached, replaced, round_trip},
    tables::table_of,
    with_object_stream,
};

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
    let why = "its encryption dictionary is not there";
    assert_eq!(error, Error::Incomplete(why.to_owned()));
    let mut document = Document::repair(lost.clone()).unwrap();
    assert_eq!(document.lost(), Some(why));
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
    assert_eq!(dictionary(Document::repair(gone.clone())), "it is nowhere in the file");
    let no_table = replaced(&gone, "startxref", "startxxxx");
    assert_eq!(dictionary(Document::repair(no_table)), "it is nowhere in the file");
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

#[test]
fn a_repair_tells_of_an_object_stream_of_another_type() {
    let (index, bytes) = ("1 0 2 34 ", [CATALOG, b" ", PAGES].concat());
    let table = [0, 0, 0, 2, 3, 0, 2, 3, 1, 1, 9, 0, 1, 0, 0];
    for (kind, lost) in [("/ObjStm", None), ("/O", Some("object stream 3: its Type is not ObjStm"))]
    {
        let file = with_object_stream(kind, "", index, &bytes, &table);
        let mut document = Document::repair(file.clone()).unwrap();
        document.encrypt(&Encryption::default()).unwrap();
        assert_eq!(document.lost(), lost);
        let mut made = vec![];
        document.write(&mut made).unwrap();
        // What leads to its objects stays too.
        let mut document = Document::repair(made).unwrap();
        let (key, _) = document.security().unwrap().open(b"").unwrap();
        document.decrypt(&key).unwrap();
        let mut plain = vec![];
        document.write(&mut plain).unwrap();
        let end = memchr::memmem::find(&file, b"endobj").unwrap();
        assert_eq!(plain[..end], file[..end]);
    }
}

#[test]
fn a_repair_puts_in_what_begins_and_ends_a_stream() {
    for (stream, lost, mended) in [
        (
            "<< /Length 99 >>\nstream\nAttack at dawn\nenxstream",
            "object 3 has a stream of another Length than it says",
            "<< /Length 24 >>\nstream\nAttack at dawn\nenxstream\nendstream\nendobj",
        ),
        (
            "<< /Length 14 >>\nstream Attack at dawn\nendstream",
            "object 3 has no line end after its word stream",
            "<< /Length 14 >>\nstream\nAttack at dawn\nendstream\nendobj",
        ),
        (
            "<< /Length 14 >>\nstream\rAttack at dawn\nendstream",
            "object 3 has no line end after its word stream",
            "<< /Length 14 >>\nstream\nAttack at dawn\nendstream\nendobj",
        ),
        (
            "<< /Length 3x 0 R /N 3 >>\nstream\nAttack at dawn\nendstream",
            "object 3 has a stream of another Length than it says",
            "<< /Length 14 /N 3 >>\nstream\nAttack at dawn\nendstream\nendobj",
        ),
        (
            "<< /N 3 /Length 3x 0 R>>\nstream\nAttack at dawn\nendstream",
            "object 3 has a stream of another Length than it says",
            "<< /N 3 /Length 14 >>\nstream\nAttack at dawn\nendstream\nendobj",
        ),
    ] {
        let file = pdf_of(&[CATALOG.into(), PAGES.into(), stream.into()], "/Info 3 0 R");
        let (told, plain) = repaired(file);
        assert_eq!(told, lost);
        assert!(memchr::memmem::find(&plain, mended.as_bytes()).is_some(), "{mended}");
    }
}

#[test]
fn a_repair_takes_wrong_characters_out_of_a_hexadecimal_string() {
    let object = b"<< /Title <41z42\xef 4> /Lang (en) >>".to_vec();
    let file = pdf_of(&[CATALOG.into(), PAGES.into(), object], "/Info 3 0 R");
    let fault = "object 3 has a string with a character that is not a hexadecimal digit";
    assert!(encrypted(&file, 2).unwrap_err().contains(fault));
    let (lost, plain) = repaired(file);
    assert_eq!(lost, fault);
    assert!(memchr::memmem::find(&plain, b"<< /Title <414240> /Lang (en) >>").is_some());
    // The next bracket would end the string too late.
    let open = b"<< /Title <4142 /Lang (en) >>".to_vec();
    let file = pdf_of(&[CATALOG.into(), PAGES.into(), open], "/Info 3 0 R");
    assert_eq!(repaired(file).0, "object 3 cannot be read");
}

#[test]
fn a_repair_keeps_the_objects_of_an_object_stream_that_have_faults() {
    let bytes = [CATALOG, b" ", b"<< /Count 0 (Kids) /Type /Pages >>"].concat();
    let table = [0, 0, 0, 2, 3, 0, 2, 3, 1, 1, 9, 0, 1, 0, 0];
    let file = with_object_stream("/ObjStm", "", "1 0 2 34 ", &bytes, &table);
    let fault = "object 2 has a dictionary whose keys are not names";
    assert!(encrypted(&file, 2).unwrap_err().contains(fault));
    let mut document = Document::repair(file).unwrap();
    document.encrypt(&Encryption::default()).unwrap();
    assert_eq!(document.lost(), Some(fault));
    let mut made = vec![];
    document.write(&mut made).unwrap();
    // The fault stays too. The table has object 2 as the second object of object stream 3.
    assert!(encrypted(&made, 2).unwrap_err().contains("encrypted already"));
    assert!(decrypted(&made).unwrap_err().contains(fault));
    assert!(memchr::memmem::find(&made, &[2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1]).is_some());
}

/// OpenPDF's tests have such a file.
#[test]
fn a_repair_takes_what_the_last_trailer_lacks_from_an_earlier_one() {
    let title = b"<< /Title (Attack at dawn) >>".to_vec();
    let id = "/ID [<0011> <2233>]";
    let mut file =
        pdf_of(&[CATALOG.into(), PAGES.into(), title], &format!("/Info 3 0 R {id} /Other 7"));
    let last = "trailer\n<< /Size 4 /Root 1 0 R>>\nstartxref\n99999\n%%EOF\n";
    file.extend(last.bytes());
    let (lost, plain) = repaired(file);
    assert_eq!(lost, "its cross-reference table cannot be read");
    let trailer = &plain[memchr::memmem::rfind(&plain, b"trailer").unwrap()..];
    let trailer = String::from_utf8_lossy(trailer);
    assert!(trailer.contains("/Info 3 0 R") && trailer.contains(id), "{trailer}");
    assert!(!trailer.contains("/Other"), "{trailer}");
}
