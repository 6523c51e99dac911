//! The input: a file or standard input.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::FileExt,
    path::Path,
};

use rustix::event::PollFlags;

use super::{
    failure::Failure,
    identity::Guard,
    stdio,
    stream::{Block, CHUNK, Source},
};

/// An open input and its name for messages.
pub struct Input {
    file: File,
    name: String,
    /// Length of a regular file, and the number of bytes still to come. `None` unless the file is
    /// read from start to end.
    expected: Option<Expected>,
}

#[derive(Clone, Copy)]
struct Expected {
    size: u64,
    left: u64,
}

impl Input {
    /// Standard input.
    ///
    /// # Errors
    /// If it is closed.
    pub fn stdin() -> Result<Self, Failure> {
        let name = "standard input".to_owned();
        match stdio::stdin() {
            Ok(file) => Ok(Self::new(file, name)),
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
            Ok(file) => Ok(Self::new(file, name)),
            Err(error) => Err(Failure::read(name, &error)),
        }
    }

    fn new(mut file: File, name: String) -> Self {
        let metadata = file.metadata().ok().filter(|metadata| metadata.is_file());
        let expected = metadata.and_then(|metadata| {
            let size = metadata.len();
            Some(Expected { size, left: size.saturating_sub(file.stream_position().ok()?) })
        });
        Self { file, name, expected }
    }

    /// Returns the name for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the length in bytes, if it is known.
    pub fn size(&self) -> Option<u64> {
        self.expected.map(|expected| expected.size)
    }

    /// Returns true for a file from which nothing has been read: it can be read at any place.
    pub fn is_at_start_of_file(&self) -> bool {
        self.expected.is_some_and(|expected| expected.size == expected.left)
    }

    /// Returns the next bytes, at most `len`, which remain to be read.
    ///
    /// # Errors
    /// If they cannot be read. A pipe or a terminal has the error kind `NotSeekable`.
    pub fn peek(&self, len: usize) -> io::Result<Vec<u8>> {
        let at = (&self.file).stream_position()?;
        let mut bytes = vec![0; len];
        let mut filled = 0;
        while filled < len {
            match self.file.read_at(&mut bytes[filled..], at + filled as u64)? {
                0 => break,
                count => filled += count,
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }

    /// Guards the input against being the output, which would destroy it before it is read.
    pub fn guard(&self) -> Guard {
        Guard::of(&self.file, format!("the input {}", self.name))
    }

    /// Distinguishes a file that was cut while it was read from a file that has ended.
    fn check_end(&self) -> io::Result<()> {
        match self.expected {
            Some(Expected { size, left }) if left > 0 && self.file.metadata()?.len() < size => {
                Err(io::Error::other("the file was cut short while it was read"))
            }
            _ => Ok(()),
        }
    }
}

impl Read for Input {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let n = stdio::retry(&mut self.file, PollFlags::IN, |file| file.read(room))?;
        if n == 0 && !room.is_empty() {
            self.check_end()?;
        } else if let Some(expected) = &mut self.expected {
            expected.left = expected.left.saturating_sub(n as u64);
        }
        Ok(n)
    }
}

impl Seek for Input {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.expected = None;
        self.file.seek(to)
    }
}

impl Source for Input {
    fn next(&mut self, block: &mut Block) -> Result<(), Failure> {
        let read = block.refill(|room| self.read(&mut room[..CHUNK]));
        read.map_err(|error| Failure::read(&self.name, &error))
    }
}
