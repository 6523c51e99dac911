//! The key of a PDF document with R 3 or 4: ISO 32000-1:2008, §7.6.3.4, algorithm 5.
//!
//! # Diary
//!
//! U is a hash that does not depend on the key, encrypted twenty times. The first encryption uses
//! the key, the next ones the key's bytes xored with 1, 2, … 19. So the xor of the twenty
//! keystreams is the difference of U and the hash. The first byte rejects all but one key in 256.
//! So a key costs twenty first bytes and little else.

use std::{ops::Range, sync::atomic::AtomicBool};

use arcfour::{FirstBytes, Rc4};

use super::{
    KeySpace,
    document::{self, BATCH, DOCUMENT_KEY},
};

/// Rounds of RC4 over U.
const ROUNDS: u8 = 20;

/// The data of a PDF document with R 3 or 4 that test its 40-bit key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PdfVerifier {
    /// The MD5 of the padding of passwords and the file's ID.
    pub hash: [u8; 16],
    /// The first half of U, which is the hash encrypted with the key.
    pub user: [u8; 16],
}

impl PdfVerifier {
    /// Returns the information in bits: a wrong key passes with probability 2^−bits.
    pub(super) const BITS: f64 = 128.0;

    /// Returns true if a key passes. Only keys of five bytes can pass.
    pub(super) fn passes(&self, key: &[u8]) -> bool {
        let Ok(key) = <[u8; DOCUMENT_KEY]>::try_from(key) else { return false };
        let mut text = self.hash;
        for round in 0..ROUNDS {
            Rc4::crypt(&key.map(|byte| byte ^ round), &mut text).expect("5 bytes");
        }
        text == self.user
    }

    /// Returns the test as text.
    pub(super) fn canonical(&self) -> String {
        let hex = |bytes: &[u8]| data_encoding::HEXLOWER.encode(bytes);
        format!("pdf {} {}", hex(&self.hash), hex(&self.user))
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
        let mut first_bytes = FirstBytes::new();
        document::scan(space, range, stop, matches, |keys, found| {
            let mut bytes = [self.hash[0] ^ self.user[0]; BATCH];
            for round in 0..ROUNDS {
                let keys = keys.map(|key| key.map(|byte| byte ^ round));
                let refs: [&[u8]; BATCH] = keys.each_ref().map(|key| &key[..]);
                let mut firsts = [0; BATCH];
                first_bytes.fill(&refs, &mut firsts).expect("5 bytes");
                bytes.iter_mut().zip(firsts).for_each(|(byte, first)| *byte ^= first);
            }
            let candidates =
                bytes.iter().zip(keys).enumerate().filter(|(_, (byte, _))| **byte == 0);
            candidates.filter(|(_, (_, key))| self.passes(*key)).for_each(|(n, _)| found(n));
        });
    }
}
