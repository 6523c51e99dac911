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

    /// Counts through the keys from number `start` on.
    pub(super) fn keys_from(&self, start: u128) -> Odometer<'_> {
        let mut left = start;
        let mut digits = vec![0; self.values.len()];
        for (digit, values) in digits.iter_mut().zip(&self.values).rev() {
            *digit = (left % values.len() as u128) as usize;
            left /= values.len() as u128;
        }
        let key = digits.iter().zip(&self.values).map(|(&digit, values)| values[digit]).collect();
        let fastest = self.values.iter().rposition(|values| values.len() > 1).unwrap_or(0);
        Odometer { values: &self.values, fastest, digits, key }
    }

    /// Returns key number `index`, below [`size`](Self::size).
    pub fn key(&self, index: u128) -> Vec<u8> {
        self.keys_from(index).key
    }
}

/// A key that counts through a space.
pub(super) struct Odometer<'a> {
    values: &'a [Vec<u8>],
    /// Index of the last unknown byte, which changes from every key to the next.
    fastest: usize,
    digits: Vec<usize>,
    key: Vec<u8>,
}

impl Odometer<'_> {
    /// Returns the current key.
    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    /// Fills `keys` with the current key and the next ones, and advances past them.
    pub(super) fn fill(&mut self, keys: &mut [u8]) {
        let (fastest, len) = (self.fastest, self.key.len());
        let mut left = keys;
        while !left.is_empty() {
            // Each copy doubles the keys, because a copy for each key takes longer.
            let values = &self.values[fastest][self.digits[fastest]..];
            let (run, rest) = left.split_at_mut(left.len().min(values.len() * len));
            run[..len].copy_from_slice(&self.key);
            let mut done = len;
            while done < run.len() {
                let more = done.min(run.len() - done);
                run.copy_within(..more, done);
                done += more;
            }
            for (key, &value) in run.chunks_exact_mut(len).zip(values) {
                key[fastest] = value;
            }
            self.digits[fastest] += run.len() / len - 1;
            self.advance();
            left = rest;
        }
    }

    /// Advances to the next key, and from the last to the first.
    #[inline]
    pub(super) fn advance(&mut self) {
        for at in (0..=self.fastest).rev() {
            let values = &self.values[at];
            let digit = self.digits[at] + 1;
            let carry = digit == values.len();
            let digit = if carry { 0 } else { digit };
            self.digits[at] = digit;
            self.key[at] = values[digit];
            if !carry {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// From any number on, also past the last key, and with fixed bytes at each end.
        #[test]
        fn many_keys_at_once_are_the_keys_one_by_one(
            start in 0..60_u128,
            counts in prop::collection::vec(0..40_usize, 1..4),
            mask in prop::sample::select(vec!["61 [61-63] 62 [01-05] [30-33] 7a", "[61-7c][61-62]", "?0{2}"]),
        ) {
            let space = KeySpace::new(mask.parse().unwrap()).unwrap();
            let start = start % space.size();
            let mut odometer = space.keys_from(start);
            let mut number = start;
            for count in counts {
                let mut keys = vec![0; count * space.key_len()];
                odometer.fill(&mut keys);
                for key in keys.chunks_exact(space.key_len()) {
                    prop_assert_eq!(key, space.key(number % space.size()));
                    number += 1;
                }
            }
        }
    }
}
