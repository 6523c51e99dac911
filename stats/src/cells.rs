//! The cells of the counts, each beside what chance would give.

use statrs::function::erf::erfc;

use crate::{
    campaign::{Campaign, Kind},
    file::CountsFile,
};

/// Least variance from which the binomial distribution is approximated by the normal.
const NORMAL: f64 = 1000.0;
/// Distance from the mean, in counts, at which the tail of a variance below [`NORMAL`] is 0.
const FAR: f64 = 20_000.0;

/// Number of occurrences of an event, and its probability under the null hypothesis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proportion {
    /// Number of occurrences.
    pub hits: u64,
    /// Out of how many.
    pub trials: u64,
    /// Probability under the null hypothesis.
    pub chance: f64,
}

impl Proportion {
    /// Returns the measured frequency; `None` without trials.
    pub fn probability(&self) -> Option<f64> {
        (self.trials > 0).then(|| self.hits as f64 / self.trials as f64)
    }

    /// Returns the excess over chance, relative to chance; `None` if chance is 0.
    pub fn relative_bias(&self) -> Option<f64> {
        (self.chance > 0.0).then_some(self.probability()? / self.chance - 1.0)
    }

    /// Standard deviations above chance; none if chance leaves nothing open.
    pub fn z(&self) -> Option<f64> {
        let n = self.trials as f64;
        let deviation = (n * self.chance * (1.0 - self.chance)).sqrt();
        (deviation > 0.0).then(|| (self.hits as f64 - n * self.chance) / deviation)
    }

    /// The two-sided p-value: twice the smaller tail of the binomial distribution, at most 1. It is
    /// exact where the variance is below 1000, and by the normal approximation from there on.
    pub fn p_value(&self) -> f64 {
        let (lower, upper) = tails(self.hits, self.trials, self.chance);
        (2.0 * lower.min(upper)).min(1.0)
    }
}

/// The probabilities that a binomial variable is at most `hits`, and at least `hits`.
pub(crate) fn tails(hits: u64, trials: u64, p: f64) -> (f64, f64) {
    let (n, k) = (trials as f64, hits as f64);
    let variance = n * p * (1.0 - p);
    if variance <= 0.0 {
        let always = if p < 0.5 { 0.0 } else { n };
        return (f64::from(always <= k), f64::from(always >= k));
    }
    let z = (k - n * p) / variance.sqrt();
    if variance >= NORMAL || (k - n * p).abs() > FAR {
        let upper = |z: f64| erfc(z / std::f64::consts::SQRT_2) / 2.0;
        return (upper(-z), upper(z));
    }
    // The tail away from the mean is summed; the other one is the rest.
    let at = probability(hits, trials, p);
    let odds = p / (1.0 - p);
    if k > n * p {
        let upper = series(at, (hits..trials).map(|k| (n - k as f64) / (k as f64 + 1.0) * odds));
        (1.0 - upper + at, upper)
    } else {
        let down = (1..=hits).rev().map(|k| k as f64 / (n - k as f64 + 1.0) / odds);
        let lower = series(at, down);
        (lower, 1.0 - lower + at)
    }
}

/// `first` × (1 + r₁ + r₁r₂ + …), as far as it counts.
fn series(first: f64, ratios: impl Iterator<Item = f64>) -> f64 {
    let mut term = first;
    let mut sum = first;
    for ratio in ratios {
        term *= ratio;
        if term < sum * f64::EPSILON {
            break;
        }
        sum += term;
    }
    sum
}

/// The probability that a binomial variable is `hits`.
fn probability(hits: u64, trials: u64, p: f64) -> f64 {
    let n = trials as f64;
    // By the rarer of event and complement, so that the sum is short wherever the variance is small.
    let (k, p) = if p <= 0.5 { (hits, p) } else { (trials - hits, 1.0 - p) };
    let ways: f64 = (0..k).map(|i| ((n - i as f64) / (k - i) as f64).ln()).sum();
    (ways + k as f64 * p.ln() + (n - k as f64) * (-p).ln_1p()).exp()
}

/// A group of cells: which table, and which of its groups, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    pub(crate) kind: Kind,
    pub(crate) index: usize,
}

impl Group {
    /// The group of position r, from 1, of a kind that counts by position.
    pub fn at(kind: Kind, r: u32) -> Option<Self> {
        Some(Self { kind, index: (r as usize).checked_sub(1)? })
    }

    /// The group of positions a and b, of a kind that counts by pairs of them.
    pub fn of(campaign: &Campaign, kind: Kind, a: u32, b: u32) -> Option<Self> {
        let list = match kind {
            Kind::Equal => &campaign.count().equal,
            _ => &campaign.count().pairs,
        };
        Some(Self { kind, index: list.iter().position(|&pair| pair == (a, b))? })
    }

    /// The numbers of its name.
    fn numbers(self, campaign: &Campaign) -> Vec<u32> {
        let index = self.index as u32;
        let pair = |list: &[(u32, u32)]| list.get(self.index).map_or(vec![], |&(a, b)| vec![a, b]);
        match self.kind {
            Kind::Single | Kind::Digraphs | Kind::Glimpse => vec![index + 1],
            Kind::Pairs => pair(&campaign.count().pairs),
            Kind::Equal => pair(&campaign.count().equal),
            Kind::LongTerm | Kind::Absab | Kind::Roos => vec![index],
            Kind::RoosOutput => vec![],
        }
    }

    /// Returns its name, as in `single:2` or `pair:1,3`.
    pub fn name(self, campaign: &Campaign) -> String {
        let numbers: Vec<String> = self.numbers(campaign).iter().map(u32::to_string).collect();
        let colon = if numbers.is_empty() { "" } else { ":" };
        format!("{}{colon}{}", self.kind.name(), numbers.join(","))
    }

    /// Returns RC4's counter i at the group's first byte; none if its events differ in i.
    pub fn i(self, campaign: &Campaign) -> Option<u8> {
        match self.kind {
            Kind::LongTerm => Some(self.index as u8),
            Kind::Single | Kind::Digraphs | Kind::Glimpse => {
                Some((self.index as u64 + 1 + u64::from(campaign.drop())) as u8)
            }
            _ => None,
        }
    }
}

/// Some groups of one kind, as in `single`, `single:2`, `single:1-256` or `pair:1,3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    kind: Kind,
    numbers: Numbers,
    text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Numbers {
    All,
    List(Vec<u32>),
    Run(u32, u32),
}

impl Selection {
    /// Returns the groups of a campaign that it names.
    ///
    /// # Errors
    /// If the campaign did not count all of them.
    pub fn groups(&self, campaign: &Campaign) -> Result<Vec<Group>, NotCounted> {
        let sections = campaign.sections();
        let section = sections.iter().find(|section| section.kind == self.kind);
        let groups = (0..section.map_or(0, |section| section.groups))
            .map(|index| Group { kind: self.kind, index });
        let wanted = |group: &Group| match (&self.numbers, &group.numbers(campaign)[..]) {
            (Numbers::All, _) => true,
            (Numbers::List(numbers), found) => numbers == found,
            (Numbers::Run(first, last), &[number]) => (*first..=*last).contains(&number),
            (Numbers::Run(..), _) => false,
        };
        let found: Vec<Group> = groups.filter(wanted).collect();
        let expected = match self.numbers {
            Numbers::Run(first, last) => u64::from(last - first) + 1,
            Numbers::All | Numbers::List(_) => 1,
        };
        if (found.len() as u64) < expected {
            return Err(NotCounted(self.text.clone()));
        }
        Ok(found)
    }
}

/// A campaign did not count these groups.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the campaign did not count {0}")]
pub struct NotCounted(String);

/// A text does not select groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "groups are single:R, digraph:R, pair:A,B, equal:A,B, long-term:I, absab:G, roos:Y, \
     roos-output or glimpse:R; a run of them as in single:1-256; or all, as in single"
)]
pub struct SelectionError;

impl std::str::FromStr for Selection {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Self, SelectionError> {
        let number = |text: &str| text.parse::<u32>().ok();
        let parse = || {
            let (name, numbers) =
                text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
            let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name)?;
            let numbers = match numbers.map(|text| (text, text.split_once('-'))) {
                None => Numbers::All,
                Some((_, Some((first, last)))) => Numbers::Run(number(first)?, number(last)?),
                Some((list, None)) => {
                    Numbers::List(list.split(',').map(number).collect::<Option<_>>()?)
                }
            };
            let empty = matches!(numbers, Numbers::Run(first, last) if first > last);
            (!empty).then(|| Self { kind, numbers, text: text.into() })
        };
        parse().ok_or(SelectionError)
    }
}

/// A cell of each group: bytes, or offsets from i, as in `0` or `255,i+2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellName {
    bytes: Vec<(bool, u8)>,
    text: String,
}

impl CellName {
    /// Returns the number of the cell in a group of `cells`.
    ///
    /// # Errors
    /// If the group has no such cell.
    pub fn cell(
        &self,
        group: Group,
        cells: usize,
        campaign: &Campaign,
    ) -> Result<usize, NoSuchCell> {
        let byte = |&(from_i, byte): &(bool, u8)| match from_i {
            true => group.i(campaign).map(|i| i.wrapping_add(byte)),
            false => Some(byte),
        };
        let bytes: Option<Vec<u8>> = self.bytes.iter().map(byte).collect();
        let cell = match (bytes.as_deref(), cells) {
            (Some(&[x, y]), 65_536) => Some(usize::from(x) << 8 | usize::from(y)),
            (Some(&[x]), 2 | 256) => Some(x.into()).filter(|&x| x < cells),
            _ => None,
        };
        cell.ok_or_else(|| NoSuchCell { group: group.name(campaign), cell: self.text.clone() })
    }
}

/// A group has no such cell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{group} has no cell '{cell}'")]
pub struct NoSuchCell {
    group: String,
    cell: String,
}

/// A text does not name a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a cell is a byte (0 to 255) or two, X,Y; each may be given from i, as in i+1; of equalities \
     it is 1 (equal) or 0"
)]
pub struct CellNameError;

impl std::str::FromStr for CellName {
    type Err = CellNameError;

    fn from_str(text: &str) -> Result<Self, CellNameError> {
        let byte = |text: &str| match text.strip_prefix('i') {
            None => Some((false, text.parse().ok()?)),
            Some("") => Some((true, 0)),
            Some(offset) if offset.starts_with(['+', '-']) => {
                let offset: i16 = offset.parse().ok()?;
                (-255..=255).contains(&offset).then_some((true, offset as u8))
            }
            Some(_) => None,
        };
        let bytes: Option<Vec<_>> = text.split(',').map(byte).collect();
        let bytes = bytes.filter(|bytes| bytes.len() <= 2).ok_or(CellNameError)?;
        Ok(Self { bytes, text: text.into() })
    }
}

/// The cells of a group, with the sums its null hypothesis needs.
pub struct Cells<'a> {
    /// Number of occurrences of each value.
    pub counts: &'a [u64],
    /// Number of events.
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
    /// The null hypothesis of single bytes is uniformity; of pairs it is the independence of their
    /// two bytes, and so it is of equalities, where single bytes were counted too.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn campaign() -> Campaign {
        Campaign::parse(&format!(
            "seed = '{}'\nshards = 1\nkeystreams = 1\nkey-length = 16\ndrop = 254\n[count]\n\
             single = 4\npairs = [[1, 3], [9, 7]]\nequal = [[1, 2]]\nlong-term = 1\nroos-output = true",
            "00".repeat(32)
        ))
        .unwrap()
    }

    #[test]
    fn selections_name_groups() {
        let campaign = campaign();
        let names = |text: &str| -> Result<Vec<String>, String> {
            let selection: Selection =
                text.parse().map_err(|error: SelectionError| error.to_string())?;
            let groups = selection.groups(&campaign).map_err(|error| error.to_string())?;
            Ok(groups.iter().map(|group| group.name(&campaign)).collect())
        };
        assert_eq!(names("single:2-3").unwrap(), ["single:2", "single:3"]);
        assert_eq!(names("pair").unwrap(), ["pair:1,3", "pair:9,7"]);
        assert_eq!(names("pair:9,7").unwrap(), ["pair:9,7"]);
        assert_eq!(names("roos-output").unwrap(), ["roos-output"]);
        assert_eq!(names("long-term").unwrap().len(), 256);
        for text in ["single:0", "single:3-5", "pair:7,9", "pair:1-3", "digraph", "single:1,2"] {
            assert_eq!(names(text).unwrap_err(), format!("the campaign did not count {text}"));
        }
        for text in ["", "singel", "single:", "single:2-1", "single:x", "single:-1"] {
            assert!(names(text).unwrap_err().starts_with("groups are single:R"), "{text}");
        }
    }

    #[test]
    fn cells_are_named_by_bytes_or_from_i() {
        let campaign = campaign();
        let cell = |kind, index, cells, text: &str| {
            let name = text.parse::<CellName>().unwrap();
            name.cell(Group { kind, index }, cells, &campaign)
        };
        assert_eq!(cell(Kind::LongTerm, 255, 65_536, "255,i+2"), Ok(255 << 8 | 1));
        assert_eq!(cell(Kind::Single, 1, 256, "i"), Ok(0)); // r = 2 after 254 bytes
        assert_eq!(cell(Kind::Single, 1, 256, "i-1"), Ok(255));
        assert_eq!(cell(Kind::Equal, 0, 2, "1"), Ok(1));
        for (kind, cells, text) in [
            (Kind::Single, 256, "1,2"),
            (Kind::Pairs, 65_536, "7"),
            (Kind::Pairs, 65_536, "i,7"),
            (Kind::Equal, 2, "2"),
        ] {
            assert!(cell(kind, 0, cells, text).is_err(), "{text}");
        }
        for text in ["256", "", "1,2,3", "i1", "i+256", "-1"] {
            assert!(text.parse::<CellName>().is_err(), "{text}");
        }
    }

    /// Of 10 trials at 1/2: at most 2 come with (1 + 10 + 45) / 1024.
    #[test]
    fn small_tails_are_exact() {
        let close = |found: f64, right: f64| {
            assert!((found / right - 1.0).abs() < 1e-12, "{found} is not {right}");
        };
        close(tails(2, 10, 0.5).0, 56.0 / 1024.0);
        close(tails(2, 10, 0.5).1, 1013.0 / 1024.0);
        close(tails(8, 10, 0.5).1, 56.0 / 1024.0);
        close(tails(0, 1000, 0.001).0, 0.999_f64.powi(1000));
        close(tails(1, 1, 1e-9).1, 1e-9);
        assert_eq!(tails(0, 1000, 0.0), (1.0, 1.0));
        assert_eq!(tails(3, 3, 1.0), (1.0, 1.0));
    }

    /// Both formulas agree at the point where the code switches between them.
    #[test]
    fn large_tails_go_over_into_the_normal_ones() {
        let trials = 4 * NORMAL as u64;
        for z in [-4, -1, 0, 1, 4] {
            let hits = (trials / 2).saturating_add_signed(z * NORMAL.sqrt() as i64);
            let (lower, upper) = tails(hits, trials - 1, 0.5);
            let normal = tails(hits, trials, 0.5);
            for (exact, normal) in [(lower, normal.0), (upper, normal.1)] {
                assert!((exact / normal - 1.0).abs() < 0.2, "z = {z}: {exact} and {normal}");
            }
        }
    }

    /// One hit where 0.015 were expected is no discovery, though it is 8 standard deviations up; and
    /// what chance leaves no room for has no figure rather than one that is not a number.
    #[test]
    fn few_trials_prove_nothing() {
        let once = Proportion { hits: 1, trials: 1000, chance: 2_f64.powi(-16) };
        assert!(once.z().unwrap() > 7.9 && once.p_value() > 0.01);
        let none = Proportion { hits: 0, trials: 1000, chance: 0.0 };
        assert_eq!((none.relative_bias(), none.z(), none.p_value()), (None, None, 1.0));
        let empty = Proportion { hits: 0, trials: 0, chance: 0.5 };
        assert_eq!((empty.probability(), empty.z(), empty.p_value()), (None, None, 1.0));
    }
}
