//! The options of `openssl enc`, with the same letters.

use std::ffi::OsString;

use arcfour::Backend;
use arcfour_formats::openssl::{
    Cipher, DEFAULT_ITERATIONS, Derivation, HEADER_LEN, Hash, HeaderError, HexLength, NoPbkdf2,
    OpensslError, Options, SALT_LEN, Salt, Text, padded_hex,
};
use clap::{
    ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use zeroize::Zeroizing;

use super::guess::Choices;
use crate::console::{failure::Failure, filter::undecodable, say::say, size};

const HEADING: &str = "Files of `openssl enc`";
/// The options of raw data, which exclude a file of `openssl enc`.
const OF_RAW: [&str; 8] =
    ["family", "variant", "derive_key", "iv_hex", "drop", "skip", "in_hex", "out_hex"];

/// The options.
#[derive(clap::Args)]
pub struct OpensslArgs {
    /// Read or write a file of `openssl enc -rc4` or `-rc4-40`. The key options give the passphrase; with
    /// --key-file, the passphrase is the first line
    #[arg(
        long,
        value_enum,
        value_name = "CIPHER",
        require_equals = true,
        requires = "direction",
        conflicts_with_all = OF_RAW,
        help_heading = HEADING
    )]
    openssl: Option<Option<NamedCipher>>,
    /// Encrypt to such a file
    #[arg(short, long, group = "direction", requires = "openssl", conflicts_with_all = OF_RAW, help_heading = HEADING)]
    encrypt: bool,
    /// Decrypt such a file
    #[arg(short, long, group = "direction", requires = "openssl", conflicts_with_all = OF_RAW, help_heading = HEADING)]
    decrypt: bool,
    /// Try every digest, derivation and key size that no option fixes; print the result on standard
    /// error
    ///
    /// PBKDF2 is tried with 10000, 1000 and 100000 iterations, or with --iter. Options are right if
    /// they give text, a file of a known kind, or other data far from random. A few bytes, and
    /// compressed or encrypted files of other kinds, are not recognised. Base64 and a missing header
    /// are recognised.
    #[arg(long, requires = "openssl", conflicts_with = "encrypt", help_heading = HEADING)]
    guess: bool,
    /// The digest that derives the key from the passphrase: openssl's -md [default: sha256; of
    /// OpenSSL up to 1.0.2: md5]
    #[arg(
        long,
        value_parser = digest_parser(),
        ignore_case = true,
        value_name = "DIGEST",
        requires = "openssl",
        help_heading = HEADING
    )]
    md: Option<Hash>,
    /// Derive the key by PBKDF2, 10000 iterations
    #[arg(long, requires = "openssl", help_heading = HEADING)]
    pbkdf2: bool,
    /// Derive the key by PBKDF2, N iterations; with --guess, several as N,N
    #[arg(
        long,
        value_name = "N",
        value_delimiter = ',',
        value_parser = size::within(1..=i32::MAX as u32),
        allow_negative_numbers = true,
        requires = "openssl",
        help_heading = HEADING
    )]
    iter: Vec<u32>,
    /// The file has no header, and the key no salt
    #[arg(long, requires = "openssl", conflicts_with = "salt", help_heading = HEADING)]
    nosalt: bool,
    /// The salt, 16 hexadecimal digits; the file has no header, as by OpenSSL 3.0 and later
    ///
    /// Missing digits are zeros and extra digits are ignored, as in openssl, with its warning. A
    /// file by -S of OpenSSL before 3.0 has a header; omit this option to read it.
    #[arg(
        short = 'S',
        long,
        value_name = "HEX",
        value_parser = parse_salt,
        requires = "openssl",
        help_heading = HEADING
    )]
    salt: Option<GivenSalt>,
    /// Write a header despite --salt, like -S of OpenSSL before 3.0
    #[arg(long, requires = "salt", conflicts_with_all = ["decrypt", "cipher_key", "nosalt"], help_heading = HEADING)]
    salt_in_header: bool,
    /// The key instead of a passphrase: openssl's -K. Visible to all users in `ps`
    ///
    /// Hexadecimal digits, 32 for rc4 and 10 for rc4-40. Missing digits are zeros and extra digits
    /// are ignored, as in openssl, with its warning. The file has no header.
    #[arg(
        short = 'K',
        long,
        value_name = "HEX",
        allow_hyphen_values = true,
        group = "KeyArgs",
        requires = "openssl",
        conflicts_with_all = ["guess", "md", "pbkdf2", "iter", "salt"],
        help_heading = HEADING
    )]
    cipher_key: Option<OsString>,
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
    ///
    /// # Errors
    /// If the options exclude each other.
    pub fn request(
        &self,
        backend: Option<Backend>,
    ) -> Result<Option<(Direction, Options)>, Failure> {
        let Some(cipher) = self.openssl else { return Ok(None) };
        if self.iter.len() > 1 && !self.guess {
            return Err(Failure::Usage(
                "--iter has more than one number; only --guess tries several".into(),
            ));
        }
        let options = Options {
            cipher: cipher.map_or_else(Cipher::default, |NamedCipher(cipher)| cipher),
            hash: self.md.unwrap_or_default(),
            derivation: self.pbkdf2s().first().copied().unwrap_or_default(),
            salt: match &self.salt {
                Some(salt) if self.salt_in_header => Salt::GivenInHeader(salt.bytes),
                Some(salt) => Salt::Given(salt.bytes),
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
        if matches!(options.derivation, Derivation::Pbkdf2(_)) && !options.hash.has_pbkdf2() {
            return Err(Failure::Usage(format!(
                "{}; leave out --pbkdf2 and --iter, or choose another --md",
                NoPbkdf2(options.hash)
            )));
        }
        if let Some(changed) = self.salt.as_ref().and_then(|salt| salt.changed) {
            warn_of_length("the salt", changed);
        }
        Ok(Some((if self.encrypt { Direction::Encrypt } else { Direction::Decrypt }, options)))
    }

    /// Returns the requested PBKDF2.
    fn pbkdf2s(&self) -> Vec<Derivation> {
        match &self.iter[..] {
            [] if self.pbkdf2 => vec![Derivation::Pbkdf2(DEFAULT_ITERATIONS)],
            iter => iter.iter().copied().map(Derivation::Pbkdf2).collect(),
        }
    }

    /// Returns the choices to guess: all that no option fixes.
    pub fn choices(&self) -> Option<Choices> {
        self.guess.then(|| {
            let mut choices = Choices::default();
            if let Some(Some(NamedCipher(cipher))) = self.openssl {
                choices.ciphers = vec![cipher];
            }
            if let Some(hash) = self.md {
                choices.hashes = vec![hash];
            }
            let pbkdf2s = self.pbkdf2s();
            if !pbkdf2s.is_empty() {
                choices.derivations = pbkdf2s;
            }
            choices
        })
    }

    /// The key of the cipher, if it is given instead of a passphrase.
    ///
    /// # Errors
    /// If there is something else than digits in it.
    pub fn take_key(&mut self, cipher: Cipher) -> Result<Option<Zeroizing<Vec<u8>>>, Failure> {
        let Some(digits) = self.cipher_key.take() else { return Ok(None) };
        let digits = Zeroizing::new(digits.into_encoded_bytes());
        let (key, changed) = padded_hex(&digits, cipher.key_len())
            .map_err(|at| Failure::Usage(format!("cannot decode -K: {}", not_a_digit(at))))?;
        if let Some(changed) = changed {
            warn_of_length("the key", changed);
        }
        Ok(Some(key))
    }
}

/// OpenSSL takes digits of another length with a warning.
fn warn_of_length(what: &str, changed: HexLength) {
    let message = match changed {
        HexLength::Short => "is too short; zeros follow the digits, as by openssl",
        HexLength::Long => "is too long; the last digits do not count, as by openssl",
    };
    say(&format!("warning: {what} {message}"));
}

fn not_a_digit(at: usize) -> String {
    format!("offset {at}: not a hexadecimal digit; allowed are 0-9, a-f and A-F")
}

/// Returns the approximate size of the output for an input of `size` bytes.
pub fn output_size(direction: Direction, options: &Options, size: u64) -> u64 {
    let header = match options.salt {
        Salt::Header | Salt::GivenInHeader(_) => HEADER_LEN as u64,
        Salt::Given(_) | Salt::None => 0,
    };
    match (direction, options.text) {
        (Direction::Encrypt, Text::Raw) => size.saturating_add(header),
        (Direction::Encrypt, _) => size.saturating_add(header).saturating_mul(4) / 3,
        (Direction::Decrypt, Text::Raw) => size.saturating_sub(header),
        (Direction::Decrypt, _) => (size / 4 * 3).saturating_sub(header),
    }
}

/// Returns the failure of a decryption, with the options that may help.
pub fn undecryptable(error: OpensslError) -> Failure {
    let advice = match error {
        OpensslError::Text(error) => return undecodable(error),
        OpensslError::Header(HeaderError::Missing { .. }) => {
            "; if the input is base64, add --base64; if it was written without a header, add --nosalt \
             or --salt; --guess tries both"
        }
        OpensslError::Header(HeaderError::Unexpected) => "; leave out --nosalt and --salt",
        OpensslError::Header(HeaderError::Truncated { .. }) | OpensslError::NoPbkdf2(_) => "",
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

/// Reads the name of a digest, which help and completion list.
fn digest_parser() -> impl TypedValueParser<Value = Hash> {
    let names = Hash::ALL.map(|hash| PossibleValue::new(hash.name()).aliases(&hash.names()[1..]));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Hash>())
}

/// The salt, and the change made to its digits.
#[derive(Clone)]
struct GivenSalt {
    bytes: [u8; SALT_LEN],
    changed: Option<HexLength>,
}

fn parse_salt(digits: &str) -> Result<GivenSalt, String> {
    let (bytes, changed) = padded_hex(digits.as_bytes(), SALT_LEN).map_err(not_a_digit)?;
    Ok(GivenSalt { bytes: bytes[..].try_into().expect("the length asked for"), changed })
}
