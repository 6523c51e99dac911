//! Where sealed files and plaintexts come from and go to: bytes, paths and Python's file objects.

use std::{
    fs::{self, File},
    io::{self, Cursor, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use arcfour_files::{CreateError, NewFile};
use pyo3::{
    exceptions::{PyBlockingIOError, PyFileExistsError, PyOSError, PyTypeError, PyValueError},
    prelude::*,
    pybacked::PyBackedBytes,
    types::{PyBytes, PyString},
};

use crate::{
    buffer::{Buffer, to_python},
    errors::{memory_error, os_error},
};

/// A source that the container can read.
pub trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

/// An input.
pub struct Source {
    /// The bytes to come.
    pub bytes: Box<dyn ReadSeek>,
    /// True if any thread may read the bytes. A Python object is read by the calling thread alone.
    pub any_thread: bool,
    path: Option<PathBuf>,
}

impl Source {
    /// A path, bytes, or an object with `read`. An `mmap` is both of the last, and counts as bytes.
    ///
    /// # Errors
    /// `TypeError` if it is none of these, `OSError` if the file cannot be opened.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Some(path) = path_of(object)? {
            let file = open_regular(&path)?;
            return Ok(Self { bytes: Box::new(file), any_thread: true, path: Some(path) });
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self::memory(bytes.clone()));
        }
        match Buffer::of(object) {
            Ok(buffer) => to_python(object.py(), buffer.bytes()).map(Self::memory),
            Err(_) if object.hasattr("read")? => {
                let bytes = Box::new(FileObject(object.clone().unbind()));
                Ok(Self { bytes, any_thread: false, path: None })
            }
            Err(error) => Err(error),
        }
    }

    fn memory(bytes: Bound<'_, PyBytes>) -> Self {
        let bytes = Box::new(Cursor::new(PyBackedBytes::from(bytes)));
        Self { bytes, any_thread: true, path: None }
    }

    /// Returns the path, which [`os_error`] needs once the source is taken apart.
    pub fn path(&self) -> Option<PathBuf> {
        self.path.clone()
    }
}

/// The path that `object` is, if it is one: a `str` or something with `__fspath__`.
fn path_of(object: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    let is_path = object.is_instance_of::<PyString>() || object.hasattr("__fspath__")?;
    is_path.then(|| object.extract()).transpose()
}

fn open_regular(path: &Path) -> PyResult<File> {
    let open = || {
        let metadata = fs::metadata(path)?;
        if metadata.is_dir() {
            return Err(io::Error::from_raw_os_error(21)); // EISDIR
        }
        Ok(if metadata.is_file() { Some(File::open(path)?) } else { None })
    };
    open().map_err(|error| os_error(error, Some(path)))?.ok_or_else(|| {
        PyValueError::new_err(format!(
            "'{}' is no regular file; open it and pass the file object",
            path.display()
        ))
    })
}

/// An object with Python's binary file methods.
struct FileObject(Py<PyAny>);

impl Read for FileObject {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let read = self.0.bind(py).call_method1("read", (room.len(),))?;
            if read.is_none() {
                return Err(PyBlockingIOError::new_err("read() has no bytes yet, and would block"));
            }
            let read = Buffer::of(&read)?;
            if read.len() > room.len() {
                return Err(PyValueError::new_err(format!(
                    "read({}) gave {} bytes",
                    room.len(),
                    read.len()
                )));
            }
            room[..read.len()].copy_from_slice(read.bytes());
            Ok(read.len())
        })
        .map_err(into_io)
    }
}

impl Seek for FileObject {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (offset, whence) = match to {
            SeekFrom::Start(offset) => (i128::from(offset), 0),
            SeekFrom::Current(offset) => (offset.into(), 1),
            SeekFrom::End(offset) => (offset.into(), 2),
        };
        Python::attach(|py| {
            let position = self.0.bind(py).call_method1("seek", (offset, whence))?;
            if position.is_none() {
                let message = "seek() returned None; it must return the position";
                return Err(PyTypeError::new_err(message));
            }
            position.extract()
        })
        .map_err(into_io)
    }
}

/// The bytes of a bytes-like object that may be larger than the free memory. Each read copies a piece,
/// because another thread may write to the bytes in between, and lets signals in.
pub struct Pieces {
    object: Py<PyAny>,
    position: usize,
}

impl Pieces {
    /// The bytes of `object`.
    ///
    /// # Errors
    /// As [`Buffer::of`].
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Buffer::of(object)?;
        Ok(Self { object: object.clone().unbind(), position: 0 })
    }
}

impl Read for Pieces {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            py.check_signals()?;
            let buffer = Buffer::of(self.object.bind(py))?;
            let rest = buffer.bytes().get(self.position..).unwrap_or_default();
            let len = rest.len().min(room.len());
            room[..len].copy_from_slice(&rest[..len]);
            self.position += len;
            Ok(len)
        })
        .map_err(into_io)
    }
}

/// The kind must not be one that readers try again at.
fn into_io(error: PyErr) -> io::Error {
    io::Error::other(error)
}

/// An output.
pub enum Sink<'py> {
    /// Collected, to be returned.
    Bytes(Vec<u8>),
    /// An object with `write`.
    Object(Bound<'py, PyAny>),
    /// A new file that gets its name when it is complete.
    File(Box<NewFile>, PathBuf),
}

impl<'py> Sink<'py> {
    /// Nothing, a path, or an object with `write`.
    ///
    /// # Errors
    /// `TypeError` if it is none of these, `OSError` if the file cannot be created, as
    /// `FileExistsError` if there is one and it may not be replaced.
    pub fn of(object: Option<&Bound<'py, PyAny>>, overwrite: bool) -> PyResult<Self> {
        let Some(object) = object else { return Ok(Self::Bytes(vec![])) };
        if let Some(path) = path_of(object)? {
            let file = new_file(&path, overwrite)?;
            return Ok(Self::File(Box::new(file), path));
        }
        if object.hasattr("write")? {
            return Ok(Self::Object(object.clone()));
        }
        let kind = object.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "the target must be a path or an object with write(), not {kind}"
        )))
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// If it cannot.
    pub fn write(&mut self, py: Python<'py>, bytes: &[u8]) -> PyResult<()> {
        match self {
            Self::Bytes(all) => extend(all, bytes)?,
            Self::Object(object) => write_object(object, bytes)?,
            Self::File(file, path) => {
                py.detach(|| file.write_all(bytes)).map_err(|error| os_error(error, Some(path)))?;
            }
        }
        Ok(())
    }

    /// The end of it: what to return to the caller.
    ///
    /// # Errors
    /// If the new file cannot get its name, or memory does not suffice for the bytes.
    pub fn finish(self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        match self {
            Self::Bytes(all) => to_python(py, &all).map(Some),
            Self::Object(_) => Ok(None),
            Self::File(file, path) => match py.detach(|| file.commit()) {
                Ok(()) => Ok(None),
                Err(error) => Err(os_error(error, Some(&path))),
            },
        }
    }
}

/// Appends `bytes` to `all`.
///
/// # Errors
/// `MemoryError` if memory does not suffice.
pub fn extend(all: &mut Vec<u8>, bytes: &[u8]) -> PyResult<()> {
    all.try_reserve(bytes.len()).map_err(|_| memory_error(all.len() + bytes.len()))?;
    all.extend_from_slice(bytes);
    Ok(())
}

fn write_object(object: &Bound<'_, PyAny>, mut bytes: &[u8]) -> PyResult<()> {
    while !bytes.is_empty() {
        let written = object.call_method1("write", (to_python(object.py(), bytes)?,))?;
        if written.is_none() {
            let raw = object.py().import("io")?.getattr("RawIOBase")?;
            return Err(match object.is_instance(&raw)? {
                true => PyBlockingIOError::new_err("write() took no bytes, and would block"),
                // Some took everything, and some nothing.
                false => PyTypeError::new_err(
                    "write() returned None; it must return the number of bytes that it took",
                ),
            });
        }
        let n: usize = written.extract()?;
        bytes = bytes.get(n..).filter(|_| n > 0).ok_or_else(|| {
            PyValueError::new_err(format!("write() of {} bytes says it took {n}", bytes.len()))
        })?;
    }
    Ok(())
}

/// Write a new file. The file appears when it is complete, and never in part.
///
/// Raises FileExistsError if the file exists, OSError if it cannot be written.
#[pyfunction]
pub fn create_file(py: Python<'_>, path: PathBuf, text: &str) -> PyResult<()> {
    py.detach(|| write_file(&path, text.as_bytes(), false))
}

/// Writes a file that appears when it is complete.
///
/// # Errors
/// `FileExistsError` if there is one and it may not be replaced, `OSError` if it cannot be written.
pub fn write_file(path: &Path, bytes: &[u8], overwrite: bool) -> PyResult<()> {
    let mut file = new_file(path, overwrite)?;
    let written = file.write_all(bytes).and_then(|()| file.commit());
    written.map_err(|error| os_error(error, Some(path)))
}

/// Creates a file that gets the name `path` when it is complete.
///
/// # Errors
/// `FileExistsError` if there is one and it may not be replaced, `ValueError` if it is no regular
/// file or open already, `OSError` if it cannot be created.
fn new_file(path: &Path, overwrite: bool) -> PyResult<NewFile> {
    NewFile::options().replace(overwrite).create(path).map_err(|error| match error {
        CreateError::NotRegular => PyValueError::new_err(format!(
            "'{}' is no regular file; open it and pass the file object",
            path.display()
        )),
        CreateError::Open { .. } => PyValueError::new_err(format!(
            "'{}' is a file that is open already; pass the file object",
            path.display()
        )),
        CreateError::Exists => {
            let text = "the file exists; overwrite=True replaces it";
            PyFileExistsError::new_err((17, text, path.as_os_str().to_owned())) // EEXIST
        }
        CreateError::Io(error) => os_error(error, Some(path)),
        error => {
            let text = error.to_string();
            PyOSError::new_err((2, text, path.as_os_str().to_owned())) // ENOENT
        }
    })
}
