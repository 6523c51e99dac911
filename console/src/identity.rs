//! Tells whether two names or descriptors lead to one file. The check opens nothing, because
//! opening a pipe waits for its other end.

use std::{fs, os::fd::AsFd, os::unix::fs::MetadataExt, path::Path};

use rustix::fs::{FileType, fstat};

use super::failure::Failure;

/// The identity of a file, independent of names and links.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    inode: u64,
    is_regular: bool,
}

impl Identity {
    /// The identity of an open file.
    pub fn of(file: impl AsFd) -> Option<Self> {
        let stat = fstat(file).ok()?;
        let is_regular = FileType::from_raw_mode(stat.st_mode).is_file();
        Some(Self { device: stat.st_dev, inode: stat.st_ino, is_regular })
    }

    /// Returns the identity of the file at `path`, if there is one.
    pub fn at(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let is_regular = metadata.is_file();
        Some(Self { device: metadata.dev(), inode: metadata.ino(), is_regular })
    }

    /// Returns true for a regular file.
    pub fn is_regular(self) -> bool {
        self.is_regular
    }
}

/// A file that a command reads and therefore must not write: its input, its key.
#[derive(Clone)]
pub struct Guard {
    identity: Option<Identity>,
    name: String,
}

impl Guard {
    /// Guards an open file. `name` describes the file, as in "the input 'x'".
    pub fn of(file: impl AsFd, name: String) -> Self {
        Self { identity: Identity::of(file).filter(|identity| identity.is_regular), name }
    }

    /// Refuses an output that is this file.
    ///
    /// # Errors
    /// If it is a regular file and the same as `output`, which is called `name`.
    pub fn refuse(&self, output: Option<Identity>, name: &str) -> Result<(), Failure> {
        if self.identity.is_none() || self.identity != output {
            return Ok(());
        }
        Err(Failure::Usage(format!("the output {name} is {}; choose another output", self.name)))
    }
}
