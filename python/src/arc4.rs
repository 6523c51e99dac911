//! `arcfour.ARC4`: what PyCryptodome's module of that name does, as it does it.

use arcfour::Family;
use pyo3::{
    exceptions::{PyOverflowError, PyValueError},
    prelude::*,
    types::{PyDict, PyTuple},
};

use crate::{
    buffer::Buffer,
    cipher::Cipher,
    numbers::Integer::{self, Fits, Negative},
};

/// An RC4 stream with the interfaces of PyCryptodome and of `arcfour.Cipher`.
///
/// The key has 1 to 256 bytes. The first `drop` bytes of keystream are discarded. As in
/// PyCryptodome, a negative drop means 0. A subclass may have another `__init__` that calls this
/// one.
///
/// Raises ValueError for a key of another length, TypeError if it is not bytes-like. Raises
/// OverflowError if `drop` is 2^63 or more.
#[pyclass(module = "arcfour.ARC4", name = "ARC4Cipher", extends = Cipher, subclass, dict, weakref, frozen)]
pub struct Arc4Cipher;

#[pymethods]
impl Arc4Cipher {
    /// The arguments are `__init__`'s, so that a subclass may change them.
    #[new]
    #[pyo3(signature = (*_args, **_kwargs), text_signature = "(key, drop=0)")]
    fn new(
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyClassInitializer<Self> {
        PyClassInitializer::from(Cipher::unstarted()).add_subclass(Self)
    }

    #[pyo3(signature = (key, drop=Fits(0)))]
    fn __init__(this: &Bound<'_, Self>, key: &Bound<'_, PyAny>, drop: Integer) -> PyResult<()> {
        start(this.as_super().get(), key, &drop)
    }
}

/// Create an RC4 stream, after the first `drop` bytes of its keystream.
///
/// The key has 1 to 256 bytes. As in PyCryptodome, a negative drop means 0.
///
/// Raises ValueError for a key of another length, TypeError if it is not bytes-like. Raises
/// OverflowError if `drop` is 2^63 or more.
#[pyfunction]
#[pyo3(signature = (key, drop=Fits(0)), text_signature = "(key, drop=0)")]
pub fn new<'py>(key: &Bound<'py, PyAny>, drop: Integer) -> PyResult<Bound<'py, Arc4Cipher>> {
    let cipher = Cipher::unstarted();
    start(&cipher, key, &drop)?;
    Bound::new(key.py(), PyClassInitializer::from(cipher).add_subclass(Arc4Cipher))
}

/// A key that is no buffer is refused for its length first, as PyCryptodome does.
fn start(cipher: &Cipher, key: &Bound<'_, PyAny>, drop: &Integer) -> PyResult<()> {
    let bytes = Buffer::of(key).map_err(|error| match key.len() {
        Ok(len) if !(1..=256).contains(&len) => {
            PyValueError::new_err(format!("the key has {len} bytes; it must have 1 to 256"))
        }
        _ => error,
    })?;
    let drop = match drop {
        Negative(_) => 0,
        drop => drop.within("drop", 0..=i64::MAX as u64).map_err(|error| {
            PyOverflowError::new_err(error.value(key.py()).to_string()) // as PyCryptodome
        })?,
    };
    cipher.start(key.py(), Family::Rc4, bytes.bytes(), None, drop)
}
