//! A cell of the counts beside what chance would give.

use std::fmt;

use statrs::function::erf::erfc;

use crate::{campaign::Kind, file::CountsFile};

/// How often an event came, and its probability if the null hypothesis were true.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// How often it came.
    pub hits: u64,
    /// Out of how many.
    pub trials: u64,
    /// Its probability by chance.
    pub chance: f64,
}

impl Measure {
    /// Its frequency.
    pub fn probability(&self) -> f64 {
        self.hits as f64 / self.trials as f64
    }

    /// How much more frequent than by chance, relative to that.
    pub fn relative_bias(&self) -> f64 {
        self.probability() / self.chance - 1.0
    }

    /// Standard deviations above chance, by the normal approximation to the binomial.
    pub fn z(&self) -> f64 {
        let n = self.trials as f64;
        (self.hits as f64 - n * self.chance) / (n * self.chance * (1.0 - self.chance)).sqrt()
    }

    /// The probability of a z so far from 0 on either side.
    pub fn p_value(&self) -> f64 {
        erfc(self.z().abs() / std::f64::consts::SQRT_2)
    }
}

/// The name of a group of cells, as in `single:2` or `pair:1,3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The byte at a position.
    Single(u32),
    /// The two bytes from a position on.
    Digraph(u32),
    /// The bytes at two positions.
    Pair(u32, u32),
    /// The equality of the bytes at two positions.
    Equal(u32, u32),
    /// Long-term digraphs by i at their first byte.
    LongTerm(u8),
    /// ABSAB by gap.
    Absab(u32),
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single(r) => write!(f, "single:{r}"),
            Self::Digraph(r) => write!(f, "digraph:{r}"),
            Self::Pair(a, b) => write!(f, "pair:{a},{b}"),
            Self::Equal(a, b) => write!(f, "equal:{a},{b}"),
            Self::LongTerm(i) => write!(f, "long-term:{i}"),
            Self::Absab(gap) => write!(f, "absab:{gap}"),
        }
    }
}

impl std::str::FromStr for Group {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (kind, numbers) = text.split_once(':')?;
            let numbers: Option<Vec<u32>> = numbers.split(',').map(|n| n.parse().ok()).collect();
            Some(match (kind, &numbers?[..]) {
                ("single", &[r]) => Self::Single(r),
                ("digraph", &[r]) => Self::Digraph(r),
                ("pair", &[a, b]) => Self::Pair(a, b),
                ("equal", &[a, b]) => Self::Equal(a, b),
                ("long-term", &[i]) => Self::LongTerm(i.try_into().ok()?),
                ("absab", &[gap]) => Self::Absab(gap),
                _ => return None,
            })
        };
        parse().ok_or_else(|| {
            "a group is single:R, digraph:R, pair:A,B, equal:A,B, long-term:I (0 to 255) or absab:G"
                .into()
        })
    }
}

/// The cells of a group, with the sums its null hypothesis needs.
pub struct Cells<'a> {
    /// How often each value came.
    pub counts: &'a [u64],
    /// How many events there were.
    pub trials: u64,
    /// The chance of each cell, or the frequencies of the first and of the second byte.
    null: Null,
}

enum Null {
    Fixed(Vec<f64>),
    Independence(Vec<f64>, Vec<f64>),
}

impl<'a> Cells<'a> {
    /// The cells of `group`; none if the campaign did not count it.
    ///
    /// Single bytes are held against uniformity, pairs against the independence of their two
    /// bytes; so are equalities, as far as single bytes were counted too.
    pub fn of(file: &'a CountsFile, group: Group) -> Option<Self> {
        let count = &file.campaign.count;
        let place = |list: &[(u32, u32)], a, b| list.iter().position(|&pair| pair == (a, b));
        let before = |r: u32| (r as usize).checked_sub(1);
        let (kind, at) = match group {
            Group::Single(r) => (Kind::Single, before(r)?),
            Group::Digraph(r) => (Kind::Digraphs, before(r)?),
            Group::Pair(a, b) => (Kind::Pairs, place(&count.pairs, a, b)?),
            Group::Equal(a, b) => (Kind::Equal, place(&count.equal, a, b)?),
            Group::LongTerm(i) => (Kind::LongTerm, i.into()),
            Group::Absab(gap) => (Kind::Absab, gap as usize),
        };
        let sections = file.campaign.sections();
        let table = sections.iter().position(|section| section.kind == kind)?;
        let counts = file.counts.tables[table].chunks(sections[table].cells).nth(at)?;
        let trials: u64 = counts.iter().sum();
        let null = match group {
            Group::Single(_) => Null::Fixed(vec![1.0 / 256.0; 256]),
            Group::Equal(a, b) => Null::Fixed(unequal(equal_by_chance(file, a, b))),
            Group::Absab(_) => Null::Fixed(unequal(1.0 / 65_536.0)),
            _ => {
                let frequency = |count: u64| count as f64 / trials as f64;
                let rows = counts.chunks(256).map(|row| frequency(row.iter().sum()));
                let columns = (0..256).map(|b| frequency(counts.iter().skip(b).step_by(256).sum()));
                Null::Independence(rows.collect(), columns.collect())
            }
        };
        Some(Self { counts, trials, null })
    }

    /// A cell: x, or 256 x + y of a pair; 0 is different and 1 is equal.
    pub fn measure(&self, cell: usize) -> Measure {
        let chance = match &self.null {
            Null::Fixed(chances) => chances[cell],
            Null::Independence(first, second) => first[cell >> 8] * second[cell & 255],
        };
        Measure { hits: self.counts[cell], trials: self.trials, chance }
    }
}

fn unequal(equal: f64) -> Vec<f64> {
    vec![1.0 - equal, equal]
}

/// Σ P(Z_a = x) P(Z_b = x), or 1/256 if single bytes were not counted there.
fn equal_by_chance(file: &CountsFile, a: u32, b: u32) -> f64 {
    let single = |r| Cells::of(file, Group::Single(r));
    let (Some(a), Some(b)) = (single(a), single(b)) else { return 1.0 / 256.0 };
    let n = a.trials as f64 * b.trials as f64;
    a.counts.iter().zip(b.counts).map(|(&a, &b)| a as f64 * b as f64).sum::<f64>() / n
}
