//! Exceptions for the errors of the library.

use std::{io, path::Path};

use pyo3::{
    exceptions::{PyMemoryError, PyOSError, PyValueError},
    prelude::*,
};

/// Makes a `ValueError` with the text of an error.
pub fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string().trim_end().to_owned())
}

/// Makes a `MemoryError` about a place for `len` bytes.
pub fn memory_error(len: usize) -> PyErr {
    PyMemoryError::new_err(format!("not enough memory for {len} bytes"))
}

/// Makes an `OSError`. The error's number selects the class, such as `FileNotFoundError`, and `path`
/// names the file. The exception of a file object is returned unchanged.
pub fn os_error(error: io::Error, path: Option<&Path>) -> PyErr {
    match (error.raw_os_error(), path) {
        (Some(number), Some(path)) => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, text, path.as_os_str().to_owned()))
        }
        (None, Some(_)) if error.kind() == io::ErrorKind::InvalidInput => {
            value_error(error) // a path with a null byte
        }
        _ => error.into(),
    }
}
