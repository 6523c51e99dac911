//! Secrets from files and the environment. A secret is read once, only as far as needed, and wiped
//! when dropped.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::ffi::OsStringExt,
    },
    path::Path,
};

use zeroize::Zeroizing;

/// An open file that holds a secret.
#[derive(Debug)]
pub struct SecretFile(File);

impl SecretFile {
    /// Opens the file at `path`.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        File::open(path).map(Self)
    }

    /// Reads the first `limit` bytes, or all bytes of a shorter file. The buffer never moves, so no
    /// copy is left. To detect a secret that is too long, ask for one byte more than the limit.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(self, limit: usize) -> io::Result<Zeroizing<Vec<u8>>> {
        let mut start = Zeroizing::new(Vec::with_capacity(limit));
        self.0.take(limit as u64).read_to_end(&mut start)?;
        Ok(start)
    }
}

impl From<File> for SecretFile {
    fn from(file: File) -> Self {
        Self(file)
    }
}

impl AsFd for SecretFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The value of an environment variable, if it is set. The system's own copy of the environment
/// cannot be wiped.
pub fn secret_from_environment(name: &OsStr) -> Option<Zeroizing<Vec<u8>>> {
    std::env::var_os(name).map(|value| Zeroizing::new(value.into_vec()))
}
