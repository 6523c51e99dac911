//! Random keys and data, laid out so that no call has a lucky alignment or a learnt branch.

use crate::Error;

/// Bytes of a key.
const KEY_BYTES: usize = 16;
/// Range in bytes of the random start of a piece.
const PAGE: usize = 4096;

/// A ring of random keys.
pub struct Keys {
    ring: Vec<u8>,
    next: usize,
}

impl Keys {
    /// `count` keys.
    pub fn random(count: usize) -> Result<Self, Error> {
        Ok(Self { ring: random(count * KEY_BYTES)?, next: 0 })
    }

    /// Returns the number of keys in the ring.
    pub fn count(&self) -> usize {
        self.ring.len() / KEY_BYTES
    }

    /// Key `n` of the ring.
    pub fn at(&self, n: usize) -> &[u8] {
        &self.ring[n * KEY_BYTES..][..KEY_BYTES]
    }

    /// The next key.
    pub fn next(&mut self) -> &[u8] {
        let n = self.next;
        // A division here would be timed with the call.
        self.next = if n + 1 < self.count() { n + 1 } else { 0 };
        self.at(n)
    }

    /// The next `count` keys.
    pub fn next_of(&mut self, count: usize) -> Vec<&[u8]> {
        let first = self.next;
        self.next = (first + count) % self.count();
        (first..first + count).map(|n| self.at(n % self.count())).collect()
    }
}

/// A piece of data that begins at another place of a page in each call, so that no call is lucky with
/// its alignment.
pub struct Paged {
    buffer: Vec<u8>,
    offsets: Vec<usize>,
    next: usize,
    bytes: usize,
}

impl Paged {
    /// `bytes` random bytes.
    pub fn random(bytes: usize) -> Result<Self, Error> {
        let pairs = random(2 * 256)?;
        let offset = |pair: &[u8; 2]| usize::from(u16::from_ne_bytes(*pair)) % PAGE;
        let offsets = pairs.as_chunks().0.iter().map(offset).collect();
        Ok(Self { buffer: random(bytes + PAGE)?, offsets, next: 0, bytes })
    }

    /// The piece that [`next`](Self::next) will give.
    pub fn upcoming(&self) -> &[u8] {
        &self.buffer[self.offsets[self.next]..][..self.bytes]
    }

    /// The piece at its next place.
    pub fn next(&mut self) -> &mut [u8] {
        let at = self.offsets[self.next];
        self.next = (self.next + 1) % self.offsets.len();
        &mut self.buffer[at..][..self.bytes]
    }

    /// The piece that [`next`](Self::next) gave last.
    pub fn latest(&self) -> &[u8] {
        let last = (self.next + self.offsets.len() - 1) % self.offsets.len();
        &self.buffer[self.offsets[last]..][..self.bytes]
    }
}

/// `bytes` random bytes of the system.
pub fn random(bytes: usize) -> Result<Vec<u8>, Error> {
    let mut data = vec![0; bytes];
    getrandom::fill(&mut data).map_err(|error| Error::Random(error.into()))?;
    Ok(data)
}
