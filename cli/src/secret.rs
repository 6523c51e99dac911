//! Where the secret of a sealed file comes from. Every copy made here is wiped when dropped.

use std::{
    ffi::OsString,
    fs::File,
    io::Read,
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
};

use arcfour_container::Secret;
use zeroize::Zeroizing;

use crate::failure::Failure;

/// The longest passphrase, in bytes.
const MAX_PASSPHRASE: usize = 4096;
const HEADING: &str = "Key (exactly one)";

/// Exactly one source of a secret.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
pub struct SecretArgs {
    /// A file with 64 hexadecimal digits, as `arcfour keygen` and `openssl rand -hex 32` write it
    #[arg(long = "seal-key", alias = "key-file", value_name = "PATH", help_heading = HEADING)]
    key_file: Option<PathBuf>,
    /// Ask for a passphrase on the terminal
    #[arg(long, help_heading = HEADING)]
    passphrase: bool,
    /// The passphrase is the first line of this file
    #[arg(long, value_name = "PATH", help_heading = HEADING)]
    passphrase_file: Option<PathBuf>,
    /// The passphrase is the value of this environment variable
    #[arg(long, value_name = "NAME", help_heading = HEADING)]
    passphrase_env: Option<OsString>,
}

impl SecretArgs {
    /// The secret. A new passphrase is asked for twice.
    ///
    /// # Errors
    /// If the source cannot be read or does not hold a secret.
    pub fn read(self, new: bool) -> Result<Secret, Failure> {
        match self {
            Self { key_file: Some(path), .. } => key_file(&path),
            Self { passphrase: true, .. } => ask(new).and_then(passphrase),
            Self { passphrase_file: Some(path), .. } => first_line(&path).and_then(passphrase),
            Self { passphrase_env: Some(name), .. } => match std::env::var_os(&name) {
                Some(value) => passphrase(Zeroizing::new(value.into_vec())),
                None => Err(Failure::Usage(
                    "the environment variable that --passphrase-env names is not set".into(),
                )),
            },
            _ => unreachable!("clap requires one source"),
        }
    }
}

fn key_file(path: &Path) -> Result<Secret, Failure> {
    let text = read_start(path, "key file", Secret::MAX_KEY_FILE + 1)?;
    Secret::from_key_file(&text)
        .map_err(|error| Failure::Usage(format!("'{}' is {error}", path.display())))
}

fn passphrase(text: Zeroizing<Vec<u8>>) -> Result<Secret, Failure> {
    let len = match text.len() {
        1..=MAX_PASSPHRASE => return Ok(Secret::Passphrase(text)),
        0 => "is empty".to_owned(),
        _ => format!("has more than {MAX_PASSPHRASE} bytes"),
    };
    Err(Failure::Usage(format!("the passphrase {len}; it must have 1 to {MAX_PASSPHRASE} bytes")))
}

fn ask(new: bool) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let prompt = |text: &str| match rpassword::prompt_password(text) {
        Ok(passphrase) => Ok(Zeroizing::new(passphrase.into_bytes())),
        Err(error) => Err(Failure::Work(format!(
            "cannot ask for the passphrase on the terminal: {error}; without one, use \
             --passphrase-file or --passphrase-env"
        ))),
    };
    let passphrase = prompt("Passphrase: ")?;
    if new && prompt("Once more: ")? != passphrase {
        return Err(Failure::Work("the two passphrases differ".into()));
    }
    Ok(passphrase)
}

/// Without its line end, LF or CR LF.
fn first_line(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let mut text = read_start(path, "passphrase file", MAX_PASSPHRASE + 2)?;
    if let Some(end) = text.iter().position(|&byte| byte == b'\n') {
        text.truncate(end);
        if text.last() == Some(&b'\r') {
            text.pop();
        }
    }
    Ok(text)
}

/// The file's first `limit` bytes, in a buffer that does not move.
fn read_start(path: &Path, what: &str, limit: usize) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let failed = |error| Failure::read(format_args!("the {what} '{}'", path.display()), &error);
    let mut text = Zeroizing::new(Vec::with_capacity(limit));
    let file = File::open(path).map_err(failed)?;
    file.take(limit as u64).read_to_end(&mut text).map_err(failed)?;
    Ok(text)
}
