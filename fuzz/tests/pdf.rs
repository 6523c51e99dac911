//! The second reader of PDF files reads the vectors, and sees a changed token.

use arcfour_formats::pdf::Document;
use arcfour_fuzz::pdf::{frames, same_tokens};

#[test]
fn a_changed_token_of_a_decrypted_vector_is_seen() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors/pdf");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = std::fs::read(entry.unwrap().path()).unwrap();
        let mut document = Document::read(file.clone()).unwrap();
        let security = document.security().unwrap();
        let key = [&b""[..], b"user"].iter().find_map(|text| security.open(text).ok());
        let Some((key, _)) = key else { continue };
        document.decrypt(&key).unwrap();
        let mut plain = vec![];
        document.write(&mut plain).unwrap();
        assert_eq!(same_tokens(&file, &plain), Ok(()));
        let Some(before) = frames(&file) else { continue }; // a Length is a reference
        assert!(before.len() >= 5 && frames(&plain).is_some());
        files += 1;
        for (old, new) in [
            (" 0 obj", " 1 obj"),
            (" obj\n<< ", " obj\n<<\t"),
            ("/Title (", "/Title (x"),
            ("\nendobj", "% \nendobj"),
        ] {
            let Some(at) = plain.windows(old.len()).position(|bytes| bytes == old.as_bytes())
            else {
                continue;
            };
            let changed = [&plain[..at], new.as_bytes(), &plain[at + old.len()..]].concat();
            assert!(same_tokens(&file, &changed).is_err(), "{old}");
        }
    }
    assert!(files > 10, "{files} vectors are read");
}
