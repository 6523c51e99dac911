//! The reader of files of counts, under a right checksum: no panic, and what is accepted is written
//! back to be the same.
#![cfg_attr(not(test), no_main)]

use arcfour_stats::file::{CountsFile, FileError};
use sha2::{Digest, Sha256};

// The file without its checksum.
arcfour_fuzz::target!(|content: &[u8]| {
    let sealed = [content, &Sha256::digest(content)].concat();
    match CountsFile::parse(&sealed) {
        Ok(file) => assert_eq!(CountsFile::parse(&file.to_bytes()), Ok(file)),
        Err(FileError::Checksum) => panic!("the checksum is right"),
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
        }
    }
    let mut damaged = sealed;
    if let Some(last) = damaged.last_mut() {
        *last ^= 1;
    }
    let error = CountsFile::parse(&damaged).expect_err("its checksum is wrong");
    assert!(matches!(error, FileError::Checksum | FileError::Magic | FileError::Long));
});
