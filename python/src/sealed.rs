//! `seal`, `open` and `new_key`: the sealed file.

use std::{num::NonZero, path::Path, thread};

use arcfour_container::{ChunkSize, Cipher, Error, Fault, Opener, Options, Sealer, Secret};
use pyo3::{
    exceptions::{PyMemoryError, PyOSError, PyTypeError, PyValueError},
    prelude::*,
    types::{PyBytes, PyString},
};
use zeroize::Zeroizing;

use crate::{
    buffer::Buffer,
    errors::{os_error, value_error},
    numbers::Integer,
    streams::{Sink, Source},
};

/// Maximum number of threads of a call.
const MAX_THREADS: u64 = 256;

pyo3::create_exception!(
    arcfour,
    SealedFileError,
    PyValueError,
    "The input was changed after it was sealed, or the key is wrong.\n\n\
     `fault` is the kind of fault, by its name in `container/testkit/expected.txt`: 'corrupt',\n\
     'truncated', 'key-or-header' and so on."
);

/// Return the text of a new key file: 64 random hexadecimal digits and a line end.
#[pyfunction]
pub fn new_key() -> PyResult<String> {
    Ok(Secret::new_key_file().map_err(|error| failure(error, None))?.as_str().to_owned())
}

/// Seal bytes, a file or a stream: encrypt it so that every later change is detected.
///
/// `source` is a bytes-like object, the path of a regular file, or a binary file object. A
/// bytes-like object, such as an mmap, is copied whole, whatever its position is. Without `target`
/// the sealed bytes are returned. If `target` is a path, the file appears there when it is
/// complete, and never in part. An existing file is refused without `overwrite`. If `target` is a
/// file object, the bytes are written to it. Its `write` must return the number of bytes that it
/// took.
///
/// Exactly one secret must be given. `key` is the text of a key file (`new_key`). `passphrase` has
/// 1 to 4096 bytes, and text is encoded as UTF-8; its derivation takes 64 MiB of memory.
///
/// `cipher` encrypts the chunks: RC4-drop[3072], or PARC4-R. `chunk_size` is a power of two from
/// 1024 to 1048576, by default 262144. `threads` is 1 to 256, by default one for each core. The
/// calling thread alone reads a file object.
#[pyfunction]
#[pyo3(signature = (source, target=None, *, key=None, passphrase=None, cipher="rc4-drop3072", chunk_size=None, threads=None, overwrite=false))]
#[allow(clippy::too_many_arguments)] // keywords in Python
pub fn seal<'py>(
    source: &Bound<'py, PyAny>,
    target: Option<&Bound<'py, PyAny>>,
    key: Option<&Bound<'py, PyAny>>,
    passphrase: Option<&Bound<'py, PyAny>>,
    cipher: &str,
    chunk_size: Option<Integer>,
    threads: Option<Integer>,
    overwrite: bool,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let py = source.py();
    let secret = secret(key, passphrase)?;
    let cipher = Cipher::ALL.into_iter().find(|known| known.name() == cipher).ok_or_else(|| {
        let names = Cipher::ALL.map(|cipher| format!("{:?}", cipher.name())).join(" or ");
        PyValueError::new_err(format!("cipher is {cipher:?}; it must be {names}"))
    })?;
    let chunk_size = match chunk_size {
        Some(bytes) => {
            ChunkSize::new(bytes.within("chunk_size", 1024..=1 << 20)?).map_err(value_error)?
        }
        None => ChunkSize::default(),
    };
    let threads = threads_of(threads)?;
    let source = Source::of(source)?;
    let mut sink = Sink::of(target, overwrite)?;
    let path = source.path();
    let failed = |error| failure(error, path.as_deref());
    let threads = if source.any_thread { threads } else { 1 };
    let mut options = Options::default();
    options.cipher = cipher;
    options.chunk_size = chunk_size;
    let sealer = py.detach(|| Sealer::new(source.bytes, &secret, options)).map_err(failed)?;
    let mut sealer = sealer.threads(threads);
    while let Some(piece) = py.detach(|| sealer.next_piece()).map_err(failed)? {
        sink.write(py, piece)?;
        py.check_signals()?;
    }
    sink.finish(py)
}

/// Verify and decrypt a sealed file. The arguments are as for `seal`.
///
/// Raises SealedFileError, with the `fault`, if the input was changed or the secret is wrong. No
/// byte is released before its chunk is verified. If a later chunk fails, a file object has a
/// genuine beginning of the plaintext. Bytes are returned, and a file appears, only after
/// everything is verified.
///
/// `range` is (start, length) in the plaintext: only the chunks with these bytes are read and
/// verified. With `range` a file object must be able to seek, and is read from its start.
#[pyfunction]
#[pyo3(signature = (source, target=None, *, key=None, passphrase=None, range=None, threads=None, overwrite=false))]
#[allow(clippy::too_many_arguments)] // keywords in Python
pub fn open<'py>(
    source: &Bound<'py, PyAny>,
    target: Option<&Bound<'py, PyAny>>,
    key: Option<&Bound<'py, PyAny>>,
    passphrase: Option<&Bound<'py, PyAny>>,
    range: Option<(Integer, Integer)>,
    threads: Option<Integer>,
    overwrite: bool,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let py = source.py();
    let secret = secret(key, passphrase)?;
    let threads = threads_of(threads)?;
    let range = match range {
        Some((start, len)) => Some((
            start.within("the start of the range", 0..=u64::MAX)?,
            len.within("the length of the range", 0..=u64::MAX)?,
        )),
        None => None,
    };
    let source = Source::of(source)?;
    let mut sink = Sink::of(target, overwrite)?;
    let path = source.path();
    let failed = |error| failure(error, path.as_deref());
    let threads = if source.any_thread { threads } else { 1 };
    let start = || match range {
        Some((start, len)) => Opener::range(source.bytes, &secret, start, len),
        None => Opener::new(source.bytes, &secret),
    };
    let mut opener = py.detach(start).map_err(failed)?.threads(threads);
    while let Some(piece) = py.detach(|| opener.next_piece()).map_err(failed)? {
        sink.write(py, piece)?;
        py.check_signals()?;
    }
    sink.finish(py)
}

/// Return `threads`, 1 to 256, or by default one for each core, at most 256.
#[pyfunction]
pub fn threads_of(threads: Option<Integer>) -> PyResult<usize> {
    match threads {
        Some(threads) => threads.within("threads", 1..=MAX_THREADS),
        None => {
            Ok(thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS as usize))
        }
    }
}

/// A key file's text or a passphrase: exactly one.
fn secret(
    key: Option<&Bound<'_, PyAny>>,
    passphrase: Option<&Bound<'_, PyAny>>,
) -> PyResult<Secret> {
    match (key, passphrase) {
        (Some(key), None) => Secret::from_key_file(&text(key)?)
            .map_err(|error| PyValueError::new_err(format!("the key is {error}"))),
        (None, Some(passphrase)) => {
            Secret::from_passphrase(&text(passphrase)?).map_err(value_error)
        }
        _ => Err(PyTypeError::new_err("give either key= or passphrase=")),
    }
}

/// The bytes of bytes, or of text in UTF-8.
pub fn text(object: &Bound<'_, PyAny>) -> PyResult<Zeroizing<Vec<u8>>> {
    match object.cast::<PyString>() {
        Ok(text) => Buffer::of(text.encode_utf8()?.as_any())?.secret(),
        Err(_) => Buffer::of(object)?.secret(),
    }
}

/// The exception for what stopped the container.
fn failure(error: Error, path: Option<&Path>) -> PyErr {
    match error {
        Error::Read(error) => os_error(error, path),
        Error::Fault(fault) => Python::attach(|py| sealed_file_error(py, fault)),
        Error::Range { .. } | Error::Ended => value_error(error),
        Error::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        error => PyOSError::new_err(error.to_string()),
    }
}

fn sealed_file_error(py: Python<'_>, fault: Fault) -> PyErr {
    let error = SealedFileError::new_err(fault.to_string());
    match error.value(py).setattr("fault", fault.name()) {
        Ok(()) => error,
        Err(error) => error,
    }
}
