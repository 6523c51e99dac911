//! Words of a command that a message tells to type.

use std::{ffi::OsStr, fmt::Write, path::Path};

use crate::shown::is_hidden;

/// Quotes a word for a shell.
///
/// A file's name may have bytes that are not UTF-8, and characters that [`Escaped`] changes. Such a
/// word becomes `$'…'` of POSIX (Issue 8, 2.2.4), so a terminal never gets these bytes.
///
/// [`Escaped`]: crate::Escaped
pub fn quoted(word: impl AsRef<OsStr>) -> String {
    let bytes = word.as_ref().as_encoded_bytes();
    let plain = |char: char| char.is_alphanumeric() || "/._-+,:@%=".contains(char);
    match str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        Ok(text) if !text.contains(is_hidden) => {
            format!("'{}'", text.replace('\'', r"'\''"))
        }
        _ => in_escapes(bytes),
    }
}

/// Quotes the path of a file for a shell. `./` comes before a dash, which would begin an option.
pub fn quoted_path(path: &Path) -> String {
    match path.as_os_str().as_encoded_bytes() {
        [b'-', _, ..] => quoted(Path::new(".").join(path)),
        _ => quoted(path),
    }
}

fn in_escapes(bytes: &[u8]) -> String {
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
