//! PDF files: inspected, decrypted with the passwords of the vectors, encrypted and decrypted again.

#![cfg_attr(not(test), no_main)]

use arcfour_formats::pdf::{Document, Encryption};
use arcfour_fuzz::pdf::same_tokens;

arcfour_fuzz::target!(|file: &[u8]| {
    let Ok(mut document) = Document::repair(file.to_vec()) else { return };
    let whole = document.lost().is_none();
    assert_eq!(whole, Document::read(file.to_vec()).is_ok());
    let mut plain = vec![];
    if let Some(security) = document.security() {
        let opened = [&b""[..], b"user", b"owner"].iter().find_map(|text| security.open(text).ok());
        let Some((key, _)) = opened else { return };
        assert!(security.check(&key).is_ok());
        if document.decrypt(&key).is_err() {
            return;
        }
        assert!(document.security().is_none());
        let is_whole = document.lost().is_none();
        document.write(&mut plain).expect("memory takes all");
        if is_whole {
            same_tokens(file, &plain).unwrap();
        }
    } else {
        plain.extend(file);
    }
    let Some((once, is_whole)) = encrypted_and_decrypted(plain) else { return };
    // Strings have the notation that we write, from now on: every byte must come back. The Encrypt dictionary that was
    // taken out is the last object; another one and the cross-reference follow.
    if is_whole {
        let (twice, _) = encrypted_and_decrypted(once.clone()).expect("what we wrote can be read");
        let dictionary = b" null \nendobj";
        let end = once.windows(dictionary.len()).rposition(|bytes| bytes == dictionary);
        let Some(end) = end else { return }; // an object that overlaps others hid it in its stream
        assert!(once[..end] == twice[..end], "{}\n\n{}", once.escape_ascii(), twice.escape_ascii());
    }
});

/// What is left of a file after both, and whether it was read without repair.
fn encrypted_and_decrypted(plain: Vec<u8>) -> Option<(Vec<u8>, bool)> {
    let mut document = Document::repair(plain).ok()?;
    if document.security().is_some() {
        return None; // a trailer that was in the middle of the file
    }
    let is_whole = document.lost().is_none();
    let key = document.encrypt(&Encryption::default()).ok()?;
    let mut cipher = vec![];
    document.write(&mut cipher).expect("memory takes all");
    let read = Document::repair(cipher);
    let mut document = if is_whole { read.expect("what we wrote can be read") } else { read.ok()? };
    assert!(!is_whole || document.lost().is_none());
    if document.security().is_none() || document.decrypt(&key).is_err() {
        assert!(!is_whole);
        return None;
    }
    let mut plain = vec![];
    document.write(&mut plain).expect("memory takes all");
    Some((plain, is_whole))
}
