//! Checks the recorded searches of `sweep/` and `documents/` again, from their files alone.

use std::{fs, path::PathBuf};

use arcfour::{Family, Rc4};
use arcfour_attacks::search::{
    KeySpace, KeyTest, Known, OfficeVerifier, Pattern, Plaintext, Record, Search,
};
use arcfour_formats::{office, pdf};

#[test]
fn all_keys_of_four_unknown_bytes_were_tried_once() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("sweep");
    let ciphertext = fs::read(folder.join("ciphertext.bin")).unwrap();
    let plain = Plaintext::new().with(0, "45 76 65".parse().unwrap());
    let known = Known::new(&plain, &ciphertext, 0).unwrap();
    let test = KeyTest::new(known, Family::Rc4, None).unwrap();
    let space = KeySpace::new("a5 ??{4}".parse().unwrap()).unwrap();
    let search = Search::new(space, test.clone());
    let records = [1, 2, 3, 4].map(|n| {
        let text = fs::read_to_string(folder.join(format!("{n}.json"))).unwrap();
        let record = Record::from_text(&text).unwrap();
        record.check_search(&Record::new(&search)).unwrap();
        record
    });
    let merged = |records: &[Record]| {
        let mut merged = Record::new(&search);
        records.iter().try_for_each(|record| merged.merge(record)).map(|()| merged)
    };

    let all = merged(&records).unwrap();
    assert!(all.is_complete());
    assert_eq!(all.done(), 1 << 32);
    // A missing shard is no proof, and a repeated shard is refused.
    assert!(!merged(&records[1..]).unwrap().is_complete());
    assert!(merged(&[records.as_slice(), &records[..1]].concat()).is_err());

    for (number, key) in all.matches() {
        assert!(*key == search.space().key(*number) && test.passes(key).unwrap(), "{key:02x?}");
    }
    let planted = all.matches().iter().filter(|(_, key)| {
        let mut text = ciphertext.clone();
        Rc4::from_key(key).unwrap().apply(&mut text);
        text == b"Every key of four unknown bytes."
    });
    assert_eq!(planted.count(), 1);
    // Three bytes are known, and chance predicts the number of wrong keys that match.
    let (wrong, expected) = (all.matches().len() as f64 - 1.0, search.expected_by_chance());
    assert!((wrong - expected).abs() < 5.0 * expected.sqrt(), "{wrong}, not {expected}");
}

/// The single key in the record of a search of 2^28 keys.
fn key_of(record: &str, keys: &str, test: KeyTest) -> Vec<u8> {
    let search = Search::new(KeySpace::new(keys.parse().unwrap()).unwrap(), test);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("documents").join(record);
    let record = Record::from_text(&fs::read_to_string(path).unwrap()).unwrap();
    record.check_search(&Record::new(&search)).unwrap();
    assert!(record.is_complete());
    assert_eq!(record.done(), 1 << 28);
    assert_eq!(record.matches().len(), 1);
    record.matches()[0].1.clone()
}

#[test]
fn the_key_that_was_found_opens_the_pdf_file() {
    let file = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/documents/by-qpdf.pdf")).unwrap();
    let mut document = pdf::Document::read(file).unwrap();
    let standard = document.security().unwrap().rc4().unwrap().remove(0);
    assert_eq!((standard.revision, standard.key_len), (2, 5));
    let pad = Plaintext::new().with(0, Pattern::exact(&pdf::PAD).unwrap());
    let known = Known::new(&pad, &standard.user, 0).unwrap();
    let test = KeyTest::new(known, Family::Rc4, None).unwrap();
    let key = key_of("pdf.json", "28 [10-1f] ?? ?? ??", test);
    document.decrypt(&pdf::FileKey::new(&key).unwrap()).unwrap();
    let mut plain = vec![];
    document.write(&mut plain).unwrap();
    assert!(plain.windows(14).any(|bytes| bytes == b"Attack at dawn"));
}

#[test]
fn the_key_that_was_found_opens_the_word_file() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors/office/libreoffice.doc");
    let document = office::Document::read(fs::read(file).unwrap()).unwrap();
    let handler = document.handler().unwrap().clone();
    let office::Handler::Office97(header) = &handler else { panic!("{handler:?}") };
    let (verifier, verifier_hash) = (header.verifier, header.verifier_hash);
    let test = KeyTest::office(OfficeVerifier { verifier, verifier_hash });
    let key = key_of("doc.json", "53 [90-9f] ?? ?? ??", test);
    let plain = document.decrypt(&handler.key(&key).unwrap()).unwrap().file;
    let text: Vec<u8> = "Attack at dawn".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let has = |bytes: &[u8]| plain.windows(bytes.len()).any(|window| window == bytes);
    assert!(has(b"Attack at dawn") || has(&text));
}
