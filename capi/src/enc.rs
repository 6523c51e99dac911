//! Files of `openssl enc -rc4`, converted in pieces.

use std::ffi::c_int;

use arcfour_formats::{
    Transform,
    openssl::{
        Cipher, Decryptor, Derivation, Encryptor, Hash, OpensslError, Options, SALT_LEN, Salt, Text,
    },
};

use crate::{
    error::{Error, answer},
    raw,
};

/// The hash function between passphrase and key: `-md` of `openssl enc`.
#[repr(C)]
#[allow(non_camel_case_types, dead_code)] // C has but one name space, and it is C that uses them
pub enum EncHash {
    /// The default of OpenSSL since 1.1.0.
    ARCFOUR_SHA256 = 0,
    /// The default of OpenSSL up to 1.0.2.
    ARCFOUR_MD5 = 1,
    /// Never a default.
    ARCFOUR_SHA1 = 2,
    /// Never a default.
    ARCFOUR_SHA512 = 3,
}

/// Where the salt is.
#[repr(C)]
#[allow(non_camel_case_types, dead_code)]
pub enum EncSalt {
    /// In the header of the file, chosen at random for each: what `openssl enc` does.
    ARCFOUR_SALT_HEADER = 0,
    /// In `salt_bytes`, and the file has no header: `-S` of OpenSSL 3.0 and later.
    ARCFOUR_SALT_GIVEN = 1,
    /// There is no salt and no header: `-nosalt`.
    ARCFOUR_SALT_NONE = 2,
}

/// The outer form of a file.
#[repr(C)]
#[allow(non_camel_case_types, dead_code)]
pub enum EncText {
    /// Bytes.
    ARCFOUR_RAW = 0,
    /// Base64 in lines of 64 digits: `-a`. Any lines are read, and spaces and tabs.
    ARCFOUR_BASE64_LINES = 1,
    /// Base64 in one line without a line end: `-a -A`. Any lines are read, and spaces and tabs.
    ARCFOUR_BASE64 = 2,
}

/// How a file is made: what `openssl enc` is told on its command line. All zeros are
/// `openssl enc -rc4` of OpenSSL 1.1.0 and later.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct EncOptions {
    /// Bits of the key: 128, or 0, for `-rc4`; 40 for `-rc4-40`.
    pub key_bits: c_int,
    /// An `arcfour_enc_hash`.
    pub hash: c_int,
    /// Iterations of PBKDF2, 1 to 2147483647: `-pbkdf2 -iter N`, which OpenSSL sets to 10000 if N is
    /// not given. 0 for one hash of passphrase and salt, which `openssl enc` takes by default.
    pub iterations: u32,
    /// An `arcfour_enc_salt`.
    pub salt: c_int,
    /// The salt, if it is given.
    pub salt_bytes: [u8; 8],
    /// An `arcfour_enc_text`.
    pub text: c_int,
}

const _: () = assert!(SALT_LEN == 8);

impl EncOptions {
    fn read(self) -> Result<Options, Error> {
        Ok(Options {
            cipher: match self.key_bits {
                0 | 128 => Cipher::Rc4,
                40 => Cipher::Rc4_40,
                _ => return Err(Error::ARCFOUR_OPTION),
            },
            hash: match self.hash {
                0 => Hash::Sha256,
                1 => Hash::Md5,
                2 => Hash::Sha1,
                3 => Hash::Sha512,
                _ => return Err(Error::ARCFOUR_OPTION),
            },
            derivation: match self.iterations {
                0 => Derivation::BytesToKey,
                n if n <= i32::MAX as u32 => Derivation::Pbkdf2(n),
                _ => return Err(Error::ARCFOUR_OPTION),
            },
            salt: match self.salt {
                0 => Salt::Header,
                1 => Salt::Given(self.salt_bytes),
                2 => Salt::None,
                _ => return Err(Error::ARCFOUR_OPTION),
            },
            text: match self.text {
                0 => Text::Raw,
                1 => Text::Base64Lines,
                2 => Text::Base64,
                _ => return Err(Error::ARCFOUR_OPTION),
            },
            backend: None,
        })
    }
}

/// A file of `openssl enc` that is being encrypted or decrypted.
pub struct Enc {
    /// None after the end, or after an error of the file.
    transform: Option<Direction>,
    /// The output of the last call.
    out: Vec<u8>,
}

enum Direction {
    Encrypt(Box<Encryptor>),
    Decrypt(Box<Decryptor>),
}

impl Enc {
    fn new(transform: Direction) -> Box<Self> {
        Box::new(Self { transform: Some(transform), out: vec![] })
    }

    /// Takes the next input, or its end, and fills `out`.
    fn step(&mut self, input: Option<&[u8]>) -> Result<(), Error> {
        let Some(mut transform) = self.transform.take() else {
            return Err(Error::ARCFOUR_ENDED);
        };
        self.out.clear();
        // Base64 with its line ends has less than twice the bytes. A header, the input kept back
        // and the last line end have less than a hundred bytes.
        let room = input.map_or(0, <[u8]>::len).checked_mul(2).and_then(|n| n.checked_add(128));
        if room.is_none_or(|room| self.out.try_reserve(room).is_err()) {
            self.transform = Some(transform);
            return Err(Error::ARCFOUR_MEMORY);
        }
        let done = match (&mut transform, input) {
            (Direction::Encrypt(encryptor), Some(input)) => {
                encryptor.push(input, &mut self.out).map_err(|never| match never {})
            }
            (Direction::Encrypt(encryptor), None) => {
                encryptor.finish(&mut self.out).map_err(|never| match never {})
            }
            (Direction::Decrypt(decryptor), Some(input)) => decryptor.push(input, &mut self.out),
            (Direction::Decrypt(decryptor), None) => decryptor.finish(&mut self.out),
        };
        done.map_err(|error| match error {
            OpensslError::Text(_) => Error::ARCFOUR_TEXT,
            OpensslError::Header(_) => Error::ARCFOUR_HEADER,
            OpensslError::NoPbkdf2(_) => Error::ARCFOUR_OPTION,
        })?;
        self.transform = input.map(|_| transform);
        Ok(())
    }
}

/// Begins to encrypt a file as `openssl enc -rc4` does, and stores its address in `*enc`.
///
/// The passphrase may have any bytes; `openssl` itself takes none with a zero byte.
/// `arcfour_enc_free` releases the file.
///
/// ARCFOUR_NULL: `enc`, `options`, or a `passphrase` that is not empty, is NULL. ARCFOUR_LENGTH.
/// ARCFOUR_OPTION. ARCFOUR_RANDOM: the system has no random bytes for the salt. On an error `*enc` is
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_enc_encrypt(
    enc: *mut *mut Enc,
    passphrase: *const u8,
    passphrase_len: usize,
    options: *const EncOptions,
) -> Error {
    // SAFETY: the caller's pointers, as the header asks for them.
    answer(unsafe {
        raw::place(enc, || {
            let options = options.as_ref().ok_or(Error::ARCFOUR_NULL)?.read()?;
            let passphrase = raw::slice(passphrase, passphrase_len)?;
            let encryptor = Encryptor::new(passphrase, options);
            let encryptor = encryptor.map_err(|_| Error::ARCFOUR_RANDOM)?;
            Ok(Enc::new(Direction::Encrypt(Box::new(encryptor))))
        })
    })
}

/// Begins to decrypt a file of `openssl enc -rc4`: as `arcfour_enc_encrypt` otherwise.
///
/// Nothing in a file tells whether passphrase, hash and cipher are right: wrong ones give other bytes,
/// and no error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_enc_decrypt(
    enc: *mut *mut Enc,
    passphrase: *const u8,
    passphrase_len: usize,
    options: *const EncOptions,
) -> Error {
    // SAFETY: the caller's pointers, as the header asks for them.
    answer(unsafe {
        raw::place(enc, || {
            let options = options.as_ref().ok_or(Error::ARCFOUR_NULL)?.read()?;
            let passphrase = raw::slice(passphrase, passphrase_len)?;
            Ok(Enc::new(Direction::Decrypt(Box::new(Decryptor::new(passphrase, options)))))
        })
    })
}

/// Converts the next `len` bytes, and stores in `*out` and `*out_len` where the result is. It stays
/// there until the next call with this `enc`, and must not be the next input. The input may be
/// split anywhere.
///
/// ARCFOUR_NULL, ARCFOUR_LENGTH, ARCFOUR_MEMORY: nothing was converted. ARCFOUR_OVERLAP: `in` has bytes
/// of the last result, and nothing was converted. ARCFOUR_TEXT: the base64 text is invalid.
/// ARCFOUR_HEADER: the header that carries the salt is missing or cut off. After ARCFOUR_TEXT and
/// ARCFOUR_HEADER, `*out` holds the result before the fault, and the file has ended. ARCFOUR_ENDED: the
/// file had ended before this call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_enc_push(
    enc: *mut Enc,
    r#in: *const u8,
    len: usize,
    out: *mut *const u8,
    out_len: *mut usize,
) -> Error {
    let push = || {
        // SAFETY: the caller's pointers, as the header asks for them.
        let enc = unsafe { raw::object(enc)? };
        raw::check(r#in, len)?;
        if raw::overlap((r#in.addr(), len), (enc.out.as_ptr().addr(), enc.out.capacity())) {
            return Err(Error::ARCFOUR_OVERLAP);
        }
        // SAFETY: the same.
        let input = unsafe { raw::slice(r#in, len)? };
        // SAFETY: the same.
        unsafe { step(enc, Some(input), out, out_len) }
    };
    answer(push())
}

/// Ends the input, and stores in `*out` and `*out_len` where the last of the result is: as
/// `arcfour_enc_push` otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_enc_finish(
    enc: *mut Enc,
    out: *mut *const u8,
    out_len: *mut usize,
) -> Error {
    // SAFETY: the caller's pointers, as the header asks for them.
    answer(unsafe { raw::object(enc).and_then(|enc| step(enc, None, out, out_len)) })
}

/// Runs a step and stores the place of its result.
///
/// # Safety
/// Unless NULL, `out` and `out_len` may be written to.
unsafe fn step(
    enc: &mut Enc,
    input: Option<&[u8]>,
    out: *mut *const u8,
    out_len: *mut usize,
) -> Result<(), Error> {
    // SAFETY: `as_mut` checks for NULL; the rest is the caller's promise.
    let (out, out_len) = unsafe { (raw::object(out)?, raw::object(out_len)?) };
    let done = enc.step(input);
    (*out, *out_len) = match done {
        Ok(()) | Err(Error::ARCFOUR_TEXT | Error::ARCFOUR_HEADER) => {
            (enc.out.as_ptr(), enc.out.len())
        }
        Err(_) => (std::ptr::null(), 0),
    };
    done
}

/// Wipes the passphrase and the key, and releases a file. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_enc_free(enc: *mut Enc) {
    if !enc.is_null() {
        // SAFETY: not NULL, so a constructor made it and it was not freed yet, as the header asks.
        drop(unsafe { Box::from_raw(enc) });
    }
}
