//! Published tables of single-byte counts as plain text, and whether two samples agree.
//!
//! The form of Vanhoef and Piessens (USENIX Security 2015): a line for each position, from 0 in
//! their numbering, and in it how often each byte from 0 to 255 came, decimal, separated by spaces,
//! tabs or commas. Empty lines and what follows a `#` are no positions.

use crate::{
    campaign::{Campaign, Count, Kind, MAX_LENGTH},
    ent::chi_square_tail,
    file::CountsFile,
    measure::{Cells, Group},
    sampler::Counts,
    verify::{ALPHA, holm},
};

/// What is wrong with a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// It has no counts.
    #[error("no table of counts: it has no line of 256 numbers")]
    Empty,
    /// More positions than can be counted.
    #[error("it has more than {MAX_LENGTH} positions")]
    TooLong,
    /// A line has too few or too many numbers.
    #[error("line {line} has {found} numbers; a position has 256")]
    Cells {
        /// The line, from 1.
        line: usize,
        /// How many numbers there are.
        found: usize,
    },
    /// Something else than a count.
    #[error("line {line}: '{word}' is no count; one is 0 to 2^55")]
    Number {
        /// The line, from 1.
        line: usize,
        /// What is there.
        word: String,
    },
    /// The positions are of different samples.
    #[error("line {line} adds up to {found}; the positions before it to {expected}")]
    Sum {
        /// The line, from 1.
        line: usize,
        /// Its sum.
        found: u64,
        /// The sum of the others.
        expected: u64,
    },
}

/// Reads a table of 16-byte keys, as if a campaign had counted it.
///
/// # Errors
/// If it is not one; the message names the line.
pub fn parse(text: &str) -> Result<CountsFile, TableError> {
    let mut cells: Vec<u64> = vec![];
    let mut keystreams = None;
    for (at, line) in text.lines().enumerate() {
        let line = (at + 1, line.split('#').next().unwrap_or_default());
        let Some(position) = parse_line(line)? else { continue };
        let (line, found) = (at + 1, position.iter().sum());
        match *keystreams.get_or_insert(found) {
            expected if expected != found => return Err(TableError::Sum { line, found, expected }),
            _ => cells.extend(position),
        }
        if cells.len() > (MAX_LENGTH as usize) << 8 {
            return Err(TableError::TooLong);
        }
    }
    let keystreams = keystreams.filter(|&all| all > 0).ok_or(TableError::Empty)?;
    let single = (cells.len() >> 8) as u32;
    let campaign = Campaign {
        seed: "00".repeat(32),
        shards: 1,
        keystreams,
        key_length: 16,
        key_pattern: None,
        drop: 0,
        count: Count { single, ..Count::default() },
    };
    let counts = Counts { tables: vec![cells] };
    Ok(CountsFile { campaign, shards: vec![(0, 0)], unfinished: None, counts })
}

fn parse_line((line, text): (usize, &str)) -> Result<Option<Vec<u64>>, TableError> {
    let words: Vec<&str> = text.split([' ', '\t', ',']).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return Ok(None);
    }
    let number = |word: &&str| {
        let count = word.parse().ok().filter(|&count: &u64| count <= 1 << 55);
        count.ok_or_else(|| TableError::Number { line, word: word.chars().take(24).collect() })
    };
    let counts = words.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    match counts.len() {
        256 => Ok(Some(counts)),
        found => Err(TableError::Cells { line, found }),
    }
}

/// Two samples of the bytes at one position.
#[derive(Clone, Copy, Debug)]
pub struct Agreement {
    /// The position, from 1.
    pub position: u32,
    /// Pearson's statistic of homogeneity.
    pub chi_square: f64,
    /// How often two samples of one distribution exceed it.
    pub p_value: f64,
    /// The correlation of their relative biases over the 256 bytes.
    pub correlation: f64,
    /// Whether they are of different distributions, by Holm's method over all positions.
    pub differs: bool,
}

/// Compares the positions that both have.
pub fn compare(a: &CountsFile, b: &CountsFile) -> Vec<Agreement> {
    let single = |file, index| Cells::of(file, Group { kind: Kind::Single, index });
    let both = (0..).map_while(|index| Some((single(a, index)?, single(b, index)?)));
    let mut positions: Vec<Agreement> =
        (1..).zip(both).map(|(position, (a, b))| agreement(position, &a, &b)).collect();
    let p_values: Vec<f64> = positions.iter().map(|position| position.p_value).collect();
    for (position, differs) in positions.iter_mut().zip(holm(&p_values, ALPHA)) {
        position.differs = differs;
    }
    positions
}

fn agreement(position: u32, a: &Cells, b: &Cells) -> Agreement {
    let (all_a, all_b) = (a.trials as f64, b.trials as f64);
    let pairs = || a.counts.iter().zip(b.counts).map(|(&a, &b)| (a as f64, b as f64));
    let filled = pairs().filter(|&(a, b)| a + b > 0.0);
    let ratio = (all_b / all_a).sqrt();
    let chi_square: f64 =
        filled.clone().map(|(a, b)| (a * ratio - b / ratio).powi(2) / (a + b)).sum();
    let p_value = chi_square_tail(chi_square, filled.count().max(2) - 1);
    let (mean_a, mean_b) = (all_a / 256.0, all_b / 256.0);
    let sum = |term: fn(f64, f64) -> f64| -> f64 {
        pairs().map(|(a, b)| term(a / mean_a - 1.0, b / mean_b - 1.0)).sum()
    };
    let correlation = sum(|a, b| a * b) / (sum(|a, _| a * a) * sum(|_, b| b * b)).sqrt();
    Agreement { position, chi_square, p_value, correlation, differs: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(count: u64) -> String {
        [&*"7 ".repeat(255), &count.to_string()].concat()
    }

    #[test]
    fn a_table_is_read_and_its_faults_are_named() {
        let text = format!("# keystreams\n{}\n\n{}\r\n", line(3), line(3).replace(' ', ",\t"));
        let file = parse(&text).unwrap();
        assert_eq!((file.campaign.count.single, file.keystreams()), (2, 255 * 7 + 3));
        assert_eq!(file.counts.tables[0][511], 3);
        for (text, message) in [
            ("", "no table of counts: it has no line of 256 numbers"),
            (&"0 ".repeat(256), "no table of counts: it has no line of 256 numbers"),
            ("1 2 3", "line 1 has 3 numbers; a position has 256"),
            (&line(3).replacen('7', "x7", 1), "line 1: 'x7' is no count; one is 0 to 2^55"),
            (&line(3).replacen('7', "-7", 1), "line 1: '-7' is no count; one is 0 to 2^55"),
            (
                &format!("{}\n{}", line(3), line(4)),
                "line 2 adds up to 1789; the positions before it to 1788",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), message);
        }
    }

    /// Pearson's statistic for two samples of two filled cells, worked by hand: 10 and 20 against
    /// 30 and 10 give 70 (10·10 − 20·30)² / (30·40·40·30) = 12.153.
    #[test]
    fn homogeneity_is_pearsons() {
        let two = |a: u64, b: u64| parse(&format!("{a} {b} {}", "0 ".repeat(254))).unwrap();
        let [found] = compare(&two(10, 20), &two(30, 10))[..] else { panic!("one position") };
        assert!((found.chi_square - 12.1528).abs() < 1e-3, "{}", found.chi_square);
        assert!((found.p_value - 4.9e-4).abs() < 1e-5 && found.differs, "{}", found.p_value);
        let [same] = compare(&two(10, 20), &two(100, 200))[..] else { panic!("one position") };
        assert!(same.chi_square < 1e-9 && same.p_value > 0.999 && !same.differs);
        assert!((same.correlation - 1.0).abs() < 1e-9);
    }
}
