//! The bytes of other Python objects, by the buffer protocol (PEP 3118): all the `unsafe` of the
//! package.

use std::{ffi::CStr, ptr, slice};

use pyo3::{
    exceptions::{PyBufferError, PyTypeError, PyValueError},
    ffi,
    prelude::*,
    types::{PyBytes, PyString},
};
use zeroize::Zeroizing;

use crate::errors::memory_error;

/// The buffer that an object exports, until this is dropped. It does not move, because fields may
/// point into it.
struct View<'py> {
    raw: Box<ffi::Py_buffer>,
    /// This thread is attached to the interpreter, here and where it is dropped.
    py: Python<'py>,
}

impl<'py> View<'py> {
    /// Asks for all facts about the bytes, because some exporters do not refuse a non-contiguous
    /// buffer. PyO3's buffers need a shape, which a value without dimensions lacks.
    fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let mut raw = Box::new(ffi::Py_buffer::new());
        // SAFETY: the object is alive, the thread attached, and `raw` is there to be filled in.
        let status =
            unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *raw, ffi::PyBUF_FULL_RO) };
        if status == 0 { Ok(Self { raw, py }) } else { Err(PyErr::fetch(py)) }
    }

    /// A format of the module `struct`, with PEP 3118's additions; none means bytes.
    fn format(&self) -> &[u8] {
        if self.raw.format.is_null() {
            return b"B";
        }
        // SAFETY: a string that ends with a zero, by the protocol, as long as the view is held.
        unsafe { CStr::from_ptr(self.raw.format) }.to_bytes()
    }

    fn is_c_contiguous(&self) -> bool {
        // SAFETY: a view that was filled in.
        unsafe { ffi::PyBuffer_IsContiguous(&raw const *self.raw, b'C' as _) != 0 }
    }
}

impl Drop for View<'_> {
    fn drop(&mut self) {
        // SAFETY: filled in by `of`, released only here, by an attached thread.
        unsafe { ffi::PyBuffer_Release(&raw mut *self.raw) };
    }
}

/// Contiguous bytes of an object, which can neither move nor go while this is held.
pub struct Buffer<'py> {
    view: View<'py>,
}

impl<'py> Buffer<'py> {
    /// The bytes of `object`, to read.
    ///
    /// # Errors
    /// `TypeError` if the object is text, has no buffer, or its buffer has references to Python
    /// objects. `BufferError` if the buffer is not contiguous.
    pub fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if object.is_instance_of::<PyString>() {
            // numpy's is text that has a buffer, of four bytes a letter.
            let kind = object.get_type().name()?;
            let message = format!("a bytes-like object is required, not '{kind}'");
            return Err(PyTypeError::new_err(message));
        }
        let view = View::of(object).map_err(|error| {
            if error.is_instance_of::<PyValueError>(py) {
                PyBufferError::new_err(error.value(py).to_string()) // as numpy says it
            } else {
                error
            }
        })?;
        if holds_objects(&String::from_utf8_lossy(view.format())) {
            let kind = object.get_type().name()?;
            let message = format!("the {kind} holds references to Python objects, and no bytes");
            return Err(PyTypeError::new_err(message));
        }
        if !view.is_c_contiguous() {
            return Err(PyBufferError::new_err("the buffer is not contiguous in C order"));
        }
        Ok(Self { view })
    }

    /// Returns the bytes of `output`, to write `len` bytes.
    ///
    /// # Errors
    /// As [`Buffer::of`]; `TypeError` if it is read-only, `ValueError` if it has another length.
    pub fn writable(output: &Bound<'py, PyAny>, len: usize) -> PyResult<Self> {
        let buffer = Self::of(output)?;
        if buffer.is_readonly() {
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
        self.view.raw.len as usize // never negative
    }

    fn is_readonly(&self) -> bool {
        self.view.raw.readonly != 0
    }

    /// Returns the rows and columns of a table of bytes.
    pub fn table_of_bytes(&self) -> Option<[usize; 2]> {
        let raw = &self.view.raw;
        let bytes = matches!(self.view.format(), [.., b'B' | b'c']) && raw.itemsize == 1;
        if !bytes || raw.ndim != 2 || raw.shape.is_null() {
            return None;
        }
        // SAFETY: the shape has one length for each dimension, two.
        let [rows, columns] = unsafe { *raw.shape.cast::<[ffi::Py_ssize_t; 2]>() };
        Some([rows as usize, columns as usize])
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        if self.len() == 0 {
            return &[]; // an empty buffer may have no address
        }
        // SAFETY: the view has `len` bytes from `buf` on, contiguous as checked in `of`, until it is
        // released. The slice does not outlive it, and is only used while this thread is attached and
        // calls no Python code that could write to them.
        unsafe { slice::from_raw_parts(self.view.raw.buf.cast(), self.len()) }
    }

    /// Returns a copy of a key or a password, which is wiped when it is dropped.
    ///
    /// # Errors
    /// `MemoryError` if memory does not suffice.
    pub fn secret(&self) -> PyResult<Zeroizing<Vec<u8>>> {
        let mut copy = Zeroizing::new(vec![]);
        copy.try_reserve_exact(self.len()).map_err(|_| memory_error(self.len()))?;
        copy.extend_from_slice(self.bytes());
        Ok(copy)
    }

    /// Copies the bytes to `output`, from [`Buffer::writable`] with the same length, and hands them
    /// out there to be changed in place. `output` may be the same bytes or overlap them.
    ///
    /// # Errors
    /// The errors of `change`.
    pub fn copied_to<T>(
        &self,
        output: &mut Self,
        change: impl FnOnce(Python<'py>, &mut [u8]) -> PyResult<T>,
    ) -> PyResult<T> {
        assert!(!output.is_readonly() && output.len() == self.len(), "made by writable()");
        if self.len() > 0 && self.view.raw.buf != output.view.raw.buf {
            // SAFETY: both views have `len` contiguous bytes, compared above, `output` can be written,
            // and `copy` allows overlap.
            unsafe {
                let to = output.view.raw.buf.cast::<u8>();
                ptr::copy(self.view.raw.buf.cast(), to, self.len());
            }
        }
        output.change(change)
    }

    /// Hands out the bytes of a buffer from [`Buffer::writable`], to be changed in place.
    ///
    /// # Errors
    /// The errors of `change`.
    pub fn change<T>(
        &mut self,
        change: impl FnOnce(Python<'py>, &mut [u8]) -> PyResult<T>,
    ) -> PyResult<T> {
        assert!(!self.is_readonly(), "made by writable()");
        if self.len() == 0 {
            return change(self.view.py, &mut []); // an empty buffer may have no address
        }
        // SAFETY: a writable view of `len` contiguous bytes, held until `change` is done; no other
        // reference of ours is alive. Python cannot keep another of its threads from writing to the
        // same bytes meanwhile; the documentation forbids it, as for every such function.
        let bytes = unsafe { slice::from_raw_parts_mut(self.view.raw.buf.cast(), self.len()) };
        change(self.view.py, bytes)
    }
}

/// Makes Python's bytes, which `PyBytes::new` does too. It panics if memory does not suffice.
///
/// # Errors
/// `MemoryError` if memory does not suffice.
pub fn to_python<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, bytes.len(), |copy| {
        copy.copy_from_slice(bytes);
        Ok(())
    })
}

/// Returns true if a format of the `struct` module, with PEP 3118's additions, has pointers to
/// objects. Names of fields stand between colons. ctypes gives a union and a packed structure the
/// format of bytes, whatever is in them.
fn holds_objects(format: &str) -> bool {
    format.split(':').step_by(2).any(|types| types.contains('O'))
}
