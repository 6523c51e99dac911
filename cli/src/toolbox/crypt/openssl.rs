//! The options of `openssl enc`, by their letters where it has letters.

use arcfour::Backend;
use arcfour_formats::{
    openssl::{
        Cipher, DEFAULT_ITERATIONS, Derivation, HEADER_LEN, Hash, HeaderError, OpensslError,
        Options, SALT_LEN, Salt, Text,
    },
    text::decode_hex,
};
use clap::{ValueEnum, builder::PossibleValue};

use crate::{failure::Failure, filter::undecodable, size};

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
    openssl: Option<NamedCipher>,
    /// Encrypt to such a file
    #[arg(short, long, group = "direction", requires = "openssl", help_heading = HEADING)]
    encrypt: bool,
    /// Decrypt such a file
    #[arg(short, long, group = "direction", requires = "openssl", help_heading = HEADING)]
    decrypt: bool,
    /// The hash function between passphrase and key: openssl's -md [default: sha256]
    #[arg(long, value_enum, value_name = "HASH", requires = "openssl", help_heading = HEADING)]
    md: Option<NamedHash>,
    /// Derive the key by PBKDF2, 10000 iterations
    #[arg(long, requires = "openssl", help_heading = HEADING)]
    pbkdf2: bool,
    /// Derive the key by PBKDF2, N iterations
    #[arg(
        long,
        value_name = "N",
        value_parser = size::within(1..=i32::MAX as u32),
        allow_negative_numbers = true,
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
    salt: Option<[u8; SALT_LEN]>,
    /// The file is base64, in lines of 64 digits when written
    #[arg(short = 'a', long, requires = "openssl", help_heading = HEADING)]
    base64: bool,
    /// Write the base64 in one line without an end; any lines are read
    #[arg(short = 'A', long, requires = "base64", help_heading = HEADING)]
    one_line: bool,
}

/// The direction of the conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Writes a file of `openssl enc`.
    Encrypt,
    /// Reads a file of `openssl enc`.
    Decrypt,
}

impl OpensslArgs {
    /// Returns direction and options if a file of `openssl enc` is asked for.
    pub fn request(&self, backend: Option<Backend>) -> Option<(Direction, Options)> {
        let NamedCipher(cipher) = self.openssl?;
        let iterations = self.iter.or(self.pbkdf2.then_some(DEFAULT_ITERATIONS));
        let options = Options {
            cipher,
            hash: self.md.map_or_else(Hash::default, |NamedHash(hash)| hash),
            derivation: iterations.map_or(Derivation::BytesToKey, Derivation::Pbkdf2),
            salt: match self.salt {
                Some(salt) => Salt::Given(salt),
                None if self.nosalt => Salt::None,
                None => Salt::Header,
            },
            text: match (self.base64, self.one_line) {
                (false, _) => Text::Raw,
                (true, false) => Text::Base64Lines,
                (true, true) => Text::Base64,
            },
            backend,
        };
        Some((if self.encrypt { Direction::Encrypt } else { Direction::Decrypt }, options))
    }
}

/// About how many bytes come out when `size` go in.
pub fn output_size(direction: Direction, options: &Options, size: u64) -> u64 {
    let header = if options.salt == Salt::Header { HEADER_LEN as u64 } else { 0 };
    match (direction, options.text) {
        (Direction::Encrypt, Text::Raw) => size.saturating_add(header),
        (Direction::Encrypt, _) => size.saturating_add(header).saturating_mul(4) / 3,
        (Direction::Decrypt, Text::Raw) => size.saturating_sub(header),
        (Direction::Decrypt, _) => (size / 4 * 3).saturating_sub(header),
    }
}

/// The failure of a file that cannot be decrypted, with the options that may help.
pub fn undecryptable(error: OpensslError) -> Failure {
    let advice = match error {
        OpensslError::Text(error) => return undecodable(error),
        OpensslError::Header(HeaderError::Missing { .. }) => {
            "; if the input is base64, add --base64; if it was written without a header, add --nosalt \
             or --salt"
        }
        OpensslError::Header(HeaderError::Unexpected) => "; leave out --nosalt and --salt",
        OpensslError::Header(HeaderError::Truncated { .. }) => "",
    };
    Failure::Work(format!("cannot decrypt the input: {error}{advice}"))
}

/// A cipher by OpenSSL's name, as a value on the command line.
#[derive(Clone, Copy)]
struct NamedCipher(Cipher);

impl ValueEnum for NamedCipher {
    fn value_variants<'a>() -> &'a [Self] {
        const { &[Self(Cipher::Rc4), Self(Cipher::Rc4_40)] }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(match self.0 {
            Cipher::Rc4 => "128-bit keys: openssl enc -rc4",
            Cipher::Rc4_40 => "40-bit keys: openssl enc -rc4-40",
        }))
    }
}

/// A hash function by OpenSSL's name, as a value on the command line.
#[derive(Clone, Copy)]
struct NamedHash(Hash);

impl ValueEnum for NamedHash {
    fn value_variants<'a>() -> &'a [Self] {
        const { &[Self(Hash::Md5), Self(Hash::Sha1), Self(Hash::Sha256), Self(Hash::Sha512)] }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(match self.0 {
            Hash::Md5 => "The default of OpenSSL up to 1.0.2",
            Hash::Sha1 => "Never a default",
            Hash::Sha256 => "The default of OpenSSL since 1.1.0",
            Hash::Sha512 => "Never a default",
        }))
    }
}

fn parse_salt(digits: &str) -> Result<[u8; SALT_LEN], String> {
    let salt = decode_hex(digits.as_bytes()).map_err(|error| error.to_string())?;
    let len = salt.len();
    salt.try_into().map_err(|_| format!("the salt has {len} bytes; it must have {SALT_LEN}"))
}
