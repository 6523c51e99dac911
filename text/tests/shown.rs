//! Untrusted text on a terminal, and in a command to type.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt, path::Path, process::Command};

use arcfour_text::{Escaped, quoted, quoted_path};

#[test]
fn characters_that_a_terminal_would_obey_are_shown() {
    let name = "a\u{1b}]0;pwned\u{7}\n\r\t\u{9b}31m\u{7f}\u{202e}\u{61c}é '";
    let shown = r"a\u{1b}]0;pwned\u{7}\n\r\t\u{9b}31m\u{7f}\u{202e}\u{61c}é '";
    assert_eq!(Escaped(name).to_string(), shown);
}

#[test]
fn a_shell_reads_the_word_back() {
    for word in [
        &b""[..],
        b"old.pdf",
        b"two words",
        b"it's",
        "Grüße.doc".as_bytes(),
        b"-- $HOME `id` \\n",
        b"\xff7.pdf",
        b"caf\xe9 it's \\1.doc",
        b"line\nline",
        b"\x1b[31m",
        "\u{202e}fdp.\u{61c}".as_bytes(),
    ] {
        let quoted = quoted(OsStr::from_bytes(word));
        assert_eq!(Escaped(&quoted).to_string(), quoted);
        let echoed = Command::new("bash").arg("-c").arg(format!("printf %s {quoted}")).output();
        assert_eq!(echoed.unwrap().stdout, word, "{quoted}");
    }
}

#[test]
fn no_path_is_an_option() {
    for (path, expected) in
        [("-d.enc", "./-d.enc"), ("-a b", "'./-a b'"), ("-", "-"), ("a-", "a-"), ("", "''")]
    {
        assert_eq!(quoted_path(Path::new(path)), expected);
    }
}
