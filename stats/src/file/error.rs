//! Errors of files of counts.

use std::io;

use super::layout::MAX_RUNS;
use crate::shown;

/// An error of reading a file of counts.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The content is not a file of counts.
    #[error(transparent)]
    Content(#[from] FileError),
}

/// A fault in a file of counts, or an obstacle to merging two.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Another kind of file.
    #[error("not a file of counts: it does not begin with \"arcfour counts 1\"")]
    Magic,
    /// Its checksum is wrong.
    #[error("damaged: the checksum does not match its contents")]
    Checksum,
    /// The header is impossible.
    #[error("its header is wrong: {}", shown(.0))]
    Header(String),
    /// The tables have fewer cells than the campaign.
    #[error("its tables have fewer cells than the campaign's")]
    Short,
    /// The tables have more cells than the campaign.
    #[error("its tables have more cells than the campaign's")]
    Long,
    /// A table does not add up.
    #[error(
        "the counts of table {table}, group {group} add up to {found}; they must to {expected}"
    )]
    Sum {
        /// The table, from 0.
        table: usize,
        /// The group, from 0.
        group: usize,
        /// Sum of the cells.
        found: u128,
        /// Expected sum: the number of events.
        expected: u128,
    },
    /// Another campaign.
    #[error("it belongs to another campaign: {found}, not {expected}")]
    Foreign {
        /// Its campaign's hash.
        found: String,
        /// The hash of the first file's campaign.
        expected: String,
    },
    /// A shard that both files have.
    #[error("shard {0} is counted already")]
    Overlap(u64),
    /// More runs of shards than a file may have.
    #[error("its shards are in {0} runs of numbers; a file has at most {MAX_RUNS}")]
    TooManyRuns(usize),
    /// A shard that is not complete.
    #[error("shard {shard} is not complete: {done} of {all} keystreams")]
    Unfinished {
        /// The shard.
        shard: u64,
        /// Keystreams counted.
        done: u64,
        /// Keystreams of a shard.
        all: u64,
    },
}
