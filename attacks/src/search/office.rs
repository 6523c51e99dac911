//! The key of a document of Office 97: [MS-OFFCRYPTO] §2.3.6.
//!
//! # Diary
//!
//! The RC4 key of block 0 is MD5(key, 0), and the verifier it decrypts comes with its MD5. Each
//! hash is of one block, and most of its message is constant. So a batch of keys is hashed side by
//! side (`hashes`). The schedule in between takes most of the time, as in `scan.rs`.

use std::{array, ops::Range, sync::atomic::AtomicBool};

use ::md5::{Digest, Md5};
use arcfour::{Rc4, sample_many};

use super::{
    KeySpace,
    document::{self, BATCH, DOCUMENT_KEY},
    hashes::{self, Hash, Row, Word, bytes, rows},
};

/// Number of bytes of keystream that a test needs: the verifier's, and one word of its hash's.
const STREAM: usize = 20;

/// The verifier of a document of Office 97, which tests a key of 40 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfficeVerifier {
    /// A random number, encrypted with the RC4 key of block 0.
    pub verifier: [u8; 16],
    /// Its MD5, encrypted with the keystream that follows.
    pub verifier_hash: [u8; 16],
}

impl OfficeVerifier {
    /// Returns the information in bits: a wrong key passes with probability 2^−bits.
    pub(super) const BITS: f64 = 128.0;

    /// Returns true if a key passes. Only keys of five bytes can pass.
    pub(super) fn passes(&self, key: &[u8]) -> bool {
        if key.len() != DOCUMENT_KEY {
            return false;
        }
        let block_key = Md5::new_with_prefix(key).chain_update([0; 4]).finalize();
        let mut text = [self.verifier, self.verifier_hash].concat();
        Rc4::crypt(&block_key, &mut text).expect("16 bytes");
        Md5::digest(&text[..16])[..] == text[16..]
    }

    /// Returns the test as text.
    pub(super) fn canonical(&self) -> String {
        let hex = |bytes: &[u8]| data_encoding::HEXLOWER.encode(bytes);
        format!("office97 {} {}", hex(&self.verifier), hex(&self.verifier_hash))
    }

    /// Adds to `matches` the numbers of all keys in `range` that pass. If `stop` is set, returns
    /// early, and the result is incomplete.
    pub(super) fn scan(
        &self,
        space: &KeySpace,
        range: Range<u128>,
        stop: &AtomicBool,
        matches: &mut Vec<u128>,
    ) {
        document::scan(space, range, stop, matches, |keys, found| {
            let keys = rows(keys.iter().map(|key| {
                [u32::from_le_bytes([key[0], key[1], key[2], key[3]]), u32::from(key[4])]
            }));
            self.passing(&keys, found);
        });
    }

    /// Calls `found` with each lane whose key passes. The first row has four bytes of the key, the
    /// second the last byte.
    pub(super) fn passing(&self, keys: &[Row; 2], found: &mut dyn FnMut(usize)) {
        // Key, block number 0, the bit that ends the message; its length in bits.
        let mut message = [Word::Same(0); 16];
        message[..2].copy_from_slice(&keys.each_ref().map(Word::Each));
        message[2] = Word::Same(0x8000);
        message[14] = Word::Same(8 * 9);
        let block_keys = bytes(&hashes::Md5::of_block(&message));
        let refs: [&[u8]; BATCH] = block_keys.each_ref().map(|key| &key[..]);
        for n in opening::<hashes::Md5, 4>(&refs, &self.verifier, &self.verifier_hash) {
            let [start, last] = keys.map(|row| row[n].to_le_bytes());
            if self.passes(&[start[0], start[1], start[2], start[3], last[0]]) {
                found(n);
            }
        }
    }
}

/// Returns the lanes whose RC4 key decrypts the verifier to a text with this hash. Compares only the
/// first word of the hash.
pub(super) fn opening<H: Hash<WORDS>, const WORDS: usize>(
    keys: &[&[u8]; BATCH],
    verifier: &[u8; 16],
    hash: &[u8],
) -> impl Iterator<Item = usize> {
    let mut keystreams = [[0; STREAM]; BATCH];
    let mut outs = keystreams.each_mut().map(|keystream| &mut keystream[..]);
    sample_many(keys, &mut outs).expect("5 to 16 bytes");
    let [streams @ .., next] =
        rows(keystreams.iter().map(|stream| H::words::<{ STREAM / 4 }>(stream)));
    let encrypted = H::words::<4>(verifier);
    let opened: [Row; 4] = array::from_fn(|at| streams[at].map(|stream| stream ^ encrypted[at]));
    let mut message = [Word::Same(0); 16];
    message[..4].copy_from_slice(&opened.each_ref().map(Word::Each));
    message[4] = Word::Same(H::word([0x80, 0, 0, 0]));
    message[14..].copy_from_slice(&H::words::<2>(&H::length(8 * 16)).map(Word::Same));
    let digests = H::of_block(&message)[0];
    let [hash] = H::words(hash);
    (0..BATCH).filter(move |&n| digests[n] == next[n] ^ hash)
}
