//! Tests a keystream by the known parts of a plaintext.

use std::sync::atomic::{AtomicBool, Ordering};

use arcfour::Keystream;

use super::{Pattern, pattern::ByteSet};

/// Number of bytes that a cipher skips between checks of the flag that stops a search.
pub(super) const STEP: u64 = 1 << 20;

/// Maximum number of bytes of ciphertext that a search reads.
pub const WINDOW: u64 = 1 << 20;
/// Number of bytes of a text of a known kind that are tested.
const KIND_LEN: usize = 64;

/// A kind of plaintext, for plaintexts without a known byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Printable ASCII, tabs and line ends in the first 64 bytes.
    Printable,
    /// A ZIP archive (also .docx, .odt, .jar, .apk): the header of its first local file
    /// (PKWARE APPNOTE 6.3.10, §4.3.7).
    Zip,
    /// UTF-8 without control characters other than tabs and line ends, in the first 64 bytes.
    Utf8,
}

impl Kind {
    /// Returns the possible values of each of the first `len` bytes of such a text.
    fn sets(self, len: usize) -> Vec<ByteSet> {
        let text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r') || *byte >= b' ';
        let printable = |byte: &u8| text(byte) && *byte <= b'~';
        // Continuation bytes and leading bytes: 0xc0, 0xc1 and 0xf5 to 0xff never occur.
        let utf8 = |byte: &u8| text(byte) && !matches!(byte, 0x7f | 0xc0 | 0xc1 | 0xf5..);
        match self {
            Self::Printable => vec![(0..=255).filter(printable).collect(); len.min(KIND_LEN)],
            Self::Utf8 => vec![(0..=255).filter(utf8).collect(); len.min(KIND_LEN)],
            Self::Zip => {
                // Signature, then version needed (0.0 to 6.3, for MS-DOS or Unix). Then flags (bits
                // 11 and 0 to 3 in use), and method (0 to 20 and 93 to 99).
                let pattern = "50 4b 03 04 [00-3f] [00,03] ?? [00-0f,20-28] [00-14,5d-63] 00";
                let pattern: Pattern = pattern.parse().expect("a pattern");
                pattern.sets()[..pattern.sets().len().min(len)].to_vec()
            }
        }
    }

    /// Returns true if a plaintext that fits [`sets`](Self::sets) is of this kind.
    fn fits(self, text: &[u8]) -> bool {
        match self {
            Self::Printable | Self::Zip => true,
            // The last character may be cut.
            Self::Utf8 => {
                std::str::from_utf8(text).err().is_none_or(|error| error.error_len().is_none())
            }
        }
    }

    /// Returns a lower bound of the information, in bits, that the tests of a kind give on `len`
    /// bytes.
    fn bits(self, len: usize) -> f64 {
        match self {
            Self::Printable | Self::Zip => self.sets(len).iter().map(ByteSet::bits).sum(),
            Self::Utf8 => 8.0 * len.min(KIND_LEN) as f64 - utf8_strings(len.min(KIND_LEN)).log2(),
        }
    }
}

/// Returns the number of strings of `len` bytes that [`Kind::Utf8`] accepts, including strings with
/// a cut end.
fn utf8_strings(len: usize) -> f64 {
    // Characters of 1 to 4 bytes, and beginnings of 1 to 3 bytes of longer characters.
    const WHOLE: [f64; 4] = [98.0, 1920.0, 61_440.0, 1_048_576.0];
    const CUT: [f64; 4] = [1.0, 51.0, 15.0 * 64.0 + 256.0, 16_384.0];
    let mut whole = vec![1.0];
    for len in 1..=len {
        whole.push((1..=len.min(4)).map(|n| WHOLE[n - 1] * whole[len - n]).sum());
    }
    (0..=len.min(3)).map(|cut| CUT[cut] * whole[len - cut]).sum()
}

/// The reason why a description of the plaintext is invalid.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KnownError {
    /// The ciphertext has no such byte.
    #[error("the plaintext reaches byte {end}, from 0, of the ciphertext, which has {len} bytes")]
    Short {
        /// The last byte that the description names.
        end: u64,
        /// Number of bytes of ciphertext.
        len: u64,
    },
    /// The place is too far into the ciphertext.
    #[error(
        "the plaintext reaches byte {0} of the ciphertext; a search looks at the first {WINDOW}"
    )]
    Far(u64),
    /// The tested position of the keystream exceeds 64 bits.
    #[error(
        "{0} bytes dropped, and the plaintext after them, reach past byte 2^64 of the keystream"
    )]
    Drop(u64),
    /// Two statements exclude each other.
    #[error("the known values of byte {0} of the plaintext, counted from 0, contradict each other")]
    Contradiction(u64),
    /// The description accepts every key.
    #[error("no byte of the plaintext is known: every key would match")]
    Nothing,
}

/// The known parts of a plaintext.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Plaintext {
    patterns: Vec<(u64, Pattern)>,
    kinds: Vec<Kind>,
}

impl Plaintext {
    /// Nothing is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds that the bytes from `offset` on match `pattern`.
    #[must_use]
    pub fn with(mut self, offset: u64, pattern: Pattern) -> Self {
        self.patterns.push((offset, pattern));
        self
    }

    /// Adds that the text is of this kind.
    #[must_use]
    pub fn of_kind(mut self, kind: Kind) -> Self {
        self.kinds.push(kind);
        self
    }

    /// Returns true if a text matches. [`Known`] does the same test on a ciphertext and a key.
    ///
    /// It may end where the [reach](Self::reach) does.
    pub fn fits(&self, text: &[u8]) -> bool {
        let start = &text[..text.len().min(KIND_LEN)];
        let within = |sets: &[ByteSet], bytes: &[u8]| {
            bytes.len() >= sets.len()
                && sets.iter().zip(bytes).all(|(set, &byte)| set.contains(byte))
        };
        let has = |(at, pattern): &(u64, Pattern)| {
            let at = usize::try_from(*at).ok();
            at.and_then(|at| text.get(at..)).is_some_and(|bytes| within(pattern.sets(), bytes))
        };
        let is = |kind: &Kind| {
            !start.is_empty() && within(&kind.sets(start.len()), start) && kind.fits(start)
        };
        self.patterns.iter().all(has) && self.kinds.iter().all(is)
    }

    /// Returns the number of ciphertext bytes needed to test everything known: at most [`WINDOW`]
    /// if [`Known::new`] accepts it.
    pub fn reach(&self) -> u64 {
        let ends = self.patterns.iter().map(|(at, set)| at.saturating_add(set.sets().len() as u64));
        let kinds = if self.kinds.is_empty() { 0 } else { KIND_LEN as u64 };
        ends.max().unwrap_or(0).max(kinds)
    }
}

/// A test of a keystream, by a ciphertext and the known parts of its plaintext.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Positions in the keystream with their possible values, in ascending order. Positions count
    /// from 0 and include dropped bytes. Each excludes at least one value.
    tests: Vec<(u64, ByteSet)>,
    kinds: Vec<Kind>,
    /// The start of the ciphertext, for kinds.
    start: Vec<u8>,
    drop: u64,
    bits: f64,
}

impl Known {
    /// Makes the test of a keystream that encrypted `ciphertext` after `drop` discarded bytes.
    /// `ciphertext` may be cut to the [reach](Plaintext::reach) of the plaintext.
    ///
    /// # Errors
    /// If the description does not fit the ciphertext.
    pub fn new(plain: &Plaintext, ciphertext: &[u8], drop: u64) -> Result<Self, KnownError> {
        let len = ciphertext.len() as u64;
        let last =
            plain.patterns.iter().map(|(at, set)| at.saturating_add(set.sets().len() as u64 - 1));
        if let Some(end) = last.max() {
            if end >= WINDOW {
                return Err(KnownError::Far(end));
            }
            if end >= len {
                return Err(KnownError::Short { end, len });
            }
        }
        if drop.checked_add(WINDOW).is_none() {
            return Err(KnownError::Drop(drop));
        }
        let start = &ciphertext[..ciphertext.len().min(KIND_LEN)];
        let kinds = plain.kinds.iter().map(|kind| (0, kind.sets(start.len())));
        let patterns = plain.patterns.iter().map(|(at, set)| (*at as usize, set.sets().to_vec()));
        let mut sets = std::collections::BTreeMap::new();
        for (offset, pattern) in patterns.chain(kinds) {
            for (at, set) in (offset..).zip(pattern) {
                let known = sets.entry(at).or_insert(ByteSet::ANY);
                *known = known.both(&set).ok_or(KnownError::Contradiction(at as u64))?;
            }
        }
        sets.retain(|_, set| *set != ByteSet::ANY);
        if sets.is_empty() {
            return Err(KnownError::Nothing);
        }
        let bytewise = sets.values().map(ByteSet::bits).sum::<f64>();
        // A kind gives more information than its single bytes.
        let more = plain.kinds.iter().map(|kind| {
            let sets = kind.sets(start.len());
            kind.bits(start.len()) - sets.iter().map(ByteSet::bits).sum::<f64>()
        });
        Ok(Self {
            tests: sets
                .into_iter()
                .map(|(at, set)| (drop + at as u64, set.xored(ciphertext[at])))
                .collect(),
            kinds: plain.kinds.clone(),
            start: start.to_vec(),
            drop,
            bits: bytewise + more.fold(0.0, f64::max),
        })
    }

    /// Returns the information in bits: a random keystream passes with probability 2^−bits.
    pub fn bits(&self) -> f64 {
        self.bits
    }

    /// Returns the information of the single bytes, if a byte of keystream has only `values`.
    pub(super) fn bits_among(&self, values: &ByteSet) -> f64 {
        let all = f64::from(values.count());
        let bits = |(_, set): &(u64, ByteSet)| {
            let left = set.both(values).map_or(1, |left| left.count());
            (all / f64::from(left)).log2()
        };
        self.tests.iter().map(bits).sum()
    }

    /// Returns the information of the single bytes, if the keystream repeats each byte `times` times.
    pub(super) fn bits_if_repeated(&self, times: u64) -> f64 {
        let repeats = self.tests.chunk_by(|(a, _), (b, _)| a / times == b / times);
        let bits = |tests: &[(u64, ByteSet)]| {
            let shared = tests.iter().try_fold(ByteSet::ANY, |set, (_, test)| set.both(test));
            shared.map_or(8.0, |set| set.bits())
        };
        repeats.map(bits).sum()
    }

    /// Returns the tested positions of the keystream, in ascending order, and the possible values.
    pub(super) fn tests(&self) -> &[(u64, ByteSet)] {
        &self.tests
    }

    /// Returns the first tested position of the keystream, and its possible values.
    pub(super) fn first(&self) -> (u64, ByteSet) {
        self.tests[0]
    }

    /// Returns true if the keystream of a cipher at position 0 passes every test. The cipher skips
    /// `step` bytes between checks of `stop`. If `stop` is set, returns false early.
    pub(super) fn passes(&self, cipher: &mut dyn Keystream, step: u64, stop: &AtomicBool) -> bool {
        let skip_to = |cipher: &mut dyn Keystream, position: u64| {
            while cipher.position() < position {
                if stop.load(Ordering::Relaxed) {
                    return false;
                }
                cipher.skip(step.min(position - cipher.position()));
            }
            true
        };
        let mut text = [0; KIND_LEN];
        let text = if self.kinds.is_empty() { &mut [] } else { &mut text[..self.start.len()] };
        if !text.is_empty() {
            if !skip_to(cipher, self.drop) {
                return false;
            }
            cipher.fill(text);
        }
        let begins = cipher.position() - text.len() as u64;
        let every = self.tests.iter().all(|&(position, set)| {
            if position < cipher.position() {
                return set.contains(text[(position - begins) as usize]);
            }
            let mut byte = [0];
            skip_to(cipher, position) && {
                cipher.fill(&mut byte);
                set.contains(byte[0])
            }
        });
        every && {
            text.iter_mut().zip(&self.start).for_each(|(text, byte)| *text ^= byte);
            self.kinds.iter().all(|kind| kind.fits(text))
        }
    }

    /// Returns the tests as text, which is equal only for equal tests.
    pub(super) fn canonical(&self) -> String {
        use std::fmt::Write;
        let mut text = format!("drop {}\n", self.drop);
        for (position, set) in &self.tests {
            let _ = writeln!(text, "{position} {set}");
        }
        let start = data_encoding::HEXLOWER.encode(&self.start);
        let _ =
            writeln!(text, "{:?} {}", self.kinds, if self.kinds.is_empty() { "" } else { &start });
        text
    }
}
