//! Patterns of partly known bytes: masks of keys and of plaintexts.

use std::{fmt, str::FromStr};

/// A set of byte values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// All 256 values: nothing is known of the byte.
    pub const ANY: Self = Self([u64::MAX; 4]);
    const EMPTY: Self = Self([0; 4]);

    /// The set of one value: the byte is known.
    pub const fn one(value: u8) -> Self {
        let mut words = [0; 4];
        words[value as usize / 64] = 1 << (value % 64);
        Self(words)
    }

    /// Returns true if the set has this value.
    #[inline]
    pub const fn contains(&self, value: u8) -> bool {
        self.0[value as usize / 64] >> (value % 64) & 1 == 1
    }

    /// Number of values in the set, 1 to 256.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The values, in ascending order.
    pub fn values(self) -> impl Iterator<Item = u8> {
        (0..=255).filter(move |&value| self.contains(value))
    }

    /// Returns the information about the byte in bits: 8 for one value, 0 for any.
    pub fn bits(&self) -> f64 {
        8.0 - f64::from(self.count()).log2()
    }

    /// The values in both sets; `None` if the sets share no value.
    pub fn both(&self, other: &Self) -> Option<Self> {
        let words = std::array::from_fn(|word| self.0[word] & other.0[word]);
        (words != [0; 4]).then_some(Self(words))
    }

    /// Every value xored with `byte`: the keystream bytes that make the ciphertext byte `byte` of a
    /// plaintext byte of this set.
    pub fn xored(&self, byte: u8) -> Self {
        self.values().fold(Self::EMPTY, |set, value| set.with(value ^ byte))
    }

    /// The values with these nibbles; `None` is any.
    fn nibbles(high: Option<u8>, low: Option<u8>) -> Self {
        let fits = |nibble: Option<u8>, value| nibble.is_none_or(|nibble| nibble == value);
        (0..=255).filter(|&byte| fits(high, byte >> 4) && fits(low, byte & 15)).collect()
    }

    fn with(mut self, value: u8) -> Self {
        self.0[usize::from(value) / 64] |= 1 << (value % 64);
        self
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(values: I) -> Self {
        values.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for ByteSet {
    /// Writes the set as [`Pattern`] reads it: `4f`, `??`, `4?`, `[00-7f]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ANY {
            return f.write_str("??");
        }
        for nibble in 0..16 {
            if *self == Self::nibbles(Some(nibble), None) {
                return write!(f, "{nibble:x}?");
            }
            if *self == Self::nibbles(None, Some(nibble)) {
                return write!(f, "?{nibble:x}");
            }
        }
        let mut runs: Vec<(u8, u8)> = vec![];
        for value in self.values() {
            match runs.last_mut() {
                Some((_, last)) if *last == value.wrapping_sub(1) => *last = value,
                _ => runs.push((value, value)),
            }
        }
        if let [(first, last)] = runs[..]
            && first == last
        {
            return write!(f, "{first:02x}");
        }
        let runs = runs.iter().map(|&(first, last)| match first == last {
            true => format!("{first:02x}"),
            false => format!("{first:02x}-{last:02x}"),
        });
        write!(f, "[{}]", runs.collect::<Vec<_>>().join(","))
    }
}

/// Bytes, each with a set of possible values.
///
/// In text, a byte is two digits of `0-9a-fA-F?`, where `?` is an unknown nibble. A byte may also
/// be a set in brackets, `[30-39,5f]`. `{3}` after a byte repeats it, and spaces between bytes are
/// free:
///
/// ```
/// use arcfour_attacks::search::Pattern;
///
/// let key: Pattern = "??{5} 06 06 9d [c0-cf]".parse()?;
/// assert_eq!(key.sets().len(), 9);
/// assert_eq!(key.to_string(), "?? ?? ?? ?? ?? 06 06 9d c?");
/// # Ok::<(), arcfour_attacks::search::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Vec<ByteSet>);

impl Pattern {
    /// Maximum number of bytes of a pattern.
    pub const MAX_LEN: usize = 4096;

    /// Makes a pattern of these bytes.
    ///
    /// # Errors
    /// If `sets` is empty, or longer than [`MAX_LEN`](Self::MAX_LEN).
    pub fn new(sets: Vec<ByteSet>) -> Result<Self, PatternError> {
        match sets.len() {
            0 => Err(PatternError::Empty),
            1..=Self::MAX_LEN => Ok(Self(sets)),
            _ => Err(PatternError::Long),
        }
    }

    /// Makes a pattern that only these bytes match.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn exact(bytes: &[u8]) -> Result<Self, PatternError> {
        Self::new(bytes.iter().map(|&byte| ByteSet::one(byte)).collect())
    }

    /// Returns the set of each byte; at least one set.
    pub fn sets(&self) -> &[ByteSet] {
        &self.0
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, set) in self.0.iter().enumerate() {
            write!(f, "{}{set}", if n == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

/// The reason for which a text is no [`Pattern`]. Offsets count characters of the text, from 0.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The text has no byte.
    #[error("the pattern is empty: it must have at least one byte, such as '??' or '4f'")]
    Empty,
    /// The text has too many bytes.
    #[error("the pattern has more than {} bytes", Pattern::MAX_LEN)]
    Long,
    /// Another character stands at the start or inside of a byte.
    #[error("expected {expected} at offset {offset} of the pattern")]
    Unexpected {
        /// Its place.
        offset: usize,
        /// The characters allowed there.
        expected: &'static str,
    },
    /// A range of a set is descending.
    #[error("the range {first:02x}-{last:02x} at offset {offset} of the pattern goes down")]
    Range {
        /// Its start.
        offset: usize,
        /// Its first value.
        first: u8,
        /// Its last value.
        last: u8,
    },
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let mut reader = Reader { text: text.chars().collect(), at: 0 };
        let mut sets = vec![];
        loop {
            while reader.take(|c| c.is_ascii_whitespace()).is_some() {}
            if reader.at == reader.text.len() {
                return Self::new(sets);
            }
            let set = reader.byte()?;
            for _ in 0..reader.count()? {
                sets.push(set);
            }
            if sets.len() > Self::MAX_LEN {
                return Err(PatternError::Long);
            }
        }
    }
}

/// A text and the reading position.
struct Reader {
    text: Vec<char>,
    at: usize,
}

impl Reader {
    fn take(&mut self, wanted: impl Fn(char) -> bool) -> Option<char> {
        let c = *self.text.get(self.at)?;
        wanted(c).then(|| {
            self.at += 1;
            c
        })
    }

    fn unexpected(&self, expected: &'static str) -> PatternError {
        PatternError::Unexpected { offset: self.at, expected }
    }

    /// Two nibbles, or a set in brackets.
    fn byte(&mut self) -> Result<ByteSet, PatternError> {
        if self.take(|c| c == '[').is_some() {
            return self.set();
        }
        let expected = "a hexadecimal digit, '?' or '['";
        let high = self.nibble().ok_or_else(|| self.unexpected(expected))?;
        let expected = "the second digit of a byte, or '?',";
        let low = self.nibble().ok_or_else(|| self.unexpected(expected))?;
        Ok(ByteSet::nibbles(high, low))
    }

    /// A hexadecimal digit, or `Some(None)` for `?`.
    fn nibble(&mut self) -> Option<Option<u8>> {
        let c = self.take(|c| c == '?' || c.is_ascii_hexdigit())?;
        Some(c.to_digit(16).map(|digit| digit as u8))
    }

    /// The rest of a set in brackets.
    fn set(&mut self) -> Result<ByteSet, PatternError> {
        let mut set = ByteSet::EMPTY;
        loop {
            let offset = self.at;
            let first = self.value()?;
            let last = if self.take(|c| c == '-').is_some() { self.value()? } else { first };
            if first > last {
                return Err(PatternError::Range { offset, first, last });
            }
            set = (first..=last).fold(set, ByteSet::with);
            if self.take(|c| c == ']').is_some() {
                return Ok(set);
            }
            self.take(|c| c == ',').ok_or_else(|| self.unexpected("'-', ',' or ']'"))?;
        }
    }

    /// Two digits.
    fn value(&mut self) -> Result<u8, PatternError> {
        let mut digit = || {
            let digit = self.take(|c| c.is_ascii_hexdigit());
            let digit = digit.and_then(|digit| digit.to_digit(16));
            digit.ok_or_else(|| self.unexpected("two hexadecimal digits"))
        };
        Ok((digit()? << 4 | digit()?) as u8)
    }

    /// Parses a repeat count `{n}`; returns 1 without a count.
    fn count(&mut self) -> Result<usize, PatternError> {
        if self.take(|c| c == '{').is_none() {
            return Ok(1);
        }
        let mut count = 0;
        let offset = self.at;
        while let Some(digit) = self.take(|c| c.is_ascii_digit()).and_then(|c| c.to_digit(10)) {
            count = count * 10 + digit as usize;
            if count > Pattern::MAX_LEN {
                return Err(PatternError::Long);
            }
        }
        if count == 0 {
            self.at = offset;
            return Err(self.unexpected("a count of at least 1"));
        }
        self.take(|c| c == '}').ok_or_else(|| self.unexpected("'}'"))?;
        Ok(count)
    }
}
