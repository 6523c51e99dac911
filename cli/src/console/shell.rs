//! Commands to type, in messages.

use std::{ffi::OsStr, fmt::Write, path::Path};

use super::failure::is_hidden;

/// Quotes a word for a shell.
///
/// A file's name may have bytes that are not UTF-8, and characters that a message escapes. Such a
/// word becomes `$'…'` of POSIX (Issue 8, 2.2.4), so a terminal never gets these bytes.
pub fn quoted(word: impl AsRef<OsStr>) -> String {
    let bytes = word.as_ref().as_encoded_bytes();
    let plain = |char: char| char.is_alphanumeric() || "/._-+,:@%=".contains(char);
    match str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        Ok(text) if !text.contains(is_hidden) => {
            format!("'{}'", text.replace('\'', r"'\''"))
        }
        _ => escaped(bytes),
    }
}

/// Quotes the path of a file for a shell. `./` comes before a dash, which would begin an option.
pub fn quoted_path(path: &Path) -> String {
    match path.as_os_str().as_encoded_bytes() {
        [b'-', _, ..] => quoted(Path::new(".").join(path)),
        _ => quoted(path),
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut text = "$'".to_owned();
    for &byte in bytes {
        match byte {
            b'\'' | b'\\' => text.extend(['\\', char::from(byte)]),
            b' '..=b'~' => text.push(char::from(byte)),
            // Three digits always: a digit may follow.
            _ => write!(text, "\\{byte:03o}").expect("a string takes all"),
        }
    }
    text + "'"
}

#[cfg(test)]
mod tests {
    use std::{os::unix::ffi::OsStrExt, process::Command};

    use super::*;

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
            assert!(!quoted.contains(is_hidden), "{quoted:?}");
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
}
