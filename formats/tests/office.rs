//! Tests with the vectors of Office documents: keys and whole files.
//!
//! LibreOffice wrote the documents in `vectors/office` (`libreoffice.py`): plain ones, and two that it
//! encrypted with the handler of Office 97. The others are made of the plain ones here, as [MS-DOC], [MS-XLS]
//! and [MS-PPT] say, with RC4 CryptoAPI, which LibreOffice reads and does not write.

#[path = "office/access.rs"]
mod access;
#[path = "office/encrypt.rs"]
mod encrypt;
#[path = "office/small.rs"]
mod small;

use std::{env, fs, path::PathBuf};

use arcfour_formats::office::{
    CryptoApi, Decrypted, Document, Error, Format, Handler, Jet, Office97, OpenedWith, Protection,
    Xor,
};
use data_encoding::HEXLOWER;
use serde::Deserialize;

const PASSWORD: &str = "Quentin";

#[derive(Deserialize)]
struct Vector {
    handler: String,
    #[serde(rename = "KeySize")]
    key_size: Option<u8>,
    password: String,
    salt: String,
    verifier: String,
    verifier_hash: String,
    file_key: String,
    blocks: Vec<(u32, String, String)>,
}

#[derive(Deserialize)]
struct Vectors {
    vector: Vec<Vector>,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../vectors")
}

fn vectors() -> Vec<Vector> {
    let text = fs::read_to_string(folder().join("office.toml")).unwrap();
    toml::from_str::<Vectors>(&text).unwrap().vector
}

fn hex<const N: usize>(digits: &str) -> [u8; N] {
    HEXLOWER.decode(digits.as_bytes()).unwrap().try_into().unwrap()
}

impl Vector {
    fn handler(&self) -> Handler {
        let (salt, verifier) = (hex(&self.salt), hex(&self.verifier));
        match self.key_size {
            None => Handler::Office97(Office97 {
                salt,
                verifier,
                verifier_hash: hex(&self.verifier_hash),
            }),
            Some(bits) => Handler::CryptoApi(CryptoApi {
                key_bits: if bits == 0 { 40 } else { bits },
                salt,
                verifier,
                verifier_hash: hex(&self.verifier_hash),
            }),
        }
    }
}

#[test]
fn keys_are_those_of_the_vectors() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 40);
    for vector in vectors {
        let handler = vector.handler();
        let key = handler.file_key(&vector.password);
        assert_eq!(HEXLOWER.encode(key.bytes()), vector.file_key, "{}", vector.handler);
        assert!(handler.fits(&key));
        assert!(handler.key(key.bytes()).unwrap() == key);
        let mut wrong = key.bytes().to_vec();
        wrong[1] ^= 0x80;
        assert!(!handler.fits(&handler.key(&wrong).unwrap()));
        assert!(handler.key(&wrong[1..]).is_err());
        for (number, block_key, start) in vector.blocks {
            let block = handler.block_key(&key, number);
            assert_eq!(HEXLOWER.encode(block.bytes()), block_key);
            let mut keystream = [0; 16];
            block.apply(&mut keystream);
            assert_eq!(HEXLOWER.encode(&keystream), start);
        }
    }
}

/// Excel's default password.
const DEFAULT: &str = "VelvetSweatshop";

/// The keys that msoffcrypto-tool 6.1.0 derives from the password `Quentin`.
const XOR: Xor = Xor { key: 0x5cb4, verifier: 0xe932 };
const XOR_ARRAY: &str = "f294e819609a6df3a5d107d1a5f21a2e";

/// Name, handler's length of keys, and password.
const MADE: [(&str, Option<u8>, &str); 8] = [
    ("cryptoapi-0.doc", Some(0), PASSWORD),
    ("cryptoapi-56.doc", Some(56), PASSWORD),
    ("cryptoapi-128.doc", Some(128), PASSWORD),
    ("cryptoapi-40.xls", Some(40), PASSWORD),
    ("cryptoapi-128.xls", Some(128), PASSWORD),
    ("cryptoapi-40.ppt", Some(40), PASSWORD),
    ("office97.doc", None, PASSWORD),
    ("default.xls", None, DEFAULT),
];

fn file(name: &str) -> Vec<u8> {
    fs::read(folder().join("office").join(name)).unwrap()
}

fn vector(key_size: Option<u8>, password: &str) -> Vector {
    let is_it = |vector: &Vector| vector.key_size == key_size && vector.password == password;
    vectors().into_iter().find(is_it).unwrap()
}

/// Writes the documents if `ARCFOUR_WRITE_VECTORS` is set; otherwise compares them.
#[test]
fn files_are_fresh() {
    for (name, key_size, password) in MADE {
        let handler = vector(key_size, password).handler();
        let key = handler.file_key(password);
        let ending = name.rsplit('.').next().unwrap();
        let header = encrypt::header(&handler, key_size == Some(0));
        let plain = file(&format!("plain.{ending}"));
        let mut made = encrypt::document(plain, ending, &handler, &key, &header);
        if key_size == Some(128) {
            made = encrypt::encrypt_summary(made, "encryption", &handler, &key);
        }
        if env::var_os("ARCFOUR_WRITE_VECTORS").is_some() {
            fs::write(folder().join("office").join(name), &made).unwrap();
        }
        assert!(file(name) == made, "{name} is stale: make vectors");
    }
    let array = XOR.file_key(PASSWORD);
    let doc = encrypt::xor_doc(file("plain.doc"), XOR, &array);
    let xls = encrypt::xor_xls(file("plain.xls"), XOR, &array, false);
    let jet = access::jet(&access::plain("Standard Jet DB", 0), 0x1234_5678, "secret");
    for (name, made) in [("xor.doc", doc), ("xor.xls", xls), ("jet3.mdb", jet)] {
        if env::var_os("ARCFOUR_WRITE_VECTORS").is_some() {
            fs::write(folder().join("office").join(name), &made).unwrap();
        }
        assert!(file(name) == made, "{name} is stale: make vectors");
    }
}

/// The streams that hold the contents.
fn contents(file: Vec<u8>) -> Vec<(&'static str, Vec<u8>)> {
    let names = ["WordDocument", "Workbook", "PowerPoint Document"];
    let read = |name: &&'static str| Some((*name, encrypt::stream(&file, name)?));
    names.iter().filter_map(read).collect()
}

fn contains(bytes: &[u8], what: &[u8]) -> bool {
    memchr::memmem::find(bytes, what).is_some()
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn documents_are_decrypted_by_password_and_by_key() {
    let by_libreoffice = [("libreoffice.doc", PASSWORD), ("libreoffice.xls", PASSWORD)];
    let made = MADE.map(|(name, _, password)| (name, password));
    for (name, password) in made.into_iter().chain(by_libreoffice) {
        let document = Document::read(file(name)).unwrap();
        let ending = name.rsplit('.').next().unwrap();
        let format = match ending {
            "doc" => Format::Doc,
            "xls" => Format::Xls,
            _ => Format::Ppt,
        };
        assert_eq!(document.format(), format, "{name}");
        assert_eq!(document.open(b"quentin").err(), Some(Error::WrongPassword), "{name}");
        let (key, with) = document.open(password.as_bytes()).unwrap();
        assert_eq!(with, OpenedWith::Password, "{name}");
        let raw = document.handler().unwrap().key(key.bytes()).unwrap();
        let Decrypted { file: plain, left_out } = document.decrypt(&key).unwrap();
        assert!(left_out.is_empty());
        assert!(Document::read(file(name)).unwrap().decrypt(&raw).unwrap().file == plain);
        let again = Document::read(plain.clone()).unwrap();
        assert_eq!(again.protection(), &Protection::None, "{name}");
        let [(_, stream)] = &contents(plain)[..] else { panic!("{name}") };
        let last = match format {
            Format::Doc => "Attack at dawn, line 100",
            Format::Xls => "Attack at dawn, row 100",
            _ => "Attack at dawn, slide 3",
        };
        let text = |text: &str| contains(stream, text.as_bytes()) || contains(stream, &utf16(text));
        assert!(text(last), "{name}");
        let [(_, cipher)] = &contents(file(name))[..] else { panic!("{name}") };
        assert!(
            !contains(cipher, b"Attack at dawn") && !contains(cipher, &utf16("Attack at dawn"))
        );
    }
}

/// A workbook may have any bytes after its last substream, and a copy for Excel 5 and 95 with a key of
/// its own.
#[test]
fn a_workbook_may_have_more_than_its_records() {
    let decrypted = |file: Vec<u8>| {
        let document = Document::read(file).unwrap();
        let (key, _) = document.open(PASSWORD.as_bytes()).unwrap();
        document.decrypt(&key).unwrap()
    };
    let whole = file("libreoffice.xls");
    let cipher = encrypt::stream(&whole, "Workbook").unwrap();
    let plain = encrypt::stream(&decrypted(whole.clone()).file, "Workbook").unwrap();
    for after in [&b"\xff"[..], b"\x09\x08\xff", b"29 bytes that are no records  "] {
        let made = encrypt::with_stream(whole.clone(), "Workbook", &[&cipher[..], after].concat());
        let found = encrypt::stream(&decrypted(made).file, "Workbook").unwrap();
        assert!(found == [&plain[..], after].concat(), "{after:x?}");
    }
    // A sheet that is cut short is damage.
    let cut = encrypt::with_stream(whole.clone(), "Workbook", &cipher[..cipher.len() - 5]);
    let document = Document::read(cut).unwrap();
    let (key, _) = document.open(PASSWORD.as_bytes()).unwrap();
    assert!(matches!(document.decrypt(&key), Err(Error::Damaged(_))));

    let copy = encrypt::xor_xls(file("plain.xls"), XOR, &XOR.file_key(PASSWORD), true);
    let copy = encrypt::stream(&copy, "Book").unwrap();
    let left_out = decrypted(encrypt::with_stream(whole.clone(), "Book", &copy)).left_out;
    assert_eq!(left_out, ["its copy for Excel 5 and 95"]);
    let clear = encrypt::stream(&file("plain.xls"), "Workbook").unwrap();
    assert!(decrypted(encrypt::with_stream(whole, "Book", &clear)).left_out.is_empty());
}

/// PowerPoint writes one edit if it encrypts. Each object of an earlier edit is decrypted too.
#[test]
fn a_presentation_may_have_an_earlier_edit() {
    let (name, _, password) = MADE.into_iter().find(|(name, ..)| name.ends_with(".ppt")).unwrap();
    let stream = |file: Vec<u8>| {
        let document = Document::read(file).unwrap();
        let (key, _) = document.open(password.as_bytes()).unwrap();
        let plain = document.decrypt(&key).unwrap().file;
        assert_eq!(Document::read(plain.clone()).unwrap().protection(), &Protection::None);
        encrypt::stream(&plain, "PowerPoint Document").unwrap()
    };
    let (one, two) = (stream(file(name)), stream(encrypt::with_later_edit(file(name))));
    assert!(two.starts_with(&one), "each edit lost its session");
    // The copy is the first object.
    let len = 8 + u32::from_le_bytes(one[4..8].try_into().unwrap()) as usize;
    assert!(two[one.len()..].starts_with(&one[..len]));
}

/// The first 15 characters of a password also open the document. With CryptoAPI no password is
/// truncated.
#[test]
fn passwords_are_cut_and_excels_default_is_tried() {
    let document = Document::read(file("default.xls")).unwrap();
    let opened = |password: &str| document.open(password.as_bytes()).map(|(_, with)| with);
    assert_eq!(opened(""), Ok(OpenedWith::ExcelDefault));
    assert_eq!(opened("VelvetSweatshop"), Ok(OpenedWith::Password));
    assert_eq!(opened("VelvetSweatshops"), Ok(OpenedWith::First15));
    assert_eq!(opened("VelvetSweatshop, and more"), Ok(OpenedWith::First15));
    assert_eq!(opened("VelvetSweatsho"), Err(Error::WrongPassword));
    // A character of two units at the limit is removed whole.
    assert_eq!(opened("VelvetSweatsho🔑"), Err(Error::WrongPassword));
    assert_eq!(opened("VelvetSweatshop🔑"), Ok(OpenedWith::First15));
    let plain = |ending: &str| file(&format!("plain.{ending}"));
    let vector = vector(Some(128), DEFAULT);
    for (ending, default) in [("xls", true), ("doc", false), ("ppt", false)] {
        let handler = vector.handler();
        let (key, header) = (handler.file_key(DEFAULT), encrypt::header(&handler, false));
        let made = encrypt::document(plain(ending), ending, &handler, &key, &header);
        let document = Document::read(made).unwrap();
        assert_eq!(document.open(b"").is_ok(), default, "{ending}");
        assert_eq!(document.open(b"VelvetSweatshops").err(), Some(Error::WrongPassword));
    }
}

#[test]
fn xor_obfuscation_is_undone() {
    let array = XOR.file_key(PASSWORD);
    assert_eq!(HEXLOWER.encode(array.bytes()), XOR_ARRAY);
    let biff5 = encrypt::xor_xls(file("plain.xls"), XOR, &array, true);
    for (name, made) in [("xor.doc", file("xor.doc")), ("xor.xls", file("xor.xls")), ("5.0", biff5)]
    {
        let read = || Document::read(made.clone()).unwrap();
        assert!(read().handler().is_err(), "it is no key of RC4");
        assert_eq!(read().open(b"quentin").err(), Some(Error::WrongPassword), "{name}");
        assert_eq!(read().open(b"").err(), Some(Error::WrongPassword), "{name}");
        let (key, _) = read().open(PASSWORD.as_bytes()).unwrap();
        assert!(key == read().key(array.bytes()).unwrap());
        assert_eq!(read().key(&[0; 5]).err(), Some(Error::KeyLength { expected: 16, len: 5 }));
        assert_eq!(read().key(&[7; 16]).err(), Some(Error::WrongKey));
        let plain = read().decrypt(&key).unwrap().file;
        assert_eq!(Document::read(plain.clone()).unwrap().protection(), &Protection::None);
        if name == "xor.doc" {
            assert!(plain == file("plain.doc"), "all bytes are as they were");
        } else {
            let stream = ["Workbook", "Book"].iter().find_map(|name| encrypt::stream(&plain, name));
            assert!(contains(&stream.unwrap(), b"Attack at dawn, row 100"));
        }
    }
    // Passwords have 15 characters. Each counts by its low byte, or by its high byte if the low
    // byte is zero.
    let long = XOR.file_key("123456789012345");
    assert!(XOR.file_key("1234567890123456") == long);
    assert!(XOR.file_key("1\u{3200}34567890123\u{4e34}5") == long);
}

/// With RC4 CryptoAPI, the summary is encrypted too, and so are the pictures of PowerPoint.
#[test]
fn summaries_and_pictures_are_decrypted() {
    let pictures: Vec<Vec<u8>> = [
        (0xf01e, 0x6e0, false), // PNG
        (0xf01e, 0x6e1, false),
        (0xf01b, 0x217, true), // WMF
        (0xf01d, 0x46a, true), // JPEG
    ]
    .iter()
    .flat_map(|&(kind, instance, in_store)| encrypt::picture(kind, instance, in_store, &[7; 3000]))
    .chain(encrypt::entry_without_picture())
    .chain(encrypt::picture(0xf01d, 0x46a, false, &[7; 10]))
    .collect();
    for (ending, summary) in
        [("doc", "encryption"), ("xls", "encryption"), ("ppt", "EncryptedSummary")]
    {
        let plain = file(&format!("plain.{ending}"));
        let handler = vector(Some(128), PASSWORD).handler();
        let (key, header) = (handler.file_key(PASSWORD), encrypt::header(&handler, false));
        let mut made = encrypt::document(plain.clone(), ending, &handler, &key, &header);
        made = encrypt::encrypt_summary(made, summary, &handler, &key);
        if ending == "ppt" {
            made = encrypt::with_pictures(made, &pictures, &handler, &key);
        }
        let decrypted = Document::read(made.clone()).unwrap().decrypt(&key).unwrap();
        assert_eq!(decrypted.left_out, [""; 0], "{ending}");
        // Another, strict library reads the result too.
        for name in encrypt::SUMMARY {
            assert!(
                encrypt::stream(&decrypted.file, name) == encrypt::stream(&plain, name),
                "{name:?}"
            );
        }
        assert!(encrypt::is_strict(&decrypted.file), "{ending}");
        assert_eq!(encrypt::stream(&decrypted.file, summary), None);
        for name in ["\u{1}CompObj", "\u{1}Ole"] {
            assert!(
                encrypt::stream(&decrypted.file, name) == encrypt::stream(&plain, name),
                "{name:?}"
            );
        }
        if ending == "ppt" {
            assert!(encrypt::stream(&decrypted.file, "Pictures") == Some(pictures.concat()));
        }
        // A damaged stream stays as it is, and is named.
        let mut damaged = made.clone();
        let at =
            memchr::memmem::find(&made, &encrypt::stream(&made, summary).unwrap()[..64]).unwrap();
        damaged[at + 3] ^= 0x80;
        let decrypted = Document::read(damaged).unwrap().decrypt(&key).unwrap();
        assert_eq!(decrypted.left_out, ["its summary, which is damaged"]);
        assert!(encrypt::stream(&decrypted.file, summary).is_some());
    }
}

/// A damaged name must not cost the stream or the storage that has it already.
#[test]
fn a_stream_of_the_summary_replaces_no_other() {
    let handler = vector(Some(128), PASSWORD).handler();
    let (key, header) = (handler.file_key(PASSWORD), encrypt::header(&handler, false));
    let made = encrypt::document(file("plain.xls"), "xls", &handler, &key, &header);
    let made = encrypt::with_storage(made, "a storage");
    let before = Document::read(made.clone()).unwrap().decrypt(&key).unwrap().file;
    let of = |names: &[&str]| {
        let parts: Vec<_> = names.iter().map(|name| (*name, vec![7; 100])).collect();
        let made = encrypt::with_summary(made.clone(), "encryption", &handler, &key, &parts);
        Document::read(made).unwrap().decrypt(&key).unwrap()
    };
    assert_eq!(of(&["new", "\u{5}DocumentSummaryInformation"]).left_out, [""; 0]);
    for names in [
        &["Workbook"][..],
        &["new", "WORKBOOK"],
        &["\u{1}CompObj"],
        &["encryption"],
        &["a storage"],
        &["new", "New"],
        &["\u{5}new", "\u{5}new"],
    ] {
        let decrypted = of(names);
        assert_eq!(decrypted.left_out, ["its summary, which is damaged"], "{names:?}");
        for name in ["Workbook", "\u{1}CompObj", "\u{5}DocumentSummaryInformation"] {
            let after = encrypt::stream(&decrypted.file, name);
            assert!(after == encrypt::stream(&before, name), "{names:?}: {name:?}");
        }
        assert_eq!(encrypt::stream(&decrypted.file, "new"), None, "{names:?}");
    }
}

/// The FAT of real files may be longer than they are, and their last sector may be cut short.
#[test]
fn compound_files_are_read_as_word_reads_them() {
    let whole = file("office97.doc");
    let read = |bytes: Vec<u8>| {
        let document = Document::read(bytes)?;
        let (key, _) = document.open(PASSWORD.as_bytes())?;
        Ok::<_, Error>(document.decrypt(&key)?.file)
    };
    let plain = read(whole.clone()).unwrap();
    let fat = 512 + 512 * u32::from_le_bytes(whole[76..80].try_into().unwrap()) as usize;
    let sectors = whole.len() / 512 - 1;
    let mut longer = whole.clone();
    for entry in sectors..128 {
        longer[fat + 4 * entry..][..4].copy_from_slice(&(entry as u32 + 1).to_le_bytes());
    }
    assert!(read(longer).unwrap()[..fat] == plain[..fat]);
    let padded = [&whole[..], &[0; 700]].concat();
    assert!(read(padded).unwrap()[..plain.len()] == plain);
    // Two entries of the FAT lead to one sector.
    let mut shared = whole.clone();
    let chain: Vec<usize> = (0..sectors)
        .filter(|entry| {
            let next = u32::from_le_bytes(whole[fat + 4 * entry..][..4].try_into().unwrap());
            (next as usize) < sectors
        })
        .collect();
    let (one, other) = (chain[2], chain[chain.len() - 2]);
    shared.copy_within(fat + 4 * other..fat + 4 * other + 4, fat + 4 * one);
    let refused = read(shared).err().unwrap().to_string();
    assert!(refused.contains("shares the sector"), "{refused}");
}

/// The pages of databases, whose key lies in the first, and of Access 2007, whose key a password makes.
#[test]
fn databases_are_decrypted() {
    for (name, version, format) in [
        ("Standard Jet DB", 0, Format::Mdb97),
        ("Standard Jet DB", 1, Format::Mdb),
        ("Standard ACE DB", 2, Format::Accdb),
    ] {
        let plain = access::plain(name, version);
        let read = |bytes: &[u8]| Document::read(bytes.to_vec()).unwrap();
        assert_eq!((read(&plain).format(), read(&plain).protection()), (format, &Protection::None));
        assert_eq!(read(&plain).open(b"").err(), Some(Error::NotEncrypted));
        let handlers =
            [vector(Some(128), PASSWORD), vector(Some(40), PASSWORD), vector(None, PASSWORD)];
        for handler in handlers.iter().filter(|_| format == Format::Accdb).map(Vector::handler) {
            let key = handler.file_key(PASSWORD);
            let made = access::accdb(&plain, &handler, &key, &encrypt::header(&handler, false));
            assert_eq!(read(&made).protection(), &Protection::Rc4(handler.clone()));
            assert_eq!(read(&made).open(b"quentin").err(), Some(Error::WrongPassword));
            let (key, _) = read(&made).open(PASSWORD.as_bytes()).unwrap();
            assert!(read(&made).decrypt(&key).unwrap().file == plain);
        }
        if format == Format::Accdb {
            continue;
        }
        for (key, password) in [(0x1234_5678, ""), (0, "secret"), (0x9abc_def7, "secret")] {
            let made = access::jet(&plain, key, password);
            let jet = Jet { key, has_password: !password.is_empty() };
            assert_eq!(read(&made).protection(), &Protection::Jet(jet));
            let (found, with) = read(&made).open(b"any").unwrap();
            assert_eq!((found.bytes(), with), (&key.to_le_bytes()[..], OpenedWith::StoredKey));
            assert!(read(&made).decrypt(&found).unwrap().file == plain);
            assert_eq!(read(&made).key(&[7; 4]).err(), Some(Error::WrongKey));
            assert_eq!(read(&made).key(&[7]).err(), Some(Error::KeyLength { expected: 4, len: 1 }));
        }
        // Cuts and other bytes in the first page: an error or a result.
        let made = access::jet(&plain, 0x1234_5678, "secret");
        for at in 0..access::page(version) {
            let mut changed = made.clone();
            changed[at] ^= 0xff;
            for bytes in [changed, made[..at].to_vec()] {
                if let Ok(document) = Document::read(bytes)
                    && let Ok((key, _)) = document.open(b"")
                {
                    let _ = document.decrypt(&key);
                }
            }
        }
    }
    let money = access::plain("MSISAM Database", 1);
    let message = Document::read(money).err().unwrap().to_string();
    assert!(message.ends_with("it is a database of Microsoft Money"), "{message}");
}

/// The memory for the paths of nested storages must not grow with the square of their number.
#[test]
fn a_deep_directory_takes_no_more_than_the_file() {
    const DEEP: usize = 100_000;
    let sectors = DEEP / 4;
    let fat_sectors = (sectors + 300).div_ceil(128);
    let mut file = file("plain.doc")[..512].to_vec();
    let mut put = |at: usize, number: u32| file[at..at + 4].copy_from_slice(&number.to_le_bytes());
    put(44, fat_sectors as u32);
    put(48, fat_sectors as u32); // the directory begins after the FAT
    put(60, 0xffff_fffe);
    put(68, fat_sectors as u32 + sectors as u32); // the rest of the FAT's numbers
    for n in 0..109 {
        put(76 + 4 * n, n as u32);
    }
    let mut fat: Vec<u32> = vec![0xffff_fffd; fat_sectors];
    fat.extend((fat_sectors..fat_sectors + sectors).map(|n| n as u32 + 1));
    *fat.last_mut().unwrap() = 0xffff_fffe;
    fat.resize(fat_sectors * 128, 0xffff_ffff);
    file.extend(fat.iter().flat_map(|entry| entry.to_le_bytes()));
    for n in 0..DEEP as u32 {
        let mut entry = [0; 128];
        (entry[0], entry[64], entry[66]) = (b's', 4, if n == 0 { 5 } else { 1 });
        entry[68..76].fill(0xff);
        entry[76..80].copy_from_slice(&(n + 1).to_le_bytes());
        file.extend(entry);
    }
    let mut difat: Vec<u32> = (109..fat_sectors as u32).collect();
    difat.resize(difat.len().next_multiple_of(127), 0xffff_ffff);
    for (n, numbers) in difat.chunks(127).enumerate() {
        file.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        file.extend((fat_sectors as u32 + sectors as u32 + n as u32 + 1).to_le_bytes());
    }
    let len = file.len();
    file[len - 4..].copy_from_slice(&0xffff_fffe_u32.to_le_bytes());
    let error = Document::read(file).err();
    let other = "it is a compound file of another program".to_owned();
    assert_eq!(error, Some(Error::Format(other)));
}

#[test]
fn versions_before_97_are_named() {
    let mut doc = file("plain.doc");
    let main = memchr::memmem::find(&doc, &[0xec, 0xa5]).unwrap();
    doc[main] = 0xdc;
    let document = Document::read(doc.clone()).unwrap();
    assert_eq!((document.format(), document.protection()), (Format::Doc95, &Protection::None));
    doc[main + 0x0b] |= 1;
    let message = Document::read(doc).unwrap().open(b"").err().unwrap().to_string();
    assert!(message.contains("the XOR obfuscation of Word 6 and 95"), "{message}");
    let biff5 = encrypt::xor_xls(file("plain.xls"), XOR, &XOR.file_key(PASSWORD), true);
    assert_eq!(Document::read(biff5).unwrap().format(), Format::Xls95);
    for (start, name) in [(&[0xdb, 0xa5, 0x2d, 0][..], "Word 2"), (&[9, 4, 6, 0], "Excel 4")] {
        let message = Document::read(start.to_vec()).err().unwrap().to_string();
        assert!(message.ends_with(name), "{message}");
    }
}

#[test]
fn what_is_not_rc4_is_named() {
    let plain = |ending: &str| file(&format!("plain.{ending}"));
    for ending in ["doc", "xls", "ppt"] {
        let document = Document::read(plain(ending)).unwrap();
        assert_eq!(document.open(b"").err(), Some(Error::NotEncrypted), "{ending}");
    }
    assert!(matches!(Document::read(b"PK\x03\x04 and so on".to_vec()), Err(Error::Format(_))));
    // Messages are plain words for every other file, never a message of the library that reads
    // compound files.
    for other in [&b"%PDF-1.4"[..], b"", &[0; 4096]] {
        let message = Document::read(other.to_vec()).err().unwrap().to_string();
        assert!(message.ends_with("it does not begin with the bytes d0 cf 11 e0 a1 b1 1a e1"));
    }
    let cut = Document::read(plain("doc")[..600].to_vec()).err().unwrap().to_string();
    assert_eq!(cut, "the document is damaged: it ends too early");
}

/// Every cut, and a byte changed at every place of the headers: an error or a result, no panic.
#[test]
fn damage_is_an_error() {
    for (name, _, password) in MADE {
        let whole = file(name);
        let key = Document::read(whole.clone()).unwrap().open(password.as_bytes()).unwrap().0;
        for len in (0..whole.len()).step_by(whole.len() / 61) {
            if let Ok(document) = Document::read(whole[..len].to_vec()) {
                let _ = document.decrypt(&key);
            }
        }
        for at in (0..512).chain((512..whole.len()).step_by(whole.len() / 199)) {
            for value in [0, 0xff, whole[at] ^ 1] {
                let mut changed = whole.clone();
                changed[at] = value;
                if let Ok(document) = Document::read(changed) {
                    let _ = document.decrypt(&key);
                }
            }
        }
    }
}
