//! The registry of families, with Python's exceptions.

use arcfour::{DynKeystream, Family, StartError};
use pyo3::{exceptions::PyTypeError, prelude::*};

use crate::errors::value_error;

/// Returns the family with this name, in upper or lower case.
///
/// # Errors
/// `ValueError` if the family is unknown.
pub fn named(name: &str) -> PyResult<Family> {
    name.parse().map_err(|error: arcfour::UnknownFamily| value_error(error))
}

/// Starts a cipher at position 0.
///
/// # Errors
/// `ValueError` if the key or the IV is too short or too long, `TypeError` if an IV is missing or
/// one too many.
pub fn start(family: Family, key: &[u8], iv: Option<&[u8]>) -> PyResult<Box<dyn DynKeystream>> {
    family.start(key, iv, None).map_err(|error| match error {
        StartError::KeyLength(_) | StartError::IvLength { .. } => value_error(error),
        _ => PyTypeError::new_err(error.to_string()),
    })
}
