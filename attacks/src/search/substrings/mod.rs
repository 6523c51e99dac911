//! Tries every substring of a program or a dump as a key.
//!
//! A file is searched in pieces. In each piece, hexadecimal digits, base64, UTF-16 and blobs of the
//! CryptoAPI are decoded. All substrings of the piece and of the decoded bytes are tried.

mod decoded;
mod seen;

use std::{
    ops::{ControlFlow, Range},
    sync::atomic::{AtomicBool, Ordering},
};

use arcfour::{Family, MAX_KEY};
pub use decoded::Form;

use self::{
    decoded::{BEFORE, BLOB, Decoded, WIDEST},
    seen::Seen,
};
use super::{KeyTest, Test, document::BATCH, scan::Lanes};

/// The lengths of the substrings that are tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Substrings {
    /// The lengths, in ascending order.
    lengths: Vec<usize>,
    /// For each `n`: the number of lengths of at most `n` bytes.
    up_to: [u16; MAX_KEY + 1],
}

/// The errors of a list of lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SubstringsError {
    /// The key is longer than any cipher takes.
    #[error("a key of {0} bytes; a key has 1 to {MAX_KEY}")]
    Length(usize),
    /// The list has no length.
    #[error("no key length is given")]
    None,
}

/// A substring that passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its offset in bytes from the start of the searched data.
    pub offset: usize,
    /// The form in which it is stored there.
    pub form: Form,
    /// The key.
    pub key: Vec<u8>,
}

impl Substrings {
    /// Makes a list of lengths, in bytes of the key.
    ///
    /// # Errors
    /// If the list is empty, or a length is not 1 to 256.
    pub fn new(lengths: impl IntoIterator<Item = usize>) -> Result<Self, SubstringsError> {
        let mut lengths: Vec<usize> = lengths.into_iter().collect();
        lengths.sort_unstable();
        lengths.dedup();
        if let Some(&bad) = lengths.iter().find(|length| !(1..=MAX_KEY).contains(length)) {
            return Err(SubstringsError::Length(bad));
        }
        if lengths.is_empty() {
            return Err(SubstringsError::None);
        }
        let up_to =
            std::array::from_fn(|len| lengths.partition_point(|&length| length <= len) as u16);
        Ok(Self { lengths, up_to })
    }

    /// The lengths, in ascending order.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// Returns the number of bytes before a key's start that determine the key.
    pub fn before(&self) -> usize {
        BEFORE
    }

    /// Returns the number of bytes from a key's start on that determine the key.
    pub fn after(&self) -> usize {
        BLOB.max(WIDEST * (self.longest() + 1))
    }

    fn least(&self) -> usize {
        self.lengths[0]
    }

    fn longest(&self) -> usize {
        self.lengths[self.lengths.len() - 1]
    }

    /// The memory of a thread that searches pieces: about 30 bytes for each byte of a piece, and 8
    /// MiB.
    pub fn walk(&self) -> Walk<'_> {
        Walk { of: self, decoded: Decoded::default(), seen: Seen::new() }
    }
}

/// Searches the substrings of pieces, one after the other.
///
/// A piece is a part of a file. Around it stand [`before`](Substrings::before) bytes and
/// [`after`](Substrings::after) bytes, as far as the file has them. So no key is missed where two
/// pieces meet, and no key is tried twice.
#[derive(Debug)]
pub struct Walk<'a> {
    of: &'a Substrings,
    decoded: Decoded,
    seen: Seen,
}

impl Walk<'_> {
    /// Returns the number of keys that [`search`](Self::search) tries.
    ///
    /// # Panics
    /// If `piece` has 4 GiB or more.
    pub fn count(&mut self, piece: &[u8], starts: Range<usize>) -> u64 {
        let mut keys = 0;
        self.each(piece, starts, |_, _, _, lengths| {
            keys += lengths.len() as u64;
            true
        });
        keys
    }

    /// Tests the keys that begin in `starts` of `piece`. Calls `watch` after every few keys, with
    /// their number and the keys that pass, each at one place. Returns true if all keys were
    /// tested, and false if `watch` breaks or `stop` is set.
    ///
    /// A repeated key of a piece is not tried again, as far as a table of 2^20 entries remembers
    /// it. The table keeps the last place of a key's first bytes.
    ///
    /// # Panics
    /// If `piece` has 4 GiB or more.
    pub fn search(
        &mut self,
        piece: &[u8],
        starts: Range<usize>,
        test: &KeyTest,
        stop: &AtomicBool,
        mut watch: impl FnMut(u64, Vec<Found>) -> ControlFlow<()>,
    ) -> bool {
        let mut tester = Tester::new(test);
        // The keys of a batch, with the form of each.
        let mut batch: Vec<(Range<usize>, Form)> = Vec::with_capacity(BATCH);
        let mut flush = |decoded: &Decoded, batch: &mut Vec<_>| {
            let keys = batch.len() as u64;
            let found = tester.flush(decoded, batch, stop);
            found.is_some_and(|found| watch(keys, found).is_continue())
        };
        let ended = self.each(piece, starts, |decoded, start, form, lengths| {
            lengths.iter().all(|length| {
                batch.push((start..start + length, form));
                batch.len() < BATCH || flush(decoded, &mut batch)
            })
        });
        ended && (batch.is_empty() || flush(&self.decoded, &mut batch))
    }

    /// Calls `each` with the bytes, the start and the form of each substring, and the lengths not
    /// tried yet, until it returns false. Returns true if it never did.
    fn each(
        &mut self,
        piece: &[u8],
        starts: Range<usize>,
        mut each: impl FnMut(&Decoded, usize, Form, &[usize]) -> bool,
    ) -> bool {
        assert!(u32::try_from(piece.len()).is_ok(), "a piece of less than 4 GiB");
        let Self { of, decoded, seen } = self;
        decoded.fill(piece, of.least());
        seen.clear();
        for run in &decoded.runs {
            let last = run.range.end - of.least();
            for start in run.range.start..=last {
                if !starts.contains(&(decoded.offsets[start] as usize)) {
                    continue;
                }
                let room = (run.range.end - start).min(of.longest());
                let tried = seen.tried(decoded, start, room, of.least());
                let lengths = usize::from(of.up_to[tried])..usize::from(of.up_to[room]);
                if !lengths.is_empty() && !each(decoded, start, run.form, &of.lengths[lengths]) {
                    return false;
                }
            }
        }
        true
    }
}

/// Tests many keys.
enum Tester<'a> {
    Lanes(Box<Lanes<'a>>),
    Each(&'a KeyTest),
}

impl<'a> Tester<'a> {
    fn new(test: &'a KeyTest) -> Self {
        match &test.0 {
            Test::Known { known, family: Family::Rc4, .. } => {
                Self::Lanes(Box::new(Lanes::new(known)))
            }
            _ => Self::Each(test),
        }
    }

    /// Tests the keys of the batch and empties it. Returns the keys that pass, or none if `stop` is
    /// set.
    fn flush(
        &mut self,
        decoded: &Decoded,
        batch: &mut Vec<(Range<usize>, Form)>,
        stop: &AtomicBool,
    ) -> Option<Vec<Found>> {
        // Keys of the same length are tested faster together.
        let mut order: Vec<usize> = (0..batch.len()).collect();
        order.sort_by_key(|&n| batch[n].0.len());
        let keys: Vec<&[u8]> = order.iter().map(|&n| &decoded.bytes[batch[n].0.clone()]).collect();
        let mut passed: Vec<usize> = match self {
            Self::Lanes(lanes) => lanes.passing(&keys, stop)?.map(|n| order[n]).collect(),
            Self::Each(_) if stop.load(Ordering::Relaxed) => return None,
            Self::Each(test) => {
                let passes = |key| test.passes(key).expect("a substring has 1 to 256 bytes");
                (0..keys.len()).filter(|&n| passes(keys[n])).map(|n| order[n]).collect()
            }
        };
        passed.sort_unstable();
        let passing = passed.into_iter().map(|n| {
            let (range, form) = batch[n].clone();
            let offset = decoded.offsets[range.start] as usize;
            Found { offset, form, key: decoded.bytes[range].to_vec() }
        });
        let found = passing.collect();
        batch.clear();
        Some(found)
    }
}
