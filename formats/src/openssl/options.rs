//! The options of `openssl enc` that determine a file.

use std::str::FromStr;

use arcfour::Backend;

use super::{Hash, UnknownName};

/// Bytes of a salt.
pub const SALT_LEN: usize = 8;
/// The iterations of `openssl enc -pbkdf2` without `-iter`.
pub const DEFAULT_ITERATIONS: u32 = 10_000;

/// The options that determine a file. The default is `openssl enc -rc4` of OpenSSL 1.1.0 and later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The cipher, which fixes the length of the key.
    pub cipher: Cipher,
    /// The hash function of the key derivation.
    pub hash: Hash,
    /// The key derivation.
    pub derivation: Derivation,
    /// The place of the salt.
    pub salt: Salt,
    /// The outer form of the file.
    pub text: Text,
    /// The backend that computes RC4; `None` is the fastest of this machine.
    pub backend: Option<Backend>,
}

/// RC4 with one length of key, by OpenSSL's name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Cipher {
    /// `rc4`: 16 bytes of key.
    #[default]
    Rc4,
    /// `rc4-40`: 5 bytes of key.
    Rc4_40,
}

impl Cipher {
    /// Every cipher.
    pub const ALL: [Self; 2] = [Self::Rc4, Self::Rc4_40];

    /// OpenSSL's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rc4 => "rc4",
            Self::Rc4_40 => "rc4-40",
        }
    }

    /// Bytes of its key.
    pub fn key_len(self) -> usize {
        match self {
            Self::Rc4 => 16,
            Self::Rc4_40 => 5,
        }
    }
}

/// The derivation of a key from passphrase and salt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Derivation {
    /// `EVP_BytesToKey` with a count of 1: one hash of passphrase and salt, cut to the length of the
    /// key.
    #[default]
    BytesToKey,
    /// PBKDF2-HMAC with this many iterations. OpenSSL takes 1 to 2³¹ − 1; 0 means 1.
    Pbkdf2(u32),
}

/// The place of the salt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Salt {
    /// In the header of the file, chosen at random for each file, as `openssl enc` does.
    #[default]
    Header,
    /// Known to both sides, and the file has no header: `-S` of OpenSSL 3.0 and later.
    Given([u8; SALT_LEN]),
    /// This one, in the header of the file: `-S` of OpenSSL before 3.0. The reader takes the salt of the
    /// header.
    GivenInHeader([u8; SALT_LEN]),
    /// There is no salt and no header: `-nosalt`.
    None,
}

/// The outer form of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Text {
    /// Bytes.
    #[default]
    Raw,
    /// Base64 in lines of 64 digits: `-a`. Any lines are read, and spaces and tabs.
    Base64Lines,
    /// Base64 in one line without a line end: `-a -A`. Any lines are read, and spaces and tabs.
    Base64,
}

impl FromStr for Cipher {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let unknown = || UnknownName::of("cipher", Self::ALL.map(Self::name).into_iter());
        Self::ALL.into_iter().find(|cipher| cipher.name() == name).ok_or_else(unknown)
    }
}
