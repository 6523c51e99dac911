//! Keys as Windows' `CryptDeriveKey` makes them of a password, for `CALG_RC4`.

use std::{fmt, str::FromStr};

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};

/// The hash of the password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hash {
    Md5,
    Sha1,
    Sha256,
}

/// How `CryptDeriveKey` was called: the hash, the bits of the key and the salt.
///
/// A key of 40 bits gets 11 zero bytes of salt in Microsoft's providers, unless the program asked for none by
/// `CRYPT_NO_SALT`. The Base provider's default is 40 bits, the Enhanced provider's 128.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeriveKey {
    hash: Hash,
    bytes: usize,
    salt: bool,
}

/// Bytes of a 40-bit key with its salt.
const SALTED: usize = 16;

impl DeriveKey {
    /// Every way, by its name.
    pub const ALL: [(&str, Self); 15] = {
        const fn new(hash: Hash, bits: usize, salt: bool) -> DeriveKey {
            DeriveKey { hash, bytes: bits / 8, salt }
        }
        [
            ("md5-40", new(Hash::Md5, 40, false)),
            ("md5-40-salt", new(Hash::Md5, 40, true)),
            ("md5-56", new(Hash::Md5, 56, false)),
            ("md5-64", new(Hash::Md5, 64, false)),
            ("md5-128", new(Hash::Md5, 128, false)),
            ("sha1-40", new(Hash::Sha1, 40, false)),
            ("sha1-40-salt", new(Hash::Sha1, 40, true)),
            ("sha1-56", new(Hash::Sha1, 56, false)),
            ("sha1-64", new(Hash::Sha1, 64, false)),
            ("sha1-128", new(Hash::Sha1, 128, false)),
            ("sha256-40", new(Hash::Sha256, 40, false)),
            ("sha256-40-salt", new(Hash::Sha256, 40, true)),
            ("sha256-56", new(Hash::Sha256, 56, false)),
            ("sha256-64", new(Hash::Sha256, 64, false)),
            ("sha256-128", new(Hash::Sha256, 128, false)),
        ]
    };

    /// Its name.
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, derive)| *derive == self);
        named.expect("there is no other").0
    }

    /// The key of RC4, of these bytes of a password.
    pub fn key(self, password: &[u8]) -> Vec<u8> {
        let mut key = match self.hash {
            Hash::Md5 => Md5::digest(password).to_vec(),
            Hash::Sha1 => Sha1::digest(password).to_vec(),
            Hash::Sha256 => Sha256::digest(password).to_vec(),
        };
        let spare = &mut key[self.bytes..];
        spare.fill(0);
        key.truncate(if self.salt { SALTED } else { self.bytes });
        key
    }
}

impl fmt::Display for DeriveKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for DeriveKey {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let named = Self::ALL.iter().find(|(known, _)| *known == name);
        let names = || Self::ALL.map(|(name, _)| name).join(", ");
        named.map(|(_, way)| *way).ok_or_else(|| format!("{name:?} is none of {}", names()))
    }
}
