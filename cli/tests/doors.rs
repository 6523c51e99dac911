//! Tests of the checks before the work: refusals that cost nothing, and messages without secrets.

use std::{
    fs::{self, File},
    path::Path,
    process::{Command, Output, Stdio},
};

use wait4::Wait4;

const ARCFOUR: &str = env!("CARGO_BIN_EXE_arcfour");

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A password after an option that asks for it: the message names the option and the other ways.
#[test]
fn a_password_on_the_command_line_is_not_shown_and_the_other_ways_are() {
    for (command, option) in [
        (&["pdf", "decrypt"][..], "--password"),
        (&["pdf", "encrypt", "--i-know-rc4-is-broken"], "--password"),
        (&["office", "decrypt"], "--password"),
        (&["seal"], "--passphrase"),
        (&["open"], "--passphrase"),
    ] {
        let joined = format!("{option}=hunter2");
        for words in [
            &[option, "hunter2", "file"][..],
            &["file", &joined],
            &["file", option, "hunter2"],
            &[option, "hunter2"],
            &[option, "hunter2", "-o", "new"],
        ] {
            let output = Command::new(ARCFOUR)
                .args(command)
                .args(words)
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let said = said(&output);
            assert_eq!(output.status.code(), Some(2), "{command:?} {words:?}: {said}");
            for part in
                ["takes no value", &format!("{option}-file PATH"), &format!("{option}-env NAME")]
            {
                assert!(said.contains(part), "{command:?} {words:?}: {said}");
            }
            assert!(!said.contains("hunter2"), "{command:?} {words:?}: {said}");
        }
    }
}

/// Other mistakes in a command line with a password option are named correctly.
#[test]
fn an_unknown_option_beside_a_password_is_named() {
    let line = ["pdf", "decrypt", "--password", "file", "--recursive-typo"];
    let output = Command::new(ARCFOUR).args(line).stdin(Stdio::null()).output().unwrap();
    let said = said(&output);
    assert!(said.contains("unexpected argument '--recursive-typo' found"), "{said}");
}

/// A file that is too long and an endless device are refused without being read.
#[test]
fn what_cannot_be_a_document_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let sparse = folder.path().join("sparse");
    File::create(&sparse).unwrap().set_len(1 << 32).unwrap();
    for (path, line) in [
        (&*sparse, "it has 4294967296 bytes; a document has at most 2147483647"),
        (Path::new("/dev/zero"), "cannot "),
    ] {
        for kind in ["pdf", "office"] {
            let mut command = Command::new(ARCFOUR);
            command.args([kind, "inspect"]).arg(path).stdout(Stdio::null()).stderr(Stdio::piped());
            let child = command.spawn().unwrap();
            let (mut child, mut text) = (child, String::new());
            std::io::Read::read_to_string(child.stderr.as_mut().unwrap(), &mut text).unwrap();
            let ended = child.wait4().unwrap();
            assert_eq!(ended.status.code(), Some(1), "{kind} {path:?}: {text}");
            assert!(text.contains(line) && text.lines().count() == 1, "{kind} {path:?}: {text}");
            let mib = ended.rusage.maxrss >> 20;
            assert!(mib < 64, "{kind} {path:?} takes {mib} MiB");
        }
    }
}

/// A file mounted as by `docker run -v FILE:FILE` cannot be replaced, and the message comes before
/// the work.
#[test]
#[cfg(target_os = "linux")]
fn a_file_that_is_mounted_is_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("host", "old"), ("inside", "")] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    // The work would wait for its input for ever, so an early message shows that the check came
    // first.
    let script = "mount --bind host inside || exit 99; mkfifo pipe; exec 3<>pipe; \
                  timeout 20 \"$0\" crypt --key Quentin -o inside --force < pipe";
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "bash", "-c", script, ARCFOUR])
        .current_dir(folder.path())
        .output()
        .expect("unshare is in util-linux");
    let said = said(&output);
    if output.status.code() == Some(99) || said.contains("unshare") {
        eprintln!("SKIPPED: this system lets nobody mount: {said}");
        return;
    }
    let line = "arcfour: cannot write 'inside': another file is mounted there, which cannot be replaced; write beside it and copy\n";
    assert_eq!((output.status.code(), &*said), (Some(1), line));
    assert_eq!(fs::read(folder.path().join("host")).unwrap(), b"old");
}
