//! Tests that PDF files keep every byte outside strings, streams and the cross-reference.

#[path = "pdf/objects.rs"]
mod objects;
#[path = "pdf/small.rs"]
mod small;

use arcfour_formats::pdf::{Document, Encryption};

use objects::pdf_of;

const CATALOG: &[u8] = b"<< /Type /Catalog /Pages 2 0 R >>";
const PAGES: &[u8] = b"<< /Type /Pages /Kids [] /Count 0 >>";

fn encrypted(file: &[u8], version: u8) -> Result<Vec<u8>, String> {
    let encryption = Encryption { version, ..Encryption::default() };
    let mut document = Document::read(file.to_vec()).map_err(|error| error.to_string())?;
    document.encrypt(&encryption).map_err(|error| error.to_string())?;
    let mut made = vec![];
    document.write(&mut made).map_err(|error| error.to_string())?;
    Ok(made)
}

fn decrypted(file: &[u8]) -> Result<Vec<u8>, String> {
    let mut document = Document::read(file.to_vec()).map_err(|error| error.to_string())?;
    let security = document.security().ok_or("not encrypted")?;
    let (key, _) = security.open(b"").map_err(|error| error.to_string())?;
    document.decrypt(&key).map_err(|error| error.to_string())?;
    let mut made = vec![];
    document.write(&mut made).map_err(|error| error.to_string())?;
    Ok(made)
}

fn round_trip(object: &str) {
    // A random ID now and then gives a string whose hexadecimal form has no letter, and so no case.
    let id = "/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]";
    let file = pdf_of(&[CATALOG.into(), PAGES.into(), object.into()], id);
    let body = memchr::memmem::rfind(&file, b"xref\n0 4").unwrap();
    for version in [2, 4] {
        let made = encrypted(&file, version).unwrap();
        assert_ne!(made[..body], file[..body], "{object}");
        let plain = decrypted(&made).unwrap();
        assert_eq!(
            String::from_utf8_lossy(&plain[..body]),
            String::from_utf8_lossy(&file[..body]),
            "{object}"
        );
    }
}

#[test]
fn every_byte_outside_strings_and_streams_stays() {
    let numbers = "37.774929512345 -122.419415512345 551130.123456 16777217.0 001.2756 +.5 4. -0";
    round_trip(&format!("[(a){numbers}\t% a comment (with)\n/N#61me<</A<AB>/B<401122>/A null>>]"));
    round_trip("<</Title<7a30303030>/K(z0000)/L<7a303030307a7a>/N/#7a0000/z0000zz true>>");
    round_trip("<< /Length 11 >>\nstream\nAttack ()\\\r\nendstream");
    round_trip("(\\(two\\) \\\\ and \n a line)");
    // A signature of the file's bytes is not encrypted.
    let signature = "<< /Type /Sig /ByteRange [0 1 2 3] /Contents <0102> /M (date) >>";
    let file = pdf_of(&[CATALOG.into(), PAGES.into(), signature.into()], "");
    let made = encrypted(&file, 2).unwrap();
    assert!(memchr::memmem::find(&made, b"<0102>").is_some());
    assert!(memchr::memmem::find(&made, b"(date)").is_none());
}

/// Crypt filter names may stand in references and arrays.
#[test]
fn filters_and_types_are_followed() {
    let text = "Attack at dawn, all together!!";
    let cases = [
        ("/Filter [/Crypt] /DecodeParms 5 0 R", "[<< /Name /Identity >>]", false),
        ("/Filter [/Crypt] /DecodeParms [5 0 R]", "<< /Name /StdCF >>", true),
        ("/Filter /Crypt /DecodeParms 5 0 R", "<< /Name /StdCF >>", true),
        ("/Filter 5 0 R", "[/Crypt]", false),
        ("/Filter [5 0 R]", "/Crypt", false),
        ("", "null", true),
    ];
    for (entries, fifth, is_encrypted) in cases {
        let made = |entries: &str| {
            let stream =
                format!("<< {entries} /Length {} >>\nstream\n{text}\nendstream", text.len());
            pdf_of(
                &[CATALOG.into(), PAGES.into(), stream.into(), b"null".into(), fifth.into()],
                "/ID [<00><00>]",
            )
        };
        let cipher = encrypted(&made(""), 4).unwrap();
        // Encrypts the stream without these entries, then adds the entries.
        let at = memchr::memmem::find(&cipher, b"stream\n").unwrap() + 7;
        let data = if is_encrypted { &cipher[at..at + text.len()] } else { text.as_bytes() };
        let mut file = made(entries);
        let place = memchr::memmem::find(&file, text.as_bytes()).unwrap();
        file[place..place + text.len()].copy_from_slice(data);
        let dict = memchr::memmem::find(&cipher, b"<< /Filter /Standard").unwrap();
        let end = dict + memchr::memmem::find(&cipher[dict..], b"\nendobj").unwrap();
        let trailer = [b"/Encrypt ", &cipher[dict..end], b" /ID [<00><00>]"].concat();
        let at = memchr::memmem::rfind(&file, b"/ID [<00><00>]").unwrap();
        file.splice(at..at + 14, trailer);
        let plain = decrypted(&file).unwrap();
        let text = memchr::memmem::find(&plain, text.as_bytes());
        assert!(text.is_some(), "{entries}, {fifth}: {}", String::from_utf8_lossy(&plain));
    }
}

/// A reference to an object that is not there may name any number. What is written must have numbers that can be read.
#[test]
fn references_to_absent_objects_leave_a_number_for_the_encryption() {
    for number in [0xff_fffc_u32, 0xff_fffd, 0xff_fffe, 0xff_ffff, 0x100_0000, u32::MAX] {
        let third = format!("[{number} 0 R (text)]");
        let file = pdf_of(&[CATALOG.into(), PAGES.into(), third.clone().into_bytes()], "");
        let plain = decrypted(&encrypted(&file, 2).unwrap()).unwrap();
        assert!(memchr::memmem::find(&plain, third.as_bytes()).is_some());
    }
}

#[test]
fn junk_before_the_header_stays() {
    let file = pdf_of(&[CATALOG.into(), PAGES.into(), b"(text)".into()], "");
    let file = [&b"HTTP/1.0 200 OK\r\n\r\n"[..], &file].concat();
    let plain = decrypted(&encrypted(&file, 2).unwrap()).unwrap();
    assert!(plain.starts_with(&file[..100]));
}

#[test]
fn chains_of_lengths_and_of_references_end() {
    let mut objects: Vec<Vec<u8>> = vec![CATALOG.into(), PAGES.into()];
    for n in 3..8000 {
        let stream = format!("<< /Length {} 0 R >>\nstream\nx\nendstream", n + 1);
        objects.push(stream.into());
    }
    assert!(encrypted(&pdf_of(&objects, ""), 2).is_ok(), "nothing leads to them");
    let error = encrypted(&pdf_of(&objects, "/Info 3 0 R"), 2).unwrap_err();
    assert!(error.contains("object 3 has a stream of another Length"), "{error}");
}

/// A file whose objects 1 and 2 are in the object stream 3, and whose table is the stream 4.
fn with_object_stream(
    kind: &str,
    entries: &str,
    index: &str,
    bytes: &[u8],
    table: &[u8],
) -> Vec<u8> {
    let data = [index.as_bytes(), bytes].concat();
    let mut file = b"%PDF-1.5\n".to_vec();
    let first = index.len();
    let head = format!(
        "3 0 obj\n<< /Type {kind} /N 2 /First {first} {entries} /Length {} >>\nstream\n",
        data.len()
    );
    file.extend([head.as_bytes(), &data, b"\nendstream\nendobj\n"].concat());
    let at = file.len();
    file.extend(b"4 0 obj\n<< /Type /XRef /W [1 1 1] /Size 5 /Root 1 0 R /Length 15 >>\nstream\n");
    file.extend(table);
    file.extend(format!("\nendstream\nendobj\nstartxref\n{at}\n%%EOF\n").bytes());
    file
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

/// Repairs and encrypts a file. Returns what is told of the damage, and the file decrypted again.
fn repaired(file: Vec<u8>) -> (String, Vec<u8>) {
    let mut document = Document::repair(file).unwrap();
    document.encrypt(&Encryption::default()).unwrap();
    let lost = document.lost().unwrap().to_owned();
    let mut made = vec![];
    document.write(&mut made).unwrap();
    (lost, decrypted(&made).unwrap())
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

/// The new table's stream gets the number of the stream that it replaces.
#[test]
fn a_table_whose_stream_has_no_number_of_an_object_is_damage() {
    let (index, bytes) = ("1 0 2 34 ", [CATALOG, b" ", PAGES].concat());
    let table = [0, 0, 0, 2, 3, 0, 2, 3, 1, 1, 9, 0, 1, 0, 0];
    let file = with_object_stream("/ObjStm", "", index, &bytes, &table);
    let at = memchr::memmem::find(&file, b"4 0 obj").unwrap();
    for number in ["0", "16777215", "2147483648"] {
        let changed = [&file[..at], number.as_bytes(), &file[at + 1..]].concat();
        let error = encrypted(&changed, 2).unwrap_err();
        assert!(error.contains("its cross-reference table cannot be read"), "{number}: {error}");
    }
}

/// In the middle of the number 13 stands a 3.
#[test]
fn a_place_inside_a_number_is_of_no_object() {
    let mut objects = vec![CATALOG.to_vec(), PAGES.to_vec()];
    objects.resize(13, b"(text)".to_vec());
    let mut file = pdf_of(&objects, "/Info 3 0 R");
    let place = |object: &[u8]| memchr::memmem::find(&file, object).unwrap() + 1;
    let (third, last) = (place(b"\n3 0 obj"), place(b"\n13 0 obj") + 1);
    let entry = memchr::memmem::rfind(&file, format!("{third:010}").as_bytes()).unwrap();
    file[entry..entry + 10].copy_from_slice(format!("{last:010}").as_bytes());
    let error = encrypted(&file, 2).unwrap_err();
    assert!(error.contains("object 3 cannot be read"), "{error}");
}

/// The encryption dictionary becomes null, and other readers refuse a number that is too large.
#[test]
fn the_trailer_leads_to_a_catalog_and_has_no_number_that_is_too_large() {
    let file = encrypted(&pdf_of(&[CATALOG.into(), PAGES.into()], "/Info 2 0 R"), 2).unwrap();
    for (old, new, why) in [
        ("/Root 1 0 R", "/Root 3 0 R", "Root is not a dictionary"),
        ("/Info 2 0 R", "/Info 99999999999999999999999", "a number of more than 64 bits"),
    ] {
        let at = memchr::memmem::rfind(&file, old.as_bytes()).unwrap();
        let changed = [&file[..at], new.as_bytes(), &file[at + old.len()..]].concat();
        let error = decrypted(&changed).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
}

/// Other readers would pair the keys and values of such a trailer differently if an entry were
/// removed.
#[test]
fn a_trailer_whose_keys_are_not_names_is_damage() {
    for extra in ["/First", "7 /Info 2 0 R", "(text) 7"] {
        let error = encrypted(&pdf_of(&[CATALOG.into(), PAGES.into()], extra), 2).unwrap_err();
        assert!(error.contains("cross-reference table cannot be read"), "{extra}: {error}");
    }
}

#[test]
fn an_encryption_dictionary_that_something_refers_to_is_kept_as_it_is() {
    let info = "/Info 2 0 R";
    let file = pdf_of(&[CATALOG.into(), PAGES.into(), b"[3 0 R]".into()], info);
    let file = encrypted(&file, 2).unwrap();
    let find = memchr::memmem::find;
    let at = find(&file, b"4 0 obj\n<< /Filter /Standard").unwrap();
    let len = find(&file[at..], b"endobj").unwrap();
    let plain = decrypted(&file).unwrap();
    assert!(find(&plain, &file[at..at + len]).is_none());
    for (old, new) in [(info, "/Info 4 0 R"), ("[3 0 R]", "[4 0 R]")] {
        let place = memchr::memmem::rfind(&file, old.as_bytes()).unwrap();
        let changed = [&file[..place], new.as_bytes(), &file[place + old.len()..]].concat();
        let plain = decrypted(&changed).unwrap();
        assert!(find(&plain, &file[at..at + len]).is_some(), "{new}");
    }
}

#[test]
fn a_catalog_that_is_a_stream_is_none() {
    let catalog = [CATALOG, b"\nstream\n\nendstream"].concat();
    let catalog = String::from_utf8(catalog).unwrap().replacen("<<", "<< /Length 0", 1);
    let error = encrypted(&pdf_of(&[catalog.into(), PAGES.into()], ""), 2).unwrap_err();
    assert!(error.contains("Root is not a dictionary"), "{error}");
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

#[test]
fn a_header_that_tells_no_version_stays() {
    let mut file = pdf_of(&[CATALOG.into(), PAGES.into(), b"(text)".into()], "");
    file[5] = b'-';
    assert_eq!(Document::read(file.clone()).unwrap().version(), "");
    let plain = decrypted(&encrypted(&file, 2).unwrap()).unwrap();
    assert!(plain.starts_with(&file[..9]) && file.starts_with(b"%PDF--"));
}

/// The sections that the chain should have come to are lost, and their objects with them.
#[test]
fn a_chain_of_sections_that_closes_to_a_circle_is_damage() {
    let mut file = pdf_of(&[CATALOG.into(), PAGES.into()], "");
    let at = file.len();
    let object = b"1 0 obj\n<< /Type /Catalog /Pages 2 0 R /Lang (en) >>\nendobj\n";
    file.extend(object);
    let table = file.len();
    file.extend(format!("xref\n1 1\n{at:010} 00000 n \n").bytes());
    file.extend(format!("trailer\n<< /Size 3 /Root 1 0 R /Prev {table} >>\n").bytes());
    file.extend(format!("startxref\n{table}\n%%EOF\n").bytes());
    let error = encrypted(&file, 2).unwrap_err();
    assert!(error.contains("its cross-reference table cannot be read"), "{error}");
    let (_, plain) = repaired(file);
    for object in [object, &[&b"2 0 obj\n"[..], PAGES].concat()[..]] {
        assert!(memchr::memmem::find(&plain, object).is_some());
    }
}

/// A reference to an object that is not there means null, and stays so.
#[test]
fn new_objects_take_no_number_that_a_reference_names() {
    let refers = b"[4 0 R 6 0 R]".to_vec();
    let file = pdf_of(&[CATALOG.into(), PAGES.into(), refers], "/Test 9 0 R");
    let made = encrypted(&file, 2).unwrap();
    let is_there = |object: &[u8]| memchr::memmem::find(&made, object).is_some();
    assert!(is_there(b"\n10 0 obj\n<< /Filter /Standard"));
    for number in 4..10 {
        assert!(!is_there(format!("\n{number} 0 obj").as_bytes()), "{number}");
    }
}

#[test]
fn a_wrong_generation_in_the_table_loses_no_object() {
    let file = pdf_of(&[CATALOG.into(), PAGES.into(), b"(text)".into()], "/Info 3 0 R");
    let at = memchr::memmem::rfind(&file, b"xref\n0 4\n").unwrap() + 9;
    for number in 1..=3 {
        let mut file = file.clone();
        file[at + 20 * number + 15] = b'7';
        let error = encrypted(&file, 2).unwrap_err();
        assert!(error.contains(&format!("object {number} is not where the table")), "{error}");
        let (_, plain) = repaired(file);
        assert!(memchr::memmem::find(&plain, b"3 0 obj\n(text)").is_some());
    }
}

/// A file of qpdf's tests has such a table, and qpdf reads it without a warning.
#[test]
fn remarks_between_the_entries_of_a_table_are_skipped() {
    let file = pdf_of(&[CATALOG.into(), PAGES.into(), b"(text)".into()], "/Info 3 0 R");
    let body = memchr::memmem::rfind(&file, b"xref\n0 4\n").unwrap();
    let table = body + b"xref\n0 4\n".len();
    let long = "x".repeat(5000);
    for (entry, remark) in [
        (0, "don't panic"),
        (1, "\n\n \r\n\n"),
        (2, "(life) << is [ too short"),
        (2, "n 12 f"),
        (1, &long),
        (3, "the end"),
        (3, "trailer"),
    ] {
        let at = table + 20 * entry + b"0000000000 65535 f ".len();
        let mut file = file.clone();
        if remark == "trailer" {
            // The trailer begins on the line of the last entry.
            file.remove(at);
        } else {
            file.splice(at..at, remark.bytes());
        }
        let plain = decrypted(&encrypted(&file, 2).unwrap()).unwrap();
        assert_eq!(plain[..body], file[..body], "{entry} {remark}");
    }
    // A remark in place of an entry.
    let mut file = file;
    file.splice(table..table, "don't panic\n".bytes());
    let error = encrypted(&file, 2).unwrap_err();
    assert!(error.contains("cross-reference table cannot be read"), "{error}");
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
