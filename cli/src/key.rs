//! Where a key comes from. Every copy made here is wiped when dropped; those that the system keeps
//! of the command line and the environment cannot be.

use std::{
    ffi::OsString,
    fs::File,
    io::Read,
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
};

use arcfour::MAX_KEY;
use arcfour_formats::text::decode_hex;
use zeroize::Zeroizing;

use crate::failure::{Failure, warn};

/// Exactly one source of a key of 1 to 256 bytes.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
pub struct KeyArgs {
    /// The key as text: the bytes given, as they are. Visible to all users in `ps`
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        help_heading = "Key (exactly one, 1 to 256 bytes)"
    )]
    key: Option<OsString>,
    /// The key as hexadecimal digits. Visible to all users in `ps`
    #[arg(
        long,
        value_name = "HEX",
        allow_hyphen_values = true,
        help_heading = "Key (exactly one, 1 to 256 bytes)"
    )]
    key_hex: Option<OsString>,
    /// The key is all of this file, a final line end included
    #[arg(long, value_name = "PATH", help_heading = "Key (exactly one, 1 to 256 bytes)")]
    key_file: Option<PathBuf>,
    /// The key is the value of this environment variable
    #[arg(long, value_name = "NAME", help_heading = "Key (exactly one, 1 to 256 bytes)")]
    key_env: Option<OsString>,
}

impl KeyArgs {
    /// The key. Its length is for the cipher to judge.
    ///
    /// # Errors
    /// If the source cannot be read or does not hold a key.
    pub fn read(self) -> Result<Zeroizing<Vec<u8>>, Failure> {
        self.read_with(read_file)
    }

    /// A passphrase, as `openssl` takes it by `-pass`: of a file only the first line.
    ///
    /// # Errors
    /// If the source cannot be read, or holds what `openssl` would cut off.
    pub fn read_passphrase(self) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let passphrase = self.read_with(read_first_line)?;
        match passphrase.iter().position(|&byte| byte == 0) {
            Some(at) => Err(Failure::Usage(format!(
                "offset {at} of the passphrase: byte 0x00, where openssl would cut it off"
            ))),
            None => Ok(passphrase),
        }
    }

    fn read_with(
        self,
        read_file: fn(&Path) -> Result<Zeroizing<Vec<u8>>, Failure>,
    ) -> Result<Zeroizing<Vec<u8>>, Failure> {
        match self {
            Self { key: Some(text), .. } => Ok(Zeroizing::new(text.into_vec())),
            Self { key_hex: Some(digits), .. } => {
                let digits = Zeroizing::new(digits.into_vec());
                let refused = |error| Failure::Usage(format!("cannot decode the key: {error}"));
                decode_hex(&digits).map(Zeroizing::new).map_err(refused)
            }
            Self { key_file: Some(path), .. } => read_file(&path),
            Self { key_env: Some(name), .. } => match std::env::var_os(&name) {
                Some(value) => Ok(Zeroizing::new(value.into_vec())),
                None => Err(Failure::Usage(
                    "the environment variable that --key-env names is not set".into(),
                )),
            },
            _ => unreachable!("clap requires one source"),
        }
    }
}

/// The file's first `limit` bytes, in a buffer that does not move.
fn read_start(path: &Path, limit: usize) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let failed = |error| Failure::read(format_args!("the key file '{}'", path.display()), &error);
    let mut start = Zeroizing::new(Vec::with_capacity(limit));
    let file = File::open(path).map_err(failed)?;
    file.take(limit as u64).read_to_end(&mut start).map_err(failed)?;
    Ok(start)
}

/// Reads no further than it takes to see that the key is too long.
fn read_file(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let key = read_start(path, MAX_KEY + 1)?;
    if key.len() > MAX_KEY {
        return Err(Failure::Usage(format!(
            "the key file '{}' has more than {MAX_KEY} bytes; a key has 1 to {MAX_KEY}",
            path.display()
        )));
    }
    if let Some(warning) = key_file_warning(&key) {
        warn("arcfour", &format!("warning: the key file '{}' {warning}", path.display()));
    }
    Ok(key)
}

/// What is likely to be wrong with the contents of a key file.
fn key_file_warning(key: &[u8]) -> Option<&'static str> {
    let text = key.strip_suffix(b"\n")?;
    let text = str::from_utf8(text.strip_suffix(b"\r").unwrap_or(text)).ok()?;
    if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Some(
            "is text, as `arcfour keygen` writes it for `arcfour seal`; here the key is these 64 \
             digits and the line end, not the 32 bytes they stand for",
        );
    }
    let is_text = !text.chars().any(|char| char.is_control() && char != '\t');
    is_text.then_some("ends with a line end, which is part of the key")
}

/// The most bytes of a line that `openssl enc -kfile` reads; `-pass file:` reads 1023.
const KFILE_MAX: usize = 127;

/// The first line without its line feed, of at most as many bytes as `openssl` reads.
fn read_first_line(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    const MAX: usize = 1023;
    let mut line = read_start(path, MAX + 1)?;
    if line.is_empty() {
        return Err(Failure::Usage(format!("the key file '{}' is empty", path.display())));
    }
    let end = line.iter().position(|&byte| byte == b'\n').unwrap_or(line.len());
    if end > MAX {
        return Err(Failure::Usage(format!(
            "the first line of the key file '{}' has more than {MAX} bytes, where openssl would cut \
             it off",
            path.display()
        )));
    }
    line.truncate(end);
    if line.len() > KFILE_MAX {
        let message = format!(
            "warning: the first line of the key file '{}' has {} bytes, of which `openssl enc -kfile` \
             takes only {KFILE_MAX}; if that made the file, cut the line there",
            path.display(),
            line.len()
        );
        warn("arcfour", &message);
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::key_file_warning;

    #[test]
    fn text_with_a_line_end_is_warned_of_and_bytes_are_not() {
        for text in ["Quentin\n", "Quentin\r\n", "my secret phrase\n", "päss\n", "a\tb\n", "\n"] {
            let warning = key_file_warning(text.as_bytes());
            assert_eq!(warning, Some("ends with a line end, which is part of the key"), "{text:?}");
        }
        for bytes in [&b"Quentin"[..], b"", b"\x01\n", b"\xff\n", b"a\n\n", b"\r\r\n", b"\n "] {
            assert_eq!(key_file_warning(bytes), None, "{bytes:?}");
        }
        let digits = "5a".repeat(32) + "\n";
        assert!(key_file_warning(digits.as_bytes()).unwrap().contains("`arcfour keygen`"));
    }
}
