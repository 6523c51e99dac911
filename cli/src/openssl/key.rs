//! From a passphrase and a salt to a key, as `openssl enc` does it.

use arcfour::MAX_KEY;
use md5::Md5;
use pbkdf2::pbkdf2_hmac;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use zeroize::Zeroizing;

/// How many iterations `-pbkdf2` makes without `-iter`.
pub const DEFAULT_ITERATIONS: u32 = 10_000;
/// How many bytes a salt has.
pub const SALT: usize = 8;

/// What `openssl enc` calls a cipher: RC4 with one length of key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Cipher {
    /// 128-bit keys: openssl enc -rc4
    #[default]
    Rc4,
    /// 40-bit keys: openssl enc -rc4-40
    #[value(name = "rc4-40")]
    Rc4_40,
}

impl Cipher {
    /// How many bytes its key has.
    fn key_len(self) -> usize {
        match self {
            Self::Rc4 => 16,
            Self::Rc4_40 => 5,
        }
    }
}

/// The hash function between passphrase and key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Hash {
    /// The default of OpenSSL up to 1.0.2
    Md5,
    /// Chosen by hand in some old recipes
    Sha1,
    /// The default of OpenSSL since 1.1.0
    #[default]
    Sha256,
    /// Chosen by hand in some newer recipes
    Sha512,
}

/// How the key comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// The length of the key.
    pub cipher: Cipher,
    /// The hash function.
    pub hash: Hash,
    /// PBKDF2 with so many iterations, or `EVP_BytesToKey`.
    pub pbkdf2: Option<u32>,
}

impl Derivation {
    /// The key of a passphrase with a salt, or without one.
    pub fn key(self, passphrase: &[u8], salt: &[u8]) -> Zeroizing<Vec<u8>> {
        let mut key = Zeroizing::new(Vec::with_capacity(MAX_KEY));
        match self.pbkdf2 {
            Some(iterations) => {
                key.resize(self.cipher.key_len(), 0);
                let derive = match self.hash {
                    Hash::Md5 => pbkdf2_hmac::<Md5>,
                    Hash::Sha1 => pbkdf2_hmac::<Sha1>,
                    Hash::Sha256 => pbkdf2_hmac::<Sha256>,
                    Hash::Sha512 => pbkdf2_hmac::<Sha512>,
                };
                derive(passphrase, salt, iterations, &mut key);
            }
            None => {
                let digest = match self.hash {
                    Hash::Md5 => digest::<Md5>,
                    Hash::Sha1 => digest::<Sha1>,
                    Hash::Sha256 => digest::<Sha256>,
                    Hash::Sha512 => digest::<Sha512>,
                };
                digest(passphrase, salt, &mut key);
                key.truncate(self.cipher.key_len());
            }
        }
        key
    }
}

/// `EVP_BytesToKey` with a count of 1 makes a chain of digests, of which RC4, which has no IV,
/// needs no more than the first.
fn digest<H: Digest>(passphrase: &[u8], salt: &[u8], key: &mut Vec<u8>) {
    let mut digest = H::new_with_prefix(passphrase).chain_update(salt).finalize();
    key.extend_from_slice(&digest);
    zeroize::Zeroize::zeroize(&mut digest[..]);
}
