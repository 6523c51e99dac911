//! The reader of published tables: no panic, and what is accepted is a file of counts.
#![cfg_attr(not(test), no_main)]

use arcfour_stats::{campaign::Kind, file::CountsFile, table};

arcfour_fuzz::target!(|bytes: &[u8]| {
    match table::read(bytes) {
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
        }
        Ok(file) => {
            let (_, cells) = file.table(Kind::Single).expect("single bytes were read");
            for position in cells.chunks(256) {
                assert_eq!(position.iter().sum::<u64>(), file.keystreams());
            }
            assert_eq!(CountsFile::parse(&file.to_bytes()), Ok(file));
        }
    }
});
