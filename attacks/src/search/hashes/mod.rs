//! MD5 and SHA-1 of a batch of messages side by side.
//!
//! # Diary
//!
//! Vectors of the processor hold the same word of several messages: eight messages with SSE2 and
//! NEON, sixteen with AVX2 and AVX-512. Each step waits for the step before. Except with AVX-512, a
//! second vector fills this time. With the whole batch in a step, the state went to memory and back
//! at each step. The compiler made no vectors of arrays of eight.
//!
//! Measured by whole searches in turn on two cores of a Zen 1 (AMD EPYC, family 23 model 1). The
//! baseline had vectors of SSE2, chosen at compile time, and a batch of forty. Passwords of Office
//! 97 rose from 2.02 to 2.23 million/s. Passwords of CryptoAPI rose from 2.1 to 2.6 million/s. PDF
//! with R 2 stayed at 3.7, because the key schedule takes most of its time. A Zen 1 halves vectors
//! of 256 bits. AVX-512 was not measured.
//!
//! A loop of hashes on the same machine, in nanoseconds a block:
//!
//! * MD5 took 22.9 with a loop over four steps. With all steps written out it takes 19.0.
//! * SHA-1 takes 46.7 with such a loop. Written out, it took 49 to 52.
//! * With one vector of AVX2 in place of two, MD5 took 26.9, and SHA-1 48.
//!
//! Whole searches on one thread of a Zen 3 (AMD EPYC, family 25 model 1): a message's last bytes are
//! joined in registers. Joined in memory, a password of CryptoAPI took 4 % longer.
//!
//! On crates.io, MD5 in lanes exists only in young crates (`md5-many`, an alpha; `md5-simd`). They
//! cannot continue a hash with a block whose words are already in lanes. No crate with SHA-1 in
//! lanes was found.

mod md5;
mod sha1;

use std::array;

use fearless_simd::{Level, Simd, SimdBase, SimdInt, dispatch, u32x8, u32x16};

pub(super) use self::{
    md5::{Md5, bytes},
    sha1::Sha1,
};
use super::document::BATCH;

/// A word of each message of a batch.
pub(super) type Row = [u32; BATCH];
/// A block of each message.
pub(super) type Block<'a> = [Word<'a>; 16];

/// A word of a block.
#[derive(Clone, Copy)]
pub(super) enum Word<'a> {
    /// All messages have this word.
    Same(u32),
    /// Each message has its own word.
    Each(&'a Row),
}

/// A vector of words.
pub(super) trait Words<S: Simd>: SimdInt<S, Element = u32> {}

impl<S: Simd, V: SimdInt<S, Element = u32>> Words<S> for V {}

#[inline(always)]
fn rotated<S: Simd, V: Words<S>, const LEFT: u32>(word: V) -> V {
    (word << LEFT) | (word >> (32 - LEFT))
}

/// A hash of a batch of messages. Its state has `WORDS` words.
pub(super) trait Hash<const WORDS: usize>: Sized {
    /// The words of the state before the first block.
    const START: [u32; WORDS];

    /// Returns the word that four bytes of a message make.
    fn word(bytes: [u8; 4]) -> u32;

    /// Returns the words that bytes of a message make.
    ///
    /// # Panics
    /// If there are too few bytes.
    fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
        let (chunks, _) = bytes.as_chunks();
        array::from_fn(|at| Self::word(chunks[at]))
    }

    /// Returns the bytes that end a message of `bits` bits.
    fn length(bits: u64) -> [u8; 8];

    /// Returns the state after all steps of a block, before the old state is added.
    fn steps<S: Simd, V: Words<S>>(state: [V; WORDS], words: &[V; 16]) -> [V; WORDS];

    /// Returns the state of each message before its first block.
    fn start() -> [Row; WORDS] {
        Self::START.map(|word| [word; BATCH])
    }

    /// Processes a block.
    fn compress(state: &mut [Row; WORDS], block: &Block<'_>) {
        dispatch!(Level::new(), simd => compress::<_, Self, WORDS>(simd, state, block));
    }

    /// Returns the hash of messages of one block each, padding included.
    fn of_block(block: &Block<'_>) -> [Row; WORDS] {
        let mut state = Self::start();
        Self::compress(&mut state, block);
        state
    }

    /// Returns the hash of messages of any lengths, which all begin with the words of `prefix`: less
    /// than a block.
    fn digests(prefix: &[u32], messages: &[&[u8]; BATCH]) -> [Row; WORDS] {
        let blocks =
            messages.map(|message| (4 * prefix.len() + message.len() + 1 + 8).div_ceil(64));
        let mut state = Self::start();
        for at in 0..blocks.into_iter().max().unwrap_or(0) {
            let ended = state;
            let block = padded::<Self, WORDS>(prefix, messages, &blocks, at);
            let mut words = block.each_ref().map(Word::Each);
            if at == 0 {
                words.iter_mut().zip(prefix).for_each(|(word, &same)| *word = Word::Same(same));
            }
            Self::compress(&mut state, &words);
            // When a message has ended, its digest no longer changes.
            for n in (0..BATCH).filter(|&n| blocks[n] <= at) {
                for (row, ended) in state.iter_mut().zip(&ended) {
                    row[n] = ended[n];
                }
            }
        }
        state
    }
}

/// Returns a block of each message, padding included. `blocks` is the number of blocks of each. The
/// words of `prefix` in the first block are left out.
fn padded<H: Hash<WORDS>, const WORDS: usize>(
    prefix: &[u32],
    messages: &[&[u8]; BATCH],
    blocks: &[usize; BATCH],
    at: usize,
) -> [Row; 16] {
    let (first, start) = if at == 0 { (prefix.len(), 0) } else { (0, 64 * at - 4 * prefix.len()) };
    let mut block = [[0; BATCH]; 16];
    for (n, message) in messages.iter().enumerate() {
        let left = message.get(start..).unwrap_or_default();
        let rows = &mut block[first..];
        let (words, rest) = left[..left.len().min(4 * rows.len())].as_chunks();
        for (row, &bytes) in rows.iter_mut().zip(words) {
            row[n] = H::word(bytes);
        }
        // The bit after the message is in the message's last block, or starts the next.
        if words.len() < rows.len() && start <= message.len() {
            // In registers, because a word that is read back waits for its bytes to be stored.
            rows[words.len()][n] = H::word(match *rest {
                [] => [0x80, 0, 0, 0],
                [a] => [a, 0x80, 0, 0],
                [a, b] => [a, b, 0x80, 0],
                [a, b, c, ..] => [a, b, c, 0x80],
            });
        }
        if at + 1 == blocks[n] {
            let length = H::length(8 * (4 * prefix.len() + message.len()) as u64);
            for (row, &bytes) in block[14..].iter_mut().zip(length.as_chunks().0) {
                row[n] = H::word(bytes);
            }
        }
    }
    block
}

#[inline(always)]
fn compress<S: Simd, H: Hash<WORDS>, const WORDS: usize>(
    simd: S,
    state: &mut [Row; WORDS],
    block: &Block<'_>,
) {
    if S::u32s::LEN == 4 {
        compress_by::<S, u32x8<S>, H, WORDS>(simd, state, block);
    } else {
        compress_by::<S, u32x16<S>, H, WORDS>(simd, state, block);
    }
}

#[inline(always)]
fn compress_by<S: Simd, V: Words<S>, H: Hash<WORDS>, const WORDS: usize>(
    simd: S,
    state: &mut [Row; WORDS],
    block: &Block<'_>,
) {
    for lanes in (0..BATCH).step_by(V::LEN).map(|first| first..first + V::LEN) {
        let load = |row: &Row| V::from_slice(simd, &row[lanes.clone()]);
        let start = array::from_fn(|at| load(&state[at]));
        let words = block.map(|word| match word {
            Word::Same(word) => V::splat(simd, word),
            Word::Each(row) => load(row),
        });
        let end = H::steps::<S, V>(start, &words);
        for (row, (start, end)) in state.iter_mut().zip(start.into_iter().zip(end)) {
            (start + end).store_slice(&mut row[lanes.clone()]);
        }
    }
}

/// Returns the words of each message, as rows.
pub(super) fn rows<const WORDS: usize>(lanes: impl Iterator<Item = [u32; WORDS]>) -> [Row; WORDS] {
    let mut rows = [[0; BATCH]; WORDS];
    for (n, words) in lanes.enumerate() {
        for (row, word) in rows.iter_mut().zip(words) {
            row[n] = word;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};
    use sha2::Digest;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Messages of several blocks beside short messages, of every length around the ends of the
        /// padding.
        #[test]
        fn side_by_side_is_one_by_one(
            prefix in vec(any::<u32>(), 0..16),
            messages in vec(vec(any::<u8>(), 0..200), BATCH),
        ) {
            let messages: [&[u8]; BATCH] = array::from_fn(|n| &messages[n][..]);
            let (md5, sha1) = (Md5::digests(&prefix, &messages), Sha1::digests(&prefix, &messages));
            let whole = |message: &[u8], bytes: fn(u32) -> [u8; 4]| {
                let prefix = prefix.iter().flat_map(|&word| bytes(word));
                prefix.chain(message.iter().copied()).collect::<Vec<u8>>()
            };
            for (n, message) in messages.iter().enumerate() {
                let bytes: Vec<u8> = md5.iter().flat_map(|row| row[n].to_le_bytes()).collect();
                prop_assert_eq!(bytes, ::md5::Md5::digest(whole(message, u32::to_le_bytes)).to_vec());
                let bytes: Vec<u8> = sha1.iter().flat_map(|row| row[n].to_be_bytes()).collect();
                prop_assert_eq!(bytes, ::sha1::Sha1::digest(whole(message, u32::to_be_bytes)).to_vec());
            }
        }

        /// Processors with fewer instructions compute the same.
        #[cfg(target_arch = "x86_64")]
        #[test]
        fn every_instruction_set_agrees(words in vec(any::<u32>(), 16)) {
            let block: [Row; 16] =
                array::from_fn(|at| array::from_fn(|n| words[at].rotate_left(n as u32)));
            // Words of both kinds.
            let block = array::from_fn(|at| match at % 3 {
                0 => Word::Same(words[at]),
                _ => Word::Each(&block[at]),
            });
            let fastest = Level::new();
            let levels = [
                fastest.as_sse2().map(Level::Sse2),
                fastest.as_sse4_2().map(Level::Sse4_2),
                fastest.as_avx2().map(Level::Avx2),
            ];
            for level in levels.into_iter().flatten() {
                let mut md5 = Md5::start();
                let mut sha1 = Sha1::start();
                dispatch!(level, simd => {
                    compress::<_, Md5, 4>(simd, &mut md5, &block);
                    compress::<_, Sha1, 5>(simd, &mut sha1, &block);
                });
                prop_assert_eq!(md5, Md5::of_block(&block));
                prop_assert_eq!(sha1, Sha1::of_block(&block));
            }
        }
    }
}
