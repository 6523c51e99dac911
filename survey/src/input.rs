//! The input of a reader: a file, or one member of an archive.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::finding::Place;

/// The reason for which an input was not read to its end.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The input contradicts the format of its first bytes: `entry 3 is longer than the file`.
    #[error("{0}")]
    Damaged(String),
    /// The file is too large for a format that must be read whole.
    #[error("it has {size} bytes, more than the {limit} that are read of such a file")]
    TooLarge {
        /// Size of the file in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The reader does not read a part of the input.
    #[error("{0} is not looked into")]
    Unseen(String),
    /// The system reported an error.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The error of a survey that was stopped.
pub(crate) fn stopped() -> io::Error {
    io::Error::other("the survey was stopped")
}

/// A source with random access.
pub trait Source: Read + Seek + Send {}

impl<T: Read + Seek + Send> Source for T {}

/// A file or a member of an archive, with its name and its size.
pub struct Input<'a> {
    path: &'a Path,
    within: Option<String>,
    size: u64,
    source: &'a mut dyn Source,
    file: Option<File>,
    tree: Option<&'a Path>,
    stop: Option<&'a Arc<AtomicBool>>,
}

impl std::fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Input").field("path", &self.path).finish_non_exhaustive()
    }
}

impl<'a> Input<'a> {
    /// `source` from its start, which is the file at `path`.
    ///
    /// # Errors
    /// The source can't tell its size.
    pub fn new(path: &'a Path, source: &'a mut dyn Source) -> io::Result<Self> {
        let size = source.seek(SeekFrom::End(0))?;
        source.rewind()?;
        Ok(Self { path, within: None, size, source, file: None, tree: None, stop: None })
    }

    /// An open file from its start.
    ///
    /// # Errors
    /// The file can't tell its size, or the system gives no second handle.
    pub fn of_file(path: &'a Path, file: &'a mut File) -> io::Result<Self> {
        let second = file.try_clone()?;
        Ok(Self { file: Some(second), ..Self::new(path, file)? })
    }

    /// Returns the same input with the path under which the survey found it.
    #[must_use]
    pub fn under(self, tree: &'a Path) -> Self {
        Self { tree: Some(tree), ..self }
    }

    /// Returns the path under which the survey found the input; `None` in an archive. A reader opens
    /// no file outside it.
    pub fn tree(&self) -> Option<&'a Path> {
        self.tree
    }

    /// Returns the same input, whose reads fail once `stop` is set.
    #[must_use]
    pub fn until(self, stop: &'a Arc<AtomicBool>) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Returns true once the survey was stopped. A reader that works long without a read asks it.
    pub fn stopped(&self) -> impl Fn() -> bool + use<'a> {
        let stop = self.stop;
        move || stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Returns the bytes for a reader that must own its source: the file, or a copy of a member in memory.
    /// Its reads fail once the survey was stopped. A file has one position for both.
    ///
    /// # Errors
    /// The member has more than `limit` bytes, or the system gives no more handles.
    pub fn owned(&mut self, limit: u64) -> Result<impl Source + use<>, ReadError> {
        let source: Box<dyn Source> = match &self.file {
            Some(file) => Box::new(file.try_clone()?),
            None => Box::new(Cursor::new(self.all(limit)?)),
        };
        Ok(Owned { source, stop: self.stop.cloned() })
    }

    /// `source` from its start, which is the member `within` of the file at `path`.
    ///
    /// # Errors
    /// The source can't tell its size.
    pub fn member(path: &'a Path, within: String, source: &'a mut dyn Source) -> io::Result<Self> {
        Ok(Self { within: Some(within), ..Self::new(path, source)? })
    }

    /// Returns the file that holds these bytes.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// Returns the place of the whole input: the file, or the member of an archive.
    pub fn place(&self) -> Place {
        Place { path: self.path.to_owned(), within: self.within.clone() }
    }

    /// Returns a place in the input: `entry 3`, `line 31`.
    pub fn at(&self, inside: impl AsRef<str>) -> Place {
        let inside = inside.as_ref();
        let within = self
            .within
            .as_ref()
            .map_or_else(|| inside.to_owned(), |member| format!("{member}, {inside}"));
        Place { path: self.path.to_owned(), within: Some(within) }
    }

    /// Returns the number of bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns all bytes from the start, for formats that are small or must be read whole.
    ///
    /// # Errors
    /// If there are more than `limit` bytes, or the source cannot be read.
    pub fn all(&mut self, limit: u64) -> Result<Vec<u8>, ReadError> {
        if self.size > limit {
            return Err(ReadError::TooLarge { size: self.size, limit });
        }
        self.source.rewind()?;
        let mut bytes = Vec::with_capacity(self.size as usize);
        // A file that grows meanwhile is read up to the limit.
        Read::take(&mut *self.source, limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// A source that a reader owns.
struct Owned {
    source: Box<dyn Source>,
    stop: Option<Arc<AtomicBool>>,
}

impl Read for Owned {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(stopped());
        }
        self.source.read(buffer)
    }
}

impl Seek for Owned {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.source.seek(to)
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stopped()() {
            return Err(stopped());
        }
        self.source.read(buffer)
    }
}

impl Seek for Input<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.source.seek(to)
    }
}
