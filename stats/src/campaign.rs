//! A campaign: which keys, how many, and what is counted of their keystreams.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The most positions a counter may look at, from the start of a keystream.
pub const MAX_LENGTH: u32 = 1 << 24;
/// The most cells a campaign may have: 1 GiB of totals.
pub const MAX_CELLS: u64 = 1 << 27;

/// A campaign as its TOML file gives it. Positions count from 1, behind the drop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Campaign {
    /// Where all keys come from: 64 hexadecimal digits.
    pub seed: String,
    /// How many shards there are.
    pub shards: u64,
    /// Keystreams of each shard.
    pub keystreams: u64,
    /// Bytes of a key, 1 to 256.
    pub key_length: u16,
    /// What is fixed in the keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_pattern: Option<KeyPattern>,
    /// Bytes discarded from the start of each keystream.
    #[serde(default)]
    pub drop: u32,
    /// What is counted.
    pub count: Count,
}

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
    /// `S[y] − y (y + 1) / 2 − K[0] − … − K[y]` behind the key schedule, for y = 0 to less than this.
    pub roos: u32,
    /// `(K[0] + K[1], Z_1 − K[2] − 3)`, Z_1 being the very first byte of the keystream.
    pub roos_output: bool,
    /// `S[j] + Z_r − i` behind step r, for r = 1 to this.
    pub glimpse: u32,
}

/// What one section of the counts holds.
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
    /// The table behind the key schedule less what Roos foretells; a group is an index.
    Roos,
    /// The first byte of keystream less what Roos foretells, by K\[0\] + K\[1\]; one group.
    RoosOutput,
    /// The table less what the keystream shows of it; a group is a position.
    Glimpse,
}

impl Kind {
    /// All of them, in the order of the files.
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

    /// What its groups are called.
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

/// A table of counts: `groups` tables of `cells` each, one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// What it holds.
    pub kind: Kind,
    /// How many groups.
    pub groups: usize,
    /// Cells of a group.
    pub cells: usize,
}

impl Section {
    /// How many cells it has in all.
    pub fn len(&self) -> usize {
        self.groups * self.cells
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What is wrong with a campaign.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CampaignError(String);

impl Campaign {
    /// Reads a campaign's TOML file.
    ///
    /// # Errors
    /// If it is not one, or a value is out of range; the message names it.
    pub fn parse(text: &str) -> Result<Self, CampaignError> {
        let campaign: Self =
            toml::from_str(text).map_err(|error| CampaignError(error.to_string()))?;
        campaign.check()?;
        Ok(campaign)
    }

    pub(crate) fn check(&self) -> Result<(), CampaignError> {
        let range = |name: &str, value: u64, low: u64, high: u64| {
            let fine = (low..=high).contains(&value);
            let message =
                || CampaignError(format!("{name} is {value}; it must be {low} to {high}"));
            fine.then_some(()).ok_or_else(message)
        };
        if hex::decode(&self.seed).map_or(0, |seed| seed.len()) != 32 {
            return Err(CampaignError("seed must be 64 hexadecimal digits".into()));
        }
        let max = u64::from(MAX_LENGTH);
        range("shards", self.shards, 1, 1 << 32)?;
        range("keystreams", self.keystreams, 1, 1 << 40)?;
        let shortest = if self.key_pattern.is_some() { 3 } else { 1 };
        range("key-length", self.key_length.into(), shortest, 256)?;
        range("drop", self.drop.into(), 0, max)?;
        range("count.single", self.count.single.into(), 0, max)?;
        range("count.digraphs", self.count.digraphs.into(), 0, max)?;
        range("count.long-term", self.count.long_term.into(), 0, max)?;
        range("count.absab (positions)", self.count.absab.0.into(), 0, max)?;
        range("count.absab (gaps)", self.count.absab.1.into(), 0, 1 << 16)?;
        range("count.roos", self.count.roos.into(), 0, 256)?;
        range("count.glimpse", self.count.glimpse.into(), 0, max)?;
        if self.count.roos_output {
            range("key-length, with count.roos-output,", self.key_length.into(), 3, 256)?;
        }
        for (name, pairs) in [("pairs", &self.count.pairs), ("equal", &self.count.equal)] {
            for &(a, b) in pairs {
                range(&format!("a position of count.{name}"), a.min(b).into(), 1, max)?;
                range(&format!("a position of count.{name}"), a.max(b).into(), 1, max)?;
            }
        }
        let most = self.count.long_term.max(self.count.absab.0).max(1);
        let events = u128::from(self.shards) * u128::from(self.keystreams) * u128::from(most);
        if events > 1 << 63 {
            return Err(CampaignError(format!("a table would count {events} events; 2^63 fit")));
        }
        let cells = self.sections().iter().map(|section| section.len() as u64).sum();
        range("the number of cells", cells, 1, MAX_CELLS)
    }

    /// The tables it counts, in the order of its files.
    pub fn sections(&self) -> Vec<Section> {
        let sections = Kind::ALL.map(|kind| {
            let (groups, cells) = self.shape(kind);
            Section { kind, groups, cells }
        });
        sections.into_iter().filter(|section| !section.is_empty()).collect()
    }

    /// How many groups, and cells of a group.
    fn shape(&self, kind: Kind) -> (usize, usize) {
        let count = &self.count;
        match kind {
            Kind::Single => (count.single as usize, 1 << 8),
            Kind::Digraphs => (count.digraphs as usize, 1 << 16),
            Kind::Pairs => (count.pairs.len(), 1 << 16),
            Kind::Equal => (count.equal.len(), 2),
            Kind::LongTerm => (if count.long_term == 0 { 0 } else { 256 }, 1 << 16),
            Kind::Absab => (if count.absab.0 == 0 { 0 } else { count.absab.1 as usize }, 2),
            Kind::Roos => (count.roos as usize, 1 << 8),
            Kind::RoosOutput => (count.roos_output.into(), 1 << 16),
            Kind::Glimpse => (count.glimpse as usize, 1 << 8),
        }
    }

    /// How many events each keystream adds to a group.
    pub fn events(&self, kind: Kind, group: usize) -> u64 {
        match kind {
            Kind::LongTerm => {
                let before = |end: u64| (end + 255 - group as u64) / 256; // r < end with r = group
                let (drop, length) = (u64::from(self.drop), u64::from(self.count.long_term));
                before(drop + length + 1) - before(drop + 1)
            }
            Kind::Absab => self.count.absab.0.into(),
            _ => 1,
        }
    }

    /// How many bytes of each keystream are looked at, behind the drop.
    pub fn length(&self) -> usize {
        let Count { single, digraphs, pairs, equal, long_term, absab, .. } = &self.count;
        let positions = pairs.iter().chain(equal).flat_map(|&(a, b)| [a, b]);
        let behind = |last: u32, more: u32| if last == 0 { 0 } else { last + more };
        let ends = [
            *single,
            behind(*digraphs, 1),
            behind(*long_term, 1),
            behind(absab.0, absab.1 + 2),
            self.count.roos_output.into(),
        ];
        positions.chain(ends).max().unwrap_or(0) as usize
    }

    /// The SHA-256 of all that it says, as its files carry it.
    pub fn hash(&self) -> String {
        let text = serde_json::to_vec(self).expect("a campaign is valid JSON");
        hex::encode(Sha256::digest(text))
    }

    pub(crate) fn seed(&self) -> [u8; 32] {
        let seed = hex::decode(&self.seed).expect("the seed was checked");
        seed.try_into().expect("the seed was checked")
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
