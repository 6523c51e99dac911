//! Transcripts: commands as a user types them, what they print, and their exit codes.

use std::path::Path;

#[test]
fn transcripts() {
    let programs = Path::new(env!("CARGO_BIN_EXE_rc4")).parent().expect("a folder");
    let path = format!("{}:{}", programs.display(), env!("PATH"));
    trycmd::TestCases::new()
        .register_bin("bash", Path::new("/bin/bash"))
        .env("PATH", path)
        .env("LC_ALL", "C.UTF-8")
        .case("tests/transcripts/*.trycmd")
        .case("README.md");
}
