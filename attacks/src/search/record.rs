//! The record of a search. The file lets the search continue, and proves which keys were searched.

use std::ops::Range;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    KeyTest, Search,
    ranges::{contains, joined},
};

const FORMAT: &str = "arcfour search 1";
/// Maximum size of a record file, in bytes.
pub const MAX_RECORD: u64 = 64 << 20;
/// Maximum number of matches of a record. A search with more matches knows too little of its
/// plaintext.
pub const MAX_MATCHES: usize = 100_000;

/// A key that passed every test: its number and its bytes.
pub type Match = (u128, Vec<u8>);

/// The finished part of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// SHA-256 of the search's description.
    identity: [u8; 32],
    /// Number of keys in the whole space.
    keys: u128,
    /// Ranges of the numbers of tested keys, in order, neither overlapping nor touching.
    covered: Vec<Range<u128>>,
    /// The keys that passed, by number.
    matches: Vec<Match>,
}

/// The record as it is written: with the numbers of first and last keys.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    format: String,
    search: String,
    last: u64,
    covered: Vec<(u64, u64)>,
    matches: Vec<(u64, String)>,
    /// SHA-256 of the same text with this field empty.
    sum: String,
}

/// The reason for which a record cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The text is no record.
    #[error("not a record of a search: {0}")]
    Format(String),
    /// The record was changed.
    #[error("damaged: its checksum does not match its contents")]
    Checksum,
    /// The record contains impossible values.
    #[error("its field '{0}' has an impossible value")]
    Contents(&'static str),
    /// The record belongs to other keys, another ciphertext or another plaintext.
    #[error("it belongs to another search: {theirs}, not {ours}")]
    Search {
        /// Start of the SHA-256 of the record's search.
        theirs: String,
        /// Start of the SHA-256 of the expected search.
        ours: String,
    },
    /// Two records cover the same keys.
    #[error("keys {first} to {last} are covered twice")]
    Twice {
        /// Number of the first such key.
        first: u128,
        /// Number of the last such key.
        last: u128,
    },
}

impl Record {
    /// Makes the record of a search that has not begun.
    pub fn new(search: &Search) -> Self {
        let (identity, keys) = (search.identity(), search.space().size());
        Self { identity, keys, covered: vec![], matches: vec![] }
    }

    /// Makes the record of a search of the keys of a list that has not begun. Keys are numbered by
    /// their lines, from 0. `list` identifies the content of the list.
    pub fn of_list(test: &KeyTest, list: &str, lines: u64) -> Self {
        let (identity, keys) = (test.identity(&list), u128::from(lines));
        Self { identity, keys, covered: vec![], matches: vec![] }
    }

    /// Number of keys tested.
    pub fn done(&self) -> u128 {
        self.covered.iter().map(|range| range.end - range.start).sum()
    }

    /// Number of keys in the whole space.
    pub fn keys(&self) -> u128 {
        self.keys
    }

    /// Returns true if every key of the space was tested.
    pub fn is_complete(&self) -> bool {
        self.missing(0..self.keys).is_empty()
    }

    /// Returns the ranges of the numbers of tested keys, in order.
    pub fn covered(&self) -> &[Range<u128>] {
        &self.covered
    }

    /// Returns the keys that passed every test, by number.
    pub fn matches(&self) -> &[Match] {
        &self.matches
    }

    /// Returns the parts of `range` that are still to be tested, in order.
    pub fn missing(&self, range: Range<u128>) -> Vec<Range<u128>> {
        let mut missing = vec![];
        let mut start = range.start;
        for covered in &self.covered {
            let end = covered.start.min(range.end);
            if start < end {
                missing.push(start..end);
            }
            start = start.max(covered.end);
        }
        if start < range.end {
            missing.push(start..range.end);
        }
        missing
    }

    /// Adds tested keys and the matches among them.
    ///
    /// # Errors
    /// If some keys were covered before; the record then stays as it was.
    pub fn add(
        &mut self,
        range: Range<u128>,
        matches: impl IntoIterator<Item = Match>,
    ) -> Result<(), RecordError> {
        let at = self.covered.partition_point(|covered| covered.end <= range.start);
        if let Some(next) = self.covered.get(at)
            && next.start < range.end
        {
            let first = next.start.max(range.start);
            return Err(RecordError::Twice { first, last: next.end.min(range.end) - 1 });
        }
        // Joins the range with adjacent ranges; only its neighbours can touch it.
        let after = self.covered.get(at).is_some_and(|next| next.start == range.end);
        let end = if after { self.covered.remove(at).end } else { range.end };
        match at.checked_sub(1).map(|before| &mut self.covered[before]) {
            Some(before) if before.end == range.start => before.end = end,
            _ => self.covered.insert(at, range.start..end),
        }
        self.add_matches(matches);
        Ok(())
    }

    /// Adds matches, keeping the order.
    fn add_matches(&mut self, matches: impl IntoIterator<Item = Match>) {
        let before = self.matches.len();
        self.matches.extend(matches);
        if self.matches.len() > before {
            self.matches.sort();
        }
    }

    /// Covers ranges in any order.
    fn cover(&mut self, ranges: impl IntoIterator<Item = Range<u128>>) -> Result<(), RecordError> {
        let all = self.covered.iter().cloned().chain(ranges).collect();
        let twice =
            |part: Range<u128>| RecordError::Twice { first: part.start, last: part.end - 1 };
        self.covered = joined(all).map_err(twice)?;
        Ok(())
    }

    /// Adds the keys that another record of the same search covers.
    ///
    /// # Errors
    /// If the other record is of another search, or some keys are in both; this record then stays
    /// as it was.
    pub fn merge(&mut self, other: &Self) -> Result<(), RecordError> {
        self.check_search(other)?;
        self.cover(other.covered.iter().cloned())?;
        self.add_matches(other.matches.iter().cloned());
        Ok(())
    }

    /// Checks that `other` is a record of the same search.
    ///
    /// # Errors
    /// If it is of another search.
    pub fn check_search(&self, other: &Self) -> Result<(), RecordError> {
        if self.identity == other.identity {
            return Ok(());
        }
        let short = |record: &Self| HEXLOWER.encode(&record.identity[..8]);
        Err(RecordError::Search { theirs: short(other), ours: short(self) })
    }

    /// Returns the record as a line of JSON, with a checksum.
    pub fn to_text(&self) -> String {
        let number = |number: u128| u64::try_from(number).expect("numbers of keys have 64 bits");
        let ranges = self.covered.iter().map(|range| (number(range.start), number(range.end - 1)));
        let matches = self.matches.iter().map(|(at, key)| (number(*at), HEXLOWER.encode(key)));
        let mut written = Written {
            format: FORMAT.to_owned(),
            search: HEXLOWER.encode(&self.identity),
            last: number(self.keys - 1),
            covered: ranges.collect(),
            matches: matches.collect(),
            sum: String::new(),
        };
        written.sum = written.checksum();
        written.text()
    }

    /// Reads a record that [`to_text`](Self::to_text) wrote.
    ///
    /// # Errors
    /// If the text is no record, was changed, or has impossible values.
    pub fn from_text(text: &str) -> Result<Self, RecordError> {
        let mut written: Written = serde_json::from_str(text)
            .map_err(|error| RecordError::Format(error.to_string().escape_debug().to_string()))?;
        if written.format != FORMAT {
            let format = written.format.escape_debug();
            return Err(RecordError::Format(format!(
                "its format is \"{format}\", not \"{FORMAT}\""
            )));
        }
        let sum = std::mem::take(&mut written.sum);
        if sum != written.checksum() {
            return Err(RecordError::Checksum);
        }
        let hex = |text: &str| HEXLOWER.decode(text.as_bytes()).ok();
        let identity = hex(&written.search).and_then(|bytes| bytes.try_into().ok());
        let mut record = Self {
            identity: identity.ok_or(RecordError::Contents("search"))?,
            keys: u128::from(written.last) + 1,
            covered: vec![],
            matches: vec![],
        };
        if written.covered.iter().any(|(first, last)| first > last || *last > written.last) {
            return Err(RecordError::Contents("covered"));
        }
        let range = |(first, last)| u128::from(first)..u128::from(last) + 1;
        record.cover(written.covered.into_iter().map(range))?;
        for (number, key) in written.matches {
            let number = u128::from(number);
            let key = hex(&key).filter(|_| contains(&record.covered, &number));
            record.matches.push((number, key.ok_or(RecordError::Contents("matches"))?));
        }
        record.matches.sort();
        Ok(record)
    }
}

impl Written {
    fn text(&self) -> String {
        serde_json::to_string(self).expect("numbers and strings") + "\n"
    }

    fn checksum(&self) -> String {
        HEXLOWER.encode(&Sha256::digest(self.text()))
    }
}
