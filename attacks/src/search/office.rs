//! The key of a document of Office 97: [MS-OFFCRYPTO] §2.3.6.
//!
//! # Diary
//!
//! The RC4 key of block 0 is MD5(key, 0), and the verifier it decrypts comes with its MD5. Both hashes are
//! of one block of MD5 with most of the message constant, so they are computed for [`BATCH`] keys side by
//! side, in arrays over which the compiler vectorises each step; the schedule in between takes most of
//! the time, as in `scan.rs`.

use std::{
    array,
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use arcfour::{Rc4, fill_many, rekey_many};
use md5::{Digest, Md5};

use super::KeySpace;

/// Number of bytes of a key.
pub const OFFICE_KEY: usize = 5;
/// Keys tried side by side: a multiple of the lanes of every backend, and of a vector's.
const BATCH: usize = 40;
/// Batches between looks at the flag that stops the scan.
const LOOK: u32 = 1 << 10;

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
        if key.len() != OFFICE_KEY {
            return false;
        }
        let block_key = Md5::new_with_prefix(key).chain_update([0; 4]).finalize();
        let mut text = [self.verifier, self.verifier_hash].concat();
        Rc4::from_key(&block_key).expect("16 bytes").apply(&mut text);
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
        if space.key_len() != OFFICE_KEY {
            return;
        }
        let mut odometer = space.keys_from(range.start);
        let mut keys = [[0; OFFICE_KEY]; BATCH];
        let mut streams = vec![Rc4::from_key(&[0]).expect("one byte"); BATCH];
        let mut keystreams = vec![[0; 32]; BATCH];
        let mut number = range.start;
        let mut looks = 0u32;
        let cipher = words(&self.verifier);
        let cipher_hash = u32::from_le_bytes(*self.verifier_hash.first_chunk().expect("16 bytes"));
        while number < range.end {
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(LOOK) && stop.load(Ordering::Relaxed) {
                return;
            }
            let count = (range.end - number).min(BATCH as u128) as usize;
            for key in &mut keys[..count] {
                key.copy_from_slice(odometer.key());
                odometer.advance();
            }
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
            let streams = &mut streams[..count];
            rekey_many(streams, &refs[..count]).expect("16 bytes");
            let mut outs: Vec<&mut [u8]> =
                keystreams[..count].iter_mut().map(|keystream| &mut keystream[..]).collect();
            fill_many(streams, &mut outs);

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
            for n in 0..count {
                if digests[0][n] == claimed[n] && self.passes(&keys[n]) {
                    matches.push(number + n as u128);
                }
            }
            number += count as u128;
        }
    }
}

fn words(bytes: &[u8; 16]) -> [u32; 4] {
    array::from_fn(|n| u32::from_le_bytes(bytes[4 * n..4 * n + 4].try_into().expect("four bytes")))
}

/// RFC 1321, §3.4: the MD5 of messages of one block each, padding included, side by side.
fn md5(message: &[[u32; BATCH]; 16]) -> [[u32; BATCH]; 4] {
    const START: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    const SHIFTS: [[u32; 4]; 4] =
        [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let [mut a, mut b, mut c, mut d] = START.map(|word| [word; BATCH]);
    for step in 0..64 {
        let (word, shift) = (step % 16, SHIFTS[step / 16][step % 4]);
        let at = match step / 16 {
            0 => word,
            1 => (5 * word + 1) % 16,
            2 => (3 * word + 5) % 16,
            _ => 7 * word % 16,
        };
        let message = &message[at];
        let constant = SINES[step];
        let mut sum = [0; BATCH];
        for n in 0..BATCH {
            let (b, c, d) = (b[n], c[n], d[n]);
            let mixed = match step / 16 {
                0 => d ^ (b & (c ^ d)),
                1 => c ^ (d & (b ^ c)),
                2 => b ^ c ^ d,
                _ => c ^ (b | !d),
            };
            let added = a[n].wrapping_add(mixed).wrapping_add(message[n]).wrapping_add(constant);
            sum[n] = b.wrapping_add(added.rotate_left(shift));
        }
        (a, d, c, b) = (d, c, b, sum);
    }
    let added = |state: [u32; BATCH], start: u32| state.map(|word| word.wrapping_add(start));
    [added(a, START[0]), added(b, START[1]), added(c, START[2]), added(d, START[3])]
}

/// RFC 1321, §3.4: the integer part of 2^32 |sin i|, i from 1, in radians.
#[rustfmt::skip]
const SINES: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
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
