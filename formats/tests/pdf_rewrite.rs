//! Tests that PDF files keep every byte outside strings, streams and the cross-reference.

#[path = "pdf/object_streams.rs"]
mod object_streams;
#[path = "pdf/objects.rs"]
mod objects;
#[path = "pdf/repairs.rs"]
mod repairs;
#[path = "pdf/small.rs"]
mod small;
#[path = "pdf/tables.rs"]
mod tables;

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

#[test]
fn a_header_that_tells_no_version_stays() {
    let mut file = pdf_of(&[CATALOG.into(), PAGES.into(), b"(text)".into()], "");
    file[5] = b'-';
    assert_eq!(Document::read(file.clone()).unwrap().version(), "");
    let plain = decrypted(&encrypted(&file, 2).unwrap()).unwrap();
    assert!(plain.starts_with(&file[..9]) && file.starts_with(b"%PDF--"));
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
