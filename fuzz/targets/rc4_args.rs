//! The command line of `rc4`, one argument per line: no panic, one clear line for a fault, and
//! what is accepted is in range.
#![cfg_attr(not(test), no_main)]

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
};

use arcfour_console::failure::Failure;
use arcfour_rc4::{Request, parse};

arcfour_fuzz::target!(|data: &[u8]| {
    let mut line = vec![OsString::from("rc4")];
    line.extend(data.split(|&byte| byte == b'\n').map(|word| OsStr::from_bytes(word).to_owned()));
    match parse(line.clone()) {
        Ok(Request::Print(text)) => assert!(!text.is_empty()),
        Ok(Request::Run(args)) => {
            assert!(line.contains(&args.key));
            assert!(args.key.is_ascii() && (1..=256).contains(&args.key.len()));
            assert!(args.bench.is_none_or(|bytes| bytes > 1));
            assert!(args.bench_loop.is_none_or(|times| times > 0 && args.bench.is_some()));
        }
        Err(Failure::Usage(message)) => {
            assert!(!message.is_empty() && message.lines().count() == 1, "{message}");
        }
        Err(other) => panic!("{other}"),
    }
});
