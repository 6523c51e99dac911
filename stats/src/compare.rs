//! Published tables of single-byte counts as plain text, and whether two samples agree.
//!
//! The form of Vanhoef and Piessens (USENIX Security 2015): a line for each position, from 0 in
//! their numbering, and in it how often each byte from 0 to 255 came, decimal, separated by spaces,
//! tabs or commas. Empty lines, and everything after a `#`, are ignored.

use std::io::{BufRead, BufReader, Read};

use crate::{
    campaign::{Campaign, Count, Kind, MAX_CELLS, Plan},
    cells::{Cells, Group},
    ent::chi_square_tail,
    file::CountsFile,
    shown,
    verify::{ALPHA, LEAST_EXPECTED, holm},
};

/// The most positions of a table.
pub const MAX_POSITIONS: usize = (MAX_CELLS >> 8) as usize;
/// The largest count.
const MAX_COUNT: u64 = 1 << 54;
/// The most bytes of a line.
const MAX_LINE: u64 = 1 << 16;
/// Characters of a wrong number that a message repeats.
const SHOWN: usize = 24;

/// What is wrong with a table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// It has no counts.
    #[error("no table of counts: it has no line of 256 numbers")]
    Empty,
    /// More positions than can be counted.
    #[error("it has more than {MAX_POSITIONS} positions")]
    TooLong,
    /// A line is longer than 256 counts can be.
    #[error("line {0} has more than {MAX_LINE} bytes")]
    Line(usize),
    /// A line has too few or too many numbers.
    #[error("line {line} has {found} numbers; a position has 256")]
    Cells {
        /// The line, from 1.
        line: usize,
        /// Numbers in it.
        found: usize,
    },
    /// A word is not a count.
    #[error("line {line}: '{}' is not a count; a count is 0 to 2^54", shown(word))]
    Number {
        /// The line, from 1.
        line: usize,
        /// The word, or how it begins.
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

/// Reads the text of a table, as [`read`] does.
///
/// # Errors
/// If it is not one; the message names the line.
pub fn parse(text: &str) -> Result<CountsFile, TableError> {
    read(text.as_bytes())
}

/// Reads a table of 16-byte keys, as if a campaign had counted it. Its counts alone are held in
/// memory.
///
/// # Errors
/// If it cannot be read or is not a table; the message names the line.
pub fn read(input: impl Read) -> Result<CountsFile, TableError> {
    let mut input = BufReader::new(input);
    let mut cells: Vec<u64> = vec![];
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
        let Some(position) = parse_line(line, &text)? else { continue };
        let found = position.iter().sum();
        match *keystreams.get_or_insert(found) {
            expected if expected != found => return Err(TableError::Sum { line, found, expected }),
            _ if cells.len() >> 8 == MAX_POSITIONS => return Err(TableError::TooLong),
            _ => cells.extend(position),
        }
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

fn parse_line(line: usize, text: &[u8]) -> Result<Option<Vec<u64>>, TableError> {
    let text = text.split(|&byte| byte == b'#').next().unwrap_or_default();
    let words: Vec<&[u8]> =
        text.split(|byte| b" \t,\r\n".contains(byte)).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return Ok(None);
    }
    let number = |word: &&[u8]| {
        let count = str::from_utf8(word).ok().and_then(|word| word.parse().ok());
        count.filter(|&count: &u64| count <= MAX_COUNT).ok_or_else(|| {
            let word = String::from_utf8_lossy(word).chars().take(SHOWN).collect();
            TableError::Number { line, word }
        })
    };
    let counts = words.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    match counts.len() {
        256 => Ok(Some(counts)),
        found => Err(TableError::Cells { line, found }),
    }
}

/// The outcome of a comparison at one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The samples may be of one distribution.
    Agrees,
    /// They are not, by Holm's method over all positions.
    Differs,
    /// They are too small for the test.
    TooFew,
}

impl Verdict {
    /// Its name in every output: `agrees`, `differs` or `too few samples`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::TooFew => "too few samples",
        }
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
    /// The correlation of their relative biases over the 256 bytes; none if one sample is flat.
    pub correlation: Option<f64>,
    /// The outcome.
    pub verdict: Verdict,
}

/// Compares the positions that both have.
pub fn compare(a: &CountsFile, b: &CountsFile) -> Vec<Agreement> {
    let single = |file, index| Cells::of(file, Group { kind: Kind::Single, index });
    let both = (0..).map_while(|index| Some((single(a, index)?, single(b, index)?)));
    let mut positions: Vec<Agreement> =
        (1..).zip(both).map(|(position, (a, b))| agreement(position, &a, &b)).collect();
    let p_values: Vec<f64> = positions.iter().map(|position| position.p_value).collect();
    for (position, differs) in positions.iter_mut().zip(holm(&p_values, ALPHA)) {
        if differs {
            position.verdict = Verdict::Differs;
        }
    }
    positions
}

fn agreement(position: u32, a: &Cells, b: &Cells) -> Agreement {
    let (all_a, all_b) = (a.trials as f64, b.trials as f64);
    let pairs = || a.counts.iter().zip(b.counts).map(|(&a, &b)| (a as f64, b as f64));
    let pooled = pooled(pairs().collect(), (all_a + all_b) / all_a.min(all_b));
    let ratio = (all_b / all_a).sqrt();
    let chi_square: f64 =
        pooled.iter().map(|&(a, b)| (a * ratio - b / ratio).powi(2) / (a + b)).sum();
    let tested = pooled.len() > 1;
    let p_value = if tested { chi_square_tail(chi_square, pooled.len() - 1) } else { 1.0 };
    let (mean_a, mean_b) = (all_a / 256.0, all_b / 256.0);
    let sum = |term: fn(f64, f64) -> f64| -> f64 {
        pairs().map(|(a, b)| term(a / mean_a - 1.0, b / mean_b - 1.0)).sum()
    };
    let spread = (sum(|a, _| a * a) * sum(|_, b| b * b)).sqrt();
    let correlation = (spread > 0.0).then(|| sum(|a, b| a * b) / spread);
    let verdict = if tested { Verdict::Agrees } else { Verdict::TooFew };
    Agreement { position, chi_square, p_value, correlation, verdict }
}

/// Adds up neighbouring values until the smaller sample expects [`LEAST_EXPECTED`] of them: it has one
/// event in `share` of both samples.
fn pooled(cells: Vec<(f64, f64)>, share: f64) -> Vec<(f64, f64)> {
    let mut pooled: Vec<(f64, f64)> = vec![];
    let mut open = (0.0, 0.0);
    for (a, b) in cells {
        open = (open.0 + a, open.1 + b);
        if open.0 + open.1 >= LEAST_EXPECTED * share {
            pooled.push(std::mem::take(&mut open));
        }
    }
    if let Some(last) = pooled.last_mut() {
        *last = (last.0 + open.0, last.1 + open.1);
    }
    pooled
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
        assert_eq!((file.campaign().count().single, file.keystreams()), (2, 255 * 7 + 3));
        assert_eq!(file.table(Kind::Single).unwrap().1[511], 3);
        for (text, message) in [
            ("", "no table of counts: it has no line of 256 numbers"),
            (&"0 ".repeat(256), "no table of counts: it has no line of 256 numbers"),
            ("1 2 3", "line 1 has 3 numbers; a position has 256"),
            (&line(3).replacen('7', "x7", 1), "line 1: 'x7' is not a count; a count is 0 to 2^54"),
            (&line(3).replacen('7', "-7", 1), "line 1: '-7' is not a count; a count is 0 to 2^54"),
            (
                &line(3).replacen('7', "\u{1b}]0;\u{7}\u{202e}", 1),
                "line 1: '\\u{1b}]0;\\u{7}\\u{202e}' is not a count; a count is 0 to 2^54",
            ),
            (
                &format!("{}\n{}", line(3), line(4)),
                "line 2 adds up to 1789; the positions before it to 1788",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn no_line_is_read_without_end() {
        for byte in [0, b' ', b'7'] {
            let error = read(std::io::repeat(byte)).unwrap_err();
            assert_eq!(error.to_string(), "line 1 has more than 65536 bytes");
        }
    }

    /// Pearson's statistic for two samples of two filled cells, worked by hand: 100 and 200 against
    /// 300 and 100 give 700 (100·100 − 200·300)² / (300·400·400·300) = 121.53.
    #[test]
    fn homogeneity_is_pearsons() {
        let two = |a: u64, b: u64| parse(&format!("{a} {b} {}", "0 ".repeat(254))).unwrap();
        let [found] = compare(&two(100, 200), &two(300, 100))[..] else { panic!("one position") };
        assert!((found.chi_square - 121.528).abs() < 1e-3, "{}", found.chi_square);
        assert!((found.p_value / 2.9287e-28 - 1.0).abs() < 1e-2, "{}", found.p_value);
        assert_eq!(found.verdict, Verdict::Differs);
        let [same] = compare(&two(100, 200), &two(1000, 2000))[..] else { panic!("one position") };
        assert!(same.chi_square < 1e-9 && same.p_value > 0.999);
        assert_eq!(same.verdict, Verdict::Agrees);
        assert!((same.correlation.unwrap() - 1.0).abs() < 1e-9);
        let [few] = compare(&two(3, 1), &two(1, 5))[..] else { panic!("one position") };
        assert_eq!((few.chi_square < 1e-9, few.verdict), (true, Verdict::TooFew));
        let flat = parse(&"9 ".repeat(256)).unwrap();
        assert_eq!(compare(&flat, &two(100, 200))[0].correlation, None);
    }

    #[test]
    fn rare_cells_are_added_up() {
        let cells = vec![(1.0, 2.0), (15.0, 15.0), (4.0, 3.0), (30.0, 30.0), (0.0, 1.0)];
        assert_eq!(pooled(cells.clone(), 2.0), [(20.0, 20.0), (30.0, 31.0)]);
        assert_eq!(pooled(cells.clone(), 3.0), [(50.0, 51.0)]);
        assert!(pooled(cells, 10.0).is_empty());
    }
}
