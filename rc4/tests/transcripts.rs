//! Runs the transcripts: command lines, their output and their exit codes.

use std::{env, path::Path};

#[test]
fn transcripts() {
    // Rewriting the expected output makes any test pass, so this is allowed only by hand.
    let writes = env::var_os("TRYCMD").is_some() && env::var_os("CI").is_some();
    assert!(!writes, "TRYCMD must not be set where CI is");
    let programs = Path::new(env!("CARGO_BIN_EXE_rc4")).parent().expect("a folder");
    trycmd::TestCases::new()
        .register_bin("bash", Path::new("/bin/bash"))
        .env("PATH", format!("{}:{}", programs.display(), env!("PATH")))
        .env("LC_ALL", "C.UTF-8")
        .case("tests/transcripts/*.trycmd");
}
