//! Numbers from Python, refused with their name, value and range.

use std::ops::RangeInclusive;

use pyo3::{
    exceptions::{PyOverflowError, PyValueError},
    prelude::*,
};

/// A Python integer of any size.
#[derive(Clone)]
pub enum Integer {
    /// A number that may be in range.
    Fits(u64),
    /// A number below 0, as text.
    Negative(String),
    /// A number above every range, as text.
    Beyond(String),
}

impl<'py> FromPyObject<'_, 'py> for Integer {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.extract() {
            Ok(number) => Ok(Self::Fits(number)),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {
                let number = object.py().import("operator")?.call_method1("index", (object,))?;
                let text = number.to_string();
                Ok(if number.lt(0)? { Self::Negative(text) } else { Self::Beyond(text) })
            }
            Err(error) => Err(error),
        }
    }
}

impl Integer {
    /// The number, called `name`.
    ///
    /// # Errors
    /// `ValueError` if it is out of range.
    pub fn within<T: TryFrom<u64>>(&self, name: &str, range: RangeInclusive<u64>) -> PyResult<T> {
        let (low, high) = (range.start(), range.end());
        let refused = |value: &dyn std::fmt::Display| {
            PyValueError::new_err(format!("{name} is {value}; it must be {low} to {high}"))
        };
        match self {
            Self::Fits(number) if range.contains(number) => {
                T::try_from(*number).map_err(|_| refused(number))
            }
            Self::Fits(number) => Err(refused(number)),
            Self::Negative(text) | Self::Beyond(text) => Err(refused(text)),
        }
    }
}
