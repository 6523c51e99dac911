//! The numbered keys of a search, so that a range of numbers names a part of them.

use std::ops::Range;

use arcfour::MAX_KEY;

use super::{Pattern, pattern::ByteSet};

/// All keys that match a [`Pattern`], numbered from 0: the last byte counts fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySpace {
    pattern: Pattern,
    /// The values of each byte, in ascending order.
    values: Vec<Vec<u8>>,
    len: u128,
}

/// The reason for which a key space cannot be searched.
#[derive(Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// The key is longer than any cipher takes.
    #[error("the key mask has {0} bytes; a key has 1 to {MAX_KEY}")]
    KeyLength(usize),
    /// The space is too large to search.
    #[error("the search would have 2^{bits:.1} keys; the most is 2^64: fix more bytes of the key")]
    Large {
        /// Binary logarithm of the number of keys.
        bits: f64,
    },
    /// Some shards would have no key.
    #[error("the space has {keys} keys, too few for {count} shards")]
    Shards {
        /// Number of keys.
        keys: u128,
        /// Number of shards requested.
        count: u64,
    },
    /// The shard does not exist.
    #[error("shard {index} of {count} does not exist: shards are numbered 1 to {count}")]
    Shard {
        /// The requested shard.
        index: u64,
        /// Number of shards.
        count: u64,
    },
}

impl KeySpace {
    /// Makes the space of the keys that match `pattern`.
    ///
    /// # Errors
    /// If the pattern is longer than a key, or more than 2^64 keys match it.
    pub fn new(pattern: Pattern) -> Result<Self, SpaceError> {
        let sets = pattern.sets();
        if sets.len() > MAX_KEY {
            return Err(SpaceError::KeyLength(sets.len()));
        }
        let bits = sets.iter().map(|set| f64::from(set.count()).log2()).sum();
        let len = sets.iter().try_fold(1u128, |len, set| {
            len.checked_mul(u128::from(set.count())).filter(|&len| len <= 1 << 64)
        });
        let len = len.ok_or(SpaceError::Large { bits })?;
        let values = sets.iter().map(|set: &ByteSet| set.values().collect()).collect();
        Ok(Self { pattern, values, len })
    }

    /// Returns the pattern that all keys match.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Number of keys, 1 to 2^64.
    pub fn size(&self) -> u128 {
        self.len
    }

    /// Binary logarithm of the number of keys.
    pub fn bits(&self) -> f64 {
        (self.len as f64).log2()
    }

    /// Number of bytes of every key.
    pub fn key_len(&self) -> usize {
        self.values.len()
    }

    /// Returns the numbers of the keys in shard `index` of `count`, from 1. Shards differ by at
    /// most one key.
    ///
    /// # Errors
    /// If the shard does not exist, or there are more shards than keys.
    pub fn shard(&self, index: u64, count: u64) -> Result<Range<u128>, SpaceError> {
        if u128::from(count) > self.len {
            return Err(SpaceError::Shards { keys: self.len, count });
        }
        if index == 0 || index > count {
            return Err(SpaceError::Shard { index, count });
        }
        // The product of two numbers of up to 2^64 may be 2^128: divide before.
        let (count, each) = (u128::from(count), self.len / u128::from(count));
        let rest = self.len % count;
        let start = |index: u128| each * index + rest.min(index);
        Ok(start(u128::from(index) - 1)..start(u128::from(index)))
    }

    /// Returns the index of the last unknown byte, which changes from every key to the next.
    pub(super) fn fastest(&self) -> usize {
        self.values.iter().rposition(|values| values.len() > 1).unwrap_or(0)
    }

    /// Counts through the keys from number `start` on.
    pub(super) fn keys_from(&self, start: u128) -> Odometer<'_> {
        let mut left = start;
        let mut digits = vec![0; self.values.len()];
        for (digit, values) in digits.iter_mut().zip(&self.values).rev() {
            *digit = (left % values.len() as u128) as usize;
            left /= values.len() as u128;
        }
        let key = digits.iter().zip(&self.values).map(|(&digit, values)| values[digit]).collect();
        Odometer { values: &self.values, fastest: self.fastest(), digits, key }
    }

    /// Returns key number `index`, below [`size`](Self::size).
    pub fn key(&self, index: u128) -> Vec<u8> {
        self.keys_from(index).key
    }
}

/// A key that counts through a space.
pub(super) struct Odometer<'a> {
    values: &'a [Vec<u8>],
    fastest: usize,
    digits: Vec<usize>,
    key: Vec<u8>,
}

impl Odometer<'_> {
    /// Returns the current key.
    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    /// Advances to the next key, and from the last to the first. Returns true if other bytes than
    /// the [fastest](KeySpace::fastest) changed.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        for at in (0..=self.fastest).rev() {
            let values = &self.values[at];
            let digit = self.digits[at] + 1;
            let carry = digit == values.len();
            let digit = if carry { 0 } else { digit };
            self.digits[at] = digit;
            self.key[at] = values[digit];
            if !carry {
                return at < self.fastest;
            }
        }
        true
    }
}
