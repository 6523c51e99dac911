//! The lengths and limits of the format, and pure functions that compute sizes.

/// The bytes of a header's fields, without its tag.
pub(crate) const FIELDS_LEN: usize = 64;
/// The bytes of the salt.
pub(crate) const SALT_LEN: usize = 32;
/// The bytes of a tag, of the header or of a chunk.
pub(crate) const TAG_LEN: usize = 32;
/// The bytes of a header with its tag.
pub const HEADER_LEN: usize = FIELDS_LEN + TAG_LEN;
/// The bytes of every key.
pub(crate) const KEY_LEN: usize = 32;
/// The bytes of the longest passphrase.
pub const MAX_PASSPHRASE: usize = 4096;
/// The maximum memory of Argon2id, in KiB.
pub(crate) const MAX_MEMORY_KIB: u32 = 1 << 20;
/// The minimum memory of Argon2id for each lane, in KiB.
pub(crate) const MIN_MEMORY_KIB_PER_LANE: u32 = 8;
/// The maximum number of passes, and of lanes, of Argon2id.
pub(crate) const MAX_PASSES_OR_LANES: u8 = 16;

/// The bytes of a chunk's word, before its ciphertext.
pub(crate) const WORD_LEN: usize = 4;
/// The bytes of a chunk besides its text.
pub(crate) const OVERHEAD: usize = WORD_LEN + TAG_LEN;

/// The plaintext bytes of every chunk but the last: a power of two from 1 KiB to 1 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkSize {
    log2: u8,
}

/// An invalid chunk size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the chunk size is {0} bytes; it must be a power of two from 1024 (1 KiB) to 1048576 (1 MiB)"
)]
pub struct ChunkSizeError(pub u64);

impl ChunkSize {
    const LOG2: std::ops::RangeInclusive<u8> = 10..=20;

    /// Checks a number of bytes.
    ///
    /// # Errors
    /// If that is not a power of two from 1 KiB to 1 MiB.
    pub fn new(bytes: u64) -> Result<Self, ChunkSizeError> {
        let log2 = bytes.trailing_zeros() as u8;
        Self::from_log2(log2).filter(|_| bytes.is_power_of_two()).ok_or(ChunkSizeError(bytes))
    }

    pub(crate) fn from_log2(log2: u8) -> Option<Self> {
        Self::LOG2.contains(&log2).then_some(Self { log2 })
    }

    pub(crate) fn log2(self) -> u8 {
        self.log2
    }

    /// Returns the size in bytes.
    pub fn bytes(self) -> usize {
        1 << self.log2
    }

    /// The bytes of a sealed chunk that is not the last.
    pub(crate) fn frame_len(self) -> usize {
        self.bytes() + OVERHEAD
    }

    /// Returns the number of chunks for `plain` bytes: at least one.
    pub fn chunks(self, plain: u64) -> u64 {
        plain.div_ceil(self.bytes() as u64).max(1)
    }

    /// Returns the length of a sealed file of `plain` bytes; `None` past 2^64 − 1.
    pub fn sealed_len(self, plain: u64) -> Option<u64> {
        let overhead = self.chunks(plain).checked_mul(OVERHEAD as u64)?;
        plain.checked_add(overhead)?.checked_add(HEADER_LEN as u64)
    }

    /// Returns the plaintext length of a sealed file of `sealed` bytes; `None` if no sealed file
    /// has that length.
    pub fn plain_len(self, sealed: u64) -> Option<u64> {
        let body = sealed.checked_sub(HEADER_LEN as u64)?;
        let frames = body.div_ceil(self.frame_len() as u64);
        let plain = body.checked_sub(frames.checked_mul(OVERHEAD as u64)?)?;
        (self.chunks(plain) == frames).then_some(plain)
    }

    /// Returns the index of the last chunk, whole or cut, of a sealed file of `sealed` bytes.
    pub(crate) fn last_index(self, sealed: u64) -> u64 {
        sealed.saturating_sub(HEADER_LEN as u64 + 1) / self.frame_len() as u64
    }

    /// Returns the offset of chunk `index` in the sealed file.
    pub(crate) fn offset(self, index: u64) -> Option<u64> {
        index.checked_mul(self.frame_len() as u64)?.checked_add(HEADER_LEN as u64)
    }
}

impl Default for ChunkSize {
    /// Returns 256 KiB.
    fn default() -> Self {
        Self { log2: 18 }
    }
}

/// The four bytes before a chunk: the length of its text, and whether it is the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word(u32);

impl Word {
    const LAST: u32 = 1 << 31;

    pub(crate) fn new(len: usize, last: bool) -> Self {
        Self(len as u32 | if last { Self::LAST } else { 0 })
    }

    pub(crate) fn from_bytes(bytes: [u8; WORD_LEN]) -> Self {
        Self(u32::from_le_bytes(bytes))
    }

    pub(crate) fn to_bytes(self) -> [u8; WORD_LEN] {
        self.0.to_le_bytes()
    }

    pub(crate) fn len(self) -> usize {
        (self.0 & !Self::LAST) as usize
    }

    pub(crate) fn is_last(self) -> bool {
        self.0 & Self::LAST != 0
    }

    pub(crate) fn with_other_flag(self) -> Self {
        Self(self.0 ^ Self::LAST)
    }

    /// Returns whether chunk `index` may have this word.
    pub(crate) fn fits(self, size: ChunkSize, index: u64) -> bool {
        if self.is_last() {
            self.len() <= size.bytes() && (self.len() > 0 || index == 0)
        } else {
            self.len() == size.bytes()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: ChunkSize = ChunkSize { log2: 10 };

    #[test]
    fn chunk_sizes_are_powers_of_two_within_limits() {
        for bytes in [1 << 10, 1 << 18, 1 << 20] {
            assert_eq!(ChunkSize::new(bytes).unwrap().bytes() as u64, bytes);
        }
        for bytes in [0, 1, 512, 1023, 1025, 3 << 10, 1 << 21, 1 << 63, u64::MAX] {
            assert_eq!(ChunkSize::new(bytes), Err(ChunkSizeError(bytes)));
        }
    }

    /// Accepts exactly the lengths that a sealed file can have.
    #[test]
    fn lengths_there_and_back() {
        let mut possible = std::collections::BTreeMap::new();
        for plain in 0..5000 {
            possible.insert(KIB.sealed_len(plain).unwrap(), plain);
        }
        for sealed in 0..KIB.sealed_len(5000).unwrap() {
            assert_eq!(KIB.plain_len(sealed), possible.get(&sealed).copied(), "{sealed}");
        }
        assert_eq!(KIB.sealed_len(0), Some(132));
        assert_eq!(KIB.sealed_len(2500), Some(96 + 3 * 36 + 2500));
        assert_eq!(KIB.sealed_len(u64::MAX), None);
        assert_eq!(KIB.plain_len(u64::MAX), KIB.plain_len(u64::MAX)); // no overflow
        assert_eq!(KIB.offset(2), Some(96 + 2 * 1060));
        assert_eq!(KIB.offset(u64::MAX / 1000), None);
    }
}
