//! Transcripts: commands as a user types them, what they print, and their exit codes.

use std::{env, path::Path, process::Command};

#[test]
fn transcripts() {
    // Writing what is compared with makes the test pass whatever is right: by hand only.
    let writes = env::var_os("TRYCMD").is_some() && env::var_os("CI").is_some();
    assert!(!writes, "TRYCMD must not be set where CI is");
    let programs = Path::new(env!("CARGO_BIN_EXE_rc4")).parent().expect("a folder");
    let path = format!("{}:{}", programs.display(), env!("PATH"));
    trycmd::TestCases::new()
        .register_bin("bash", Path::new("/bin/bash"))
        .env("PATH", path)
        .env("LC_ALL", "C.UTF-8")
        .case("tests/transcripts/*.trycmd")
        .case("README.md");
}

/// Runs a test of this program where CI is, told to write: it refuses.
#[test]
fn nothing_is_written_where_ci_is() {
    let done = Command::new(env::current_exe().unwrap())
        .args(["transcripts", "--exact"])
        .envs([("CI", "true"), ("TRYCMD", "overwrite")])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(
        !done.status.success() && said.contains("TRYCMD must not be set where CI is"),
        "{said}"
    );
}
