//! Why a campaign is refused.

use super::plan::MAX_BYTES;
use crate::shown;

/// Why a campaign is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CampaignError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The file is longer than any campaign's.
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
        value: i128,
        /// The smallest allowed value.
        low: u64,
        /// The largest allowed value.
        high: u64,
    },
    /// A table would count more events than 64 bits hold.
    #[error("a table would count {0} events; 2^63 fit")]
    TooManyEvents(u128),
}
