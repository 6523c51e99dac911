//! Transcripts: the program as typed, what it prints, and its exit codes.

use std::{env, path::Path};

#[test]
fn transcripts() {
    // Writing what is compared with makes the test pass whatever is right: by hand only.
    let writes = env::var_os("TRYCMD").is_some() && env::var_os("CI").is_some();
    assert!(!writes, "TRYCMD must not be set where CI is");
    let programs = Path::new(env!("CARGO_BIN_EXE_trials")).parent().expect("a folder");
    trycmd::TestCases::new()
        .register_bin("bash", Path::new("/bin/bash"))
        .env("PATH", format!("{}:{}", programs.display(), env!("PATH")))
        .env("LC_ALL", "C.UTF-8")
        .case("tests/transcripts/*.trycmd");
}
