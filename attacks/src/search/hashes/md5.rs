//! MD5 of several messages side by side: RFC 1321.

use std::array;

use wide::u32x8;

use super::{Block, LANES, Row, load, rotated, store};
use crate::search::document::BATCH;

/// RFC 1321, §3.3.
pub(in crate::search) const START: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/// Returns the MD5 of a message in each lane, of any lengths.
pub(in crate::search) fn digests(messages: &[&[u8]; BATCH]) -> [Row; 4] {
    super::digests(messages, START, compress, u32::from_le_bytes, u64::to_le_bytes)
}

/// Returns the MD5 of messages of one block each, padding included.
pub(in crate::search) fn of_block(block: &Block) -> [Row; 4] {
    let mut state = START.map(|word| [word; BATCH]);
    compress(&mut state, block);
    state
}

/// Returns the bytes of each digest.
pub(in crate::search) fn bytes(digests: &[Row; 4]) -> [[u8; 16]; BATCH] {
    array::from_fn(|n| {
        let mut bytes = [0; 16];
        for (word, row) in bytes.as_chunks_mut().0.iter_mut().zip(digests) {
            *word = row[n].to_le_bytes();
        }
        bytes
    })
}

/// RFC 1321, §3.4: processes a block.
pub(in crate::search) fn compress(state: &mut [Row; 4], block: &Block) {
    for first in (0..BATCH).step_by(LANES) {
        let words: [u32x8; 16] = array::from_fn(|at| load(&block[at], first));
        let start: [u32x8; 4] = array::from_fn(|at| load(&state[at], first));
        let ends =
            round::<7, 12, 17, 22>(start, &words, &SINES[0], |at| at, |b, c, d| d ^ (b & (c ^ d)));
        let ends = round::<5, 9, 14, 20>(
            ends,
            &words,
            &SINES[1],
            |at| 5 * at + 1,
            |b, c, d| c ^ (d & (b ^ c)),
        );
        let ends =
            round::<4, 11, 16, 23>(ends, &words, &SINES[2], |at| 3 * at + 5, |b, c, d| b ^ c ^ d);
        let ends =
            round::<6, 10, 15, 21>(ends, &words, &SINES[3], |at| 7 * at, |b, c, d| c ^ (b | !d));
        for (row, (end, start)) in state.iter_mut().zip(ends.into_iter().zip(start)) {
            store(row, first, end + start);
        }
    }
}

/// Sixteen steps, four at a time, because after four steps each word of the state has its old role
/// again.
#[inline(always)]
fn round<const S0: u32, const S1: u32, const S2: u32, const S3: u32>(
    [mut a, mut b, mut c, mut d]: [u32x8; 4],
    words: &[u32x8; 16],
    sines: &[u32; 16],
    at: impl Fn(usize) -> usize,
    mix: impl Fn(u32x8, u32x8, u32x8) -> u32x8,
) -> [u32x8; 4] {
    let added = |n: usize| words[at(n) % 16] + u32x8::splat(sines[n]);
    for n in [0, 4, 8, 12] {
        a = b + rotated::<S0>(a + mix(b, c, d) + added(n));
        d = a + rotated::<S1>(d + mix(a, b, c) + added(n + 1));
        c = d + rotated::<S2>(c + mix(d, a, b) + added(n + 2));
        b = c + rotated::<S3>(b + mix(c, d, a) + added(n + 3));
    }
    [a, b, c, d]
}

/// RFC 1321, §3.4: the integer part of 2^32 |sin i|, i from 1, in radians.
#[rustfmt::skip]
const SINES: [[u32; 16]; 4] = [
    [
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
        0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    ],
    [
        0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    ],
    [
        0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
        0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    ],
    [
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
    ],
];
