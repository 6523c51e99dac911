//! The form of a campaign's TOML file, before its values are checked.

use serde::{Deserialize, Serialize};

use super::section::Kind;

/// The maximum number of positions of a counter, from the start of a keystream.
pub const MAX_LENGTH: u32 = 1 << 24;
/// The maximum number of cells of a campaign: 1 GiB of totals.
pub const MAX_CELLS: u64 = 1 << 27;
/// The maximum number of keystreams of a shard.
pub const MAX_KEYSTREAMS: u64 = 1 << 62;
/// The maximum number of pairs of positions in one list.
pub const MAX_PAIRS: usize = 1 << 16;
/// The maximum size of a campaign's TOML file, in bytes.
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
    /// The fixed part of the keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_pattern: Option<KeyPattern>,
    /// Bytes discarded from the start of each keystream, 0 to [`MAX_LENGTH`].
    #[serde(default)]
    pub drop: u32,
    /// The counters.
    pub count: Count,
}

/// The seed of a campaign in a file, in lower case, so that equal campaigns have equal hashes.
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

/// A relation between the bytes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyPattern {
    /// TKIP's first three bytes: TSC1, (TSC1 | 0x20) & 0x7f, TSC0, the counters at random.
    Tkip,
}

impl KeyPattern {
    /// Returns the name in a campaign's file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tkip => "tkip",
        }
    }
}

/// The counters. Each may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Count {
    /// Z_r for r = 1 to this.
    pub single: u32,
    /// (Z_r, Z_r+1) for r = 1 to this.
    pub digraphs: u32,
    /// (Z_a, Z_b) for each pair of positions.
    pub pairs: Vec<(u32, u32)>,
    /// The event Z_a = Z_b, for each pair of positions.
    pub equal: Vec<(u32, u32)>,
    /// (Z_r, Z_r+1) for r = 1 to this, counted by i = r + drop modulo 256.
    pub long_term: u32,
    /// The event (Z_r, Z_r+1) = (Z_r+g+2, Z_r+g+3) for r = 1 to the first number, for each gap g
    /// from 0 to below the second.
    pub absab: (u32, u32),
    /// `S[y] − y (y + 1) / 2 − K[0] − … − K[y]` after the key schedule, for y = 0 to less than this.
    pub roos: u32,
    /// `(K[0] + K[1], Z_1 − K[2] − 3)`, Z_1 being the very first byte of the keystream.
    pub roos_output: bool,
    /// `S[j] + Z_r − i` after step r, for r = 1 to this.
    pub glimpse: u32,
}

impl Count {
    /// Groups of a kind, and cells of a group.
    pub(super) fn shape(&self, kind: Kind) -> (usize, usize) {
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
