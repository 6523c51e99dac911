//! Tests whether two samples of single bytes agree.

use crate::{
    campaign::{Campaign, Kind},
    cells::{Cells, Group},
    ent::chi_square_tail,
    file::CountsFile,
    verify::{ALPHA, LEAST_EXPECTED, holm},
};

/// The reason for which two samples cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Incomparable {
    /// Their keys differ in length or pattern, or they begin at different positions.
    #[error("the samples have keys of different length or pattern, or another drop")]
    Keys,
    /// They share no position.
    #[error("only samples that both have single-byte counts can be compared")]
    Positions,
}

/// The outcome of a comparison at one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The samples may come from one distribution.
    Agrees,
    /// The samples differ, by Holm's method over all positions.
    Differs,
    /// They are too small for the test.
    TooFew,
}

impl Verdict {
    /// Returns its name in every output: `agrees`, `differs` or `too few samples`.
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
    /// Its degrees of freedom: 255, or fewer where rare values were pooled; 0 if nothing was
    /// tested.
    pub degrees: usize,
    /// Its p-value: the probability that two samples of one distribution exceed it.
    pub p_value: f64,
    /// The correlation of their relative biases over the 256 bytes; `None` if one sample is flat.
    pub correlation: Option<f64>,
    /// The outcome.
    pub verdict: Verdict,
}

/// Compares the positions that both samples have.
///
/// # Errors
/// If their keys are of different kinds, or they share no position.
pub fn compare(a: &CountsFile, b: &CountsFile) -> Result<Vec<Agreement>, Incomparable> {
    let keys =
        |campaign: &Campaign| (campaign.key_length(), campaign.key_pattern(), campaign.drop());
    if keys(a.campaign()) != keys(b.campaign()) {
        return Err(Incomparable::Keys);
    }
    let single = |file, index| Cells::of(file, Group { kind: Kind::Single, index });
    let both = (0..).map_while(|index| Some((single(a, index)?, single(b, index)?)));
    let mut positions: Vec<Agreement> =
        (1..).zip(both).map(|(position, (a, b))| agreement(position, &a, &b)).collect();
    if positions.is_empty() {
        return Err(Incomparable::Positions);
    }
    let p_values: Vec<f64> = positions.iter().map(|position| position.p_value).collect();
    for (position, differs) in positions.iter_mut().zip(holm(&p_values, ALPHA)) {
        if differs {
            position.verdict = Verdict::Differs;
        }
    }
    Ok(positions)
}

/// Returns the sum of the statistics of all positions, its degrees of freedom, and its p-value.
/// `None` if no position was tested. Assumes independent positions; RC4's positions are
/// independent, except for small biases of pairs.
pub fn total(positions: &[Agreement]) -> Option<(f64, usize, f64)> {
    let chi_square = positions.iter().map(|position| position.chi_square).sum();
    let degrees = positions.iter().map(|position| position.degrees).sum();
    (degrees > 0).then(|| (chi_square, degrees, chi_square_tail(chi_square, degrees)))
}

fn agreement(position: u32, a: &Cells, b: &Cells) -> Agreement {
    let (all_a, all_b) = (a.trials as f64, b.trials as f64);
    let pairs = || a.counts.iter().zip(b.counts).map(|(&a, &b)| (a as f64, b as f64));
    let pooled = pooled(pairs().collect(), (all_a + all_b) / all_a.min(all_b));
    let ratio = (all_b / all_a).sqrt();
    let chi_square: f64 =
        pooled.iter().map(|&(a, b)| (a * ratio - b / ratio).powi(2) / (a + b)).sum();
    let degrees = pooled.len().saturating_sub(1);
    let tested = degrees > 0;
    let p_value = if tested { chi_square_tail(chi_square, degrees) } else { 1.0 };
    let (mean_a, mean_b) = (all_a / 256.0, all_b / 256.0);
    let sum = |term: fn(f64, f64) -> f64| -> f64 {
        pairs().map(|(a, b)| term(a / mean_a - 1.0, b / mean_b - 1.0)).sum()
    };
    let spread = (sum(|a, _| a * a) * sum(|_, b| b * b)).sqrt();
    let correlation = (spread > 0.0).then(|| sum(|a, b| a * b) / spread);
    let verdict = if tested { Verdict::Agrees } else { Verdict::TooFew };
    Agreement { position, chi_square, degrees, p_value, correlation, verdict }
}

/// Pools neighbouring values until the smaller sample expects [`LEAST_EXPECTED`] events. The
/// smaller sample has one in `share` of all events.
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
    use crate::{campaign::Plan, table};

    /// Counts of one position: the given counts, then zeros.
    fn sample(counts: &[u64]) -> CountsFile {
        let cells = (0..256).map(|value| counts.get(value).copied().unwrap_or(0));
        table::parse(&cells.enumerate().map(|(v, n)| format!("0 {v} {n}\n")).collect::<String>())
            .unwrap()
    }

    /// Pearson's statistic for two samples of two filled cells, worked by hand: 100 and 200 against
    /// 300 and 100 give 700 (100·100 − 200·300)² / (300·400·400·300) = 121.53.
    #[test]
    fn homogeneity_is_pearsons() {
        fn compare(a: &CountsFile, b: &CountsFile) -> Vec<Agreement> {
            super::compare(a, b).unwrap()
        }
        let two = |a: u64, b: u64| sample(&[a, b]);
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
        let flat = sample(&[9; 256]);
        assert_eq!(compare(&flat, &two(100, 200))[0].correlation, None);
        assert_eq!((found.degrees, same.degrees, few.degrees), (1, 1, 0));
        let (chi_square, degrees, p_value) = total(&[found, same, few]).unwrap();
        assert!((chi_square - 121.528).abs() < 1e-3 && degrees == 2 && p_value < 1e-26);
        assert_eq!(total(&[few]), None);
        let names = [found, same, few].map(|found| found.verdict.name());
        assert_eq!(names, ["differs", "agrees", "too few samples"]);
    }

    /// Pearson's statistic of 2 × 256 counts, and the correlation of their relative biases, in exact
    /// fractions.
    #[test]
    fn every_figure_of_two_positions_is_exact() {
        let close = |found: f64, right: f64| {
            assert!((found / right - 1.0).abs() < 1e-9, "{found} is not {right}");
        };
        let a = |v: u64| 40 + v * 7 % 31;
        let b = |v: u64| 80 + v * 7 % 31 + v * v % 37;
        let table = |counts: [&dyn Fn(u64) -> u64; 2]| {
            let line = |cell: u64| {
                let (position, value) = (cell >> 8, cell & 255);
                format!("{position} {value} {}\n", counts[position as usize](value))
            };
            table::parse(&(0..512).map(line).collect::<String>()).unwrap()
        };
        let (a, b) = (table([&a, &a]), table([&b, &|v| b(255 - v)]));
        let right = [
            (1, 164.162_885_699_776_44, 0.999_997_914_000_797_7, 0.618_244_270_949_870_8),
            (2, 303.119_797_904_251, 0.020_730_136_210_911_25, 0.287_888_121_512_780_87),
        ];
        for (first, second) in [(&a, &b), (&b, &a)] {
            let found = compare(first, second).unwrap();
            for (found, (position, chi_square, p_value, correlation)) in found.iter().zip(right) {
                assert_eq!((found.position, found.degrees), (position, 255));
                assert_eq!(found.verdict, Verdict::Agrees);
                close(found.chi_square, chi_square);
                close(found.p_value, p_value);
                close(found.correlation.unwrap(), correlation);
            }
            let (chi_square, degrees, p_value) = total(&found).unwrap();
            close(chi_square, 467.282_683_604_027_45);
            close(p_value, 0.912_416_539_206_052_4);
            assert_eq!(degrees, 510);
        }
    }

    /// Four values with 5 counts each have the 20 of the smaller sample.
    #[test]
    fn neighbours_are_pooled_until_the_smaller_sample_expects_twenty() {
        let degrees = |a: &[u64], b: &[u64]| compare(&sample(a), &sample(b)).unwrap()[0].degrees;
        let (few, many) = ([5; 256], [15; 256]);
        assert_eq!((degrees(&few, &many), degrees(&many, &few)), (63, 63));
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let sixteen = sample(&[9; 256]);
        let mut plan = Plan::from(sixteen.campaign().clone());
        plan.drop = 1;
        let dropped = Campaign::try_from(plan.clone()).unwrap();
        let dropped =
            CountsFile::new(dropped, vec![(0, 0)], None, sixteen.tables().to_vec()).unwrap();
        assert_eq!(compare(&sixteen, &dropped).unwrap_err(), Incomparable::Keys);
        plan.drop = 0;
        (plan.count.single, plan.count.equal) = (0, vec![(1, 2)]);
        let equal = Campaign::try_from(plan).unwrap();
        let all = sixteen.keystreams();
        let equal = CountsFile::new(equal, vec![(0, 0)], None, vec![vec![all, 0]]).unwrap();
        assert_eq!(compare(&sixteen, &equal).unwrap_err(), Incomparable::Positions);
    }

    #[test]
    fn rare_cells_are_added_up() {
        let cells = vec![(1.0, 2.0), (15.0, 15.0), (4.0, 3.0), (30.0, 30.0), (0.0, 1.0)];
        assert_eq!(pooled(cells.clone(), 2.0), [(20.0, 20.0), (30.0, 31.0)]);
        assert_eq!(pooled(cells.clone(), 3.0), [(50.0, 51.0)]);
        assert!(pooled(cells, 10.0).is_empty());
    }
}
