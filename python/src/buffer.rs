//! The bytes of other Python objects, by the buffer protocol (PEP 3118): all the `unsafe` of the
//! package.
//!
//! The limited API has the protocol from Python 3.11 on, so PyO3 does not offer it to a wheel for 3.9.
//! Python 3.9 and 3.10 export the same three functions over the same structure, and both are closed
//! to changes; from 3.11 on the stable ABI keeps them.

use std::{
    ffi::{c_char, c_int, c_void},
    mem::MaybeUninit,
    ptr, slice,
};

use pyo3::{
    exceptions::{PyBufferError, PyTypeError, PyValueError},
    ffi::{Py_ssize_t, PyObject},
    prelude::*,
};

const SIMPLE: c_int = 0;
const WRITABLE: c_int = 1;

/// `Py_buffer`.
#[repr(C)]
struct View {
    buf: *mut c_void,
    obj: *mut PyObject,
    len: Py_ssize_t,
    itemsize: Py_ssize_t,
    readonly: c_int,
    ndim: c_int,
    format: *mut c_char,
    shape: *mut Py_ssize_t,
    strides: *mut Py_ssize_t,
    suboffsets: *mut Py_ssize_t,
    internal: *mut c_void,
}

unsafe extern "C" {
    fn PyObject_GetBuffer(object: *mut PyObject, view: *mut View, flags: c_int) -> c_int;
    fn PyBuffer_Release(view: *mut View);
}

/// Contiguous bytes of an object, which can neither move nor go while this is held.
pub struct Buffer<'py> {
    view: View,
    /// This thread is attached to the interpreter.
    _py: Python<'py>,
}

impl<'py> Buffer<'py> {
    /// The bytes of `object`, to read.
    ///
    /// # Errors
    /// `TypeError` if it has no buffer, `BufferError` if that is not contiguous.
    pub fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        Self::get(object, SIMPLE).map_err(|error| {
            if error.is_instance_of::<PyValueError>(object.py()) {
                PyBufferError::new_err(error.value(object.py()).to_string()) // as numpy says it
            } else {
                error
            }
        })
    }

    /// The bytes of `output`, to write.
    ///
    /// # Errors
    /// As [`Buffer::of`], and `TypeError` if it is read-only.
    fn writable(output: &Bound<'py, PyAny>) -> PyResult<Self> {
        Self::get(output, WRITABLE).or_else(|_| {
            Self::of(output)?;
            let kind = output.get_type().name()?;
            Err(PyTypeError::new_err(format!("the output, a {kind}, is read-only")))
        })
    }

    fn get(object: &Bound<'py, PyAny>, flags: c_int) -> PyResult<Self> {
        let mut view = MaybeUninit::uninit();
        // SAFETY: `object` is a live object, this thread is attached, and `view` has room for what
        // the function writes.
        if unsafe { PyObject_GetBuffer(object.as_ptr(), view.as_mut_ptr(), flags) } != 0 {
            return Err(PyErr::fetch(object.py()));
        }
        // SAFETY: the function returned 0, so it filled the view. It was asked for neither shape nor
        // strides: nothing in the view points into it, so it may move.
        Ok(Self { view: unsafe { view.assume_init() }, _py: object.py() })
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.view.len as usize
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        if self.view.len == 0 {
            return &[]; // an empty buffer may have no address
        }
        // SAFETY: the view has `len` contiguous bytes at `buf`, by the flags it was asked with, until
        // it is released. The slice does not outlive it, and is only used while this thread is
        // attached and calls no Python code that could write to them.
        unsafe { slice::from_raw_parts(self.view.buf.cast(), self.len()) }
    }

    /// Copies the bytes to `output`, which may be the same bytes or overlap them, and hands them out
    /// there to be changed in place.
    ///
    /// # Errors
    /// If `output` is not writable, contiguous and of the same length.
    pub fn copied_to<T>(
        &self,
        output: &Bound<'py, PyAny>,
        change: impl FnOnce(&mut [u8]) -> PyResult<T>,
    ) -> PyResult<T> {
        let output = Self::writable(output)?;
        if output.len() != self.len() {
            return Err(PyValueError::new_err(format!(
                "the output has {} bytes; it must have the {} of the input",
                output.len(),
                self.len()
            )));
        }
        if self.view.len == 0 {
            return change(&mut []);
        }
        let to = output.view.buf.cast::<u8>();
        if self.view.buf != output.view.buf {
            // SAFETY: both views have `len` bytes, compared above, and `copy` allows overlap.
            unsafe { ptr::copy(self.view.buf.cast(), to, self.len()) };
        }
        // SAFETY: a writable view of `len` contiguous bytes, held until `change` is done; no other
        // reference of ours is alive. Python cannot keep another of its threads from writing to the
        // same bytes meanwhile; the documentation forbids it, as for every such function.
        change(unsafe { slice::from_raw_parts_mut(to, self.len()) })
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: the view was filled, is released this once, and `_py` says the thread is attached.
        unsafe { PyBuffer_Release(&mut self.view) }
    }
}
