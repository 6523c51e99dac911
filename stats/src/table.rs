//! Published tables of single-byte counts as plain text.
//!
//! The format of AlFardan, Bernstein, Paterson, Poettering and Schuldt (USENIX Security 2013), kept
//! by Vanhoef and Piessens (USENIX Security 2015). A line `position value count` stands for each
//! byte value from 0 to 255 at each position, in order. The first position is called 0 or 1. Lines
//! end in LF or CR LF. Empty lines are skipped; a `%` or a `#` begins a comment.

use std::io::{BufRead, BufReader, Read};

use crate::{
    campaign::{Campaign, Count, MAX_CELLS, Plan},
    file::CountsFile,
    shown,
};

/// The maximum number of positions of a table.
pub const MAX_POSITIONS: usize = (MAX_CELLS >> 8) as usize;
/// The largest count.
const MAX_COUNT: u64 = 1 << 54;
/// The maximum length of a line, in bytes.
const MAX_LINE: u64 = 1 << 12;
/// Number of characters of a wrong number that a message repeats.
const SHOWN: usize = 24;

/// The errors of a table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The table has no counts, or they are all 0.
    #[error("no table of counts: it has no line 'position value count' with a count above 0")]
    Empty,
    /// More positions than can be counted.
    #[error("it has more than {MAX_POSITIONS} positions")]
    TooLong,
    /// A line is longer than a comment may be.
    #[error("line {0} has more than {MAX_LINE} bytes")]
    Line(usize),
    /// A line has too few or too many words.
    #[error("line {line} has {found} words; it must have a position, a value and a count")]
    Words {
        /// The line, from 1.
        line: usize,
        /// Number of words in it.
        found: usize,
    },
    /// A word is not a number.
    #[error("line {line}: '{}' is not a number of 0 to 2^54", shown(word))]
    Number {
        /// The line, from 1.
        line: usize,
        /// The word or its beginning.
        word: String,
    },
    /// A line is missing, repeated or out of order.
    #[error("line {line} is of position {} and value {}; position {} and value {} must come here",
        found.0, found.1, expected.0, expected.1)]
    Order {
        /// The line, from 1.
        line: usize,
        /// Its position and value.
        found: (u64, u64),
        /// The position and value that must follow the line before.
        expected: (u64, u64),
    },
    /// The last position lacks values.
    #[error("it ends after value {value} of position {position}; a position has values 0 to 255")]
    CutShort {
        /// The position, as the table calls it.
        position: u64,
        /// Its last value.
        value: u64,
    },
    /// The positions have different numbers of samples.
    #[error("position {position} adds up to {found}; the positions before it to {expected}")]
    Sum {
        /// The position, as the table calls it.
        position: u64,
        /// Its sum.
        found: u64,
        /// The sum of the other positions.
        expected: u64,
    },
}

/// Reads the text of a table, as [`read`] does.
///
/// # Errors
/// If the text is no table; the message names the line.
pub fn parse(text: &str) -> Result<CountsFile, TableError> {
    read(text.as_bytes())
}

/// Reads a table of 16-byte keys, as if a campaign had counted it. Only its counts are held in
/// memory.
///
/// # Errors
/// If the input cannot be read or is no table; the message names the line or position.
pub fn read(input: impl Read) -> Result<CountsFile, TableError> {
    let mut input = BufReader::new(input);
    let mut cells: Vec<u64> = vec![];
    let mut first = None;
    let mut keystreams = None;
    let mut text = vec![];
    for line in 1.. {
        text.clear();
        if input.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut text)? == 0 {
            break;
        }
        if text.len() as u64 > MAX_LINE {
            return Err(TableError::Line(line));
        }
        let Some([position, value, count]) = words(line, &text)? else { continue };
        let first = *first.get_or_insert(position.min(1));
        let expected = (first + (cells.len() >> 8) as u64, cells.len() as u64 & 0xff);
        if (position, value) != expected {
            return Err(TableError::Order { line, found: (position, value), expected });
        }
        if cells.len() >> 8 == MAX_POSITIONS {
            return Err(TableError::TooLong);
        }
        cells.push(count);
        if value == 255 {
            let found = cells[cells.len() - 256..].iter().sum();
            let expected = *keystreams.get_or_insert(found);
            if expected != found {
                return Err(TableError::Sum { position, found, expected });
            }
        }
    }
    if let (Some(first), value @ 1..) = (first, cells.len() as u64 & 0xff) {
        let position = first + (cells.len() >> 8) as u64;
        return Err(TableError::CutShort { position, value: value - 1 });
    }
    let keystreams = keystreams.filter(|&all| all > 0).ok_or(TableError::Empty)?;
    let campaign = Campaign::try_from(Plan {
        seed: [0; 32],
        shards: 1,
        keystreams,
        key_length: 16,
        key_pattern: None,
        drop: 0,
        count: Count { single: (cells.len() >> 8) as u32, ..Count::default() },
    });
    let campaign = campaign.expect("sums to 2^62 and positions up to their limit are in range");
    let file = CountsFile::new(campaign, vec![(0, 0)], None, vec![cells]);
    Ok(file.expect("every position has the same sum"))
}

/// Returns the three numbers of a line, unless it is empty or a comment.
fn words(line: usize, text: &[u8]) -> Result<Option<[u64; 3]>, TableError> {
    let text = text.split(|byte| b"%#".contains(byte)).next().unwrap_or_default();
    let words: Vec<&[u8]> =
        text.split(|byte| b" \t,\r\n".contains(byte)).filter(|word| !word.is_empty()).collect();
    let number = |word: &&[u8]| {
        let count = str::from_utf8(word).ok().and_then(|word| word.parse().ok());
        count.filter(|&count: &u64| count <= MAX_COUNT).ok_or_else(|| {
            let word = String::from_utf8_lossy(word).chars().take(SHOWN).collect();
            TableError::Number { line, word }
        })
    };
    let numbers = words.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    match numbers[..] {
        [] => Ok(None),
        [position, value, count] => Ok(Some([position, value, count])),
        _ => Err(TableError::Words { line, found: numbers.len() }),
    }
}
