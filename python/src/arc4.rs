//! `arcfour.ARC4`: what PyCryptodome's module of that name does, as it does it.

use arcfour::Family;
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{buffer::Buffer, cipher::Cipher};

/// `ARC4.new`. As there, the length is looked at before the type, and a negative drop is none.
#[pyfunction]
#[pyo3(signature = (key, drop=0))]
pub fn new(key: &Bound<'_, PyAny>, drop: i64) -> PyResult<Cipher> {
    let len = key.len()?;
    if !(1..=256).contains(&len) {
        let message = format!("the key has {len} bytes; it must have 1 to 256");
        return Err(PyValueError::new_err(message));
    }
    let bytes = Buffer::of(key)?;
    Cipher::start(key.py(), Family::Rc4, bytes.bytes(), None, drop.max(0) as u64)
}
