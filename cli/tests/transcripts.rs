//! Runs the transcripts: command lines, their output and their exit codes.

use std::{env, fs, os::unix::fs::symlink, path::Path, process::Command};

/// A PATH that begins with the programs of this build.
fn path() -> String {
    let programs = Path::new(env!("CARGO_BIN_EXE_arcfour")).parent().expect("a folder");
    format!("{}:{}", programs.display(), env!("PATH"))
}

#[test]
fn transcripts() {
    // Rewriting the expected output makes any test pass, so this is allowed only by hand.
    let writes = env::var_os("TRYCMD").is_some() && env::var_os("CI").is_some();
    assert!(!writes, "TRYCMD must not be set where CI is");
    trycmd::TestCases::new()
        .register_bin("bash", Path::new("/bin/bash"))
        .env("PATH", path())
        .env("LC_ALL", "C.UTF-8")
        .case("tests/transcripts/*.trycmd")
        .case("tests/transcripts/wrong/*.trycmd");
}

/// In the wrong commands `hunter2` stands where a user would write a secret: no message repeats it.
#[test]
fn no_message_shows_what_may_be_a_secret() {
    let mut given = 0;
    for file in fs::read_dir("tests/transcripts/wrong").unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let (_, console) = text.split_once("```console").expect("commands");
        let with = console.lines().filter(|line| line.contains("hunter2"));
        for line in with {
            assert!(line.starts_with("$ "), "{line}");
            given += 1;
        }
    }
    assert!(given > 30, "{given}");
}

/// The examples of the README in a shell, one shell for each block. Both outputs equal the printed
/// ones. A command fails if the README prints an error.
#[test]
fn examples_of_the_readme() {
    let blocks: Vec<&str> = include_str!("../README.md")
        .split("```console\n$ ")
        .skip(1)
        .map(|rest| rest.split("```").next().expect("its text"))
        .collect();
    assert!(blocks.len() > 5);
    // A folder beside `vectors`, as this one, that may be written to.
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("cli");
    fs::create_dir(&folder).unwrap();
    symlink(fs::canonicalize("../vectors").unwrap(), root.path().join("vectors")).unwrap();
    for block in blocks {
        let examples =
            block.split("\n$ ").map(|example| example.split_once('\n').unwrap_or((example, "")));
        let script: String = examples
            .clone()
            .map(|(command, _)| format!("{command}\nprintf '\\n\\001%s\\n' $?\n"))
            .collect();
        let done = Command::new("bash")
            .args(["-c", &format!("exec 2>&1\n{script}")])
            .current_dir(&folder)
            .envs([("PATH", path()), ("LC_ALL", "C.UTF-8".into())])
            .output()
            .unwrap();
        let said = String::from_utf8(done.stdout).unwrap();
        let mut pieces = said.split("\n\u{1}");
        let mut output = pieces.next().expect("a first piece");
        for (command, printed) in examples {
            let (code, next) =
                pieces.next().and_then(|piece| piece.split_once('\n')).expect("an exit code");
            assert_eq!(output.trim_end(), printed.trim_end(), "{command}");
            assert_eq!(code != "0", printed.contains("cannot"), "{command}: exit code {code}");
            output = next;
        }
    }
}

/// A test that is told to write transcripts refuses under CI.
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
