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

/// Bytes of the first buffer.
const FIRST: usize = 4 << 10;

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

    /// Reads the first `limit` bytes, or all bytes of a shorter file. The buffer grows with the file,
    /// and each smaller buffer is wiped, so no copy is left. To detect a secret that is too long, ask
    /// for one byte more than the limit.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(mut self, limit: usize) -> io::Result<Zeroizing<Vec<u8>>> {
        let mut secret = Zeroizing::new(vec![0; limit.min(FIRST)]);
        let mut len = 0;
        while len < limit {
            if len == secret.len() {
                let mut longer = Zeroizing::new(vec![0; len.saturating_mul(2).min(limit)]);
                longer[..len].copy_from_slice(&secret);
                secret = longer;
            }
            match self.0.read(&mut secret[len..]) {
                Ok(0) => break,
                Ok(count) => len += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        secret.truncate(len);
        Ok(secret)
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
