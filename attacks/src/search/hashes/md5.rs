//! MD5: RFC 1321.

use std::array;

use fearless_simd::Simd;

use super::{Hash, Row, Words, rotated};
use crate::search::document::BATCH;

/// MD5 of a batch of messages.
pub(in crate::search) struct Md5;

impl Hash<4> for Md5 {
    /// RFC 1321, §3.3.
    const START: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

    fn word(bytes: [u8; 4]) -> u32 {
        u32::from_le_bytes(bytes)
    }

    fn length(bits: u64) -> [u8; 8] {
        bits.to_le_bytes()
    }

    /// RFC 1321, §3.4.
    #[inline(always)]
    fn steps<S: Simd, V: Words<S>>(state: [V; 4], words: &[V; 16]) -> [V; 4] {
        let state = round::<S, V, 7, 12, 17, 22>(
            state,
            words,
            &SINES[0],
            |at| at,
            #[inline(always)]
            |b, c, d| d ^ (b & (c ^ d)),
        );
        let state = round::<S, V, 5, 9, 14, 20>(
            state,
            words,
            &SINES[1],
            |at| 5 * at + 1,
            #[inline(always)]
            // The terms share no bit, so the sum is their or. It waits for b a step less.
            |b, c, d| (b & d) + (c & !d),
        );
        let state = round::<S, V, 4, 11, 16, 23>(
            state,
            words,
            &SINES[2],
            |at| 3 * at + 5,
            #[inline(always)]
            |b, c, d| b ^ c ^ d,
        );
        round::<S, V, 6, 10, 15, 21>(
            state,
            words,
            &SINES[3],
            |at| 7 * at,
            #[inline(always)]
            |b, c, d| c ^ (b | !d),
        )
    }
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

/// Sixteen steps, four at a time, because after four steps each word of the state has its old role
/// again.
#[inline(always)]
fn round<S: Simd, V: Words<S>, const S0: u32, const S1: u32, const S2: u32, const S3: u32>(
    [mut a, mut b, mut c, mut d]: [V; 4],
    words: &[V; 16],
    sines: &[u32; 16],
    at: impl Fn(usize) -> usize,
    mix: impl Fn(V, V, V) -> V,
) -> [V; 4] {
    let added = |n: usize| words[at(n) % 16] + sines[n];
    // A macro, because the compiler does not unroll the loop, and then computes the indexes.
    macro_rules! four {
        ($n:literal) => {
            a = b + rotated::<S, V, S0>((a + added($n)) + mix(b, c, d));
            d = a + rotated::<S, V, S1>((d + added($n + 1)) + mix(a, b, c));
            c = d + rotated::<S, V, S2>((c + added($n + 2)) + mix(d, a, b));
            b = c + rotated::<S, V, S3>((b + added($n + 3)) + mix(c, d, a));
        };
    }
    four!(0);
    four!(4);
    four!(8);
    four!(12);
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
