//! The reader of published tables: no panic, and what is accepted is a file of counts.
#![no_main]

use arcfour_stats::{file::CountsFile, table};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match table::parse(text) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(file) => {
            let all = file.keystreams();
            for position in file.counts.tables[0].chunks(256) {
                assert_eq!(position.iter().sum::<u64>(), all);
            }
            if all <= 1 << 40 {
                assert_eq!(CountsFile::parse(&file.to_bytes()), Ok(file));
            }
        }
    }
});
