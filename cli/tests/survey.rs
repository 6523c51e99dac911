//! Tests the exit codes of `arcfour survey`, and the files of its reports.

use std::{
    fs::{self, File, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

const ARCFOUR: &str = env!("CARGO_BIN_EXE_arcfour");

/// A folder with a configuration that allows RC4.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("etc")).unwrap();
    fs::write(folder.path().join("etc/sshd_config"), "Ciphers arcfour128\n").unwrap();
    folder
}

fn survey(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(ARCFOUR);
    command.current_dir(folder).arg("survey").args(args).stdin(Stdio::null()).output().unwrap()
}

/// The exit code and the lines on standard error.
fn verdict(output: &Output) -> (Option<i32>, &str) {
    (output.status.code(), std::str::from_utf8(&output.stderr).unwrap())
}

/// Returns true for a whole table, from its first column to the list at its end.
fn has_table(output: &Output) -> bool {
    let text = String::from_utf8_lossy(&output.stdout);
    text.starts_with("severity") && text.contains("Not seen here:")
}

#[test]
fn a_given_path_that_cannot_be_read_fails() {
    let folder = folder();
    let path = folder.path();
    assert!(Command::new("mkfifo").arg(path.join("pipe")).status().unwrap().success());
    let pipe = survey(path, &["etc", "pipe"]);
    let line = "arcfour: cannot read 'pipe': it is neither a file nor a folder\n";
    assert!(has_table(&pipe));
    assert_eq!(verdict(&pipe), (Some(1), line));
    let both = survey(path, &["--check", "etc", "pipe"]);
    let lines = format!("{line}arcfour: RC4 was found: 1 finding\n");
    assert_eq!(verdict(&both), (Some(1), lines.as_str()));
    // In a folder it is passed over.
    assert_eq!(verdict(&survey(path, &["."])), (Some(0), ""));
}

#[test]
fn a_given_path_without_permission_fails_and_is_not_counted() {
    let folder = folder();
    let path = folder.path();
    let set = |name: &str, mode| {
        fs::set_permissions(path.join(name), Permissions::from_mode(mode)).unwrap();
    };
    fs::write(path.join("file"), "text").unwrap();
    fs::create_dir(path.join("closed")).unwrap();
    fs::create_dir(path.join("open")).unwrap();
    fs::write(path.join("open/file"), "text").unwrap();
    ["file", "closed", "open/file"].iter().for_each(|name| set(name, 0o000));
    set("", 0o755);
    // To where an ordinary user can reach it; see files.rs for `cp`.
    let program = path.join("arcfour");
    assert!(Command::new("cp").arg(ARCFOUR).arg(&program).status().unwrap().success());
    let mut command = if File::open(path.join("file")).is_ok() {
        // Root reads everything, so the program runs as user 65534.
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    command.current_dir(path).args(["survey", "--json", "closed", "file", "open"]);
    let output = command.output().unwrap();
    let denied = |name| format!("arcfour: cannot read '{name}': Permission denied (os error 13)\n");
    let lines = denied("closed") + &denied("file");
    assert_eq!(verdict(&output), (Some(1), lines.as_str()));
    let end: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&end["files"], end["unread"].as_array().unwrap().len()), (&0.into(), 3));
    ["closed", "open/file"].iter().for_each(|name| set(name, 0o755));
}

#[test]
fn a_closed_pipe_does_not_hide_the_verdict() {
    let folder = folder();
    for (args, code) in
        [(&["--check", "etc"][..], 1), (&["--check", "--json", "etc"], 1), (&["etc"], 0)]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(ARCFOUR);
        let command = command.current_dir(folder.path()).arg("survey").args(args).stdout(writer);
        let line = if code == 1 { "arcfour: RC4 was found: 1 finding\n" } else { "" };
        assert_eq!(verdict(&command.output().unwrap()), (Some(code), line), "{args:?}");
    }
}

#[test]
fn a_report_that_cannot_be_made_is_refused_before_the_work() {
    let folder = folder();
    let path = folder.path();
    fs::create_dir(path.join("dir")).unwrap();
    symlink("dir", path.join("link")).unwrap();
    let is_a_folder = "cannot write 'dir': Is a directory (os error 21)\n";
    for (args, code, line) in [
        (&["--html", "dir"][..], 1, is_a_folder),
        (&["--html", "dir", "-f"], 1, is_a_folder),
        (
            &["--sarif", "x", "--cbom", "./x", "-f"],
            2,
            "two reports cannot be one file './x'; choose another for one\n",
        ),
        (
            &["--sarif", "dir/x", "--html", "link/x"],
            2,
            "two reports cannot be one file 'link/x'; choose another for one\n",
        ),
    ] {
        let refused = survey(path, &[args, &["etc"]].concat());
        let (found, text) = verdict(&refused);
        assert!(text.starts_with(&format!("arcfour: {line}")), "{text}");
        assert_eq!((found, refused.stdout.len()), (Some(code), 0), "{args:?}");
        assert_eq!(fs::read_dir(path.join("dir")).unwrap().count(), 0);
    }
    let devices = survey(path, &["--sarif", "/dev/null", "--cbom", "/dev/null", "etc"]);
    assert_eq!(verdict(&devices), (Some(0), ""));
}

/// The device is full only once something is written to it.
#[test]
fn a_report_that_fails_does_not_hide_the_others() {
    let folder = folder();
    let path = folder.path();
    let args =
        ["--check", "--sarif", "/dev/full", "--cbom", "x.cbom", "--html", "/dev/full", "etc"];
    let output = survey(path, &args);
    let full = "arcfour: cannot write '/dev/full': No space left on device (os error 28)\n";
    let lines = format!("{full}{full}arcfour: RC4 was found: 1 finding\n");
    assert_eq!(verdict(&output), (Some(1), lines.as_str()));
    assert!(has_table(&output));
    assert!(fs::read_to_string(path.join("x.cbom")).unwrap().contains("sshd_config"));
}

/// The remedy of a file that a command decrypts is the command that `arcfour inspect` names.
#[test]
fn the_command_of_a_finding_is_that_of_inspect() {
    let folder = folder();
    let path = folder.path();
    let shell = format!(
        "cd '{}' && cp \"$OLDPWD\"/../vectors/pdf/v1-r2-empty.pdf \"$OLDPWD\"/../vectors/pdf/v2-r3-128.pdf \
         \"$OLDPWD\"/../vectors/office/default.xls \"$OLDPWD\"/../vectors/office/cryptoapi-128.doc . && \
         export P=secret A='{ARCFOUR}' && $A keygen -o key && $A seal --seal-key key key -o by-key && \
         $A seal --passphrase-env P key -o by-passphrase",
        path.display()
    );
    assert!(Command::new("bash").args(["-c", &shell]).status().unwrap().success());
    for name in [
        "v1-r2-empty.pdf",
        "v2-r3-128.pdf",
        "default.xls",
        "cryptoapi-128.doc",
        "by-key",
        "by-passphrase",
    ] {
        let found = survey(path, &["--json", name]);
        let line = found.stdout.split(|byte| *byte == b'\n').next().unwrap();
        let finding: serde_json::Value = serde_json::from_slice(line).unwrap();
        let mut inspect = Command::new(ARCFOUR);
        let inspect = inspect.current_dir(path).args(["inspect", "--json", name]).output().unwrap();
        let facts: serde_json::Value = serde_json::from_slice(&inspect.stdout).unwrap();
        assert_eq!(finding["command"], facts["next"], "{name}");
    }
}
