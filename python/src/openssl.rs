//! `openssl.encrypt` and `openssl.decrypt`: files of `openssl enc -rc4`.

use std::io::{self, Read};

use arcfour_formats::{
    Transform,
    openssl::{
        Cipher, DEFAULT_ITERATIONS, Decryptor, Derivation, Encryptor, Hash, NoPbkdf2, OpensslError,
        Options, SALT_LEN, Salt, Text,
    },
};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::PyBytes,
};

use crate::{
    buffer::Buffer,
    errors::os_error,
    numbers::Integer,
    sealed::text,
    streams::{Sink, Source},
};

/// Bytes between two looks at the signals, and the most that a piece holds.
const PIECE: usize = 256 << 10;

/// Encrypt in the format of `openssl enc`, which `openssl enc -d` decrypts.
///
/// `source`, `target` and `overwrite` are as for `seal`. The keywords are openssl's options, with
/// the defaults of OpenSSL 1.1.0 and later; up to 1.0.2 `md` was md5. `md` is any digest of OpenSSL
/// 3.0; shake128 and shake256 only without PBKDF2. The passphrase may have any bytes, and text is
/// encoded as UTF-8. The command openssl takes no passphrase with a zero byte. `iter` is 1 to
/// 2147483647, implies `pbkdf2`, and is 10000 by default. `salt` has 8 bytes. With `salt` or
/// `nosalt` the file has no header, as OpenSSL 3.0 and later write it. `base64` writes lines of 64
/// digits; with `one_line` it writes one line without a line end.
///
/// Raises ValueError for a value out of range.
#[pyfunction]
#[pyo3(signature = (source, target=None, *, passphrase, cipher="rc4", md="sha256", pbkdf2=false, iter=None, salt=None, nosalt=false, base64=false, one_line=false, overwrite=false))]
#[allow(clippy::too_many_arguments)] // keywords in Python
pub fn openssl_encrypt<'py>(
    source: &Bound<'py, PyAny>,
    target: Option<&Bound<'py, PyAny>>,
    passphrase: &Bound<'py, PyAny>,
    cipher: &str,
    md: &str,
    pbkdf2: bool,
    iter: Option<Integer>,
    salt: Option<&Bound<'py, PyAny>>,
    nosalt: bool,
    base64: bool,
    one_line: bool,
    overwrite: bool,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    if one_line && !base64 {
        return Err(PyTypeError::new_err("one_line= goes with base64="));
    }
    let mut options = options(cipher, md, pbkdf2, iter, salt, nosalt, base64)?;
    if one_line {
        options.text = Text::Base64;
    }
    let encryptor = Encryptor::new(&text(passphrase)?, options)?;
    convert(encryptor, source, target, overwrite)
}

/// Decrypt a file of `openssl enc`. The arguments are as for `openssl_encrypt`.
///
/// Raises ValueError if the header is missing, cut off or not expected, or the base64 text is
/// invalid. A wrong passphrase, `md` or `cipher` gives wrong bytes and no exception.
#[pyfunction]
#[pyo3(signature = (source, target=None, *, passphrase, cipher="rc4", md="sha256", pbkdf2=false, iter=None, salt=None, nosalt=false, base64=false, overwrite=false))]
#[allow(clippy::too_many_arguments)] // keywords in Python
pub fn openssl_decrypt<'py>(
    source: &Bound<'py, PyAny>,
    target: Option<&Bound<'py, PyAny>>,
    passphrase: &Bound<'py, PyAny>,
    cipher: &str,
    md: &str,
    pbkdf2: bool,
    iter: Option<Integer>,
    salt: Option<&Bound<'py, PyAny>>,
    nosalt: bool,
    base64: bool,
    overwrite: bool,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let options = options(cipher, md, pbkdf2, iter, salt, nosalt, base64)?;
    convert(Decryptor::new(&text(passphrase)?, options), source, target, overwrite)
}

fn options(
    cipher: &str,
    md: &str,
    pbkdf2: bool,
    iter: Option<Integer>,
    salt: Option<&Bound<'_, PyAny>>,
    nosalt: bool,
    base64: bool,
) -> PyResult<Options> {
    let refused = |name: &str, value: &str, error: &dyn std::fmt::Display| {
        PyValueError::new_err(format!("{name} is {value:?}: {error}"))
    };
    let iterations = match iter {
        Some(iter) => Some(iter.within("iter", 1..=i32::MAX as u64)?),
        None => pbkdf2.then_some(DEFAULT_ITERATIONS),
    };
    let salt = match salt {
        None if nosalt => Salt::None,
        None => Salt::Header,
        Some(_) if nosalt => return Err(PyTypeError::new_err("give either salt= or nosalt=")),
        Some(salt) => {
            let salt = Buffer::of(salt)?;
            Salt::Given(salt.bytes().try_into().map_err(|_| {
                PyValueError::new_err(format!(
                    "the salt has {} bytes; it must have {SALT_LEN}",
                    salt.len()
                ))
            })?)
        }
    };
    let hash = md.parse::<Hash>().map_err(|error| refused("md", md, &error))?;
    if iterations.is_some() && !hash.has_pbkdf2() {
        return Err(refused("md", md, &NoPbkdf2(hash)));
    }
    Ok(Options {
        cipher: cipher.parse::<Cipher>().map_err(|error| refused("cipher", cipher, &error))?,
        hash,
        derivation: iterations.map_or(Derivation::BytesToKey, Derivation::Pbkdf2),
        salt,
        text: if base64 { Text::Base64Lines } else { Text::Raw },
        backend: None,
    })
}

/// Sends the source through the transform to the target.
fn convert<'py, T: Transform + Send>(
    transform: T,
    source: &Bound<'py, PyAny>,
    target: Option<&Bound<'py, PyAny>>,
    overwrite: bool,
) -> PyResult<Option<Bound<'py, PyBytes>>>
where
    T::Error: Send,
{
    let py = source.py();
    let source = Source::of(source)?;
    let mut sink = Sink::of(target, overwrite)?;
    let path = source.path();
    let mut reader = transform.reader(source.bytes);
    let mut piece = vec![0; PIECE];
    loop {
        let len = match py.detach(|| reader.read(&mut piece)) {
            Ok(0) => return sink.finish(py),
            Ok(len) => len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                return Err(match error.get_ref().and_then(|inner| inner.downcast_ref()) {
                    Some::<&OpensslError>(fault) => PyValueError::new_err(fault.to_string()),
                    None => os_error(error, path.as_deref()),
                });
            }
        };
        sink.write(py, &piece[..len])?;
        py.check_signals()?;
    }
}
