//! The options of `openssl enc`, by their letters where it has letters.

use clap::builder::RangedU64ValueParser;

use super::{Cipher, DEFAULT_ITERATIONS, Derivation, Hash, SALT, Salt};
use crate::hex;

const HEADING: &str = "Files of `openssl enc`";

/// The options.
#[derive(clap::Args)]
pub struct OpensslArgs {
    /// Read or write a file of `openssl enc -rc4` or `-rc4-40`; the key is the passphrase
    #[arg(
        long,
        value_enum,
        value_name = "CIPHER",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "rc4",
        requires = "direction",
        conflicts_with_all = ["family", "iv_hex", "drop", "skip", "in_hex", "out_hex"],
        help_heading = HEADING
    )]
    openssl: Option<Cipher>,
    /// Write such a file
    #[arg(short, long, group = "direction", requires = "openssl", help_heading = HEADING)]
    encrypt: bool,
    /// Read such a file
    #[arg(short, long, group = "direction", requires = "openssl", help_heading = HEADING)]
    decrypt: bool,
    /// The hash function between passphrase and key: openssl's -md [default: sha256]
    #[arg(long, value_enum, value_name = "HASH", requires = "openssl", help_heading = HEADING)]
    md: Option<Hash>,
    /// Derive the key by PBKDF2, 10000 iterations
    #[arg(long, requires = "openssl", help_heading = HEADING)]
    pbkdf2: bool,
    /// Derive the key by PBKDF2, N iterations
    #[arg(
        long,
        value_name = "N",
        value_parser = RangedU64ValueParser::<u32>::new().range(1..=i32::MAX as u64),
        requires = "openssl",
        help_heading = HEADING
    )]
    iter: Option<u32>,
    /// The file has no header, and the key no salt
    #[arg(long, requires = "openssl", conflicts_with = "salt", help_heading = HEADING)]
    nosalt: bool,
    /// The salt, 16 hexadecimal digits; the file has no header, as by OpenSSL 3.0 and later
    #[arg(
        short = 'S',
        long,
        value_name = "HEX",
        value_parser = parse_salt,
        requires = "openssl",
        help_heading = HEADING
    )]
    salt: Option<[u8; SALT]>,
    /// The file is base64, in lines of 64 digits when written
    #[arg(short = 'a', long, requires = "openssl", help_heading = HEADING)]
    base64: bool,
    /// Write the base64 in one line without an end; any lines are read
    #[arg(short = 'A', long, requires = "base64", help_heading = HEADING)]
    one_line: bool,
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To such a file.
    Encrypt,
    /// From such a file.
    Decrypt,
}

/// What such a file looks like on the outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// Bytes.
    Raw,
    /// Base64 in lines.
    Lines,
    /// Base64 in one line.
    OneLine,
}

/// What is asked for.
pub struct Format {
    /// Which way.
    pub direction: Direction,
    /// How the key comes about.
    pub derivation: Derivation,
    /// Where the salt is.
    pub salt: Salt,
    /// What the file looks like.
    pub text: Text,
}

impl OpensslArgs {
    /// What is asked for, if it is such a file at all.
    pub fn format(&self) -> Option<Format> {
        let cipher = self.openssl?;
        let pbkdf2 = self.iter.or(self.pbkdf2.then_some(DEFAULT_ITERATIONS));
        Some(Format {
            direction: if self.encrypt { Direction::Encrypt } else { Direction::Decrypt },
            derivation: Derivation { cipher, hash: self.md.unwrap_or_default(), pbkdf2 },
            salt: match self.salt {
                Some(salt) => Salt::Given(salt),
                None if self.nosalt => Salt::None,
                None => Salt::Header,
            },
            text: match (self.base64, self.one_line) {
                (false, _) => Text::Raw,
                (true, false) => Text::Lines,
                (true, true) => Text::OneLine,
            },
        })
    }
}

impl Format {
    /// About how many bytes come out when `size` go in.
    pub fn size(&self, size: u64) -> u64 {
        let header = if self.salt == Salt::Header { super::header::LEN as u64 } else { 0 };
        match (self.direction, self.text) {
            (Direction::Encrypt, Text::Raw) => size.saturating_add(header),
            (Direction::Encrypt, _) => size.saturating_add(header).saturating_mul(4) / 3,
            (Direction::Decrypt, Text::Raw) => size.saturating_sub(header),
            (Direction::Decrypt, _) => (size / 4 * 3).saturating_sub(header),
        }
    }
}

fn parse_salt(digits: &str) -> Result<[u8; SALT], String> {
    let salt = hex::decode(digits.as_bytes()).map_err(|error| error.to_string())?;
    let len = salt.len();
    salt.try_into().map_err(|_| format!("the salt has {len} bytes; it must have {SALT}"))
}
