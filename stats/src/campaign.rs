//! A campaign: which keys, how many, and what is counted of their keystreams.

use std::io::Read;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::shown;

/// The most positions a counter may look at, from the start of a keystream.
pub const MAX_LENGTH: u32 = 1 << 24;
/// The most cells a campaign may have: 1 GiB of totals.
pub const MAX_CELLS: u64 = 1 << 27;
/// The most keystreams of a shard.
pub const MAX_KEYSTREAMS: u64 = 1 << 62;
/// The most pairs of positions in one list.
pub const MAX_PAIRS: usize = 1 << 16;
/// The most bytes of a campaign's TOML file.
pub const MAX_BYTES: u64 = 4 << 20;

/// A campaign that is not yet checked: the form of its TOML file. Positions count from 1, after
/// the drop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plan {
    /// The seed of all keys; 64 hexadecimal digits in a file.
    #[serde(with = "seed")]
    pub seed: [u8; 32],
    /// Number of shards, 1 to 2^32.
    pub shards: u64,
    /// Keystreams of each shard, 1 to [`MAX_KEYSTREAMS`].
    pub keystreams: u64,
    /// Bytes of a key, 1 to 256.
    pub key_length: u16,
    /// What is fixed in the keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_pattern: Option<KeyPattern>,
    /// Bytes discarded from the start of each keystream, 0 to [`MAX_LENGTH`].
    #[serde(default)]
    pub drop: u32,
    /// What is counted.
    pub count: Count,
}

/// The seed of a campaign as a file has it: in lower case, so that equal campaigns have equal hashes.
mod seed {
    use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(seed: &[u8; 32], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&HEXLOWER.encode(seed))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<[u8; 32], D::Error> {
        let bytes = HEXLOWER_PERMISSIVE.decode(String::deserialize(from)?.as_bytes()).ok();
        let seed = bytes.and_then(|bytes| bytes.try_into().ok());
        seed.ok_or_else(|| D::Error::custom("seed must be 64 hexadecimal digits"))
    }
}

/// A campaign whose values are all in range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Plan", into = "Plan")]
pub struct Campaign(Plan);

/// A relation between the bytes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyPattern {
    /// TKIP's first three bytes: TSC1, (TSC1 | 0x20) & 0x7f, TSC0, the counters at random.
    Tkip,
}

/// The counters, each of which may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Count {
    /// Z_r for r = 1 to this.
    pub single: u32,
    /// (Z_r, Z_r+1) for r = 1 to this.
    pub digraphs: u32,
    /// (Z_a, Z_b) for each pair of positions.
    pub pairs: Vec<(u32, u32)>,
    /// Whether Z_a = Z_b, for each pair of positions.
    pub equal: Vec<(u32, u32)>,
    /// (Z_r, Z_r+1) for r = 1 to this, by i = r + drop modulo 256.
    pub long_term: u32,
    /// Whether (Z_r, Z_r+1) = (Z_r+g+2, Z_r+g+3) for r = 1 to the first number, for each gap g from 0
    /// to less than the second.
    pub absab: (u32, u32),
    /// `S[y] − y (y + 1) / 2 − K[0] − … − K[y]` after the key schedule, for y = 0 to less than this.
    pub roos: u32,
    /// `(K[0] + K[1], Z_1 − K[2] − 3)`, Z_1 being the very first byte of the keystream.
    pub roos_output: bool,
    /// `S[j] + Z_r − i` after step r, for r = 1 to this.
    pub glimpse: u32,
}

/// The kind of one section of the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Single bytes; a group is a position.
    Single,
    /// Consecutive digraphs; a group is a position.
    Digraphs,
    /// Joint counts; a group is a pair of positions.
    Pairs,
    /// Equalities; a group is a pair of positions, its cells are different and equal.
    Equal,
    /// Long-term digraphs; a group is a value of i.
    LongTerm,
    /// ABSAB; a group is a gap, its cells are different and equal.
    Absab,
    /// The table after the key schedule less Roos' prediction; a group is an index.
    Roos,
    /// The first byte of keystream less Roos' prediction, by K\[0\] + K\[1\]; one group.
    RoosOutput,
    /// The table less what the keystream shows of it; a group is a position.
    Glimpse,
}

impl Kind {
    /// All kinds, in the order of the files.
    pub const ALL: [Self; 9] = [
        Self::Single,
        Self::Digraphs,
        Self::Pairs,
        Self::Equal,
        Self::LongTerm,
        Self::Absab,
        Self::Roos,
        Self::RoosOutput,
        Self::Glimpse,
    ];

    /// The name of its groups, as in `single:2`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Digraphs => "digraph",
            Self::Pairs => "pair",
            Self::Equal => "equal",
            Self::LongTerm => "long-term",
            Self::Absab => "absab",
            Self::Roos => "roos",
            Self::RoosOutput => "roos-output",
            Self::Glimpse => "glimpse",
        }
    }
}

/// A table of counts: `groups` tables of `cells` each, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// The kind of its counts.
    pub kind: Kind,
    /// Number of groups.
    pub groups: usize,
    /// Cells of a group.
    pub cells: usize,
}

impl Section {
    /// Number of cells in all groups; at most [`MAX_CELLS`] in a campaign.
    pub fn len(&self) -> usize {
        self.groups * self.cells
    }

    /// Whether the section has no cells.
    pub fn is_empty(&self) -> bool {
        self.groups == 0
    }
}

/// Why a campaign is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CampaignError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The file is longer than a campaign's can be.
    #[error("it is longer than the {MAX_BYTES} bytes that a campaign may have")]
    TooLong,
    /// The file is not UTF-8.
    #[error("it is not a text: byte {0} is not UTF-8")]
    Encoding(usize),
    /// The text is not a campaign's TOML.
    #[error("line {line}, column {column}: {}", shown(message))]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The message of the TOML reader.
        message: String,
    },
    /// A value is out of its range.
    #[error("{name} is {value}; it must be {low} to {high}")]
    Range {
        /// The value's name.
        name: &'static str,
        /// The value.
        value: u64,
        /// The least.
        low: u64,
        /// The most.
        high: u64,
    },
    /// A table would count more events than fit.
    #[error("a table would count {0} events; 2^63 fit")]
    TooManyEvents(u128),
}

impl TryFrom<Plan> for Campaign {
    type Error = CampaignError;

    fn try_from(plan: Plan) -> Result<Self, CampaignError> {
        let range = |name, value: u64, low: u64, high: u64| {
            let fine = (low..=high).contains(&value);
            fine.then_some(()).ok_or(CampaignError::Range { name, value, low, high })
        };
        let max = u64::from(MAX_LENGTH);
        let count = &plan.count;
        range("shards", plan.shards, 1, 1 << 32)?;
        range("keystreams", plan.keystreams, 1, MAX_KEYSTREAMS)?;
        let shortest = if plan.key_pattern.is_some() { 3 } else { 1 };
        range("key-length", plan.key_length.into(), shortest, 256)?;
        range("drop", plan.drop.into(), 0, max)?;
        range("count.single", count.single.into(), 0, max)?;
        range("count.digraphs", count.digraphs.into(), 0, max)?;
        range("count.long-term", count.long_term.into(), 0, max)?;
        range("count.absab (positions)", count.absab.0.into(), 0, max)?;
        range("count.absab (gaps)", count.absab.1.into(), 0, 1 << 16)?;
        range("count.roos", count.roos.into(), 0, 256)?;
        range("count.glimpse", count.glimpse.into(), 0, max)?;
        if count.roos_output {
            range("key-length, with count.roos-output,", plan.key_length.into(), 3, 256)?;
        }
        for (length, position, pairs) in [
            ("the length of count.pairs", "a position of count.pairs", &count.pairs),
            ("the length of count.equal", "a position of count.equal", &count.equal),
        ] {
            range(length, pairs.len() as u64, 0, MAX_PAIRS as u64)?;
            for &(a, b) in pairs {
                range(position, a.min(b).into(), 1, max)?;
                range(position, a.max(b).into(), 1, max)?;
            }
        }
        let most = count.long_term.max(count.absab.0).max(1);
        let events = u128::from(plan.shards) * u128::from(plan.keystreams) * u128::from(most);
        if events > 1 << 63 {
            return Err(CampaignError::TooManyEvents(events));
        }
        let cells = Kind::ALL.map(|kind| {
            let (groups, cells) = count.shape(kind);
            groups as u64 * cells as u64 // in 64 bits, whatever a usize has
        });
        range("the number of cells", cells.iter().sum(), 1, MAX_CELLS)?;
        Ok(Self(plan))
    }
}

impl From<Campaign> for Plan {
    fn from(campaign: Campaign) -> Self {
        campaign.0
    }
}

impl Count {
    /// Groups of a kind, and cells of a group.
    fn shape(&self, kind: Kind) -> (usize, usize) {
        match kind {
            Kind::Single => (self.single as usize, 1 << 8),
            Kind::Digraphs => (self.digraphs as usize, 1 << 16),
            Kind::Pairs => (self.pairs.len(), 1 << 16),
            Kind::Equal => (self.equal.len(), 2),
            Kind::LongTerm => (if self.long_term == 0 { 0 } else { 256 }, 1 << 16),
            Kind::Absab => (if self.absab.0 == 0 { 0 } else { self.absab.1 as usize }, 2),
            Kind::Roos => (self.roos as usize, 1 << 8),
            Kind::RoosOutput => (self.roos_output.into(), 1 << 16),
            Kind::Glimpse => (self.glimpse as usize, 1 << 8),
        }
    }
}

impl Campaign {
    /// Reads a campaign's TOML file, of at most [`MAX_BYTES`] bytes.
    ///
    /// # Errors
    /// If it cannot be read, is not a campaign's, or a value is out of range; the message names it.
    pub fn read(input: impl Read) -> Result<Self, CampaignError> {
        let mut bytes = vec![];
        input.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(CampaignError::TooLong);
        }
        let text = str::from_utf8(&bytes);
        Self::parse(text.map_err(|error| CampaignError::Encoding(error.valid_up_to()))?)
    }

    /// Reads the text of a campaign's TOML file.
    ///
    /// # Errors
    /// If it is not a campaign's, or a value is out of range; the message names it.
    pub fn parse(text: &str) -> Result<Self, CampaignError> {
        let plan: Plan = toml::from_str(text).map_err(|error| {
            let before = &text[..error.span().map_or(0, |span| span.start)];
            let start = before.rfind('\n').map_or(0, |at| at + 1);
            CampaignError::Syntax {
                line: before.matches('\n').count() + 1,
                column: before[start..].chars().count() + 1,
                message: error.message().to_owned(),
            }
        })?;
        plan.try_into()
    }

    /// The seed of all keys.
    pub fn seed(&self) -> &[u8; 32] {
        &self.0.seed
    }

    /// Number of shards.
    pub fn shards(&self) -> u64 {
        self.0.shards
    }

    /// Keystreams of each shard.
    pub fn keystreams(&self) -> u64 {
        self.0.keystreams
    }

    /// Bytes of a key.
    pub fn key_length(&self) -> u16 {
        self.0.key_length
    }

    /// What is fixed in the keys.
    pub fn key_pattern(&self) -> Option<KeyPattern> {
        self.0.key_pattern
    }

    /// Bytes discarded from the start of each keystream.
    pub fn drop(&self) -> u32 {
        self.0.drop
    }

    /// What is counted.
    pub fn count(&self) -> &Count {
        &self.0.count
    }

    /// The tables it counts, in the order of its files.
    pub fn sections(&self) -> Vec<Section> {
        let sections = Kind::ALL.map(|kind| {
            let (groups, cells) = self.0.count.shape(kind);
            Section { kind, groups, cells }
        });
        sections.into_iter().filter(|section| !section.is_empty()).collect()
    }

    /// The tables before anything is counted.
    pub(crate) fn empty_tables(&self) -> Vec<Vec<u64>> {
        self.sections().iter().map(|section| vec![0; section.len()]).collect()
    }

    /// Events that each keystream adds to a group.
    pub fn events(&self, kind: Kind, group: usize) -> u64 {
        match kind {
            Kind::LongTerm => {
                let before = |end: u64| (end + 255 - group as u64) / 256; // r < end with r = group
                let (drop, length) = (u64::from(self.0.drop), u64::from(self.0.count.long_term));
                before(drop + length + 1) - before(drop + 1)
            }
            Kind::Absab => self.0.count.absab.0.into(),
            _ => 1,
        }
    }

    /// Bytes of each keystream that are looked at, after the drop.
    pub fn length(&self) -> usize {
        let Count { single, digraphs, pairs, equal, long_term, absab, .. } = &self.0.count;
        let positions = pairs.iter().chain(equal).flat_map(|&(a, b)| [a, b]);
        let after = |last: u32, more: u32| if last == 0 { 0 } else { last + more };
        let ends = [
            *single,
            after(*digraphs, 1),
            after(*long_term, 1),
            after(absab.0, absab.1 + 2),
            self.0.count.roos_output.into(),
        ];
        positions.chain(ends).max().unwrap_or(0) as usize
    }

    /// The SHA-256 of its JSON form, in hexadecimal, as its files carry it.
    pub fn hash(&self) -> String {
        let text = serde_json::to_vec(self).expect("a campaign is valid JSON");
        HEXLOWER.encode(&Sha256::digest(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_named() {
        let good = format!(
            "seed = '{}'\nshards = 2\nkeystreams = 5\nkey-length = 16\n[count]\nsingle = 3\n",
            "5a".repeat(32)
        );
        assert_eq!(Campaign::parse(&good).unwrap().length(), 3);
        for (from, to, message) in [
            ("5a5a", "5a", "seed must be 64 hexadecimal digits"),
            ("shards = 2", "shards = 0", "shards is 0; it must be 1 to 4294967296"),
            (
                "shards = 2\nkeystreams = 5",
                "shards = 4294967296\nkeystreams = 1099511627776",
                "a table would count 4722366482869645213696 events; 2^63 fit",
            ),
            ("length = 16", "length = 257", "key-length is 257; it must be 1 to 256"),
            ("single = 3", "single = 0", "the number of cells is 0; it must be 1 to 134217728"),
            ("single = 3", "digraphs = 3000", "the number of cells is 196608000"),
            ("single = 3", "pairs = [[0, 1]]", "a position of count.pairs is 0"),
            ("single = 3", "roos = 257", "count.roos is 257; it must be 0 to 256"),
            (
                "length = 16\n[count]",
                "length = 2\n[count]\nroos-output = true",
                "key-length, with count.roos-output, is 2; it must be 3 to 256",
            ),
            ("single", "singel", "unknown field `singel`"),
            ("length = 16", "length = 2\nkey-pattern = 'tkip'", "key-length is 2; it must be 3"),
        ] {
            let error = Campaign::parse(&good.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn long_term_events_are_counted_by_i() {
        let text = format!(
            "seed = '{}'\nshards = 1\nkeystreams = 1\nkey-length = 5\ndrop = 250\n[count]\nlong-term = 700",
            "00".repeat(32)
        );
        let campaign = Campaign::parse(&text).unwrap();
        for group in 0..256 {
            let events = (1..=700).filter(|r| (r + 250) % 256 == group).count() as u64;
            assert_eq!(campaign.events(Kind::LongTerm, group), events, "i = {group}");
        }
    }
}
