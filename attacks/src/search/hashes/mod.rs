//! MD5 and SHA-1 of forty messages side by side.
//!
//! # Diary
//!
//! The state of eight messages at a time is in vectors. With all forty in a step, the state went to
//! memory and back at each step. The compiler made no vectors of arrays of eight. On crates.io, MD5
//! in lanes exists only in young crates (`md5-many`, an alpha; `md5-simd`). They cannot continue a
//! hash with a block whose words are already in lanes. No crate with SHA-1 in lanes was found.

pub(super) mod md5;
pub(super) mod sha1;

use std::array;

use wide::u32x8;

use super::document::BATCH;

/// A word of each lane.
pub(super) type Row = [u32; BATCH];
/// A block of each lane.
pub(super) type Block = [Row; 16];

/// Number of messages whose state is in registers at a time: two vectors of four words.
const LANES: usize = 8;

#[inline(always)]
fn load(row: &Row, first: usize) -> u32x8 {
    u32x8::new(array::from_fn(|n| row[first + n]))
}

#[inline(always)]
fn store(row: &mut Row, first: usize, words: u32x8) {
    row[first..first + LANES].copy_from_slice(&words.to_array());
}

#[inline(always)]
fn rotated<const LEFT: u32>(word: u32x8) -> u32x8 {
    (word << LEFT) | (word >> (32 - LEFT))
}

/// Returns the words of each lane, as rows.
pub(super) fn rows<const WORDS: usize>(lanes: &[[u32; WORDS]; BATCH]) -> [Row; WORDS] {
    array::from_fn(|at| lanes.map(|words| words[at]))
}

/// Pads the message of each lane, and hashes block after block. When a lane's message has ended,
/// its digest no longer changes.
#[inline(always)]
fn digests<const WORDS: usize>(
    messages: &[&[u8]; BATCH],
    start: [u32; WORDS],
    compress: fn(&mut [Row; WORDS], &Block),
    word: fn([u8; 4]) -> u32,
    length: fn(u64) -> [u8; 8],
) -> [Row; WORDS] {
    let blocks = messages.map(|message| (message.len() + 1 + 8).div_ceil(64));
    let mut state = start.map(|word| [word; BATCH]);
    for at in 0..blocks.into_iter().max().unwrap_or(0) {
        let lanes = array::from_fn(|n| {
            let mut bytes = [0; 64];
            let left = messages[n].get(64 * at..).unwrap_or_default();
            let here = &left[..left.len().min(64)];
            bytes[..here.len()].copy_from_slice(here);
            // The bit after the message is in the message's last block, or starts the next.
            if here.len() < 64 && 64 * at <= messages[n].len() {
                bytes[here.len()] = 0x80;
            }
            if at + 1 == blocks[n] {
                bytes[56..].copy_from_slice(&length(8 * messages[n].len() as u64));
            }
            array::from_fn(|at| word(bytes[4 * at..4 * at + 4].try_into().expect("four bytes")))
        });
        let ended = state;
        compress(&mut state, &rows::<16>(&lanes));
        for (row, ended) in state.iter_mut().zip(&ended) {
            for n in (0..BATCH).filter(|&n| blocks[n] <= at) {
                row[n] = ended[n];
            }
        }
    }
    state
}

#[cfg(test)]
mod tests {
    use ::md5::Md5;
    use ::sha1::Sha1;
    use proptest::{collection::vec, prelude::*};
    use sha2::Digest;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Messages of several blocks beside short messages, of every length around the ends of the
        /// padding.
        #[test]
        fn side_by_side_is_one_by_one(messages in vec(vec(any::<u8>(), 0..200), BATCH)) {
            let messages: [&[u8]; BATCH] = array::from_fn(|n| &messages[n][..]);
            let (md5, sha1) = (md5::digests(&messages), sha1::digests(&messages));
            for (n, message) in messages.iter().enumerate() {
                let bytes: Vec<u8> = md5.iter().flat_map(|row| row[n].to_le_bytes()).collect();
                prop_assert_eq!(bytes, Md5::digest(message).to_vec());
                let bytes: Vec<u8> = sha1.iter().flat_map(|row| row[n].to_be_bytes()).collect();
                prop_assert_eq!(bytes, Sha1::digest(message).to_vec());
            }
        }
    }
}
