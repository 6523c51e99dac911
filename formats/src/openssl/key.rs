//! From passphrase and salt to a key.

use arcfour::{Backend, Rc4};
use md5::Md5;
use pbkdf2::pbkdf2_hmac;
use sha1::Sha1;
use sha2::{
    Sha256, Sha512,
    digest::{Digest, FixedOutputReset, Output},
};
use zeroize::{Zeroize, Zeroizing};

use super::options::{Derivation, Hash, Options, SALT_LEN};

/// Derives the key of a passphrase as `openssl enc` does: 16 bytes for `rc4`, 5 for `rc4-40`.
///
/// `salt` overrides the one of `options`, which may not know it: the header has it.
///
/// ```
/// use arcfour_formats::openssl::{Hash, Options, derive_key};
///
/// let options = Options { hash: Hash::Md5, ..Options::default() };
/// let key = derive_key(b"Quentin", None, options);
/// assert_eq!(key.len(), 16); // the MD5 of the passphrase
/// ```
pub fn derive_key(
    passphrase: &[u8],
    salt: Option<[u8; SALT_LEN]>,
    options: Options,
) -> Zeroizing<Vec<u8>> {
    let salt = salt.as_ref().map_or(&[][..], |salt| salt);
    let mut key = Zeroizing::new(vec![0; options.cipher.key_len()]);
    match options.derivation {
        Derivation::Pbkdf2(iterations) => {
            let derive = match options.hash {
                Hash::Md5 => pbkdf2_hmac::<Md5>,
                Hash::Sha1 => pbkdf2_hmac::<Sha1>,
                Hash::Sha256 => pbkdf2_hmac::<Sha256>,
                Hash::Sha512 => pbkdf2_hmac::<Sha512>,
            };
            derive(passphrase, salt, iterations.max(1), &mut key);
        }
        Derivation::BytesToKey => match options.hash {
            Hash::Md5 => bytes_to_key::<Md5>(passphrase, salt, &mut key),
            Hash::Sha1 => bytes_to_key::<Sha1>(passphrase, salt, &mut key),
            Hash::Sha256 => bytes_to_key::<Sha256>(passphrase, salt, &mut key),
            Hash::Sha512 => bytes_to_key::<Sha512>(passphrase, salt, &mut key),
        },
    }
    key
}

/// The cipher at the start of a file.
pub(super) fn start(passphrase: &[u8], salt: Option<[u8; SALT_LEN]>, options: Options) -> Box<Rc4> {
    let key = derive_key(passphrase, salt, options);
    let backend = options.backend.unwrap_or_else(Backend::detect);
    Rc4::boxed(&key, backend).expect("keys of 5 and 16 bytes are valid")
}

/// Fills `key` with the start of one hash of passphrase and salt.
///
/// `EVP_BytesToKey` with a count of 1 makes a chain of hashes for key and IV; the shortest, MD5, has
/// the 16 bytes that RC4, which has no IV, needs at most. The hash is finished in place, so that its
/// buffer, which holds the passphrase, is wiped where it stands.
fn bytes_to_key<H: Digest + FixedOutputReset>(passphrase: &[u8], salt: &[u8], key: &mut [u8]) {
    let mut hash = H::new();
    Digest::update(&mut hash, passphrase);
    Digest::update(&mut hash, salt);
    let mut digest = Output::<H>::default();
    FixedOutputReset::finalize_into_reset(&mut hash, &mut digest);
    key.copy_from_slice(&digest[..key.len()]);
    digest.as_mut_slice().zeroize();
}
