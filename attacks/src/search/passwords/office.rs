//! Tries passwords of an Office document side by side: [MS-OFFCRYPTO] §2.3.5 and §2.3.6.

use std::array;

use arcfour_formats::office::{CryptoApi, Handler, Office97};

use crate::search::{
    document::BATCH,
    hashes::{Hash, Md5, Row, Sha1, Word},
    office::{OfficeVerifier, opening},
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
        let salt = Sha1::words::<4>(&header.salt);
        let mut found = vec![];
        for (batch, passwords) in passwords.chunks(BATCH).enumerate() {
            let file_keys = Sha1::digests(&salt, &filled(passwords));
            // Key, block number 0, the bit that ends the message; its length in bits.
            let mut message = [Word::Same(0); 16];
            message[..5].copy_from_slice(&file_keys.each_ref().map(Word::Each));
            message[6] = Word::Same(0x8000_0000);
            message[15] = Word::Same(8 * 24);
            let digests = Sha1::of_block(&message);
            let keys = array::from_fn::<_, BATCH, _>(|n| block_key(&digests, n, header.key_bits));
            // 40 bits are followed by zeros; other lengths are not.
            let len = if header.key_bits == 40 { 16 } else { usize::from(header.key_bits / 8) };
            let refs: [&[u8]; BATCH] = keys.each_ref().map(|key| &key[..len]);
            let opening = opening::<Sha1, 5>(&refs, &header.verifier, &header.verifier_hash);
            for n in opening.filter(|&n| n < passwords.len()) {
                let key: Vec<u8> = file_keys.iter().flat_map(|row| row[n].to_be_bytes()).collect();
                if self.handler.key(&key).is_ok_and(|key| self.handler.fits(&key)) {
                    found.push(BATCH * batch + n);
                }
            }
        }
        found
    }
}

/// Returns a batch of these passwords. The passwords of the last lanes may be empty.
fn filled<'a>(passwords: &[&'a [u8]]) -> [&'a [u8]; BATCH] {
    array::from_fn(|n| passwords.get(n).copied().unwrap_or_default())
}

/// The first `bits` bits of the digest of a lane, then zeros.
fn block_key(digests: &[Row; 5], lane: usize, bits: u8) -> [u8; 16] {
    let words = digests[..4].iter().fold(0, |words: u128, row| words << 32 | u128::from(row[lane]));
    (words & u128::MAX << (128 - bits)).to_be_bytes()
}

fn office97(header: &Office97, passwords: &[&[u8]]) -> Vec<usize> {
    let verifier =
        OfficeVerifier { verifier: header.verifier, verifier_hash: header.verifier_hash };
    let salted = salted(&header.salt);
    let mut found = vec![];
    for (batch, passwords) in passwords.chunks(BATCH).enumerate() {
        let [start, next, ..] = Md5::digests(&[], &filled(passwords));
        let [start, next, ..] = repeated(&salted, &start, &next);
        verifier.passing(&[start, next.map(|word| word & 0xff)], &mut |n| {
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
    Md5::words(&bytes)
}

/// Returns the MD5 of that message with the first five bytes of a digest in place of the zeros:
/// `start`, and the low byte of `next`.
fn repeated(salted: &[u32; 16 * BLOCKS], start: &Row, next: &Row) -> [Row; 4] {
    // Five bytes at any place touch two words, and begin at each byte of a word in turn.
    let parts: [[Row; 2]; 4] = array::from_fn(|byte| {
        let shift = 8 * byte as u32;
        // Two shifts, because a shift of 32 bits at once has no result.
        let after = |n: usize| start[n] >> 1 >> (31 - shift) | (next[n] & 0xff) << shift;
        [start.map(|word| word << shift), array::from_fn(after)]
    });
    let part = |word: usize| {
        let place = PERIOD * ((4 * word + 3) / PERIOD);
        let touched = place < PERIOD * REPEATED && word - place / 4 < 2;
        touched.then(|| &parts[place % 4][word - place / 4])
    };
    let mut state = Md5::start();
    let mut rows = [[0; BATCH]; 16];
    for (at, words) in salted.as_chunks::<16>().0.iter().enumerate() {
        let part = |n: usize| part(16 * at + n);
        for (n, row) in rows.iter_mut().enumerate() {
            if let Some(part) = part(n) {
                *row = part.map(|part| part | words[n]);
            }
        }
        let block = array::from_fn(|n| match part(n) {
            Some(_) => Word::Each(&rows[n]),
            None => Word::Same(words[n]),
        });
        Md5::compress(&mut state, &block);
    }
    state
}
