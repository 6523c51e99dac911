//! Derives a key from passphrase and salt.

use arcfour::{Backend, Rc4};
use blake2::{Blake2b512, Blake2s256};
use md4::Md4;
use md5::Md5;
use pbkdf2::{hmac::SimpleHmac, pbkdf2_hmac};
use ripemd::Ripemd160;
use sha1::Sha1;
use sha2::{
    Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256,
    digest::{
        Digest, ExtendableOutputReset, FixedOutputReset, Output, Update, XofReader,
        block_api::BlockSizeUser,
    },
};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512};
use shake::{Shake128, Shake256};
use sm3::Sm3;
use whirlpool::Whirlpool;
use zeroize::{Zeroize, Zeroizing, zeroize_stack};

use super::{
    Hash,
    md5_sha1::Md5Sha1,
    options::{Derivation, Options, SALT_LEN},
};

/// More than the frames of the hash functions take, in bytes, also without the optimiser.
const STACK: usize = 32 << 10;

/// PBKDF2 with a hash function that has no HMAC in OpenSSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("openssl has no PBKDF2 with {}", .0.name())]
pub struct NoPbkdf2(pub Hash);

/// Derives the key of a passphrase as `openssl enc` does: 16 bytes for `rc4`, 5 for `rc4-40`.
///
/// `salt` overrides the salt of `options`, because the header may contain the salt.
///
/// # Errors
/// If the options ask for PBKDF2 with a hash function [without it](Hash::has_pbkdf2).
///
/// ```
/// use arcfour_formats::openssl::{Hash, Options, derive_key};
///
/// let options = Options { hash: Hash::Md5, ..Options::default() };
/// let key = derive_key(b"Quentin", None, options)?;
/// assert_eq!(key.len(), 16); // the MD5 of the passphrase
/// # Ok::<(), arcfour_formats::openssl::NoPbkdf2>(())
/// ```
pub fn derive_key(
    passphrase: &[u8],
    salt: Option<[u8; SALT_LEN]>,
    options: Options,
) -> Result<Zeroizing<Vec<u8>>, NoPbkdf2> {
    let key = derive_key_leaving_copies(passphrase, salt, options);
    zeroize_stack::<STACK>();
    key
}

/// Does the same. Where the compiler moves the state of a hash function, a copy stays on the stack, with the passphrase.
///
/// Not inlined, so that [`zeroize_stack`] reaches its stack frame.
#[inline(never)]
fn derive_key_leaving_copies(
    passphrase: &[u8],
    salt: Option<[u8; SALT_LEN]>,
    options: Options,
) -> Result<Zeroizing<Vec<u8>>, NoPbkdf2> {
    let salt = salt.as_ref().map_or(&[][..], |salt| salt);
    let mut key = Zeroizing::new(vec![0; options.cipher.key_len()]);
    match options.derivation {
        Derivation::Pbkdf2(iterations) => {
            let derive = pbkdf2_of(options.hash).ok_or(NoPbkdf2(options.hash))?;
            derive(passphrase, salt, iterations.max(1), &mut key);
        }
        Derivation::BytesToKey => bytes_to_key_of(options.hash)(passphrase, salt, &mut key),
    }
    Ok(key)
}

/// Returns the cipher at the start of a file.
///
/// # Errors
/// As [`derive_key`].
pub(super) fn start(
    passphrase: &[u8],
    salt: Option<[u8; SALT_LEN]>,
    options: Options,
) -> Result<Box<Rc4>, NoPbkdf2> {
    Ok(keyed(&derive_key(passphrase, salt, options)?, options.backend))
}

/// Returns the cipher with a key of 5 or 16 bytes.
pub(super) fn keyed(key: &[u8], backend: Option<Backend>) -> Box<Rc4> {
    let backend = backend.unwrap_or_else(Backend::detect);
    Rc4::boxed(key, backend).expect("keys of 5 and 16 bytes are valid")
}

/// How `openssl enc` reads `-S` and `-K`: hexadecimal digits for `len` bytes, filled up with zeros.
///
/// Also returns how the digits were changed, if they were.
///
/// # Errors
/// The offset of the first byte that is not a digit, among the digits used.
pub fn padded_hex(
    digits: &[u8],
    len: usize,
) -> Result<(Zeroizing<Vec<u8>>, Option<HexLength>), usize> {
    let used = &digits[..digits.len().min(2 * len)];
    let mut bytes = Zeroizing::new(vec![0; len]);
    for (at, &digit) in used.iter().enumerate() {
        let value = char::from(digit).to_digit(16).ok_or(at)? as u8;
        bytes[at / 2] |= value << (4 * (1 - at % 2));
    }
    let changed = match digits.len().cmp(&(2 * len)) {
        std::cmp::Ordering::Less => Some(HexLength::Short),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(HexLength::Long),
    };
    Ok((bytes, changed))
}

/// The change that [`padded_hex`] made to digits of another length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HexLength {
    /// Zeros follow the digits.
    Short,
    /// The last digits are ignored.
    Long,
}

/// Takes the passphrase, the salt and the number of iterations, and fills the key.
type Pbkdf2 = fn(&[u8], &[u8], u32, &mut [u8]);

/// Returns PBKDF2, if OpenSSL has it with this hash function.
fn pbkdf2_of(hash: Hash) -> Option<Pbkdf2> {
    Some(match hash {
        Hash::Md4 => pbkdf2_hmac::<Md4>,
        Hash::Md5 => pbkdf2_hmac::<Md5>,
        Hash::Md5Sha1 => pbkdf2_simple::<Md5Sha1>,
        Hash::Ripemd160 => pbkdf2_hmac::<Ripemd160>,
        Hash::Sha1 => pbkdf2_hmac::<Sha1>,
        Hash::Sha224 => pbkdf2_hmac::<Sha224>,
        Hash::Sha256 => pbkdf2_hmac::<Sha256>,
        Hash::Sha384 => pbkdf2_hmac::<Sha384>,
        Hash::Sha512 => pbkdf2_hmac::<Sha512>,
        Hash::Sha512_224 => pbkdf2_hmac::<Sha512_224>,
        Hash::Sha512_256 => pbkdf2_hmac::<Sha512_256>,
        Hash::Sha3_224 => pbkdf2_simple::<Sha3_224>,
        Hash::Sha3_256 => pbkdf2_simple::<Sha3_256>,
        Hash::Sha3_384 => pbkdf2_simple::<Sha3_384>,
        Hash::Sha3_512 => pbkdf2_simple::<Sha3_512>,
        Hash::Shake128 | Hash::Shake256 => return None,
        Hash::Blake2s256 => pbkdf2_simple::<Blake2s256>,
        Hash::Blake2b512 => pbkdf2_simple::<Blake2b512>,
        Hash::Sm3 => pbkdf2_hmac::<Sm3>,
        Hash::Whirlpool => pbkdf2_hmac::<Whirlpool>,
    })
}

/// Does the same for hash functions without access to their blocks, with more work.
fn pbkdf2_simple<H: Digest + BlockSizeUser + Clone + FixedOutputReset>(
    passphrase: &[u8],
    salt: &[u8],
    iterations: u32,
    key: &mut [u8],
) {
    pbkdf2::pbkdf2::<SimpleHmac<H>>(passphrase, salt, iterations, key)
        .expect("HMAC takes keys of any length");
}

/// `EVP_BytesToKey` with this hash function.
fn bytes_to_key_of(hash: Hash) -> fn(&[u8], &[u8], &mut [u8]) {
    match hash {
        Hash::Md4 => bytes_to_key::<Md4>,
        Hash::Md5 => bytes_to_key::<Md5>,
        Hash::Md5Sha1 => bytes_to_key::<Md5Sha1>,
        Hash::Ripemd160 => bytes_to_key::<Ripemd160>,
        Hash::Sha1 => bytes_to_key::<Sha1>,
        Hash::Sha224 => bytes_to_key::<Sha224>,
        Hash::Sha256 => bytes_to_key::<Sha256>,
        Hash::Sha384 => bytes_to_key::<Sha384>,
        Hash::Sha512 => bytes_to_key::<Sha512>,
        Hash::Sha512_224 => bytes_to_key::<Sha512_224>,
        Hash::Sha512_256 => bytes_to_key::<Sha512_256>,
        Hash::Sha3_224 => bytes_to_key::<Sha3_224>,
        Hash::Sha3_256 => bytes_to_key::<Sha3_256>,
        Hash::Sha3_384 => bytes_to_key::<Sha3_384>,
        Hash::Sha3_512 => bytes_to_key::<Sha3_512>,
        Hash::Shake128 => bytes_to_key_by_xof::<Shake128>,
        Hash::Shake256 => bytes_to_key_by_xof::<Shake256>,
        Hash::Blake2s256 => bytes_to_key::<Blake2s256>,
        Hash::Blake2b512 => bytes_to_key::<Blake2b512>,
        Hash::Sm3 => bytes_to_key::<Sm3>,
        Hash::Whirlpool => bytes_to_key::<Whirlpool>,
    }
}

/// Fills `key` with the start of one hash of passphrase and salt.
///
/// `EVP_BytesToKey` with a count of 1 makes a chain of hashes for key and IV. RC4 has no IV and
/// takes at most 16 bytes, which even the shortest hash, MD5, has. The hash is finished in place,
/// so that its buffer, which holds the passphrase, is wiped.
fn bytes_to_key<H: Digest + FixedOutputReset>(passphrase: &[u8], salt: &[u8], key: &mut [u8]) {
    let mut hash = H::new();
    Digest::update(&mut hash, passphrase);
    Digest::update(&mut hash, salt);
    let mut digest = Output::<H>::default();
    FixedOutputReset::finalize_into_reset(&mut hash, &mut digest);
    key.copy_from_slice(&digest[..key.len()]);
    digest.as_mut_slice().zeroize();
}

/// Does the same by a function with output of any length. OpenSSL takes at least 16 bytes.
fn bytes_to_key_by_xof<H: Default + Update + ExtendableOutputReset>(
    passphrase: &[u8],
    salt: &[u8],
    key: &mut [u8],
) {
    let mut hash = H::default();
    hash.update(passphrase);
    hash.update(salt);
    hash.finalize_xof_reset().read(key);
}
