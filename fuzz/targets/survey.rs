//! A file for `arcfour survey`, its name in the first line: no panic, and each finding lies in the file and is counted. A file
//! and bytes in memory give the same findings, and the reports take them.

#![no_main]

use std::{
    io::{Cursor, Write},
    path::Path,
};

use arcfour_fuzz::named;
use arcfour_survey::{Finding, Input, Outcome, look, report};

arcfour_fuzz::target!(|file: &[u8]| {
    let (name, bytes) = named(file);
    let mut source = Cursor::new(bytes);
    let in_memory = findings(name, Input::new(name, &mut source).expect("memory has a length"));
    let mut source = tempfile::tempfile().expect("a place for files");
    source.write_all(bytes).expect("room for a small file");
    let in_file = findings(name, Input::of_file(name, &mut source).expect("a file has a length"));
    assert_eq!(in_memory, in_file);
    for finding in &in_memory {
        assert!(finding.count > 0 && finding.place.path == name);
        assert!(!finding.what().contains('{'), "{}", finding.what());
    }
    let outcome = Outcome { findings: in_memory, ..Outcome::default() };
    report::sarif(&outcome);
    report::cyclonedx(&outcome);
    report::html(&outcome);
});

/// What the readers find, to the first that could not read to the end.
fn findings(name: &Path, mut input: Input<'_>) -> Vec<Finding> {
    let mut found = vec![];
    let _ = look(name, &mut input, &mut |finding| found.push(finding));
    found
}
