//! Word, Excel and PowerPoint files: inspected, and decrypted with the password of the vectors.

#![cfg_attr(not(test), no_main)]

use std::{
    collections::BTreeMap,
    io::{Cursor, Read},
};

use arcfour_formats::office::{Document, Format};

/// The streams that may be encrypted, and those that the encrypted summary becomes.
const TOUCHED: [&str; 13] = [
    "WordDocument",
    "0Table",
    "1Table",
    "Data",
    "Workbook",
    "Book",
    "Revision Log",
    "PowerPoint Document",
    "Current User",
    "Pictures",
    "encryption",
    "EncryptedSummary",
    "\u{5}",
];

arcfour_fuzz::target!(|file: &[u8]| {
    let Ok(document) = Document::read(file.to_vec()) else { return };
    let Ok((key, _)) = document.open(b"Quentin").or_else(|_| document.open(b"")) else { return };
    let Ok(plain) = document.decrypt(&key).map(|decrypted| decrypted.file) else { return };
    assert!(plain.len() >= file.len(), "streams are decrypted in place");
    // Another library reads the other streams as they were. The encrypted summary adds some.
    if let (Some(before), Some(after)) = (others(file), others(&plain)) {
        let stays = |(path, bytes)| after.get(path) == Some(bytes);
        assert!(before.iter().all(stays), "a stream that is not encrypted has changed");
    }
    // The records of a presentation may lie within each other.
    if let Ok(again) = Document::read(plain)
        && again.format() != Format::Ppt
    {
        assert!(again.open(b"").is_err(), "it is decrypted");
    }
});

/// The streams that are never encrypted, if the file can be read.
fn others(file: &[u8]) -> Option<BTreeMap<String, Vec<u8>>> {
    let mut compound = cfb::CompoundFile::open(Cursor::new(file)).ok()?;
    let paths: Vec<String> = compound
        .walk()
        .filter(|entry| entry.is_stream() && entry.len() <= file.len() as u64)
        .map(|entry| entry.path().to_string_lossy().into_owned())
        .filter(|path| {
            let name = path.trim_start_matches('/');
            let is = |touched: &&str| {
                name.get(..touched.len()).is_some_and(|n| n.eq_ignore_ascii_case(touched))
            };
            !name.starts_with("_SX_DB_CUR") && !TOUCHED.iter().any(is)
        })
        .collect();
    let mut streams = BTreeMap::new();
    for path in paths {
        let mut bytes = vec![];
        compound.open_stream(&path).ok()?.read_to_end(&mut bytes).ok()?;
        streams.insert(path, bytes);
    }
    Some(streams)
}
