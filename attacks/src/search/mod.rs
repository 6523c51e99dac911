//! Key search: finds every key that turns a ciphertext into a partly known plaintext.

mod changed;
mod device;
mod document;
mod hashes;
mod known;
mod office;
mod passwords;
mod pattern;
mod pdf;
mod ranges;
mod record;
mod run;
mod scan;
mod space;
mod substrings;

use std::{
    fmt::Display,
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use arcfour::{Family, StartError, families::variant::Variant};
pub use device::{Device, Sieve};
pub use document::DOCUMENT_KEY;
pub use known::{Kind, Known, KnownError, Plaintext, WINDOW};
pub use office::OfficeVerifier;
pub use passwords::{OfficePasswords, PasswordTest, PdfPasswords, Whose};
pub use pattern::{ByteSet, Pattern, PatternError};
pub use pdf::PdfVerifier;
pub use record::{MAX_MATCHES, MAX_RECORD, Match, Record, RecordError};
pub use run::{Ended, Event};
use sha2::{Digest, Sha256};
pub use space::{KeySpace, SpaceError};
pub use substrings::{Form, Found, Substrings, SubstringsError, Walk};

use crate::cryptoapi::DeriveKey;

/// A test of a key, or of a password of a document.
#[derive(Clone, Debug)]
pub struct KeyTest(Test);

#[derive(Clone, Debug)]
enum Test {
    /// The known plaintext, and the cipher.
    Known { known: Known, family: Family, iv: Option<Vec<u8>> },
    /// The known plaintext, a changed RC4, and the information about its keystream.
    Changed { known: Known, variant: Variant, bits: f64 },
    /// The test of the key that Windows derives from a password.
    Derived { derive: DeriveKey, of: Box<KeyTest> },
    /// The verifier of an Office document.
    Office(OfficeVerifier),
    /// The U of a PDF document.
    Pdf(PdfVerifier),
    /// The password of a document.
    Password(Arc<dyn PasswordTest>),
}

impl KeyTest {
    /// Tests whether a key of `family` gives the `known` plaintext; `iv` for a family that takes one.
    ///
    /// # Errors
    /// If the family refuses the IV, or takes none or needs one.
    pub fn new(known: Known, family: Family, iv: Option<Vec<u8>>) -> Result<Self, StartError> {
        family.start(&[0], iv.as_deref(), None)?;
        Ok(Self(Test::Known { known, family, iv }))
    }

    /// Tests whether a key of a changed RC4 passes `known`. The variant must xor its keystream.
    pub fn of_variant(known: Known, variant: Variant) -> Option<Self> {
        variant.xors().then(|| {
            let bits = known.bits_among(&changed::values(&variant));
            Self(Test::Changed { known, variant, bits })
        })
    }

    /// Tests whether the key that Windows derives from a password passes `self`. The candidates of
    /// the search are then passwords.
    #[must_use]
    pub fn derived(self, derive: DeriveKey) -> Self {
        Self(Test::Derived { derive, of: Box::new(self) })
    }

    /// Tests whether a five-byte key opens an Office 97 document.
    pub fn office(verifier: OfficeVerifier) -> Self {
        Self(Test::Office(verifier))
    }

    /// Tests whether a five-byte key opens a PDF document with R 3 or 4.
    pub fn pdf(verifier: PdfVerifier) -> Self {
        Self(Test::Pdf(verifier))
    }

    /// Tests whether bytes are the password of a document. The candidates of the search are then
    /// passwords.
    pub fn password(test: Arc<dyn PasswordTest>) -> Self {
        Self(Test::Password(test))
    }

    /// Returns true if passwords are tested, not keys.
    pub fn is_of_passwords(&self) -> bool {
        matches!(self.0, Test::Password(_))
    }

    /// Returns true if a key passes.
    ///
    /// # Errors
    /// If the key has less than 1 or more than 256 bytes.
    pub fn passes(&self, key: &[u8]) -> Result<bool, StartError> {
        self.passes_until(key, &AtomicBool::new(false))
    }

    /// Does the same, but returns false early if `stop` is set.
    fn passes_until(&self, key: &[u8], stop: &AtomicBool) -> Result<bool, StartError> {
        match &self.0 {
            Test::Known { known, family, iv } => {
                let mut cipher = family.start(key, iv.as_deref(), None)?;
                let step = if family.facts().seekable { u64::MAX } else { known::STEP };
                Ok(known.passes(&mut *cipher, step, stop))
            }
            Test::Changed { known, variant, .. } => {
                Ok(known.passes(&mut variant.start(key)?, known::STEP, stop))
            }
            Test::Derived { derive, of } => of.passes_until(&derive.key(key), stop),
            Test::Office(verifier) => Ok(verifier.passes(key)),
            Test::Pdf(verifier) => Ok(verifier.passes(key)),
            Test::Password(test) => Ok(test.passes(key)),
        }
    }

    /// Returns the indexes of the keys that pass, in order.
    ///
    /// # Errors
    /// If a key has less than 1 or more than 256 bytes.
    pub fn passing(&self, keys: &[&[u8]]) -> Result<Vec<usize>, StartError> {
        if let Test::Password(test) = &self.0 {
            return Ok(test.passing(keys));
        }
        let passes = |n: usize| self.passes(keys[n]).map(|passes| passes.then_some(n));
        (0..keys.len()).map(passes).filter_map(Result::transpose).collect()
    }

    /// Returns the information in bits: a wrong key passes with probability 2^−bits.
    ///
    /// Bytes of keystream count as independent. The four bytes of a round of PARC4-I count as one,
    /// because they are nearly always equal. A byte of a changed RC4 counts by the number of its
    /// values, 4 bits with `size=16`.
    pub fn known_bits(&self) -> f64 {
        match &self.0 {
            Test::Known { known, family: Family::Parc4i | Family::Parc4iText, .. } => {
                known.bits_if_repeated(4)
            }
            Test::Known { known, .. } => known.bits(),
            Test::Changed { bits, .. } => *bits,
            Test::Derived { of, .. } => of.known_bits(),
            Test::Office(_) => OfficeVerifier::BITS,
            Test::Pdf(_) => PdfVerifier::BITS,
            Test::Password(test) => test.known_bits(),
        }
    }

    /// Returns the least number below 256 for which keys pass together if their bytes are equal
    /// modulo this number. A changed RC4 with a small table has such keys.
    pub fn modulus(&self) -> Option<u8> {
        match &self.0 {
            Test::Changed { variant, .. } => changed::modulus(variant),
            _ => None,
        }
    }

    /// Returns how many of `keys` wrong keys are expected to pass by chance.
    pub fn expected_by_chance(&self, keys: u128) -> f64 {
        keys as f64 * (-self.known_bits()).exp2()
    }

    /// Returns the SHA-256 of the test and of `keys`, the description of the keys tried.
    fn identity(&self, keys: &dyn Display) -> [u8; 32] {
        Sha256::digest(self.canonical(keys)).into()
    }

    /// Returns the test and the keys as text.
    fn canonical(&self, keys: &dyn Display) -> String {
        match &self.0 {
            Test::Known { known, family, iv } => {
                let iv = iv.as_deref().map(|iv| data_encoding::HEXLOWER.encode(iv));
                let family = family.name();
                format!("{family} {iv:?}\n{keys}\n{}", known.canonical())
            }
            Test::Changed { known, variant, .. } => {
                format!("variant {variant}\n{keys}\n{}", known.canonical())
            }
            Test::Derived { derive, of } => format!("derived {derive}\n{}", of.canonical(keys)),
            Test::Office(verifier) => format!("{keys}\n{}", verifier.canonical()),
            Test::Pdf(verifier) => format!("{keys}\n{}", verifier.canonical()),
            Test::Password(test) => format!("passwords {keys}\n{}", test.canonical()),
        }
    }
}

/// A search: the keys to try, and the test they must pass.
#[derive(Clone, Debug)]
pub struct Search {
    space: KeySpace,
    test: KeyTest,
}

impl Search {
    /// Makes a search of `space` for the keys that pass `test`.
    pub fn new(space: KeySpace, test: KeyTest) -> Self {
        Self { space, test }
    }

    /// Returns true if passwords are tried, not keys.
    pub fn is_of_passwords(&self) -> bool {
        self.test.is_of_passwords()
    }

    /// The keys to try.
    pub fn space(&self) -> &KeySpace {
        &self.space
    }

    /// Returns the information in bits: a wrong key passes with probability 2^−bits.
    pub fn known_bits(&self) -> f64 {
        self.test.known_bits()
    }

    /// Returns the expected number of wrong keys that pass by chance: 2^(key bits − known bits).
    pub fn expected_by_chance(&self) -> f64 {
        self.test.expected_by_chance(self.space.size())
    }

    /// Returns the SHA-256 of the search's description. It is equal for searches that test the same
    /// keys in the same way with the same numbers.
    fn identity(&self) -> [u8; 32] {
        self.test.identity(self.space.pattern())
    }

    /// Returns what a device can compute from a key; `None` if only the processor can test the keys.
    pub fn sieve(&self) -> Option<Sieve<'_>> {
        let of_document = self.space.key_len() == DOCUMENT_KEY;
        match &self.test.0 {
            Test::Known { known, family: Family::Rc4, .. } => Some(Sieve::Keystream(known.tests())),
            Test::Pdf(verifier) if of_document => Some(Sieve::Pdf(verifier)),
            Test::Office(verifier) if of_document => Some(Sieve::Office(verifier)),
            _ => None,
        }
    }

    /// Returns the keys of `range` that pass, by number. If `stop` is set, returns early with a
    /// part of them.
    fn scan(&self, range: Range<u128>, stop: &AtomicBool) -> Vec<Match> {
        let mut matches = vec![];
        match &self.test.0 {
            Test::Known { known, family: Family::Rc4, .. } => {
                scan::rc4(&self.space, known, range, stop, &mut matches);
            }
            Test::Known { .. } | Test::Changed { .. } | Test::Derived { .. } => {
                self.scan_each(range, stop, &mut matches);
            }
            Test::Password(test) => {
                passwords::scan(&**test, &self.space, range, stop, &mut matches);
            }
            Test::Office(verifier) => verifier.scan(&self.space, range, stop, &mut matches),
            Test::Pdf(verifier) => verifier.scan(&self.space, range, stop, &mut matches),
        }
        matches.into_iter().map(|number| (number, self.space.key(number))).collect()
    }

    /// Returns the keys that pass among `candidates` of `range`, by number.
    fn confirmed(&self, range: &Range<u128>, mut candidates: Vec<u128>) -> Vec<Match> {
        candidates.sort_unstable();
        candidates.dedup();
        let keys = candidates.into_iter().filter(|number| range.contains(number));
        let keys = keys.map(|number| (number, self.space.key(number)));
        keys.filter(|(_, key)| self.test.passes(key).expect("1 to 256 bytes")).collect()
    }

    /// Does the same as [`scan`](Self::scan), one key after the other, for ciphers without a kernel.
    fn scan_each(&self, range: Range<u128>, stop: &AtomicBool, matches: &mut Vec<u128>) {
        let mut keys = self.space.keys_from(range.start);
        for number in range {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let passes = self.test.passes_until(keys.key(), stop);
            if passes.expect("a key of the space has 1 to 256 bytes") {
                matches.push(number);
            }
            keys.advance();
        }
    }
}
