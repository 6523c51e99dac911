//! SHA-1: FIPS 180-4, §6.1.

use fearless_simd::Simd;

use super::{Hash, Words, rotated};

/// FIPS 180-4, §4.2.1: the constant of each round of twenty steps.
const ROUNDS: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// SHA-1 of a batch of messages.
pub(in crate::search) struct Sha1;

impl Hash<5> for Sha1 {
    /// FIPS 180-4, §5.3.1.
    const START: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

    fn word(bytes: [u8; 4]) -> u32 {
        u32::from_be_bytes(bytes)
    }

    fn length(bits: u64) -> [u8; 8] {
        bits.to_be_bytes()
    }

    /// FIPS 180-4, §6.1.3.
    #[inline(always)]
    fn steps<S: Simd, V: Words<S>>(state: [V; 5], words: &[V; 16]) -> [V; 5] {
        let mut words = *words;
        let state = round::<S, V, 0>(
            state,
            &mut words,
            #[inline(always)]
            |b, c, d| d ^ (b & (c ^ d)),
        );
        let state = round::<S, V, 1>(
            state,
            &mut words,
            #[inline(always)]
            |b, c, d| b ^ c ^ d,
        );
        let state = round::<S, V, 2>(
            state,
            &mut words,
            #[inline(always)]
            |b, c, d| (b & c) | (d & (b | c)),
        );
        round::<S, V, 3>(
            state,
            &mut words,
            #[inline(always)]
            |b, c, d| b ^ c ^ d,
        )
    }
}

/// Twenty steps, five at a time, because after five steps each word of the state has its old role
/// again.
#[inline(always)]
fn round<S: Simd, V: Words<S>, const ROUND: usize>(
    [mut a, mut b, mut c, mut d, mut e]: [V; 5],
    words: &mut [V; 16],
    mix: impl Fn(V, V, V) -> V,
) -> [V; 5] {
    let constant = ROUNDS[ROUND];
    let mut added = |n: usize| scheduled::<S, V>(words, n) + constant;
    for n in [0, 5, 10, 15].map(|n| 20 * ROUND + n) {
        e = e + rotated::<S, V, 5>(a) + mix(b, c, d) + added(n);
        b = rotated::<S, V, 30>(b);
        d = d + rotated::<S, V, 5>(e) + mix(a, b, c) + added(n + 1);
        a = rotated::<S, V, 30>(a);
        c = c + rotated::<S, V, 5>(d) + mix(e, a, b) + added(n + 2);
        e = rotated::<S, V, 30>(e);
        b = b + rotated::<S, V, 5>(c) + mix(d, e, a) + added(n + 3);
        d = rotated::<S, V, 30>(d);
        a = a + rotated::<S, V, 5>(b) + mix(c, d, e) + added(n + 4);
        c = rotated::<S, V, 30>(c);
    }
    [a, b, c, d, e]
}

/// Returns word n of the message schedule. The sixteen words before make a word, which replaces the
/// first of them.
#[inline(always)]
fn scheduled<S: Simd, V: Words<S>>(words: &mut [V; 16], n: usize) -> V {
    if n >= 16 {
        let before = |back: usize| words[(n - back) % 16];
        words[n % 16] = rotated::<S, V, 1>(before(3) ^ before(8) ^ before(14) ^ before(16));
    }
    words[n % 16]
}
