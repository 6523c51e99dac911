//! The hash functions of OpenSSL, by its names.

use std::str::FromStr;

use super::UnknownName;

/// The hash function between passphrase and key, as in `openssl enc -md` of OpenSSL 3.0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Hash {
    /// MD4; in OpenSSL 3 by the legacy provider.
    Md4,
    /// The default of OpenSSL up to 1.0.2.
    Md5,
    /// MD5, then SHA-1.
    Md5Sha1,
    /// RIPEMD-160.
    Ripemd160,
    /// SHA-1.
    Sha1,
    /// SHA-224.
    Sha224,
    /// The default of OpenSSL since 1.1.0.
    #[default]
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
    /// SHA-512/224.
    Sha512_224,
    /// SHA-512/256.
    Sha512_256,
    /// SHA3-224.
    Sha3_224,
    /// SHA3-256.
    Sha3_256,
    /// SHA3-384.
    Sha3_384,
    /// SHA3-512.
    Sha3_512,
    /// SHAKE128, which has no HMAC in OpenSSL, and so no PBKDF2.
    Shake128,
    /// SHAKE256, which has no HMAC in OpenSSL, and so no PBKDF2.
    Shake256,
    /// BLAKE2s with 256 bits.
    Blake2s256,
    /// BLAKE2b with 512 bits.
    Blake2b512,
    /// SM3.
    Sm3,
    /// Whirlpool; in OpenSSL 3 by the legacy provider.
    Whirlpool,
}

impl Hash {
    /// Every hash function. Former and present defaults come first.
    pub const ALL: [Self; 21] = [
        Self::Md5,
        Self::Sha256,
        Self::Sha1,
        Self::Sha512,
        Self::Sha224,
        Self::Sha384,
        Self::Sha512_224,
        Self::Sha512_256,
        Self::Sha3_224,
        Self::Sha3_256,
        Self::Sha3_384,
        Self::Sha3_512,
        Self::Shake128,
        Self::Shake256,
        Self::Md4,
        Self::Md5Sha1,
        Self::Ripemd160,
        Self::Blake2s256,
        Self::Blake2b512,
        Self::Sm3,
        Self::Whirlpool,
    ];

    /// OpenSSL's name for it.
    pub fn name(self) -> &'static str {
        self.names()[0]
    }

    /// OpenSSL's names for it in lower case, the usual one first.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Md4 => &["md4"],
            Self::Md5 => &["md5", "ssl3-md5"],
            Self::Md5Sha1 => &["md5-sha1"],
            Self::Ripemd160 => &["ripemd160", "rmd160", "ripemd", "ripemd-160"],
            Self::Sha1 => &["sha1", "sha-1", "ssl3-sha1"],
            Self::Sha224 => &["sha224", "sha-224", "sha2-224"],
            Self::Sha256 => &["sha256", "sha-256", "sha2-256"],
            Self::Sha384 => &["sha384", "sha-384", "sha2-384"],
            Self::Sha512 => &["sha512", "sha-512", "sha2-512"],
            Self::Sha512_224 => &["sha512-224", "sha-512/224", "sha2-512/224"],
            Self::Sha512_256 => &["sha512-256", "sha-512/256", "sha2-512/256"],
            Self::Sha3_224 => &["sha3-224"],
            Self::Sha3_256 => &["sha3-256"],
            Self::Sha3_384 => &["sha3-384"],
            Self::Sha3_512 => &["sha3-512"],
            Self::Shake128 => &["shake128", "shake-128"],
            Self::Shake256 => &["shake256", "shake-256"],
            Self::Blake2s256 => &["blake2s256", "blake2s-256"],
            Self::Blake2b512 => &["blake2b512", "blake2b-512"],
            Self::Sm3 => &["sm3"],
            Self::Whirlpool => &["whirlpool"],
        }
    }

    /// Returns true if OpenSSL has PBKDF2 with it.
    pub fn has_pbkdf2(self) -> bool {
        !matches!(self, Self::Shake128 | Self::Shake256)
    }
}

impl FromStr for Hash {
    type Err = UnknownName;

    /// Reads each of the [names](Hash::names), in any case, as OpenSSL does.
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let is_named =
            |hash: &Self| hash.names().iter().any(|known| known.eq_ignore_ascii_case(name));
        let unknown = || UnknownName::of("hash function", Self::ALL.map(Self::name).into_iter());
        Self::ALL.into_iter().find(is_named).ok_or_else(unknown)
    }
}
