//! Small documents made by hand, with exact contents and messages.

use arcfour_formats::{
    office::{Document, Error, Format, Handler, Jet, Office97, Protection},
    openssl, pdf,
};

use super::{PASSWORD, XOR, access, encrypt, vector};

fn office97() -> Handler {
    vector(None, PASSWORD).handler()
}

fn read(streams: &[(&str, &[u8])]) -> Result<Document, Error> {
    Document::read(encrypt::compound(streams))
}

fn message<T>(result: Result<T, Error>) -> String {
    result.err().expect("an error").to_string()
}

/// Returns a stream of a document after decryption.
fn decrypted(streams: &[(&str, &[u8])], handler: &Handler, name: &str) -> Result<Vec<u8>, Error> {
    let plain = read(streams)?.decrypt(&handler.file_key(PASSWORD))?;
    assert!(plain.left_out.is_empty());
    Ok(encrypt::stream(&plain.file, name).unwrap())
}

#[test]
fn other_files_are_named() {
    let not = "not a document of Word, Excel, PowerPoint or Access 97 to 2003: ";
    for (start, what) in [
        (&b"PK\x03\x04"[..], "it is a ZIP file, as Office 2007 and later write"),
        (&[0xdb, 0xa5], "it is a document of Word 2"),
        (&[9, 0, 4, 0], "it is a worksheet of Excel 2"),
        (&[9, 2, 6, 0], "it is a worksheet of Excel 3"),
        (&[9, 4, 6, 0], "it is a worksheet of Excel 4"),
        (b"PK", "it does not begin with the bytes d0 cf 11 e0 a1 b1 1a e1"),
    ] {
        assert_eq!(message(Document::read(start.to_vec())), format!("{not}{what}"));
    }
    for (len, what) in [
        ((1 << 31) - 1, "it does not begin with the bytes d0 cf 11 e0 a1 b1 1a e1"),
        (1 << 31, "it has more than 2147483647 bytes"),
    ] {
        // The system gives pages of zeros when they are read, and none is.
        assert_eq!(message(Document::read(vec![0; len])), format!("{not}{what}"));
    }
    let other = format!("{not}it is a compound file of another program");
    assert_eq!(message(read(&[("Header", b"")])), other);
    assert_eq!(message(read(&[("PersistentStorage Directory", b"")])), other);
    assert_eq!(
        message(read(&[("EncryptedPackage", b"")])),
        "the document is protected by the encryption of Office 2007 and later, AES; \
         msoffcrypto-tool opens it"
    );
    let old = [("Header", &b""[..]), ("PersistentStorage Directory", b"")];
    for streams in [&[("PP40", &b""[..])][..], &old] {
        let document = read(streams).unwrap();
        assert_eq!((document.format(), document.protection()), (Format::Ppt95, &Protection::None));
    }
}

#[test]
fn each_format_has_a_name() {
    for (format, name) in [
        (Format::Doc, "Word 97 to 2003"),
        (Format::Doc95, "Word 6 or 95"),
        (Format::Xls, "Excel 97 to 2003"),
        (Format::Xls95, "Excel 5 or 95"),
        (Format::Ppt, "PowerPoint 97 to 2003"),
        (Format::Ppt95, "PowerPoint 4 or 95"),
        (Format::Mdb97, "Access 97"),
        (Format::Mdb, "Access 2000 to 2003"),
        (Format::Accdb, "Access 2007 and later"),
    ] {
        assert_eq!(format.to_string(), name);
    }
}

/// Keys and passphrases must not reach a log.
#[test]
fn debug_texts_show_no_secret() {
    let handler = office97();
    let key = handler.file_key(PASSWORD);
    let document = read(&[("PP40", b"")]).unwrap();
    let options = openssl::Options::default();
    let decryptor = openssl::Decryptor::new(b"secret", options);
    let encryptor = openssl::Encryptor::new(b"secret", options).unwrap();
    let pdf_key = pdf::FileKey::new(b"secret").unwrap();
    let standard = pdf::Standard {
        version: 1,
        revision: 2,
        key_len: 5,
        owner: [0; 32],
        user: [0; 32],
        permissions: 0,
        id: vec![],
        encrypt_metadata: true,
    };
    let object_key = standard.object_key(&pdf_key, 1, 0);
    let file = super::folder().join("pdf/v1-r2.pdf");
    let file = std::fs::read(file).unwrap();
    let pdf = pdf::Document::read(file).unwrap();
    for (shown, expected) in [
        (format!("{document:?}"), "Document { format: Ppt95, .. }"),
        (format!("{key:?}"), "FileKey { .. }"),
        (format!("{:?}", handler.block_key(&key, 0)), "BlockKey { .. }"),
        (
            format!("{decryptor:?}"),
            "Decryptor { options: Options { cipher: Rc4, hash: Sha256, derivation: BytesToKey, \
             salt: Header, text: Raw, backend: None }, .. }",
        ),
        (format!("{encryptor:?}"), "Encryptor { .. }"),
        (format!("{pdf:?}"), "Document { version: Some(\"1.5\"), .. }"),
        (format!("{pdf_key:?}"), "FileKey { .. }"),
        (format!("{object_key:?}"), "ObjectKey { .. }"),
        (format!("{:?}", pdf::Source::from(vec![0; 5])), "Source { len: 5, .. }"),
    ] {
        assert_eq!(shown, expected);
    }
}

fn records(parts: &[(u16, &[u8])]) -> Vec<u8> {
    let record = |(kind, body): &(u16, &[u8])| {
        [&kind.to_le_bytes()[..], &(body.len() as u16).to_le_bytes(), body].concat()
    };
    parts.iter().flat_map(record).collect()
}

const BOF: (u16, &[u8]) = (0x0809, &[0, 6, 5, 0, 1, 2, 3, 4]);

/// Every byte of a workbook: the kinds of records that stay clear, sheets, blocks, and padding.
#[test]
fn workbooks_are_decrypted_to_the_byte() {
    let handler = office97();
    let key = handler.file_key(PASSWORD);
    let header = [&[1, 0], &encrypt::header(&handler, false)[..]].concat();
    let xor = [&[0, 0], &XOR.key.to_le_bytes()[..], &XOR.verifier.to_le_bytes()].concat();
    let array = XOR.file_key(PASSWORD);
    let cells: Vec<u8> = (0..3000).map(|n| (n % 251) as u8).collect();
    let workbook = |file_pass: (u16, &[u8])| {
        let rest = [
            (0x0194, &b"user"[..]),
            (0x0195, b"lock"),
            (0xe1, b"interface"),
            (0x0196, b"info"),
            (0x0138, b"head"),
            (0x85, b"placeSheet1"),
            (0x85, b"pl"),
            (0x203, &cells),
            (0x203, b""),
            (0x0a, b""),
        ];
        let parts = [&[BOF, file_pass][..], &rest].concat();
        [records(&parts), vec![0; 3]].concat()
    };
    let clear = workbook((0x2f, &header));
    let cipher = encrypt::xls_records(&clear, &handler, &key);
    assert!(cipher != clear);
    let plain = decrypted(&[("Workbook", &cipher)], &handler, "Workbook").unwrap();
    assert!(plain == workbook((0, &vec![0; header.len()])));
    let mut cipher = workbook((0x2f, &xor));
    encrypt::xor_records(&mut cipher, &array);
    let document = read(&[("Workbook", &cipher)]).unwrap();
    let plain = document.decrypt(&array).unwrap().file;
    assert!(encrypt::stream(&plain, "Workbook").unwrap() == workbook((0, &[0; 6])));
}

/// With CryptoAPI, what a cache has to hide is in the encrypted summary.
#[test]
fn logs_and_caches_of_a_workbook_are_decrypted() {
    for (handler, is_decrypted) in
        [(office97(), true), (vector(Some(40), PASSWORD).handler(), false)]
    {
        let header = [&[1, 0], &encrypt::header(&handler, false)[..]].concat();
        let key = handler.file_key(PASSWORD);
        let encrypted =
            |parts: &[(u16, &[u8])]| encrypt::xls_records(&records(parts), &handler, &key);
        let workbook = encrypted(&[BOF, (0x2f, &header), (0x0a, b"")]);
        let other = encrypted(&[(0xc6, b"Attack at dawn")]);
        let streams = [
            ("Workbook", &workbook[..]),
            ("Revision Log", &other),
            ("_SX_DB_CUR/0001", &other),
            ("_SX_DB/0001", &other),
        ];
        let log = decrypted(&streams, &handler, "Revision Log").unwrap();
        assert!(log.ends_with(b"Attack at dawn"));
        let cache = decrypted(&streams, &handler, "_SX_DB_CUR/0001").unwrap();
        assert_eq!(cache.ends_with(b"Attack at dawn"), is_decrypted);
        assert_eq!(cache == other, !is_decrypted);
        assert!(decrypted(&streams, &handler, "_SX_DB/0001").unwrap() == other);
    }
}

#[test]
fn the_protection_of_a_workbook_lies_before_its_first_end() {
    let protection = |parts: &[(u16, &[u8])], rest: &[u8]| {
        let workbook = [&records(parts), rest].concat();
        read(&[("Book", &workbook)]).map(|document| document.protection().clone())
    };
    let other = Protection::Other("an unknown FilePass".to_owned());
    assert_eq!(protection(&[BOF, (0x2f, &[2, 0, 1])], b""), Ok(other));
    assert_eq!(protection(&[BOF, (0x0a, b""), (0x2f, &[2, 0, 1])], b""), Ok(Protection::None));
    assert_eq!(protection(&[BOF], &[0; 3]), Ok(Protection::None));
    let damaged = |parts: &[(u16, &[u8])], rest: &[u8]| message(protection(parts, rest));
    let start = "the document is damaged: ";
    let cut = format!("{start}its last record is cut short");
    assert_eq!(damaged(&[BOF], &[0, 7, 0]), cut);
    let cut = format!("{start}the record at byte 12 is cut short");
    assert_eq!(damaged(&[BOF], &[3, 2, 2, 0, 7]), cut);
    assert_eq!(protection(&[BOF], &[3, 2, 2, 0, 7, 7]), Ok(Protection::None));
    let bof = format!("{start}the workbook does not begin with BOF");
    assert_eq!(damaged(&[(0x0808, b"body")], b""), bof);
}

/// A document of Word: its main stream, with the flags and the key of the FIB.
fn fib(flags: u8, key: u32) -> Vec<u8> {
    let mut main: Vec<u8> = (0..1500).map(|n| (n % 251) as u8).collect();
    main[..12].copy_from_slice(&[0xec, 0xa5, 0, 0, 0, 0, 0, 0, 0, 0, 0, flags]);
    main[14..18].copy_from_slice(&key.to_le_bytes());
    main
}

#[test]
fn word_names_the_table_that_has_the_header() {
    let handler = office97();
    let key = handler.file_key(PASSWORD);
    let header = encrypt::header(&handler, false);
    let encrypted = |clear: &[u8], kept: usize| {
        let mut cipher = clear.to_vec();
        encrypt::blocks(&handler, &key, 512, &mut cipher);
        cipher[..kept].copy_from_slice(&clear[..kept]);
        cipher
    };
    let table = [&header[..], &[b't'; 600]].concat();
    let plain_table = [&vec![0; header.len()][..], &[b't'; 600]].concat();
    for (flags, used, unused) in [(0, "0Table", "1Table"), (2, "1Table", "0Table")] {
        let main = encrypted(&fib(flags | 0x41, header.len() as u32), 68);
        let (table, data) = (encrypted(&table, header.len()), encrypted(&[b'd'; 700], 0));
        let streams =
            [("WordDocument", &main[..]), (used, &table), (unused, b"other"), ("Data", &data)];
        for (name, plain) in [
            ("WordDocument", &fib(flags | 0x40, 0)[..]),
            (used, &plain_table),
            (unused, b"other"),
            ("Data", &[b'd'; 700]),
        ] {
            assert!(decrypted(&streams, &handler, name).unwrap() == plain, "{name}");
        }
    }
    let protection = |flags: u8, key: u32, table: &[u8]| {
        let main = fib(flags, key);
        let document = read(&[("WordDocument", &main), ("0Table", table)])?;
        Ok::<_, Error>(document.protection().clone())
    };
    let len = header.len() as u32;
    assert_eq!(protection(1, len, &header), Ok(Protection::Rc4(handler.clone())));
    assert_eq!(protection(0, len, &header), Ok(Protection::None));
    assert_eq!(protection(0x81, 0x5cb4_e932, b""), Ok(Protection::Xor(XOR)));
    assert_eq!(protection(0x80, 0x5cb4_e932, b""), Ok(Protection::None));
    let cut = "the document is damaged: its encryption header is cut short";
    assert_eq!(message(protection(1, len + 1, &header)), cut);
    assert_eq!(message(protection(1, len - 1, &header)), cut);
    let short = |len: usize| message(read(&[("WordDocument", &fib(0, 0)[..len])]));
    assert_eq!(short(67), "the document is damaged: a short FIB");
    assert!(read(&[("WordDocument", &fib(0, 0)[..68])]).is_ok());
}

/// A byte that is wrong in the padding, or another verifier, is a wrong key.
#[test]
fn each_bit_of_an_array_counts() {
    let array = XOR.file_key(PASSWORD);
    assert!(XOR.fits(&array));
    for bit in 0..128 {
        let mut bytes = array.bytes().to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(!XOR.fits(&XOR.key(&bytes).unwrap()), "{bit}");
    }
    let other = arcfour_formats::office::Xor { verifier: XOR.verifier ^ 0x4000, ..XOR };
    assert!(!other.fits(&array));
}

/// The header of Access 2007 may be as long as the first page, and no longer.
#[test]
fn the_first_page_of_a_database_has_the_whole_header() {
    let read = |bytes: &[u8]| Document::read(bytes.to_vec());
    for version in [0, 1] {
        let page = access::page(version);
        let made = access::jet(&access::plain("Standard Jet DB", version), 5, "");
        let jet = Jet { key: 5, has_password: false };
        assert_eq!(read(&made[..page]).unwrap().protection(), &Protection::Jet(jet));
        let cut = "the document is damaged: it ends too early";
        assert_eq!(message(read(&made[..page - 1])), cut);
        let key = jet.file_key();
        let first = read(&made[..page]).unwrap().decrypt(&key).unwrap().file;
        assert!(first == access::plain("Standard Jet DB", version)[..page]);
        assert_eq!(message(read(&made[..0x14])), cut);
    }
    let other = access::plain("Standard Jet DB", 2);
    assert_eq!(message(read(&other)), "the document is damaged: version 2 of its engine");
    let handler = office97();
    let key = handler.file_key(PASSWORD);
    let mut plain = access::plain("Standard ACE DB", 2);
    plain[0x299..4096].fill(0x55);
    let header = encrypt::header(&handler, false);
    for len in [header.len(), 0x123, 4096 - 0x29b] {
        let long = [&header[..], &vec![0x66; len - header.len()]].concat();
        let made = access::accdb(&plain, &handler, &key, &long);
        let found = read(&made).unwrap().decrypt(&key).unwrap().file;
        let mut expected = plain.clone();
        expected[0x299..0x29b + len].fill(0);
        assert!(found == expected, "{len}");
    }
    let mut made = access::accdb(&plain, &handler, &key, &header);
    made[0x299..0x29b].copy_from_slice(&(4096_u16 - 0x29b + 1).to_le_bytes());
    let cut = "the document is damaged: its encryption header is cut short";
    assert_eq!(message(read(&made)), cut);
}

/// A presentation with gaps between its objects: 1 and 2, then the session, then 12. Each may begin
/// elsewhere.
fn presentation(handler: &Handler, moved: [usize; 3], session: Option<u32>) -> [Vec<u8>; 2] {
    let key = handler.file_key(PASSWORD);
    let record = |version: u16, kind: u16, body: &[u8]| {
        let len = (body.len() as u32).to_le_bytes();
        [&version.to_le_bytes()[..], &kind.to_le_bytes(), &len, body].concat()
    };
    let words =
        |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    let mut stream = vec![7; 5];
    let mut places = vec![];
    for (number, len) in [(1, 100), (2, 50), (30, 0), (12, 3000)] {
        places.push(stream.len() as u32);
        let mut object = record(0x0f, 1000, &vec![number as u8; len]);
        match number {
            30 => object = record(0x0f, 0x2f14, &encrypt::header(handler, false)),
            _ => handler.block_key(&key, number).apply(&mut object),
        }
        stream.extend(object);
        stream.extend([8; 3]);
    }
    let [one, two, at, twelve] = places[..] else { unreachable!() };
    let [one, two, twelve] = [(one, 0), (two, 1), (twelve, 2)]
        .map(|(place, n)| if moved[n] == 0 { place } else { moved[n] as u32 });
    let directory_at = stream.len() as u32;
    let run = |first: u32, count: u32| first | count << 20;
    let runs = [run(1, 2), one, two, run(12, 1), twelve, run(30, 1), at];
    stream.extend(record(0, 0x1772, &words(&runs)));
    let edit_at = stream.len() as u32;
    let mut edit = words(&[0, 0, 0, directory_at, 1, 0, 0]);
    edit.extend(session.into_iter().flat_map(u32::to_le_bytes));
    stream.extend(record(0, 0x0ff5, &edit));
    let user = words(&[0, 0xff6_0000, 20, 0xf3d1_c4df, edit_at, 0]);
    [stream, user]
}

#[test]
fn presentations_are_decrypted_to_the_byte() {
    let handler = vector(Some(128), PASSWORD).handler();
    let [stream, user] = presentation(&handler, [0; 3], Some(30));
    let streams = [("PowerPoint Document", &stream[..]), ("Current User", &user)];
    let plain = decrypted(&streams, &handler, "PowerPoint Document").unwrap();
    let mut expected = vec![7; 5];
    for (number, len) in [(1_u8, 100_u32), (2, 50), (12, 3000)] {
        expected.extend([0x0f, 0, 0xe8, 3]);
        expected.extend(len.to_le_bytes());
        expected.extend(vec![number; len as usize]);
        expected.extend([8; 3]);
        if number == 2 {
            expected.extend(vec![0; 8 + encrypt::header(&handler, false).len()]);
            expected.extend([8; 3]);
        }
    }
    // The directory and the edit lose the session, their last four bytes.
    let mut rest = stream[expected.len()..].to_vec();
    assert_eq!((rest[4], rest[28], rest[40]), (28, 30, 32));
    rest[4] = 24;
    rest[30] = 0;
    rest[40] = 28;
    rest[72..76].fill(0);
    expected.extend(rest);
    assert!(plain == expected);
    let user = decrypted(&streams, &handler, "Current User").unwrap();
    assert_eq!(user[12..16], [0x5f, 0xc0, 0x91, 0xe3]);
}

#[test]
fn faults_of_presentations_are_named() {
    let handler = vector(Some(128), PASSWORD).handler();
    let result = |moved: [usize; 3], session: Option<u32>| {
        let [stream, user] = presentation(&handler, moved, session);
        let streams = [("PowerPoint Document", &stream[..]), ("Current User", &user)];
        decrypted(&streams, &handler, "PowerPoint Document")
    };
    let [stream, _] = presentation(&handler, [0; 3], Some(30));
    let len = stream.len();
    assert_eq!(result([0; 3], None).err(), Some(Error::NotEncrypted));
    for (moved, session, what) in [
        ([0; 3], 31, "its encryption session is not there"),
        ([0, 112, 0], 30, "two of its objects overlap"),
        ([0, 5, 0], 30, "two of its objects overlap"),
        ([0, 0, len - 7], 30, "its object 12 is beyond its end"),
        ([0, 0, len], 30, "its object 12 is beyond its end"),
        ([0, 0, len - 8], 30, "its object 12 is cut short"),
    ] {
        assert_eq!(
            message(result(moved, Some(session))),
            format!("the document is damaged: {what}"),
            "{moved:?}"
        );
    }
    // An object may end where the next begins.
    assert!(result([0, 113, 0], Some(30)).err() != result([0, 112, 0], Some(30)).err());
}

/// Pieces of a header that is not as it should be.
#[test]
fn encryption_headers_are_read_to_the_byte() {
    let handler = vector(Some(56), PASSWORD).handler();
    let header = encrypt::header(&handler, false);
    let read = |header: &[u8]| {
        let main = fib(1, header.len() as u32);
        let document = read(&[("WordDocument", &main), ("0Table", header)])?;
        Ok::<_, Error>(document.protection().clone())
    };
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = header.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        read(&changed)
    };
    assert_eq!(read(&header), Ok(Protection::Rc4(handler.clone())));
    let cut = "the document is damaged: its encryption header is cut short";
    for len in [0, 3, 11, 12, 50, header.len() - 1] {
        assert_eq!(message(read(&header[..len])), cut, "{len}");
    }
    let bad = "the document is damaged: its encryption header: ";
    for bits in [1_u8, 39, 41, 57, 127, 136, 255] {
        assert_eq!(
            message(with(28, &[bits])),
            format!("{bad}a key of {bits} bits; 40 to 128 are RC4")
        );
    }
    for (bits, is) in [(0_u8, 40), (40, 40), (128, 128)] {
        let Ok(Protection::Rc4(Handler::CryptoApi(made))) = with(28, &[bits]) else { panic!() };
        assert_eq!(made.key_bits, is);
    }
    let salt = header.len() - 20 - 4 - 16 - 16 - 4;
    assert_eq!(message(with(salt, &[15])), format!("{bad}a salt of 15 bytes, not 16"));
    let hash = header.len() - 24;
    assert_eq!(message(with(hash, &[32])), format!("{bad}a hash of 32 bytes, not 20"));
    let other = |name: &str| Ok(Protection::Other(name.to_owned()));
    assert_eq!(with(20, &[0, 0]), Ok(Protection::Rc4(handler)));
    for (at, bytes, name) in [
        (20, &[0x0e, 0x66][..], "AES"),
        (20, &[0x10, 0x66], "AES"),
        (20, &[0x11, 0x66], "algorithm 0x6611 with hash 0x8004"),
        (24, &[5, 0x80], "algorithm 0x6801 with hash 0x8005"),
        (0, &[4, 0, 4, 0], "AES (agile encryption)"),
        (0, &[5, 0, 2, 0], "an encryption of version 5.2"),
        (0, &[1, 0, 2, 0], "an encryption of version 1.2"),
    ] {
        assert_eq!(with(at, bytes), other(name));
    }
    let bare = Office97 { salt: [1; 16], verifier: [2; 16], verifier_hash: [3; 16] };
    let bytes = [&[1, 0, 1, 0], &[[1; 16], [2; 16], [3; 16]].concat()[..]].concat();
    assert_eq!(read(&bytes), Ok(Protection::Rc4(Handler::Office97(bare))));
}
