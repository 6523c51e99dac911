//! The bytes of other Python objects, by the buffer protocol (PEP 3118): all the `unsafe` of the
//! package.

use std::{ptr, slice};

use pyo3::{
    buffer::PyUntypedBuffer,
    exceptions::{PyBufferError, PyTypeError, PyValueError},
    prelude::*,
    types::PyMemoryView,
};

/// Contiguous bytes of an object, which can neither move nor go while this is held.
pub struct Buffer<'py> {
    view: PyUntypedBuffer,
    /// This thread is attached to the interpreter.
    py: Python<'py>,
}

impl<'py> Buffer<'py> {
    /// The bytes of `object`, to read.
    ///
    /// # Errors
    /// `TypeError` if it has no buffer or one of references to Python objects, `BufferError` if that
    /// is not contiguous.
    pub fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let view = PyUntypedBuffer::get(object).or_else(|error| {
            if error.is_instance_of::<PyBufferError>(py) {
                // Arrays of ctypes do not fill in the strides; a view of them does.
                PyUntypedBuffer::get(PyMemoryView::from(object)?.as_any())
            } else if error.is_instance_of::<PyValueError>(py) {
                Err(PyBufferError::new_err(error.value(py).to_string())) // as numpy says it
            } else {
                Err(error)
            }
        })?;
        if holds_objects(&view.format().to_string_lossy()) {
            let kind = object.get_type().name()?;
            let message = format!("the {kind} holds references to Python objects, and no bytes");
            return Err(PyTypeError::new_err(message));
        }
        if !view.is_c_contiguous() {
            return Err(PyBufferError::new_err("the buffer is not contiguous in C order"));
        }
        Ok(Self { view, py })
    }

    /// The bytes of `output`, to write `len` of them.
    ///
    /// # Errors
    /// As [`Buffer::of`]; `TypeError` if it is read-only, `ValueError` if it has another length.
    pub fn writable(output: &Bound<'py, PyAny>, len: usize) -> PyResult<Self> {
        let buffer = Self::of(output)?;
        if buffer.view.readonly() {
            let kind = output.get_type().name()?;
            return Err(PyTypeError::new_err(format!("the output, a {kind}, is read-only")));
        }
        if buffer.len() != len {
            return Err(PyValueError::new_err(format!(
                "the output has {} bytes; it must have the {len} of the input",
                buffer.len()
            )));
        }
        Ok(buffer)
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.view.len_bytes()
    }

    /// Returns the length of each dimension, if the elements are bytes.
    pub fn shape_of_bytes(&self) -> Option<&[usize]> {
        self.view.as_typed::<u8>().is_ok().then(|| self.view.shape())
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        if self.len() == 0 {
            return &[]; // an empty buffer may have no address
        }
        // SAFETY: the view has `len` bytes from `buf_ptr` on, contiguous as checked in `of`, until it is
        // released. The slice does not outlive it, and is only used while this thread is attached and
        // calls no Python code that could write to them.
        unsafe { slice::from_raw_parts(self.view.buf_ptr().cast(), self.len()) }
    }

    /// Copies the bytes to `output`, from [`Buffer::writable`] with the length of this, which may be
    /// the same bytes or overlap them, and hands them out there to be changed in place.
    ///
    /// # Errors
    /// Those of `change`.
    pub fn copied_to<T>(
        &self,
        output: &mut Self,
        change: impl FnOnce(Python<'py>, &mut [u8]) -> PyResult<T>,
    ) -> PyResult<T> {
        assert!(!output.view.readonly() && output.len() == self.len(), "made by writable()");
        if self.len() == 0 {
            return change(self.py, &mut []);
        }
        let to = output.view.buf_ptr().cast::<u8>();
        if self.view.buf_ptr() != output.view.buf_ptr() {
            // SAFETY: both views have `len` contiguous bytes, compared above, `output` can be written,
            // and `copy` allows overlap.
            unsafe { ptr::copy(self.view.buf_ptr().cast(), to, self.len()) };
        }
        // SAFETY: a writable view of `len` contiguous bytes, held until `change` is done; no other
        // reference of ours is alive. Python cannot keep another of its threads from writing to the
        // same bytes meanwhile; the documentation forbids it, as for every such function.
        change(self.py, unsafe { slice::from_raw_parts_mut(to, self.len()) })
    }
}

/// Whether a format of the `struct` module, with PEP 3118's additions, has pointers to objects.
/// Names of fields stand between colons.
fn holds_objects(format: &str) -> bool {
    format.split(':').step_by(2).any(|types| types.contains('O'))
}
