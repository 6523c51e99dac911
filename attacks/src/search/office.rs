//! The key of a document of Office 97: [MS-OFFCRYPTO] §2.3.6.
//!
//! # Diary
//!
//! The RC4 key of block 0 is MD5(key, 0), and the verifier it decrypts comes with its MD5. Both hashes are
//! of one block of MD5 with most of the message constant, so they are computed for forty keys side by
//! side, eight at a time, whose state stays in vectors: with all forty in a step at once it went to memory and back at each of the
//! 64, and arrays of eight were left to the compiler in vain. The schedule in between takes most of the time, as in `scan.rs`.

use std::{array, ops::Range, sync::atomic::AtomicBool};

use arcfour::{Rc4, fill_many, rekey_many};
use md5::{Digest, Md5};
use wide::u32x8;

use super::{
    KeySpace,
    document::{self, BATCH, DOCUMENT_KEY},
};

/// The verifier of a document of Office 97, by which a key of 40 bits is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfficeVerifier {
    /// A random number, encrypted with the RC4 key of block 0.
    pub verifier: [u8; 16],
    /// Its MD5, encrypted with the keystream that follows.
    pub verifier_hash: [u8; 16],
}

impl OfficeVerifier {
    /// What is known, in bits: a wrong key passes with probability 2^−bits.
    pub(super) const BITS: f64 = 128.0;

    /// Whether a key passes; none of another length than five bytes does.
    pub(super) fn passes(&self, key: &[u8]) -> bool {
        if key.len() != DOCUMENT_KEY {
            return false;
        }
        let block_key = Md5::new_with_prefix(key).chain_update([0; 4]).finalize();
        let mut text = [self.verifier, self.verifier_hash].concat();
        Rc4::crypt(&block_key, &mut text).expect("16 bytes");
        Md5::digest(&text[..16])[..] == text[16..]
    }

    /// All that is tested, in text.
    pub(super) fn canonical(&self) -> String {
        let hex = |bytes: &[u8]| data_encoding::HEXLOWER.encode(bytes);
        format!("office97 {} {}", hex(&self.verifier), hex(&self.verifier_hash))
    }

    /// Adds to `matches` the numbers of all keys in `range` that pass. Returns early, and without a meaning,
    /// once `stop` is set.
    pub(super) fn scan(
        &self,
        space: &KeySpace,
        range: Range<u128>,
        stop: &AtomicBool,
        matches: &mut Vec<u128>,
    ) {
        let mut streams = vec![Rc4::from_key(&[0]).expect("one byte"); BATCH];
        let mut keystreams = [[0; 32]; BATCH];
        let cipher = words(&self.verifier);
        let cipher_hash = u32::from_le_bytes(*self.verifier_hash.first_chunk().expect("16 bytes"));
        document::scan(space, range, stop, matches, |keys, found| {
            // Key, block number 0, the bit that ends the message; its length in bits.
            let mut message = [[0; BATCH]; 16];
            for (n, key) in keys.iter().enumerate() {
                message[0][n] = u32::from_le_bytes([key[0], key[1], key[2], key[3]]);
                message[1][n] = u32::from(key[4]);
            }
            message[2] = [0x8000; BATCH];
            message[14] = [8 * 9; BATCH];
            let digests = md5(&message);
            let block_keys: [[u8; 16]; BATCH] = array::from_fn(|n| {
                let mut bytes = [0; 16];
                for (word, digest) in bytes.as_chunks_mut().0.iter_mut().zip(&digests) {
                    *word = digest[n].to_le_bytes();
                }
                bytes
            });
            let refs: [&[u8]; BATCH] = block_keys.each_ref().map(|key| &key[..]);
            rekey_many(&mut streams, &refs).expect("16 bytes");
            let mut outs = keystreams.each_mut().map(|keystream| &mut keystream[..]);
            fill_many(&mut streams, &mut outs);

            let mut message = [[0; BATCH]; 16];
            let mut claimed = [0; BATCH];
            for (n, keystream) in keystreams.iter().enumerate() {
                let stream = words(keystream.first_chunk().expect("32 bytes"));
                for at in 0..4 {
                    message[at][n] = stream[at] ^ cipher[at];
                }
                let next = u32::from_le_bytes(*keystream[16..].first_chunk().expect("16 bytes"));
                claimed[n] = next ^ cipher_hash;
            }
            message[4] = [0x80; BATCH];
            message[14] = [8 * 16; BATCH];
            let digests = md5(&message);
            for (n, key) in keys.iter().enumerate() {
                if digests[0][n] == claimed[n] && self.passes(key) {
                    found(n);
                }
            }
        });
    }
}

fn words(bytes: &[u8; 16]) -> [u32; 4] {
    array::from_fn(|n| u32::from_le_bytes(bytes[4 * n..4 * n + 4].try_into().expect("four bytes")))
}

/// RFC 1321, §3.4: the MD5 of messages of one block each, padding included, side by side.
fn md5(message: &[[u32; BATCH]; 16]) -> [[u32; BATCH]; 4] {
    const START: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let mut digests = [[0; BATCH]; 4];
    for first in (0..BATCH).step_by(LANES) {
        let words = message.each_ref().map(|row| u32x8::new(array::from_fn(|n| row[first + n])));
        let start = START.map(u32x8::splat);
        let state =
            round::<7, 12, 17, 22>(start, &words, &SINES[0], |at| at, |b, c, d| d ^ (b & (c ^ d)));
        let state = round::<5, 9, 14, 20>(
            state,
            &words,
            &SINES[1],
            |at| 5 * at + 1,
            |b, c, d| c ^ (d & (b ^ c)),
        );
        let state =
            round::<4, 11, 16, 23>(state, &words, &SINES[2], |at| 3 * at + 5, |b, c, d| b ^ c ^ d);
        let state =
            round::<6, 10, 15, 21>(state, &words, &SINES[3], |at| 7 * at, |b, c, d| c ^ (b | !d));
        for (digest, (end, start)) in digests.iter_mut().zip(state.into_iter().zip(start)) {
            digest[first..first + LANES].copy_from_slice(&(end + start).to_array());
        }
    }
    digests
}

/// Messages whose state is in registers at a time: of two vectors, where they have four words.
const LANES: usize = 8;

/// Sixteen steps, four at a time: after four, each word of the state has its part again.
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

#[inline(always)]
fn rotated<const LEFT: u32>(word: u32x8) -> u32x8 {
    (word << LEFT) | (word >> (32 - LEFT))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn md5_side_by_side_is_md5() {
        let text = |n: usize| [n as u8; 16];
        let texts: [_; BATCH] = array::from_fn(|n| words(&text(n)));
        let mut message = [[0; BATCH]; 16];
        for (at, row) in message.iter_mut().take(4).enumerate() {
            *row = texts.map(|words| words[at]);
        }
        message[4] = [0x80; BATCH];
        message[14] = [128; BATCH];
        let digests = md5(&message);
        for n in 0..BATCH {
            let bytes: Vec<u8> = digests.iter().flat_map(|word| word[n].to_le_bytes()).collect();
            assert_eq!(bytes, Md5::digest(text(n))[..], "{n}");
        }
    }
}
