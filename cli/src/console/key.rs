//! Sources of a key. Every copy made here is wiped when dropped. The system's copies of the command
//! line and the environment cannot be wiped.

use std::{
    ffi::OsString,
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
};

use arcfour::MAX_KEY;
use arcfour_files::secret_from_environment;
use arcfour_formats::text::decode_hex;
use zeroize::Zeroizing;

use super::{failure::Failure, identity::Guard, say::say, secret};

/// The end of a message about hexadecimal digits of a key.
pub(crate) const BETWEEN_BYTES: &str = ", with spaces or a colon between bytes";

/// Exactly one source of a key of 1 to 256 bytes.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
pub struct KeyArgs {
    /// The key as text. Visible to all users in `ps`
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        help_heading = "Key (exactly one, 1 to 256 bytes)"
    )]
    key: Option<OsString>,
    /// The key as hexadecimal digits, also as 01:02:03 or '01 02 03'. Visible to all users in `ps`
    #[arg(
        long,
        value_name = "HEX",
        allow_hyphen_values = true,
        help_heading = "Key (exactly one, 1 to 256 bytes)"
    )]
    key_hex: Option<OsString>,
    /// The key is the whole file, including a final line end; - is standard input
    #[arg(long, value_name = "PATH", help_heading = "Key (exactly one, 1 to 256 bytes)")]
    key_file: Option<PathBuf>,
    /// The key is the value of this environment variable
    #[arg(long, value_name = "NAME", help_heading = "Key (exactly one, 1 to 256 bytes)")]
    key_env: Option<OsString>,
}

/// A key, and the file it came from, if any.
pub struct Key {
    /// The key.
    pub bytes: Zeroizing<Vec<u8>>,
    /// Guards that file against being the output.
    pub guard: Option<Guard>,
}

/// Reads the key in the file at a path, unless the data come from the same standard input.
type ReadFile = fn(&Path, bool) -> Result<(Zeroizing<Vec<u8>>, Guard), Failure>;

impl KeyArgs {
    /// Reads the key. The cipher checks its length. If `stdin_is_data` is true, the key cannot come
    /// from standard input.
    ///
    /// # Errors
    /// If the source cannot be read or has no key.
    pub fn read(self, stdin_is_data: bool) -> Result<Key, Failure> {
        self.read_with(read_file, stdin_is_data)
    }

    /// Reads a passphrase like `openssl -pass`, which takes only the first line of a file.
    ///
    /// # Errors
    /// If the source cannot be read, or has more bytes than `openssl` would use.
    pub fn read_passphrase(self, stdin_is_data: bool) -> Result<Key, Failure> {
        let key = self.read_with(read_first_line, stdin_is_data)?;
        match key.bytes.iter().position(|&byte| byte == 0) {
            Some(at) => Err(Failure::Usage(format!(
                "offset {at} of the passphrase: byte 0x00, where openssl would cut it off"
            ))),
            None => Ok(key),
        }
    }

    /// Returns the argument of `openssl -pass` for the same passphrase. A passphrase of the command
    /// line is not repeated.
    pub fn openssl_pass(&self) -> String {
        match self {
            Self { key_file: Some(path), .. } => format!("file:{}", path.display()),
            Self { key_env: Some(name), .. } => format!("env:{}", name.display()),
            _ => "pass:PASSPHRASE".to_owned(),
        }
    }

    fn read_with(self, read_file: ReadFile, stdin_is_data: bool) -> Result<Key, Failure> {
        let bytes = match self {
            Self { key: Some(text), .. } => Zeroizing::new(text.into_vec()),
            Self { key_hex: Some(digits), .. } => {
                let digits = Zeroizing::new(digits.into_vec());
                let refused = |error| {
                    Failure::Usage(format!("cannot decode the key: {error}{BETWEEN_BYTES}"))
                };
                decode_hex(&digits).map(Zeroizing::new).map_err(refused)?
            }
            Self { key_file: Some(path), .. } => {
                let (bytes, guard) = read_file(&path, stdin_is_data)?;
                return Ok(Key { bytes, guard: Some(guard) });
            }
            Self { key_env: Some(name), .. } => match secret_from_environment(&name) {
                Some(value) => value,
                None => {
                    return Err(Failure::Usage(
                        "the environment variable that --key-env names is not set".into(),
                    ));
                }
            },
            _ => unreachable!("clap requires one source"),
        };
        Ok(Key { bytes, guard: None })
    }
}

/// Reads the file's first `limit` bytes.
fn read_start(
    path: &Path,
    stdin_is_data: bool,
    limit: usize,
) -> Result<(Zeroizing<Vec<u8>>, Guard), Failure> {
    let (file, guard) = secret::open_file(path, "key file", stdin_is_data)?;
    let failed = |error| Failure::read(format_args!("the key file '{}'", path.display()), &error);
    Ok((file.read(limit).map_err(failed)?, guard))
}

/// Reads only far enough to detect a key that is too long.
fn read_file(path: &Path, stdin_is_data: bool) -> Result<(Zeroizing<Vec<u8>>, Guard), Failure> {
    let (key, guard) = read_start(path, stdin_is_data, MAX_KEY + 1)?;
    if key.len() > MAX_KEY {
        return Err(Failure::Usage(format!(
            "the key file '{}' has more than {MAX_KEY} bytes; a key has 1 to {MAX_KEY}",
            path.display()
        )));
    }
    if key.is_empty() {
        return Err(Failure::Usage(format!(
            "the key file '{}' is empty; a key has 1 to {MAX_KEY} bytes",
            path.display()
        )));
    }
    if let Some(warning) = key_file_warning(&key) {
        say(&format!("warning: the key file '{}' {warning}", path.display()));
    }
    Ok((key, guard))
}

/// Returns a warning if the contents of a key file look like a mistake.
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

/// Maximum length of a line for `openssl enc -kfile`, in bytes; for `-pass file:` it is 1023.
const KFILE_MAX: usize = 127;

/// Returns the first line without its line feed, at most the 1023 bytes that `openssl` reads.
fn read_first_line(
    path: &Path,
    stdin_is_data: bool,
) -> Result<(Zeroizing<Vec<u8>>, Guard), Failure> {
    const MAX: usize = 1023;
    let (mut line, guard) = read_start(path, stdin_is_data, MAX + 1)?;
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
    if let Some(difference) = kfile_difference(&line) {
        say(&format!("warning: the first line of the key file '{}' {difference}", path.display()));
    }
    Ok((line, guard))
}

/// Returns what `openssl enc -kfile` leaves out of a line.
fn kfile_difference(line: &[u8]) -> Option<String> {
    if line.len() > KFILE_MAX {
        return Some(format!(
            "has {} bytes, of which `openssl enc -kfile` takes only {KFILE_MAX}; if that made the file, \
             cut the line there",
            line.len()
        ));
    }
    line.ends_with(b"\r").then(|| {
        "ends with a carriage return, which `openssl enc -kfile` leaves out; if that made the file, \
         remove the carriage return"
            .to_owned()
    })
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
