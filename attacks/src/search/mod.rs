//! Key search: every key that turns a ciphertext into a plaintext of which something is known.

mod known;
mod pattern;
mod record;
mod run;
mod scan;
mod space;

use std::{
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use arcfour::{Family, StartError};
pub use known::{Kind, Known, KnownError, Plaintext, WINDOW};
pub use pattern::{ByteSet, Pattern, PatternError};
pub use record::{MAX_MATCHES, MAX_RECORD, Record, RecordError};
pub use run::Ended;
use sha2::{Digest, Sha256};
pub use space::{KeySpace, SpaceError};

/// A search: the keys to try, the cipher, and the test a key must pass.
#[derive(Clone, Debug)]
pub struct Search {
    space: KeySpace,
    known: Known,
    family: Family,
    iv: Option<Vec<u8>>,
}

impl Search {
    /// The search of `space` for the keys of `family` that pass `known`; `iv` for a family that
    /// takes one.
    ///
    /// # Errors
    /// If the family refuses keys of this length or the IV, or takes none or needs one.
    pub fn new(
        space: KeySpace,
        known: Known,
        family: Family,
        iv: Option<Vec<u8>>,
    ) -> Result<Self, StartError> {
        family.start(&space.key(0), iv.as_deref(), None)?;
        Ok(Self { space, known, family, iv })
    }

    /// The keys to try.
    pub fn space(&self) -> &KeySpace {
        &self.space
    }

    /// The test a key must pass.
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// How many keys are expected to pass by chance, of `keys` keys: 2^(key bits − known bits) for the
    /// whole space.
    pub fn expected_by_chance(&self, keys: u128) -> f64 {
        keys as f64 * (-self.known.bits()).exp2()
    }

    /// SHA-256 of all that makes this search: equal for searches that test the same keys in the same way
    /// and number them alike.
    pub(crate) fn identity(&self) -> [u8; 32] {
        let iv = self.iv.as_deref().map(|iv| data_encoding::HEXLOWER.encode(iv));
        let (family, keys) = (self.family.name(), self.space.pattern());
        let search = format!("{family} {iv:?}\n{keys}\n{}", self.known.canonical());
        Sha256::digest(search).into()
    }

    /// The keys of `range` that pass, by number.
    fn scan(&self, range: Range<u128>, stop: &AtomicBool) -> Vec<(u128, Vec<u8>)> {
        let mut matches = vec![];
        match self.family {
            Family::Rc4 => scan::rc4(&self.space, &self.known, range, stop, &mut matches),
            _ => self.scan_each(range, stop, &mut matches),
        }
        matches.into_iter().map(|number| (number, self.space.key(number))).collect()
    }

    /// The same, one key after the other, for ciphers without a kernel of their own.
    fn scan_each(&self, range: Range<u128>, stop: &AtomicBool, matches: &mut Vec<u128>) {
        let mut keys = self.space.keys_from(range.start);
        for number in range {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            if self.test(keys.key()).expect("the first key was taken") {
                matches.push(number);
            }
            keys.advance();
        }
    }

    /// Whether one key passes, inside the space or outside it.
    ///
    /// # Errors
    /// If the family refuses the key.
    pub fn test(&self, key: &[u8]) -> Result<bool, StartError> {
        let mut cipher = self.family.start(key, self.iv.as_deref(), None)?;
        Ok(self.known.passes(&mut *cipher))
    }
}
