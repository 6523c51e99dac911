//! The input: a file or standard input.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, stdin},
    os::fd::AsFd,
    path::Path,
};

use same_file::Handle;

use crate::{
    failure::Failure,
    stream::{Block, CHUNK, Source},
};

/// An open input and its name for messages.
pub struct Input {
    file: File,
    name: String,
}

impl Input {
    /// Standard input.
    ///
    /// # Errors
    /// If there is none.
    pub fn stdin() -> Result<Self, Failure> {
        let name = "standard input".to_owned();
        match stdin().as_fd().try_clone_to_owned() {
            Ok(fd) => Ok(Self { file: fd.into(), name }),
            Err(error) => Err(Failure::read(name, &error)),
        }
    }

    /// The file at `path`, or standard input if that is `-`.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        if path == Path::new("-") {
            return Self::stdin();
        }
        let name = format!("'{}'", path.display());
        match File::open(path) {
            Ok(file) => Ok(Self { file, name }),
            Err(error) => Err(Failure::read(name, &error)),
        }
    }

    /// Its name for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many bytes will come, if that is known.
    pub fn size(&self) -> Option<u64> {
        let metadata = self.file.metadata().ok()?;
        metadata.is_file().then_some(metadata.len())
    }

    /// Refuses an output that is this same file: it would be destroyed before it is read.
    ///
    /// # Errors
    /// If it is a regular file and the same as `output`.
    pub fn refuse_same(&self, output: io::Result<Handle>, name: &str) -> Result<(), Failure> {
        let Ok(output) = output else { return Ok(()) };
        let input = self.file.try_clone().and_then(Handle::from_file);
        if self.size().is_some() && input.is_ok_and(|input| input == output) {
            return Err(Failure::Usage(format!(
                "the output {name} is the input {}; choose another output",
                self.name
            )));
        }
        Ok(())
    }
}

impl Read for Input {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.file.read(room)
    }
}

impl Seek for Input {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Source for Input {
    fn next(&mut self, block: &mut Block) -> Result<(), Failure> {
        loop {
            match block.refill(|room| self.file.read(&mut room[..CHUNK])) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::read(&self.name, &error)),
                Ok(()) => return Ok(()),
            }
        }
    }
}
