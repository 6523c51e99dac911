//! Derives RC4 keys from passwords like `CryptDeriveKey` of Windows, for `CALG_RC4`.

use std::{fmt, str::FromStr};

use md4::Md4;
use md5::Md5;
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};
use zeroize::Zeroizing;

use crate::digest::digest;

/// The hash function of the password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hash {
    Md4,
    Md5,
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    const ALL: [(&str, Self); 6] = [
        ("md4", Self::Md4),
        ("md5", Self::Md5),
        ("sha1", Self::Sha1),
        ("sha256", Self::Sha256),
        ("sha384", Self::Sha384),
        ("sha512", Self::Sha512),
    ];

    fn of(self, password: &[u8]) -> Zeroizing<Vec<u8>> {
        match self {
            Self::Md4 => digest::<Md4>(password),
            Self::Md5 => digest::<Md5>(password),
            Self::Sha1 => digest::<Sha1>(password),
            Self::Sha256 => digest::<Sha256>(password),
            Self::Sha384 => digest::<Sha384>(password),
            Self::Sha512 => digest::<Sha512>(password),
        }
    }
}

/// The parameters of a call of `CryptDeriveKey`: the hash, the bits of the key and the salt, as in
/// `md5-40-salt`.
///
/// A key of 40 bits gets 11 zero bytes of salt in Microsoft's providers, unless the program asked
/// for none by `CRYPT_NO_SALT`. With `CRYPT_CREATE_SALT` the salt is the rest of the hash's first
/// 128 bits. The result equals the key of 128 bits. The Base provider's default is 40 bits, the
/// Enhanced provider's 128.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeriveKey {
    hash: Hash,
    bytes: usize,
    salt: bool,
}

/// Bytes of a 40-bit key with its salt.
const SALTED: usize = 16;
/// Range of key lengths in bits; only multiples of 8 occur.
const BITS: std::ops::RangeInclusive<usize> = 40..=128;

impl DeriveKey {
    /// Lists all parameters, the shortest keys of each hash first.
    pub fn all() -> impl Iterator<Item = Self> {
        let of = |(_, hash)| {
            let bits = BITS.step_by(8);
            let plain = bits.map(move |bits| Self { hash, bytes: bits / 8, salt: false });
            std::iter::once(Self { hash, bytes: BITS.start() / 8, salt: true }).chain(plain)
        };
        Hash::ALL.into_iter().flat_map(of)
    }

    /// Returns the RC4 key for the bytes of a password.
    pub fn key(self, password: &[u8]) -> Zeroizing<Vec<u8>> {
        let mut key = self.hash.of(password);
        let spare = &mut key[self.bytes..];
        spare.fill(0);
        key.truncate(if self.salt { SALTED } else { self.bytes });
        key
    }
}

impl fmt::Display for DeriveKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hash, _) = Hash::ALL[self.hash as usize];
        f.pad(&format!("{hash}-{}{}", 8 * self.bytes, if self.salt { "-salt" } else { "" }))
    }
}

impl FromStr for DeriveKey {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::all().find(|way| way.to_string() == name).ok_or_else(|| {
            let hashes = Hash::ALL.map(|(name, _)| name).join(", ");
            format!(
                "{name:?} is no HASH-BITS or HASH-40-salt: HASH is one of {hashes}, BITS one of 40, 48, 56 … 128"
            )
        })
    }
}
