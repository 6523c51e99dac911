//! The errors that functions return.

use std::ffi::{CStr, c_char, c_int};

use arcfour::KeyLengthError;

/// The result of a function: 0, or an error.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types)] // C has but one name space
pub enum Error {
    /// Done.
    ARCFOUR_OK = 0,
    /// A pointer that must not be NULL is NULL.
    ARCFOUR_NULL = 1,
    /// A key is empty or has more than 256 bytes.
    ARCFOUR_KEY_LENGTH = 2,
    /// A length or count exceeds PTRDIFF_MAX bytes.
    ARCFOUR_LENGTH = 3,
    /// Two buffers that must not overlap do.
    ARCFOUR_OVERLAP = 4,
    /// There is not enough memory.
    ARCFOUR_MEMORY = 5,
    /// There is no family of this number.
    ARCFOUR_FAMILY = 6,
    /// An IV does not have 1 to 256 bytes, or is given to a family that takes none.
    ARCFOUR_IV_LENGTH = 7,
    /// A secret is no key file, is an empty or too long passphrase, or has an unknown kind.
    ARCFOUR_SECRET = 8,
    /// The system has no random bytes.
    ARCFOUR_RANDOM = 9,
    /// The callback could not read the input.
    ARCFOUR_READ = 10,
    /// A sealed file was changed, or the secret is wrong.
    ARCFOUR_SEALED = 11,
    /// The plaintext of a sealed file has no such range.
    ARCFOUR_RANGE = 12,
    /// An option of a file of `openssl enc` has a value that it cannot have.
    ARCFOUR_OPTION = 13,
    /// A file is no valid base64 text.
    ARCFOUR_TEXT = 14,
    /// A file does not begin with the header that carries its salt.
    ARCFOUR_HEADER = 15,
    /// A file is pushed or finished after its end, or after an error in it.
    ARCFOUR_ENDED = 16,
}

impl Error {
    /// Every value, ARCFOUR_OK among them.
    const ALL: [Self; 17] = [
        Self::ARCFOUR_OK,
        Self::ARCFOUR_NULL,
        Self::ARCFOUR_KEY_LENGTH,
        Self::ARCFOUR_LENGTH,
        Self::ARCFOUR_OVERLAP,
        Self::ARCFOUR_MEMORY,
        Self::ARCFOUR_FAMILY,
        Self::ARCFOUR_IV_LENGTH,
        Self::ARCFOUR_SECRET,
        Self::ARCFOUR_RANDOM,
        Self::ARCFOUR_READ,
        Self::ARCFOUR_SEALED,
        Self::ARCFOUR_RANGE,
        Self::ARCFOUR_OPTION,
        Self::ARCFOUR_TEXT,
        Self::ARCFOUR_HEADER,
        Self::ARCFOUR_ENDED,
    ];

    fn message(self) -> &'static CStr {
        match self {
            Self::ARCFOUR_OK => c"done",
            Self::ARCFOUR_NULL => c"a pointer that must not be NULL is NULL",
            Self::ARCFOUR_KEY_LENGTH => c"a key must have 1 to 256 bytes",
            Self::ARCFOUR_LENGTH => c"a length is out of range",
            Self::ARCFOUR_OVERLAP => c"buffers that must not overlap do",
            Self::ARCFOUR_MEMORY => c"out of memory",
            Self::ARCFOUR_FAMILY => c"there is no such family of ciphers",
            Self::ARCFOUR_IV_LENGTH => c"an IV must have 1 to 256 bytes; most families take none",
            Self::ARCFOUR_SECRET => c"neither a key file nor a passphrase of 1 to 4096 bytes",
            Self::ARCFOUR_RANDOM => c"the system has no random bytes",
            Self::ARCFOUR_READ => c"the input cannot be read",
            Self::ARCFOUR_SEALED => c"not what was sealed, or another secret",
            Self::ARCFOUR_RANGE => c"the plaintext has no such range",
            Self::ARCFOUR_OPTION => c"an option of the file is out of range",
            Self::ARCFOUR_TEXT => c"the base64 text is invalid",
            Self::ARCFOUR_HEADER => c"the file does not begin with Salted__ and a salt",
            Self::ARCFOUR_ENDED => c"the file has ended",
        }
    }
}

impl From<KeyLengthError> for Error {
    fn from(_: KeyLengthError) -> Self {
        Self::ARCFOUR_KEY_LENGTH
    }
}

/// Returns `ARCFOUR_OK`, or the error.
pub fn answer(result: Result<(), Error>) -> Error {
    result.err().unwrap_or(Error::ARCFOUR_OK)
}

/// Returns a message for an error: one line of English, without a line end. It is never NULL, whatever
/// the number, and must not be freed.
#[unsafe(no_mangle)]
pub extern "C" fn arcfour_strerror(error: c_int) -> *const c_char {
    let known = Error::ALL.into_iter().find(|&known| known as c_int == error);
    known.map_or(c"no such error", Error::message).as_ptr()
}

/// Returns the version of the library, such as "1.0.0". It must not be freed.
#[unsafe(no_mangle)]
pub extern "C" fn arcfour_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
