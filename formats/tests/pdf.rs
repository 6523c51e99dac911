//! Tests with the vectors of PDF files (keys and whole files), and with files that we encrypt and
//! read again.

#[path = "pdf/objects.rs"]
mod objects;

use std::{
    fs,
    io::{self, Cursor, ErrorKind, Read, Seek, SeekFrom},
    path::PathBuf,
};

use arcfour_formats::pdf::{
    Document, Encryption, Error, FileKey, Password, Security, Source, Standard, find_header,
    pdf_doc_encoding,
};
use data_encoding::HEXLOWER;
use serde::Deserialize;

use objects::pdf_of;

#[derive(Deserialize)]
#[expect(non_snake_case, reason = "the entries of the encryption dictionary")]
struct Vector {
    name: String,
    V: u8,
    R: u8,
    EncryptMetadata: bool,
    P: i32,
    ID: String,
    O: String,
    U: String,
    user_password: String,
    owner_password: String,
    file_key: String,
    object: (u32, u16),
    object_key: String,
    keystream: String,
    ciphertext: String,
    plaintext: String,
}

#[derive(Deserialize)]
struct Vectors {
    vector: Vec<Vector>,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../vectors")
}

fn vectors() -> Vec<Vector> {
    let text = fs::read_to_string(folder().join("pdf.toml")).unwrap();
    toml::from_str::<Vectors>(&text).unwrap().vector
}

fn hex(digits: &str) -> Vec<u8> {
    HEXLOWER.decode(digits.as_bytes()).unwrap()
}

impl Vector {
    fn file(&self) -> Vec<u8> {
        fs::read(folder().join(format!("pdf/{}.pdf", self.name))).unwrap()
    }

    fn standard(&self) -> Standard {
        Standard {
            version: self.V,
            revision: self.R,
            key_len: self.file_key.len() / 2,
            owner: hex(&self.O).try_into().unwrap(),
            user: hex(&self.U).try_into().unwrap(),
            permissions: self.P,
            id: hex(&self.ID),
            encrypt_metadata: self.EncryptMetadata,
        }
    }
}

fn contains(file: &[u8], what: &[u8]) -> bool {
    memchr::memmem::find(file, what).is_some()
}

fn written(document: Document) -> Vec<u8> {
    let mut file = vec![];
    document.write(&mut file).unwrap();
    file
}

#[test]
fn keys_are_those_of_the_vectors() {
    let vectors = vectors();
    assert!(vectors.len() >= 18);
    for vector in vectors {
        let name = &vector.name;
        let standard = vector.standard();
        let key = standard.file_key(&hex(&vector.user_password));
        assert_eq!(HEXLOWER.encode(key.bytes()), vector.file_key, "{name}");
        assert!(standard.fits(&key), "{name}");
        for (password, whose) in
            [(&vector.user_password, Password::User), (&vector.owner_password, Password::Owner)]
        {
            let opened = standard.open(&hex(password));
            assert!(opened == Some((key.clone(), whose)), "{name}, {whose:?}");
        }
        assert!(standard.open(b"Quentin").is_none(), "{name}");
        let (number, generation) = vector.object;
        let object_key = standard.object_key(&key, number, generation);
        assert_eq!(HEXLOWER.encode(object_key.bytes()), vector.object_key, "{name}");
        let mut keystream = [0; 16];
        object_key.apply(&mut keystream);
        assert_eq!(HEXLOWER.encode(&keystream), vector.keystream, "{name}");
        let mut text = hex(&vector.ciphertext);
        object_key.apply(&mut text);
        assert_eq!(text, hex(&vector.plaintext), "{name}");

        // Our O and U equal the vectors', except that U is arbitrary after its first 16 bytes.
        let (user, owner) = (hex(&vector.user_password), hex(&vector.owner_password));
        let made = standard.clone().with_passwords(&user, &owner);
        assert_eq!(made, standard, "{name}");
    }
}

#[test]
fn files_are_decrypted_by_either_password_and_by_the_key() {
    let title: Vec<u8> = [0xfeff]
        .into_iter()
        .chain("Été à l’aube".encode_utf16())
        .flat_map(u16::to_be_bytes)
        .collect();
    for vector in vectors() {
        let name = &vector.name;
        let read = || Document::read(vector.file()).unwrap();
        let security: Security = read().security().unwrap().clone();
        let (user, whose) = security.open(&hex(&vector.user_password)).unwrap();
        assert_eq!(whose, Password::User, "{name}");
        let (owner, whose) = security.open(&hex(&vector.owner_password)).unwrap();
        assert_eq!(whose, Password::Owner, "{name}");
        let raw = FileKey::new(&hex(&vector.file_key)).unwrap();
        for key in [user, owner, raw] {
            let mut document = read();
            document.decrypt(&key).unwrap();
            let file = written(document);
            assert!(contains(&file, &hex(&vector.plaintext)), "{name}");
            assert!(contains(&file, b"x:xmpmeta"), "{name}");
            for text in ["/Encrypt", "/Crypt"] {
                assert!(!contains(&file, text.as_bytes()), "{name}: {text}");
            }
            // Reading the result again loses nothing.
            let mut again = Document::read(file.clone()).unwrap();
            assert!(again.security().is_none(), "{name}");
            again.encrypt(&Encryption::default()).unwrap();
            if contains(&file, b"/ObjStm") || contains(&vector.file(), b"/StrF /Identity") {
                continue; // the title stays as it is written
            }
            let mut escaped = vec![];
            for &byte in &title {
                if b"()\\".contains(&byte) {
                    escaped.push(b'\\');
                }
                escaped.push(byte);
            }
            assert!(contains(&file, &escaped), "{name}");
        }
    }
}

#[test]
fn a_wrong_password_is_told_from_damage() {
    for vector in vectors() {
        let document = Document::read(vector.file()).unwrap();
        let security = document.security().unwrap();
        assert_eq!(security.open(b"Quentin").err(), Some(Error::WrongPassword), "{}", vector.name);
        let mut key = hex(&vector.file_key);
        key[2] ^= 1;
        let wrong = security.check(&FileKey::new(&key).unwrap());
        assert_eq!(wrong.err(), Some(Error::WrongKey), "{}", vector.name);
    }
    let file = vectors()[0].file();
    let cut = Document::read(file[..file.len() - 200].to_vec()).err();
    assert!(matches!(cut, Some(Error::Incomplete(_) | Error::Damaged(_))), "{cut:?}");
    assert_eq!(FileKey::new(&[0; 17]).err(), Some(Error::KeyLength(17)));
}

#[test]
fn the_header_begins_in_the_first_1024_bytes() {
    let file = vectors()[0].file();
    let after = |junk: usize| Document::read([vec![b'\r'; junk], file.clone()].concat());
    let version = after(0).unwrap().version().to_owned();
    assert!(version.starts_with("1."), "{version}");
    for junk in [1, 1015, 1020, 1023] {
        assert_eq!(after(junk).unwrap().version(), version, "{junk}");
    }
    let late = after(1024).err();
    assert!(matches!(late, Some(Error::Incomplete(_))), "{late:?}");
    for (junk, after, place) in
        [(0, "", Some(0)), (7, "1.4", Some(7)), (1023, "", Some(1023)), (1024, "1.4", None)]
    {
        let start = [&vec![b'\r'; junk][..], &b"%PDF-"[..], after.as_bytes()].concat();
        assert_eq!(find_header(&start), place);
        // The mark is cut.
        assert_eq!(find_header(&start[..junk + 4]), None);
    }
}

#[test]
fn what_is_encrypted_is_decrypted_to_the_same() {
    let mut plain = Document::read(vectors()[6].file()).unwrap();
    let (key, _) = plain.security().unwrap().open(b"user").unwrap();
    plain.decrypt(&key).unwrap();
    let plain = written(plain);
    for (version, key_len) in [(1, 5), (2, 5), (2, 7), (2, 16), (4, 16)] {
        for (user, owner) in [("", ""), ("user", "owner"), ("\u{e9}t\u{e9}", "")] {
            for encrypt_metadata in [true, false] {
                let encryption = Encryption {
                    version,
                    key_len,
                    user_password: pdf_doc_encoding(user).unwrap(),
                    owner_password: owner.into(),
                    encrypt_metadata,
                    ..Encryption::default()
                };
                let mut document = Document::read(plain.clone()).unwrap();
                document.encrypt(&encryption).unwrap();
                let text = written_encrypted(document);
                assert!(!contains(&text, b"Attack at dawn"));
                assert_eq!(contains(&text, b"x:xmpmeta"), version == 4 && !encrypt_metadata);
                let mut document = Document::read(text).unwrap();
                let (key, _) = document.security().unwrap().open(user.as_bytes()).unwrap();
                assert_eq!(key.bytes().len(), key_len);
                document.decrypt(&key).unwrap();
                let again = written(document);
                // Every byte before the cross-reference section is unchanged.
                let body = memchr::memmem::rfind(&plain, b"xref\n0 ").unwrap();
                assert!(again.starts_with(&plain[..body]));
            }
        }
    }
    let mut document = Document::read(plain).unwrap();
    let refused = |version, key_len| Encryption { version, key_len, ..Encryption::default() };
    for (version, key_len) in [(1, 16), (2, 4), (2, 17), (3, 16), (4, 5)] {
        assert!(document.encrypt(&refused(version, key_len)).is_err());
    }
    document.encrypt(&Encryption::default()).unwrap();
    assert_eq!(document.encrypt(&Encryption::default()).err(), Some(Error::AlreadyEncrypted));
}

fn written_encrypted(document: Document) -> Vec<u8> {
    assert!(document.security().is_some());
    written(document)
}

const CATALOG: &[u8] = b"<< /Type /Catalog /Pages 2 0 R >>";
const PAGES: &[u8] = b"<< /Type /Pages /Kids [] /Count 0 >>";

fn refused(objects: &[&[u8]], extra: &str, why: &str) {
    let objects: Vec<_> = objects.iter().map(|object| object.to_vec()).collect();
    let made = Document::read(pdf_of(&objects, extra))
        .and_then(|mut document| document.encrypt(&Encryption::default()));
    let error = made.err();
    let message = error.unwrap_or_else(|| panic!("accepted; expected {why}")).to_string();
    assert!(message.contains(why) && !message.contains('\n'), "{message}; expected {why}");
}

#[test]
fn hostile_files_are_refused_in_bounded_memory() {
    // Many entries for one stream.
    let big = [b"<< /Length 65536 >>\nstream\n", &[b'x'; 1 << 16][..], b"\nendstream"].concat();
    let mut file = pdf_of(&[CATALOG.into(), PAGES.into(), big], "");
    let entry: Vec<u8> = {
        let table = memchr::memmem::rfind(&file, b"xref\n0 4").unwrap();
        file[table + 9 + 60..table + 9 + 80].to_vec()
    };
    let at = memchr::memmem::rfind(&file, b"xref\n0 4").unwrap();
    file.truncate(at);
    file.extend(format!("xref\n0 1\n0000000000 65535 f \n1 {}\n", 9999).bytes());
    for _ in 0..9999 {
        file.extend(&entry);
    }
    file.extend(
        format!("trailer\n<< /Size 10000 /Root 1 0 R >>\nstartxref\n{at}\n%%EOF\n").bytes(),
    );
    let mut document = Document::read(file).unwrap();
    let error = document.encrypt(&Encryption::default()).err().unwrap().to_string();
    assert!(error.contains("object 1 is not where the table says"), "{error}");
    // Names with escapes equal the names without.
    refused(&[CATALOG, PAGES], "/Encr#79pt 3 0 R", "dictionary is not there");
    // The encryption dictionary has another type, refers to itself, or has impossible values.
    for (encrypt, why) in [
        ("3 0 R", "dictionary is not there"),
        ("17", "dictionary is not there"),
        ("99 0 R", "dictionary is not there"),
        ("<< /V 2 >>", "no Filter"),
        ("<< /Filter /Standard /V 4 /StmF /Nothing >>", "no crypt filter /Nothing"),
        ("<< /Filter /Standard /V 4 /StmF / >>", "no crypt filter /"),
    ] {
        refused(&[CATALOG, PAGES, b"3 0 R"], &format!("/Encrypt {encrypt}"), why);
    }
    for (encrypt, why) in [
        ("/V 2 /R 3 /O () /U (user)", "it has no O"),
        ("/V 2 /R 3 /O (owner)", "it has no U"),
        ("/V 2 /R 3 /O (short) /U (short)", "wrong password"),
        ("/V 9 /R 9", "AES-256"),
        ("/V 3 /R 3", "V 3 and R 3"),
        ("/V 0 /R -1", "V 0 and R -1"),
        ("/V (two) /R [3]", "V 0 and R 0"),
        ("/V 4 /R 4 /CF << /A << /CFM /AESV2 >> >> /StmF /A /StrF /A", "AES-128"),
        ("/V 4 /R 4 /CF << /A << >> >> /StmF /A", "crypt method None"),
    ] {
        let extra = format!("/Encrypt << /Filter /Standard {encrypt} >>");
        let file = pdf_of(&[CATALOG.into(), PAGES.into()], &extra);
        let document = Document::read(file).unwrap();
        let error = document.security().unwrap().open(b"").err().unwrap().to_string();
        assert!(error.contains(why), "{error}; expected {why}");
    }
    let public_key = "/Encrypt << /Filter /Adobe.PubSec /V 2 /R 3 >>";
    let document = Document::read(pdf_of(&[CATALOG.into(), PAGES.into()], public_key)).unwrap();
    let error = document.security().unwrap().rc4().unwrap_err().to_string();
    assert!(error.contains("Adobe.PubSec"), "{error}");
    // Lengths and tables that lead in a circle, or beyond the file.
    for length in ["3 0 R", "99 0 R", "99999999999999999999", "-1", "/Much"] {
        let object = format!("<< /Length {length} >>\nstream\nabc\nendstream");
        let file = pdf_of(&[CATALOG.into(), PAGES.into(), object.into()], "");
        let _ = Document::repair(file); // it ends
    }
    let circle = pdf_of(&[CATALOG.into(), PAGES.into()], "/Prev 9");
    let at = memchr::memmem::rfind(&circle, b"xref\n0 3").unwrap();
    let text = String::from_utf8(circle).unwrap().replace("/Prev 9", &format!("/Prev {at}"));
    let _ = Document::repair(text.into_bytes()); // it ends
    // Many trailers beside a large one. Read again for each of the others, it takes minutes.
    let large = format!("trailer\n<< /Root 1 0 R /ID [<{}>] >>\n", "41".repeat(120_000));
    let trailers = [large.as_bytes(), &b"trailer\n<< /Root 1 0 R >>\n".repeat(20_000)].concat();
    let file = [b"%PDF-1.5\n1 0 obj\n", CATALOG, b"\nendobj\n", &trailers].concat();
    let _ = Document::repair(file); // it ends
    // Nesting.
    let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
    let _ = Document::repair(pdf_of(&[CATALOG.into(), PAGES.into(), deep], ""));
}

/// Bytes that refuse the places a system refuses for an open file: those from 2^63 on.
struct OpenFile(Cursor<Vec<u8>>);

impl Read for OpenFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Seek for OpenFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            SeekFrom::Start(at) if at > i64::MAX as u64 => Err(ErrorKind::InvalidInput.into()),
            to => self.0.seek(to),
        }
    }
}

/// A place that no file has is damage of the file, not an error of the system.
#[test]
fn a_table_beyond_every_file_is_repaired() {
    let file = String::from_utf8(pdf_of(&[CATALOG.into(), PAGES.into()], "")).unwrap();
    let (objects, _) = file.split_once("startxref").unwrap();
    let largest = i64::MAX;
    let file = format!("four{objects}startxref\n{largest}\n%%EOF\n").into_bytes();
    let open = || Source::new(OpenFile(Cursor::new(file.clone()))).unwrap();
    let error = Document::read(open()).err().unwrap().to_string();
    assert!(error.contains("its cross-reference table cannot be read"), "{error}");
    assert!(Document::repair(open()).is_ok());
}

/// Every cut, and every byte changed: an error or a result, no panic.
#[test]
fn damage_is_an_error() {
    for name in ["v1-r2-empty", "v4-r4-object-streams", "v4-r4-40"] {
        let vector = vectors().into_iter().find(|vector| vector.name == name).unwrap();
        let (whole, key) = (vector.file(), FileKey::new(&hex(&vector.file_key)).unwrap());
        let try_it = |file: Vec<u8>| {
            if let Ok(mut document) = Document::repair(file)
                && document.security().is_some()
                && document.decrypt(&key).is_ok()
            {
                written(document);
            }
        };
        for len in (0..whole.len()).step_by(7) {
            try_it(whole[..len].to_vec());
        }
        for at in (0..whole.len()).step_by(3) {
            for value in [whole[at] ^ 1, b' ', b'9'] {
                let mut changed = whole.clone();
                changed[at] = value;
                try_it(changed);
            }
        }
    }
}

/// With R 2 all of U counts, and else its first half.
#[test]
fn the_bytes_of_u_that_count() {
    for vector in vectors() {
        let standard = vector.standard();
        let key = standard.file_key(&hex(&vector.user_password));
        for at in 0..32 {
            let mut changed = standard.clone();
            changed.user[at] ^= 1;
            assert_eq!(changed.fits(&key), vector.R > 2 && at >= 16, "{} {at}", vector.name);
        }
    }
}

/// With keys below 128 bits, programs disagree on the owner's rounds.
#[test]
fn both_ways_of_the_owners_rounds_are_tried() {
    for (revision, key_len, lens) in [
        (2, 5, &[5][..]),
        (2, 16, &[16]),
        (3, 5, &[5, 16]),
        (3, 16, &[16]),
        (4, 15, &[15, 16]),
        (4, 16, &[16]),
    ] {
        let standard = Standard { revision, key_len, ..vectors()[0].standard() };
        assert_eq!(standard.owner_round_lens().collect::<Vec<_>>(), lens, "{revision} {key_len}");
    }
}
