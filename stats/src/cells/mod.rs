//! The cells of the counts, each beside its expectation by chance.

mod group;
mod name;
mod proportion;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use self::proportion::tails;
pub use self::{
    group::{Group, NotCounted, Selection, SelectionError},
    name::{CellName, CellNameError, NoSuchCell},
    proportion::Proportion,
};

use crate::{campaign::Kind, file::CountsFile};

/// The cells of a group, with the sums for its null hypothesis.
#[derive(Debug)]
pub struct Cells<'a> {
    /// Number of occurrences of each value.
    pub counts: &'a [u64],
    /// Number of events.
    pub trials: u64,
    /// The probability of each cell, or the frequencies of the first and of the second byte.
    null: Null,
}

#[derive(Debug)]
enum Null {
    Fixed(Vec<f64>),
    Independence(Vec<f64>, Vec<f64>),
}

impl<'a> Cells<'a> {
    /// Returns the cells of `group`; `None` if the campaign did not count it.
    ///
    /// The null hypothesis of single bytes is uniformity. The null hypothesis of pairs is the
    /// independence of their two bytes. Equalities have the same null hypothesis, where single
    /// bytes were counted too.
    pub fn of(file: &'a CountsFile, group: Group) -> Option<Self> {
        let (section, table) = file.table(group.kind)?;
        let counts = table.chunks(section.cells).nth(group.index)?;
        let trials: u64 = counts.iter().sum();
        let null = match group.kind {
            Kind::Single | Kind::Roos | Kind::Glimpse => Null::Fixed(vec![1.0 / 256.0; 256]),
            Kind::Equal => {
                let (a, b) = file.campaign().count().equal[group.index];
                Null::Fixed(unequal(equal_by_chance(file, a, b)))
            }
            Kind::Absab => Null::Fixed(unequal(1.0 / 65_536.0)),
            Kind::Digraphs | Kind::Pairs | Kind::LongTerm | Kind::RoosOutput => {
                let frequency = |count: u64| count as f64 / trials.max(1) as f64;
                let rows = counts.chunks(256).map(|row| frequency(row.iter().sum()));
                let columns = (0..256).map(|b| frequency(counts.iter().skip(b).step_by(256).sum()));
                Null::Independence(rows.collect(), columns.collect())
            }
        };
        Some(Self { counts, trials, null })
    }

    /// Returns a cell beside its chance. Its number is x, or 256 x + y of a pair, or 1 for equal and 0
    /// for different.
    pub fn proportion(&self, cell: usize) -> Proportion {
        let chance = match &self.null {
            Null::Fixed(chances) => chances[cell],
            Null::Independence(first, second) => first[cell >> 8] * second[cell & 255],
        };
        Proportion { hits: self.counts[cell], trials: self.trials, chance }
    }
}

fn unequal(equal: f64) -> Vec<f64> {
    vec![1.0 - equal, equal]
}

/// Σ P(Z_a = x) P(Z_b = x), or 1/256 if single bytes were not counted there.
fn equal_by_chance(file: &CountsFile, a: u32, b: u32) -> f64 {
    let single = |r| Cells::of(file, Group::at(Kind::Single, r)?);
    let (Some(a), Some(b)) = (single(a), single(b)) else { return 1.0 / 256.0 };
    let n = a.trials as f64 * b.trials as f64;
    a.counts.iter().zip(b.counts).map(|(&a, &b)| a as f64 * b as f64).sum::<f64>() / n
}
