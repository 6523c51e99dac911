//! Word, Excel and PowerPoint files: inspected, and decrypted with the password of the vectors.

#![no_main]

use arcfour_formats::office::{Document, Format};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let Ok(document) = Document::read(file.to_vec()) else { return };
    let _ = document.left_out();
    let Ok((key, _)) = document.open(b"Quentin").or_else(|_| document.open(b"")) else { return };
    let handler = document.handler().expect("it has a key");
    assert!(handler.fits(&key));
    let Ok(plain) = document.decrypt(&key) else { return };
    assert!(plain.len() >= file.len(), "streams are decrypted in place");
    // The records of a presentation may lie within each other.
    if let Ok(again) = Document::read(plain)
        && again.format() != Format::Ppt
    {
        assert!(again.handler().is_err(), "it is decrypted");
    }
});
