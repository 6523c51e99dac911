//! A search as the kernel reads it: the entry point, and words of its buffers.

use arcfour_attacks::search::{Search, Sieve};

use crate::{
    error::{Error, REACH},
    sizes::Sizes,
};

/// The keys and the test of a search, for the kernel.
#[derive(Debug)]
pub(crate) struct Job {
    /// The entry point of the kernel.
    pub(crate) entry: &'static str,
    pub(crate) sizes: Sizes,
    /// The key with 0 in each place that has several values.
    pub(crate) fixed_bytes: Vec<u32>,
    /// The other places, the last one first.
    pub(crate) digits: Vec<u32>,
    /// Number of values of each digit.
    counts: Vec<u128>,
    /// The test of a key.
    pub(crate) goal: Vec<u32>,
}

impl Job {
    /// # Errors
    /// If the kernel has no such test, or the first known byte is too far.
    pub(crate) fn new(search: &Search) -> Result<Self, Error> {
        let sets = search.space().pattern().sets();
        let key_len = sets.len() as u32;
        let (entry, rc4_len, goal) = match search.sieve().ok_or(Error::Search)? {
            Sieve::Keystream(tests) => {
                let far = tests[0].0;
                if far >= REACH {
                    return Err(Error::Far(far));
                }
                let mut position = 0;
                let near = tests.iter().take_while(|(at, _)| *at < REACH);
                let test = near.flat_map(|(at, set)| {
                    let skipped = (at - position) as u32;
                    position = at + 1;
                    let bits = |word| {
                        let values = set.values().filter(|value| value / 32 == word);
                        values.fold(0, |bits, value| bits | 1 << (value % 32))
                    };
                    [skipped].into_iter().chain((0..8).map(bits))
                });
                ("keystream", key_len, test.collect())
            }
            Sieve::Pdf(verifier) => {
                let [hash, user] = [verifier.hash, verifier.user].map(|bytes| words(&bytes)[0]);
                ("pdf", key_len, vec![hash ^ user])
            }
            Sieve::Office(verifier) => {
                let mut goal = words(&verifier.verifier);
                goal.push(words(&verifier.verifier_hash)[0]);
                ("office97", 16, goal)
            }
            _ => return Err(Error::Search),
        };
        let mut fixed = vec![];
        let (mut digits, mut counts) = (vec![], vec![]);
        for (place, set) in sets.iter().enumerate().rev() {
            let mut values: Vec<u8> = set.values().collect();
            // A key without unknown bytes has one digit of one value.
            if values.len() > 1 || (place == 0 && counts.is_empty()) {
                counts.push(values.len() as u128);
                digits.extend([place as u32, values.len() as u32]);
                values.resize(256, 0);
                digits.extend(words(&values));
                fixed.push(0);
            } else {
                fixed.push(values[0]);
            }
        }
        fixed.reverse();
        let fixed_bytes = words(&fixed);
        let sizes = Sizes { key: key_len, rc4: rc4_len };
        Ok(Self { entry, sizes, fixed_bytes, digits, counts, goal })
    }

    /// Returns the start of a dispatch: the number of its keys, and the digits of the first.
    pub(crate) fn start(&self, first: u128, keys: u32) -> Vec<u32> {
        let mut left = first;
        let digit = |count: &u128| {
            let digit = (left % count) as u32;
            left /= count;
            digit
        };
        [keys].into_iter().chain(self.counts.iter().map(digit)).collect()
    }
}

/// Returns bytes as little-endian words; the last one is filled with 0.
fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
    bytes.chunks(4).map(word).collect()
}
