//! A campaign: the keys, their number, and the counters of their keystreams.

mod error;
mod number;
mod plan;
mod section;

use std::io::Read;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use self::number::{NUMBERS, misfit, position, range};
pub use self::{
    error::CampaignError,
    plan::{Count, KeyPattern, MAX_BYTES, MAX_CELLS, MAX_KEYSTREAMS, MAX_LENGTH, MAX_PAIRS, Plan},
    section::{Kind, Section},
};

/// A campaign whose values are all in range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Plan", into = "Plan")]
pub struct Campaign(Plan);

impl TryFrom<Plan> for Campaign {
    type Error = CampaignError;

    fn try_from(plan: Plan) -> Result<Self, CampaignError> {
        NUMBERS.iter().try_for_each(|number| number.check(&plan))?;
        let count = &plan.count;
        if plan.key_pattern.is_some() {
            range("key-length", plan.key_length.into(), 3, 256)?;
        }
        if count.roos_output {
            range("key-length, with count.roos-output,", plan.key_length.into(), 3, 256)?;
        }
        for (length, list, pairs) in [
            ("the length of count.pairs", "count.pairs", &count.pairs),
            ("the length of count.equal", "count.equal", &count.equal),
        ] {
            range(length, pairs.len() as i128, 0, MAX_PAIRS as u64)?;
            let mut positions = pairs.iter().flat_map(|&(a, b)| [a, b]);
            positions.try_for_each(|value| position(list, value.into()))?;
        }
        let most = count.long_term.max(count.absab.0).max(1);
        let events = u128::from(plan.shards) * u128::from(plan.keystreams) * u128::from(most);
        if events > 1 << 63 {
            return Err(CampaignError::TooManyEvents(events));
        }
        let cells = Kind::ALL.map(|kind| {
            let (groups, cells) = count.shape(kind);
            groups as u64 * cells as u64 // in 64 bits, independent of the size of usize
        });
        range("the number of cells", cells.iter().sum::<u64>().into(), 1, MAX_CELLS)?;
        Ok(Self(plan))
    }
}

impl From<Campaign> for Plan {
    fn from(campaign: Campaign) -> Self {
        campaign.0
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
        let syntax = |error: toml::de::Error| {
            let before = &text[..error.span().map_or(0, |span| span.start)];
            let start = before.rfind('\n').map_or(0, |at| at + 1);
            CampaignError::Syntax {
                line: before.matches('\n').count() + 1,
                column: before[start..].chars().count() + 1,
                message: error.message().to_owned(),
            }
        };
        let plan: Plan =
            toml::from_str(text).map_err(|error| misfit(text).unwrap_or_else(|| syntax(error)))?;
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

    /// Returns the fixed part of the keys.
    pub fn key_pattern(&self) -> Option<KeyPattern> {
        self.0.key_pattern
    }

    /// Bytes discarded from the start of each keystream.
    pub fn drop(&self) -> u32 {
        self.0.drop
    }

    /// Returns the counters.
    pub fn count(&self) -> &Count {
        &self.0.count
    }

    /// Returns the tables that it counts, in the order of its files.
    pub fn sections(&self) -> Vec<Section> {
        let sections = Kind::ALL.map(|kind| {
            let (groups, cells) = self.0.count.shape(kind);
            Section { kind, groups, cells }
        });
        sections.into_iter().filter(|section| !section.is_empty()).collect()
    }

    /// Returns the tables before anything is counted.
    pub(crate) fn empty_tables(&self) -> Vec<Vec<u64>> {
        self.sections().iter().map(|section| vec![0; section.len()]).collect()
    }

    /// Returns the number of events that each keystream adds to a group.
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

    /// Returns the number of bytes of each keystream that are read, after the drop.
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

    /// Returns the SHA-256 of its JSON form in hexadecimal, as in its files.
    pub fn hash(&self) -> String {
        let text = serde_json::to_vec(self).expect("a campaign is valid JSON");
        HEXLOWER.encode(&Sha256::digest(text))
    }
}
