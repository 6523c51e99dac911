//! A file for `arcfour survey`, its name in the first line: no panic, each finding lies in the file and is counted, and the reports
//! take it.

#![no_main]

use std::{ffi::OsStr, io::Cursor, os::unix::ffi::OsStrExt, path::Path};

use arcfour_survey::{Input, Outcome, look, report};

arcfour_fuzz::target!(|file: &[u8]| {
    let (name, bytes) = file.split_at(file.iter().position(|byte| *byte == b'\n').unwrap_or(0));
    let name = Path::new(OsStr::from_bytes(name));
    let mut bytes = Cursor::new(bytes.get(1..).unwrap_or_default());
    let mut outcome = Outcome::default();
    let mut input = Input::new(name, &mut bytes).expect("memory has a length");
    let _ = look(name, &mut input, &mut |finding| outcome.findings.push(finding));
    for finding in &outcome.findings {
        assert!(finding.count > 0 && finding.place.path == name);
        assert!(!finding.what().contains('{'), "{}", finding.what());
    }
    report::sarif(&outcome);
    report::cyclonedx(&outcome);
    report::html(&outcome);
});
