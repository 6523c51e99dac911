//! Compares what would be written with a file that is there.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    path::Path,
};

use super::{failure::Failure, stream::Sink};

/// A sink that keeps nothing, and compares with a file.
pub struct Compared {
    file: BufReader<File>,
    name: String,
    differs: bool,
}

impl Compared {
    /// Compares with the file at `path`.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn with(path: &Path) -> Result<Self, Failure> {
        let name = format!("'{}'", path.display());
        let file = File::open(path).map_err(|error| Failure::read(&name, &error))?;
        Ok(Self { file: BufReader::new(file), name, differs: false })
    }

    /// Returns true if the file has exactly the bytes that were written.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn is_equal(mut self) -> Result<bool, Failure> {
        let rest = self.file.fill_buf().map_err(|error| Failure::read(&self.name, &error))?;
        Ok(rest.is_empty() && !self.differs)
    }
}

impl Sink for Compared {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if !self.differs {
            let mut there = vec![0; bytes.len()];
            // A file that ends or cannot be read is not equal.
            self.differs = self.file.read_exact(&mut there).is_err() || there != bytes;
        }
        Ok(())
    }

    fn is_terminal(&self) -> bool {
        false
    }
}
