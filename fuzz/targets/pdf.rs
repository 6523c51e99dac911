//! PDF files: inspected, decrypted with the passwords of the vectors, encrypted and decrypted again.

#![no_main]

use arcfour_formats::pdf::{Document, Encryption};

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
        document.write(&mut plain).expect("memory takes all");
    } else {
        plain.extend(file);
    }
    let Ok(mut again) = Document::repair(plain) else { return };
    if again.security().is_some() {
        return; // a trailer that was in the middle of the file
    }
    let Ok(key) = again.encrypt(&Encryption::default()) else { return };
    let mut cipher = vec![];
    again.write(&mut cipher).expect("memory takes all");
    if let Ok(mut document) = Document::repair(cipher)
        && document.security().is_some()
    {
        let _ = document.decrypt(&key);
    }
});
