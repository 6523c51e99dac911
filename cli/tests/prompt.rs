//! Tests passphrases and passwords that a user types, on pseudo-terminals.

use std::{
    fs,
    io::{Read, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use tempfile::TempDir;

const ARCFOUR: &str = env!("CARGO_BIN_EXE_arcfour");

/// A shell on a pseudo-terminal, whose first line of output is the name of the terminal.
struct Terminal {
    script: Child,
    input: ChildStdin,
    output: ChildStdout,
    shown: String,
}

impl Terminal {
    fn start(folder: &Path, command: &str) -> Self {
        // A shell that starts the tests in the background makes them ignore SIGINT.
        let mut script = Command::new("env")
            .args(["--default-signal", "script", "-q", "-e", "-c"])
            .args([&format!("tty; {command}"), "/dev/null"])
            .current_dir(folder)
            .env("SHELL", "/bin/bash")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (script.stdin.take().unwrap(), script.stdout.take().unwrap());
        Self { script, input, output, shown: String::new() }
    }

    /// Reads on until `count` copies of the text have been shown.
    fn wait_for(&mut self, count: usize, text: &str) {
        while self.shown.matches(text).count() < count {
            let mut room = [0; 100];
            let n = self.output.read(&mut room).unwrap();
            assert!(n > 0, "no {text}: {}", self.shown);
            self.shown += str::from_utf8(&room[..n]).unwrap();
        }
    }

    /// Returns true if the terminal shows what is typed, as `stty` tells.
    fn echoes(&self) -> bool {
        let terminal = self.shown.lines().next().unwrap();
        let stty = Command::new("stty").args(["-a", "-F", terminal]).output().unwrap();
        let settings = String::from_utf8_lossy(&stty.stdout).into_owned();
        assert!(settings.contains("echo "), "{terminal}: {settings}");
        !settings.contains(" -echo ")
    }

    fn type_in(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).unwrap();
    }

    /// Returns the exit code and all that was shown.
    fn end(mut self) -> (Option<i32>, String) {
        drop(self.input); // a prompt that no test expects ends
        self.output.read_to_string(&mut self.shown).unwrap();
        (self.script.wait().unwrap().code(), self.shown)
    }
}

/// Runs a command, and types a line at each of its prompts.
fn typed(folder: &Path, command: &str, lines: &[&[u8]]) -> (Option<i32>, String) {
    let mut terminal = Terminal::start(folder, command);
    for (at, line) in lines.iter().enumerate() {
        terminal.wait_for(at + 1, ": ");
        assert!(!terminal.echoes());
        terminal.type_in(&[line, &b"\n"[..]].concat());
    }
    terminal.end()
}

/// A folder with the file `in`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in"), "Attack at dawn").unwrap();
    folder
}

/// Opens the file `sealed` under a passphrase from a file, and returns true if it is `in`.
fn opens(folder: &Path, passphrase: &[u8]) -> bool {
    fs::write(folder.join("phrase"), [passphrase, b"\n"].concat()).unwrap();
    let mut open = Command::new(ARCFOUR);
    open.current_dir(folder).args(["open", "--passphrase-file", "phrase", "sealed"]);
    open.output().unwrap().stdout == b"Attack at dawn"
}

#[test]
fn a_passphrase_is_asked_for_on_the_terminal() {
    let folder = folder();
    let path = folder.path();
    // No passphrase is asked for if the output cannot be made.
    let cases =
        [("in -o in", 2, "is the input"), ("no-such-file -o out", 2, "no file has the name")];
    for (line, status, message) in cases {
        let (code, shown) = typed(path, &format!("{ARCFOUR} seal --passphrase {line}"), &[]);
        assert_eq!(code, Some(status), "{shown}");
        assert!(shown.contains(message) && !shown.contains("Passphrase: "), "{shown}");
    }
    let seal = format!("{ARCFOUR} seal --passphrase in -o sealed");
    let (code, shown) = typed(path, &seal, &[b"one", b"two"]);
    assert!(code == Some(1) && shown.contains("the two passphrases differ"), "{shown}");
    assert!(!path.join("sealed").exists());
    let (code, shown) = typed(path, &seal, &[b"sesame", b"sesame"]);
    assert!(code == Some(0) && !shown.contains("sesame"), "{shown}");
    // The line end is shown.
    assert!(shown.ends_with("Passphrase: \r\nOnce more: \r\n"), "{shown:?}");
    let open = format!("{ARCFOUR} open --passphrase sealed -o back");
    assert_eq!(typed(path, &open, &[b"sesame"]).0, Some(0));
    assert_eq!(fs::read(path.join("back")).unwrap(), b"Attack at dawn");
}

#[test]
fn every_byte_that_is_typed_counts() {
    let folder = folder();
    let seal = format!("{ARCFOUR} seal --passphrase in -o sealed --force");
    let long = [b'x'; 4094];
    for (line, passphrase) in [
        (&b"caf\xe9 \xff\xfe\x80"[..], &b"caf\xe9 \xff\xfe\x80"[..]), // Latin-1, no UTF-8
        ("p\u{e4}\u{20ac}\u{1f600}".as_bytes(), "p\u{e4}\u{20ac}\u{1f600}".as_bytes()),
        (b" a\tb ", b" a\tb "),
        (b"wrong\x15sesa\x7fame", b"sesame"), // Control-U and Backspace edit
        (b"tw\x04o", b"two"),                 // Control-D only sends what is there
        (&long, &long),
    ] {
        let (code, shown) = typed(folder.path(), &seal, &[line, line]);
        assert_eq!(code, Some(0), "{shown}");
        assert!(opens(folder.path(), passphrase), "{line:?}");
    }
}

#[test]
fn what_a_line_cannot_hold_is_refused() {
    let folder = folder();
    let seal = format!("{ARCFOUR} seal --passphrase in -o sealed");
    let asked = "cannot ask for the passphrase on the terminal";
    for (line, message) in [
        (&b"a\x1b[Db"[..], "the passphrase that was typed has the control character 0x1b"),
        (b"ab\x1a", "has the control character 0x1a"), // Control-Z
        (&[b'x'; 4095], &*format!("{asked}: it has more than 4094 bytes")),
        (&[b'x'; 5000], &*format!("{asked}: it has more than 4094 bytes")),
        (b"ab\x04\x04", &*format!("{asked}: the input ended")),
        (b"\x04", &*format!("{asked}: the input ended")),
        (b"", "the passphrase is empty"),
    ] {
        let mut lines = vec![line];
        lines.extend(message.contains("empty").then_some(line));
        let (code, shown) = typed(folder.path(), &seal, &lines);
        assert!(matches!(code, Some(1 | 2)) && shown.contains(message), "{shown}");
    }
    let (code, shown) = typed(folder.path(), &format!("setsid -w {seal} < /dev/null"), &[]);
    assert!(code == Some(1) && shown.contains(&format!("{asked}: No such device")), "{shown}");
}

#[test]
fn a_password_of_a_document_is_typed_byte_for_byte() {
    let file = fs::canonicalize("../vectors/pdf/v2-r3-utf16.pdf").unwrap();
    let open = format!("{ARCFOUR} pdf decrypt {} --password > out", file.display());
    let folder = tempfile::tempdir().unwrap();
    for (password, code) in
        [(&b"\xe9t\xe9 5\xa0"[..], 0), ("\u{e9}t\u{e9} 5\u{20ac}".as_bytes(), 0), (b"ete 5", 1)]
    {
        assert_eq!(typed(folder.path(), &open, &[password]).0, Some(code), "{password:?}");
    }
}

/// After a signal at the prompt, the shell echoes typing again.
#[test]
fn a_signal_at_the_prompt_restores_the_echo_and_ends_the_program() {
    let folder = folder();
    for (key, status) in [(b'\x03', 130), (b'\x1c', 131)] {
        let command = format!(
            "trap : INT QUIT; {ARCFOUR} seal --passphrase in -o sealed; echo over $? now; read x"
        );
        let mut terminal = Terminal::start(folder.path(), &command);
        terminal.wait_for(1, "Passphrase: ");
        assert!(!terminal.echoes());
        terminal.type_in(&[b's', b'e', key]);
        terminal.wait_for(1, " now");
        // Bash names a signal other than Control-C's.
        let over = terminal.shown.replace("Quit\r\n", "");
        let expected = format!("Passphrase: \r\nover {status} now");
        assert!(over.contains(&expected) && terminal.echoes(), "{over}");
        terminal.type_in(b"\n");
        let (_, shown) = terminal.end();
        assert!(!shown.contains("arcfour: "), "{shown}");
    }
}

/// A file that no passphrase opens is refused before a user types one.
#[test]
fn the_header_is_read_before_the_prompt() {
    let folder = folder();
    let keygen = Command::new(ARCFOUR).args(["keygen", "-o", "key"]).current_dir(&folder).status();
    assert!(keygen.unwrap().success());
    let seal = format!("{ARCFOUR} seal --seal-key key in -o by-key");
    assert_eq!(typed(folder.path(), &seal, &[]).0, Some(0));
    for (line, message) in [
        ("in", "not a sealed file"),
        ("by-key", "the file was sealed with a key file, not a passphrase"),
        ("< in", "not a sealed file"),
        (".", "Is a directory"),
    ] {
        let (code, shown) =
            typed(folder.path(), &format!("{ARCFOUR} open --passphrase -o out {line}"), &[]);
        assert_eq!(code, Some(1), "{shown}");
        assert!(shown.contains(message) && !shown.contains("Passphrase: "), "{shown}");
    }
}
