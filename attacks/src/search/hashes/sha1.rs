//! SHA-1 of several messages side by side: FIPS 180-4, §6.1.

use std::array;

use wide::u32x8;

use super::{Block, LANES, Row, load, rotated, store};
use crate::search::document::BATCH;

/// FIPS 180-4, §5.3.1.
const START: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
/// FIPS 180-4, §4.2.1: the constant of each round of twenty steps.
const ROUNDS: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// Returns the SHA-1 of a message in each lane, of any lengths.
pub(in crate::search) fn digests(messages: &[&[u8]; BATCH]) -> [Row; 5] {
    super::digests(messages, START, compress, u32::from_be_bytes, u64::to_be_bytes)
}

/// Returns the SHA-1 of messages of one block each, padding included.
pub(in crate::search) fn of_block(block: &Block) -> [Row; 5] {
    let mut state = START.map(|word| [word; BATCH]);
    compress(&mut state, block);
    state
}

/// FIPS 180-4, §6.1.3: processes a block.
fn compress(state: &mut [Row; 5], block: &Block) {
    for first in (0..BATCH).step_by(LANES) {
        let mut words: [u32x8; 16] = array::from_fn(|at| load(&block[at], first));
        let start: [u32x8; 5] = array::from_fn(|at| load(&state[at], first));
        let ends = round::<0>(start, &mut words, |b, c, d| d ^ (b & (c ^ d)));
        let ends = round::<1>(ends, &mut words, |b, c, d| b ^ c ^ d);
        let ends = round::<2>(ends, &mut words, |b, c, d| (b & c) | (d & (b | c)));
        let ends = round::<3>(ends, &mut words, |b, c, d| b ^ c ^ d);
        for (row, (end, start)) in state.iter_mut().zip(ends.into_iter().zip(start)) {
            store(row, first, end + start);
        }
    }
}

/// Twenty steps, five at a time, because after five steps each word of the state has its old role
/// again.
#[inline(always)]
fn round<const ROUND: usize>(
    [mut a, mut b, mut c, mut d, mut e]: [u32x8; 5],
    words: &mut [u32x8; 16],
    mix: impl Fn(u32x8, u32x8, u32x8) -> u32x8,
) -> [u32x8; 5] {
    let constant = u32x8::splat(ROUNDS[ROUND]);
    // The sixteen words before make the next word, which replaces the first of them.
    let mut added = |n: usize| {
        if n >= 16 {
            let before = |back: usize| words[(n - back) % 16];
            words[n % 16] = rotated::<1>(before(3) ^ before(8) ^ before(14) ^ before(16));
        }
        words[n % 16] + constant
    };
    for n in [0, 5, 10, 15].map(|n| 20 * ROUND + n) {
        e = e + rotated::<5>(a) + mix(b, c, d) + added(n);
        b = rotated::<30>(b);
        d = d + rotated::<5>(e) + mix(a, b, c) + added(n + 1);
        a = rotated::<30>(a);
        c = c + rotated::<5>(d) + mix(e, a, b) + added(n + 2);
        e = rotated::<30>(e);
        b = b + rotated::<5>(c) + mix(d, e, a) + added(n + 3);
        d = rotated::<30>(d);
        a = a + rotated::<5>(b) + mix(c, d, e) + added(n + 4);
        c = rotated::<30>(c);
    }
    [a, b, c, d, e]
}
