//! The command line of `arcfour`, one argument per line: no panic, and every fault is wrong usage.
#![cfg_attr(not(test), no_main)]

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
};

use arcfour_cli::dispatch::parse;

arcfour_fuzz::target!(|data: &[u8]| {
    let mut line = vec![OsString::from("arcfour")];
    line.extend(data.split(|&byte| byte == b'\n').map(|word| OsStr::from_bytes(word).to_owned()));
    if let Err(error) = parse(line) {
        assert_eq!(error.exit_code(), if error.use_stderr() { 2 } else { 0 });
        assert!(!error.to_string().is_empty());
    }
});
