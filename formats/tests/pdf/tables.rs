//! Cross-reference tables, trailers and their chains: how they are read, and what is written.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use arcfour_formats::pdf::{Document, Error, Source};

use super::{
    CATALOG, PAGES, decrypted, encrypted, pdf_of, repaired,
    small::{body, find, reached, replaced},
    with_object_stream,
};

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

/// Returns the table that a file should end with: a line for each object, at its place.
pub(super) fn table_of(file: &[u8], numbers: &[u32], trailer: &str) -> String {
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
