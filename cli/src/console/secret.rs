//! Sources of the secret of a sealed file. Every copy made here is wiped when dropped.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use arcfour_container::{MAX_PASSPHRASE, Secret};
use arcfour_files::{SecretFile, secret_from_environment};
use zeroize::Zeroizing;

use super::{
    failure::Failure,
    hidden::hidden_line,
    identity::{Guard, Identity},
    stdio,
};

const HEADING: &str = "Key (exactly one)";

/// Exactly one source of a secret.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
pub struct SecretArgs {
    /// A file with 64 hexadecimal digits, as `arcfour keygen` and `openssl rand -hex 32` write it;
    /// - is standard input
    #[arg(long = "seal-key", alias = "key-file", value_name = "PATH", help_heading = HEADING)]
    key_file: Option<PathBuf>,
    /// Ask for a passphrase on the terminal
    #[arg(long, help_heading = HEADING)]
    passphrase: bool,
    /// The passphrase is the first line of this file; - is standard input
    #[arg(long, value_name = "PATH", help_heading = HEADING)]
    passphrase_file: Option<PathBuf>,
    /// The passphrase is the value of this environment variable
    #[arg(long, value_name = "NAME", help_heading = HEADING)]
    passphrase_env: Option<OsString>,
}

/// The source of a secret. A file is open.
pub enum SecretSource {
    /// A key file, and its path for messages.
    KeyFile(SecretFile, PathBuf, Guard),
    /// A file with a passphrase, and its path for messages.
    PassphraseFile(SecretFile, PathBuf, Guard),
    /// The terminal.
    Prompt,
    /// A passphrase.
    Passphrase(Zeroizing<Vec<u8>>),
}

impl SecretArgs {
    /// Opens the source; `stdin_is_data` says that standard input cannot be it.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(self, stdin_is_data: bool) -> Result<SecretSource, Failure> {
        match self {
            Self { key_file: Some(path), .. } => {
                let (file, guard) = open_file(&path, "key file", stdin_is_data)?;
                Ok(SecretSource::KeyFile(file, path, guard))
            }
            Self { passphrase: true, .. } => Ok(SecretSource::Prompt),
            Self { passphrase_file: Some(path), .. } => {
                let (file, guard) = open_file(&path, "passphrase file", stdin_is_data)?;
                Ok(SecretSource::PassphraseFile(file, path, guard))
            }
            Self { passphrase_env: Some(name), .. } => match secret_from_environment(&name) {
                Some(value) => Ok(SecretSource::Passphrase(value)),
                None => Err(Failure::Usage(
                    "the environment variable that --passphrase-env names is not set".into(),
                )),
            },
            _ => unreachable!("clap requires one source"),
        }
    }
}

impl SecretSource {
    /// Returns the guard that refuses the secret's file as output.
    pub fn guard(&self) -> Option<&Guard> {
        match self {
            Self::KeyFile(_, _, guard) | Self::PassphraseFile(_, _, guard) => Some(guard),
            Self::Prompt | Self::Passphrase(_) => None,
        }
    }

    /// Returns true if the secret is asked for on the terminal.
    pub fn is_prompt(&self) -> bool {
        matches!(self, Self::Prompt)
    }

    /// Reads the secret. A new passphrase is asked for twice.
    ///
    /// # Errors
    /// If the source cannot be read or does not hold a secret.
    pub fn read(self, new: bool) -> Result<Secret, Failure> {
        match self {
            Self::KeyFile(file, path, _) => key_file(file, &path),
            Self::PassphraseFile(file, path, _) => {
                passphrase(first_line(file, &path, "passphrase")?).map_err(|error| {
                    Failure::Usage(format!("the passphrase file '{}': {error}", path.display()))
                })
            }
            Self::Prompt => ask("passphrase", new).and_then(passphrase),
            Self::Passphrase(text) => passphrase(text),
        }
    }
}

/// Opens the file of a secret, or standard input for `-`. `what` names the secret in messages.
///
/// # Errors
/// If the file cannot be opened, or if it is standard input under any name and the data come from
/// there.
pub fn open_file(
    path: &Path,
    what: &str,
    stdin_is_data: bool,
) -> Result<(SecretFile, Guard), Failure> {
    let name = format!("the {what} '{}'", path.display());
    let is_stdin = path == Path::new("-");
    let refused = || Failure::Usage(format!("{name} is standard input, where the data come from"));
    if is_stdin && stdin_is_data {
        return Err(refused());
    }
    let open =
        || if is_stdin { stdio::stdin().map(SecretFile::from) } else { SecretFile::open(path) };
    let file = open().map_err(|error| Failure::read(&name, &error))?;
    // Each open of a regular file has its own position. Every other file is one stream, shared by
    // all readers.
    let identity = Identity::of(&file).filter(|identity| !identity.is_regular());
    if stdin_is_data && identity.is_some() && identity == Identity::of(std::io::stdin()) {
        return Err(refused());
    }
    let guard = Guard::of(&file, name);
    Ok((file, guard))
}

fn key_file(file: SecretFile, path: &Path) -> Result<Secret, Failure> {
    let failed = |error| Failure::read(format_args!("the key file '{}'", path.display()), &error);
    let text = file.read(Secret::MAX_KEY_FILE + 1).map_err(failed)?;
    Secret::from_key_file(&text)
        .map_err(|error| Failure::Usage(format!("'{}' is {error}", path.display())))
}

fn passphrase(text: Zeroizing<Vec<u8>>) -> Result<Secret, Failure> {
    Secret::from_passphrase(&text).map_err(|error| Failure::Usage(error.to_string()))
}

/// Asks for a secret on the terminal, twice if it is new. `what` is a passphrase or a password.
///
/// # Errors
/// If there is no terminal, control characters were typed, or the two differ.
pub fn ask(what: &str, new: bool) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let prompt = |text: &str| {
        let line = hidden_line(text).map_err(|error| {
            Failure::Work(format!(
                "cannot ask for the {what} on the terminal: {error}; without one, use --{what}-file or \
                 --{what}-env"
            ))
        })?;
        match line.iter().find(|byte| byte.is_ascii_control() && **byte != b'\t') {
            Some(byte) => Err(Failure::Work(format!(
                "the {what} that was typed has the control character 0x{byte:02x}, as arrow keys send; \
                 type it again, or use --{what}-file"
            ))),
            None => Ok(line),
        }
    };
    let secret = prompt(&format!("P{}: ", &what[1..]))?;
    if new && prompt("Once more: ")? != secret {
        return Err(Failure::Work(format!("the two {what}s differ")));
    }
    Ok(secret)
}

/// Returns the first line of a file, without its line end, LF or CR LF. `what` is a passphrase or a
/// password.
///
/// # Errors
/// If the file cannot be read.
pub fn first_line(
    file: SecretFile,
    path: &Path,
    what: &str,
) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let mut text = file.read(MAX_PASSPHRASE + 2).map_err(|error| {
        Failure::read(format_args!("the {what} file '{}'", path.display()), &error)
    })?;
    if let Some(end) = text.iter().position(|&byte| byte == b'\n') {
        text.truncate(end);
        if text.last() == Some(&b'\r') {
            text.pop();
        }
    }
    Ok(text)
}

/// The first bytes of compressed files, the program's name, and the program that decompresses to standard output.
const COMPRESSED: [(&[u8], &str, &str); 5] = [
    (b"\x1f\x8b\x08", "gzip", "zcat"),
    (b"\xfd7zXZ\0", "xz", "xzcat"),
    (b"\x28\xb5\x2f\xfd", "zstd", "zstdcat"),
    (b"PK\x03\x04", "zip", "unzip -p"),
    (b"BZh", "bzip2", "bzcat"),
];

/// Returns a text file without the byte order mark that editors of Windows put before UTF-8. The text may be cut after
/// its first line.
///
/// # Errors
/// If the file is UTF-16 or compressed.
pub fn without_mark<'a>(text: &'a [u8], name: &str) -> Result<&'a [u8], Failure> {
    let refused = |why: String| Err(Failure::Work(format!("cannot use {name}: {why}")));
    let is_compressed = |magic: &[u8]| match magic {
        // Three letters may begin a text. A block of bzip2 begins with the digits of pi.
        b"BZh" => text.get(4..10) == Some(b"1AY&SY"),
        _ => true,
    };
    let compressed =
        COMPRESSED.iter().find(|(magic, ..)| text.starts_with(magic) && is_compressed(magic));
    if let Some((_, by, to_stdout)) = compressed {
        return refused(format!(
            "it is compressed by {by}; give - instead, and its text on standard input by `{to_stdout} FILE |`"
        ));
    }
    match text {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => refused("it is UTF-16; save it as UTF-8".to_owned()),
        [0xef, 0xbb, 0xbf, rest @ ..] => Ok(rest),
        _ if is_utf16(text) => refused("it is UTF-16; save it as UTF-8".to_owned()),
        _ => Ok(text),
    }
}

/// Returns true if every second byte of the first line is zero, and no other byte is.
fn is_utf16(text: &[u8]) -> bool {
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let alternates =
        |zero: usize| line.iter().enumerate().all(|(n, &byte)| (byte == 0) == (n % 2 == zero));
    line.len() >= 4 && (alternates(0) || alternates(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message on a text, without the name; empty if the text is taken.
    fn message(text: &[u8]) -> String {
        match without_mark(text, "it") {
            Err(Failure::Work(message)) => message.replace("cannot use it: ", ""),
            _ => String::new(),
        }
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for (text, by) in [
            (&b"\x1f\x8b\x08\0\0\0\0\0\0\x03"[..], "gzip"),
            (b"\xfd7zXZ\0\0", "xz"),
            (b"\x28\xb5\x2f\xfd\x04", "zstd"),
            (b"PK\x03\x04\x14\0", "zip"),
            (b"BZh91AY&SY", "bzip2"),
        ] {
            assert!(message(text).starts_with(&format!("it is compressed by {by}; ")), "{by}");
        }
        let utf16 = "it is UTF-16; save it as UTF-8";
        for text in [
            &b"\xff\xfea\0"[..],
            b"\xfe\xff\0a",
            b"a\0b\0\n\0c\0",
            b"\0a\0b\0\n\0c",
            b"a\0b\0\r\0\n",
        ] {
            assert_eq!(message(text), utf16, "{text:?}");
        }
    }

    #[test]
    fn other_bytes_are_taken() {
        for text in [
            &b""[..],
            b"BZh is a name",
            b"PK",
            b"\x1f\x8b",
            b"a\0",
            b"a\0b\nc",
            b"\0\0\0\0",
            b"a\0\0\0",
        ] {
            assert_eq!(without_mark(text, "it").unwrap(), text);
        }
        assert_eq!(without_mark(b"\xef\xbb\xbfabc", "it").unwrap(), b"abc");
    }
}
