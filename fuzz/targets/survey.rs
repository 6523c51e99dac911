//! A file for `arcfour survey`, its name in the first line: no panic, and each finding lies in the file and is counted. A file
//! and bytes in memory give the same findings, and the reports take them. Archives are entered, two deep.

#![cfg_attr(not(test), no_main)]

use std::{
    io::{Cursor, Write},
    path::Path,
};

use arcfour_fuzz::named;
use arcfour_survey::{Input, Options, Outcome, look, report};

/// How many bytes an archive gives for each byte of the input: then the work is in proportion to the input.
const UNPACKED: u64 = 4;

arcfour_fuzz::target!(|file: &[u8]| {
    let (name, bytes) = named(file);
    let mut source = Cursor::new(bytes);
    let in_memory = seen(name, Input::new(name, &mut source).expect("memory has a length"));
    let mut source = tempfile::tempfile().expect("a place for files");
    source.write_all(bytes).expect("room for a small file");
    let in_file = seen(name, Input::of_file(name, &mut source).expect("a file has a length"));
    assert_eq!(in_memory.findings, in_file.findings);
    assert_eq!(in_memory.unread, in_file.unread);
    for finding in &in_memory.findings {
        assert!(finding.count > 0 && finding.place.path == name);
        assert!(!finding.what().contains('{'), "{}", finding.what());
    }
    report::sarif(&in_memory);
    report::cyclonedx(&in_memory);
    report::html(&in_memory);
});

fn seen(name: &Path, input: Input<'_>) -> Outcome {
    let unpacked = UNPACKED * input.size().max(1 << 10);
    look(name, input, &Options { archives: 2, unpacked, ..Options::default() })
}
