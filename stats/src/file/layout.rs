//! The layout of a file of counts, as in FORMAT.md.

use serde::{Deserialize, Serialize};

use crate::campaign::Campaign;

pub(super) const MAGIC: &[u8; 17] = b"arcfour counts 1\n";
pub(super) const SUM: usize = 32;
/// The maximum size of a header, in bytes: the longest campaign, and over a million runs of shards.
pub(super) const MAX_HEADER: u32 = 64 << 20;
/// The maximum number of runs of shards.
pub(super) const MAX_RUNS: usize = 1 << 20;
/// Number of bytes read and written at a time; a multiple of every width.
pub(super) const BLOCK: usize = 1 << 16;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub(super) campaign: Campaign,
    pub(super) hash: String,
    pub(super) shards: Vec<(u64, u64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) unfinished: Option<u64>,
}
