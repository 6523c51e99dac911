//! The bytes of a file, read on demand.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use super::Error;

/// Minimum number of bytes read at once.
const WINDOW: usize = 16 << 10;
/// Limits of reading: how often each byte of a file may be read as part of an object, and bytes
/// allowed in every file.
const READ_TIMES: u64 = 16;
const READ_FREELY: u64 = 1 << 26;

/// A reader with random access.
trait Places: Read + Seek + Send {}
impl<T: Read + Seek + Send> Places for T {}

/// The bytes of a PDF file: an open file, or bytes in memory.
///
/// An open file is read in pieces, so memory does not grow with the file.
pub struct Source {
    bytes: Box<dyn Places>,
    len: u64,
    /// The place of `%PDF-`, from which offsets count.
    base: u64,
    window: Vec<u8>,
    window_at: u64,
    /// Number of bytes that may still be read as objects. Overlapping objects would take endless
    /// time without a limit.
    readable: u64,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Source").field("len", &self.len).finish_non_exhaustive()
    }
}

impl Source {
    /// Reads an open file, from its first byte on.
    ///
    /// # Errors
    /// If its length is unknown.
    pub fn new(bytes: impl Read + Seek + Send + 'static) -> io::Result<Self> {
        let mut bytes: Box<dyn Places> = Box::new(bytes);
        let len = bytes.seek(SeekFrom::End(0))?;
        let readable = len.saturating_mul(READ_TIMES).saturating_add(READ_FREELY);
        Ok(Self { bytes, len, base: 0, window: vec![], window_at: 0, readable })
    }

    /// Lets offsets count from `base` on.
    pub(super) fn set_base(&mut self, base: u64) {
        self.base = base;
        self.window.clear();
    }

    /// Returns the number of bytes before the base.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// Returns the number of bytes from the base on.
    pub(super) fn len(&self) -> u64 {
        self.len - self.base
    }

    /// Returns the bytes from `at` on: at least `len` bytes, unless the file ends before.
    pub(super) fn window(&mut self, at: u64, len: usize) -> Result<&[u8], Error> {
        let left = self.len().saturating_sub(at);
        if left == 0 {
            // No seek: a system refuses places from 2^63 on, and a damaged file may name them.
            return Ok(&[]);
        }
        let wanted = left.min(len as u64) as usize;
        let inside = at.checked_sub(self.window_at).and_then(|skip| usize::try_from(skip).ok());
        let inside = inside.filter(|skip| skip.saturating_add(wanted) <= self.window.len());
        if let Some(skip) = inside {
            return Ok(&self.window[skip..]);
        }
        let most = left.min(len.max(WINDOW) as u64) as usize;
        self.window.clear();
        self.window.resize(most, 0);
        self.window_at = at;
        let read = self.bytes.seek(SeekFrom::Start(self.base + at));
        let read = read.and_then(|_| self.bytes.read_exact(&mut self.window));
        if let Err(error) = read {
            self.window.clear();
            return Err(Error::Read(error.to_string()));
        }
        Ok(&self.window)
    }

    /// Counts bytes that were read as an object.
    pub(super) fn charge(&mut self, bytes: u64) -> Result<(), Error> {
        let left = self.readable.checked_sub(bytes).ok_or_else(|| {
            Error::Damaged("its objects overlap: together they are larger than the file".to_owned())
        })?;
        self.readable = left;
        Ok(())
    }

    /// Appends `len` bytes from `at` on, and fails if the file ends before.
    pub(super) fn append(&mut self, at: u64, len: usize, to: &mut Vec<u8>) -> io::Result<()> {
        let start = to.len();
        to.resize(start + len, 0);
        self.bytes.seek(SeekFrom::Start(self.base + at))?;
        self.bytes.read_exact(&mut to[start..])
    }
}

impl From<Vec<u8>> for Source {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(Cursor::new(bytes)).expect("memory has a length")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_read_sixteen_times_and_64_mib_more() {
        let mut source = Source::from(vec![0; 10]);
        source.charge(160 + (1 << 26) - 1).unwrap();
        source.charge(1).unwrap();
        source.charge(0).unwrap();
        let error = source.charge(1).unwrap_err().to_string();
        assert!(error.ends_with("its objects overlap: together they are larger than the file"));
    }

    #[test]
    fn a_window_has_the_bytes_from_its_place_on() {
        let bytes: Vec<u8> = (0..40_000_u32).map(|n| ((n * n) >> 5) as u8).collect();
        let mut source = Source::from(bytes.clone());
        source.set_base(3);
        assert_eq!((source.base(), source.len()), (3, 39_997));
        let bytes = &bytes[3..];
        for (at, len, least) in [
            (0, 0, 0),
            (0, 1, 1),
            (100, 16_284, 16_284),
            (100, 16_285, 16_285),
            (99, 10, 10),
            (16_000, 20_000, 20_000),
            (39_990, 100, 7),
            (39_997, 100, 0),
            (50_000, 1, 0),
            (u64::MAX, 1, 0),
            (5, 39_992, 39_992),
        ] {
            let window = source.window(at, len).unwrap();
            let start = bytes.len().min(usize::try_from(at).unwrap());
            assert!(window.len() >= least && bytes[start..].starts_with(window), "{at} {len}");
        }
        let mut appended = b"ab".to_vec();
        source.append(7, 2, &mut appended).unwrap();
        assert_eq!(appended, [b'a', b'b', bytes[7], bytes[8]]);
        assert!(source.append(39_996, 2, &mut appended).is_err());
    }
}
