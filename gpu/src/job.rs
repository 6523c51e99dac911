//! A search as the kernel reads it: constants, and words of its buffers.

use arcfour_attacks::search::{Search, Sieve};

use crate::error::{Error, REACH};

const KERNEL: &str = include_str!("kernel.wgsl");
/// Bytes of the table of RC4.
const TABLE: u32 = 256;
/// Maximum number of lanes of a workgroup. More lanes than a subgroup has gain nothing, and small
/// groups leave little memory unused.
const MAX_LANES: u32 = 64;

/// The keys and the test of a search, for the kernel.
#[derive(Debug)]
pub(crate) struct Job {
    /// The entry point of the kernel.
    pub(crate) entry: &'static str,
    /// Bytes of the searched keys, and of the keys of RC4.
    lengths: [u32; 2],
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
        Ok(Self { entry, lengths: [key_len, rc4_len], fixed_bytes, digits, counts, goal })
    }

    /// Bytes of workgroup memory that a lane needs.
    pub(crate) fn lane_memory(&self) -> u32 {
        TABLE + self.lengths[1].next_multiple_of(4)
    }

    /// Returns the number of lanes of a workgroup with `memory` bytes and at most `invocations`; 0
    /// if the memory is too small for one.
    pub(crate) fn lanes(&self, memory: u32, invocations: u32) -> u32 {
        let most = (memory / self.lane_memory()).min(invocations).min(MAX_LANES);
        most.checked_ilog2().map_or(0, |bits| 1 << bits)
    }

    /// Returns the text of the kernel for workgroups of `lanes`.
    pub(crate) fn kernel(&self, lanes: u32) -> String {
        let [key, rc4] = self.lengths;
        format!(
            "const LANES = {lanes}u;\nconst KEY_BYTES = {key}u;\nconst RC4_BYTES = {rc4}u;\n{KERNEL}"
        )
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
