//! Tries passwords of an Office document side by side: [MS-OFFCRYPTO] §2.3.5 and §2.3.6.

use std::{array, ops::Range};

use arcfour::sample_many;
use arcfour_formats::office::{CryptoApi, Handler, Office97};

use crate::search::{
    document::BATCH,
    hashes::{Hash, Md5, Row, Sha1},
    office::{Lanes, OfficeVerifier},
};

/// How often the salt enters the key of Office 97, each time after the same five bytes.
const REPEATED: usize = 16;
/// Number of bytes of the five and the salt.
const PERIOD: usize = 5 + 16;
/// Number of MD5 blocks for all repetitions, padding included.
const BLOCKS: usize = 6;

/// The test of passwords by a document's encryption header.
#[derive(Clone, Debug)]
pub struct OfficePasswords {
    handler: Handler,
}

impl OfficePasswords {
    /// Makes the test of a document's passwords.
    pub fn new(handler: Handler) -> Self {
        Self { handler }
    }

    /// Returns the indexes of the right passwords, in order. Passwords are bytes of UTF-16,
    /// little-endian.
    pub fn passing(&self, passwords: &[&[u8]]) -> Vec<usize> {
        match &self.handler {
            Handler::Office97(header) => office97(header, passwords),
            Handler::CryptoApi(header) => self.crypto_api(header, passwords),
        }
    }

    fn crypto_api(&self, header: &CryptoApi, passwords: &[&[u8]]) -> Vec<usize> {
        let mut keystreams = [[0; 32]; BATCH];
        let mut salted = vec![];
        let verifier: [u32; 4] = words(&header.verifier);
        let [claimed, ..] = words::<5>(&header.verifier_hash);
        let mut found = vec![];
        for (batch, passwords) in passwords.chunks(BATCH).enumerate() {
            // One buffer for all messages, because an allocation for each takes as long as its hash.
            salted.clear();
            let ranges: [Range<usize>; BATCH] = array::from_fn(|n| {
                let start = salted.len();
                salted.extend(&header.salt);
                salted.extend(passwords.get(n).copied().unwrap_or_default());
                start..salted.len()
            });
            let file_keys = Sha1::digests(&ranges.each_ref().map(|range| &salted[range.clone()]));
            // Key, block number 0, the bit that ends the message; its length in bits.
            let mut message = [[0; BATCH]; 16];
            message[..5].copy_from_slice(&file_keys);
            message[6] = [0x8000_0000; BATCH];
            message[15] = [8 * 24; BATCH];
            let digests = Sha1::of_block(&message);
            let keys = array::from_fn::<_, BATCH, _>(|n| block_key(&digests, n, header.key_bits));
            // 40 bits are followed by zeros; other lengths are not.
            let len = if header.key_bits == 40 { 16 } else { usize::from(header.key_bits / 8) };
            let refs: [&[u8]; BATCH] = keys.each_ref().map(|key| &key[..len]);
            let mut outs = keystreams.each_mut().map(|keystream| &mut keystream[..]);
            sample_many(&refs, &mut outs).expect("5 to 16 bytes");

            let mut message = [[0; BATCH]; 16];
            let mut opened = [0; BATCH];
            for (n, keystream) in keystreams.iter().enumerate() {
                let stream = words::<5>(keystream);
                for at in 0..4 {
                    message[at][n] = stream[at] ^ verifier[at];
                }
                opened[n] = stream[4] ^ claimed;
            }
            message[4] = [0x8000_0000; BATCH];
            message[15] = [8 * 16; BATCH];
            let digests = Sha1::of_block(&message);
            for n in (0..passwords.len()).filter(|&n| digests[0][n] == opened[n]) {
                let key: Vec<u8> = file_keys.iter().flat_map(|row| row[n].to_be_bytes()).collect();
                if self.handler.key(&key).is_ok_and(|key| self.handler.fits(&key)) {
                    found.push(BATCH * batch + n);
                }
            }
        }
        found
    }
}

/// The first bytes of the digest of a lane, then zeros.
fn block_key(digests: &[Row; 5], lane: usize, bits: u8) -> [u8; 16] {
    let mut key = [0; 16];
    for (bytes, row) in key.as_chunks_mut().0.iter_mut().zip(digests) {
        *bytes = row[lane].to_be_bytes();
    }
    key[usize::from(bits / 8)..].fill(0);
    key
}

fn words<const WORDS: usize>(bytes: &[u8]) -> [u32; WORDS] {
    let (chunks, _) = bytes.as_chunks();
    array::from_fn(|at| u32::from_be_bytes(chunks[at]))
}

fn office97(header: &Office97, passwords: &[&[u8]]) -> Vec<usize> {
    let verifier =
        OfficeVerifier { verifier: header.verifier, verifier_hash: header.verifier_hash };
    let mut lanes = Lanes::new(&verifier);
    let salted = salted(&header.salt);
    let mut found = vec![];
    for (batch, passwords) in passwords.chunks(BATCH).enumerate() {
        let texts = array::from_fn(|n| passwords.get(n).copied().unwrap_or_default());
        let [start, next, ..] = Md5::digests(&texts);
        let [start, next, ..] = repeated(&salted, &start, &next);
        lanes.passing(&[start, next.map(|word| word & 0xff)], &mut |n| {
            if n < passwords.len() {
                found.push(BATCH * batch + n);
            }
        });
    }
    found
}

/// Sixteen times five zeros and the salt, padding included.
fn salted(salt: &[u8; 16]) -> [u32; 16 * BLOCKS] {
    let mut bytes = [[0; 5].as_slice(), salt].concat().repeat(REPEATED);
    let bits = 8 * bytes.len() as u64;
    bytes.push(0x80);
    bytes.resize(64 * BLOCKS - 8, 0);
    bytes.extend(bits.to_le_bytes());
    let (chunks, _) = bytes.as_chunks();
    array::from_fn(|at| u32::from_le_bytes(chunks[at]))
}

/// Returns the MD5 of that message with the first five bytes of a digest in place of the zeros:
/// `start`, and the low byte of `next`.
fn repeated(salted: &[u32; 16 * BLOCKS], start: &Row, next: &Row) -> [Row; 4] {
    let mut state = Md5::start();
    for (at, words) in salted.as_chunks::<16>().0.iter().enumerate() {
        let mut block = words.map(|word| [word; BATCH]);
        for place in (0..REPEATED).map(|n| PERIOD * n) {
            // Five bytes at any place touch two words, which may be in two blocks.
            let shift = 8 * (place % 4) as u32;
            let first = (place / 4).wrapping_sub(16 * at);
            if let Some(row) = block.get_mut(first) {
                for (word, start) in row.iter_mut().zip(start) {
                    *word |= start << shift;
                }
            }
            if let Some(row) = block.get_mut(first.wrapping_add(1)) {
                for ((word, start), next) in row.iter_mut().zip(start).zip(next) {
                    // Two shifts, because a shift of 32 bits at once has no result.
                    *word |= start >> 1 >> (31 - shift) | (next & 0xff) << shift;
                }
            }
        }
        Md5::compress(&mut state, &block);
    }
    state
}
