//! The published biases, each looked for in the counts.
//!
//! Every check is a two-sided proportion test, and Holm's method (1979) keeps the probability of
//! even one false alarm in the whole list at [`ALPHA`].

use statrs::distribution::{ContinuousCDF, Normal};

use crate::{
    ent::chi_square_tail,
    file::CountsFile,
    measure::{Cells, Group, Measure},
};

/// The probability of any false alarm.
pub const ALPHA: f64 = 1e-3;
/// A bias must be seen if the sample shows it with more than this probability.
pub const POWER: f64 = 0.999;
const N: f64 = 256.0;

/// A published bias and what was measured of it.
#[derive(Clone, Debug)]
pub struct Check {
    /// The event, in the field's notation.
    pub event: String,
    /// Who published it.
    pub source: &'static str,
    /// Its published probability.
    pub published: f64,
    /// What was counted.
    pub measure: Measure,
}

/// What became of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Significant, and on the side that was published.
    Seen,
    /// Not seen, though the sample must show it.
    Missing,
    /// Not seen, in a sample that need not show it.
    TooFew,
}

impl Check {
    /// How many trials show the published bias at 5 standard deviations.
    pub fn needed(&self) -> f64 {
        let chance = self.measure.chance;
        25.0 * chance * (1.0 - chance) / (self.published - chance).powi(2)
    }

    /// The z-score that the published bias gives in this sample.
    pub fn expected_z(&self) -> f64 {
        let excess = (self.published - self.measure.chance).signum();
        excess * 5.0 * (self.measure.trials as f64 / self.needed()).sqrt()
    }
}

/// The verdict on each check of the whole list.
pub fn verdicts(checks: &[Check]) -> Vec<Verdict> {
    let p_values: Vec<f64> = checks.iter().map(|check| check.measure.p_value()).collect();
    let normal = Normal::standard();
    let bound = -normal.inverse_cdf(ALPHA / checks.len().max(1) as f64 / 2.0);
    let sure = bound + normal.inverse_cdf(POWER);
    let significant = holm(&p_values, ALPHA);
    let verdict = |(check, significant): (&Check, bool)| {
        let expected = check.expected_z();
        if significant && check.measure.z().signum() == expected.signum() {
            Verdict::Seen
        } else if expected.abs() > sure {
            Verdict::Missing
        } else {
            Verdict::TooFew
        }
    };
    checks.iter().zip(significant).map(verdict).collect()
}

/// Which of the hypotheses with these p-values are rejected, by Holm's step-down method.
pub fn holm(p_values: &[f64], alpha: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut rejected = vec![false; p_values.len()];
    for (rank, at) in order.into_iter().enumerate() {
        if p_values[at] > alpha / (p_values.len() - rank) as f64 {
            break;
        }
        rejected[at] = true;
    }
    rejected
}

/// The positions whose bytes are not uniform, by Pearson's test and Holm's method; and how many
/// were tested.
pub fn biased_positions(file: &CountsFile) -> (Vec<u32>, usize) {
    let groups = (1..=file.campaign.count.single).map(|r| Cells::of(file, Group::Single(r)));
    let p_values: Vec<f64> = groups
        .flatten()
        .map(|cells| {
            let expected = cells.trials as f64 / N;
            let counts = cells.counts.iter().map(|&count| count as f64);
            chi_square_tail(counts.map(|count| (count - expected).powi(2) / expected).sum(), 255)
        })
        .collect();
    let positions = (1..).zip(holm(&p_values, ALPHA)).filter(|&(_, biased)| biased);
    (positions.map(|(r, _)| r).collect(), p_values.len())
}

/// Every published bias that the campaign's counters can show.
pub fn checks(file: &CountsFile) -> Vec<Check> {
    let campaign = &file.campaign;
    let mut checks = vec![];
    if campaign.drop == 0 && campaign.key_pattern.is_none() && campaign.key_length == 16 {
        checks.extend(first_bytes(file));
    }
    checks.extend(sen_gupta(file));
    checks.extend(fluhrer_mcgrew(file));
    checks.extend(mantin(file));
    checks
}

const MANTIN_SHAMIR: &str = "Mantin, Shamir 2001";
const MIRONOV: &str = "Mironov 2002";
const MAITRA: &str = "Maitra, Paul, Sen Gupta 2011";
const SEN_GUPTA: &str = "Sen Gupta et al. 2014";
const ISOBE: &str = "Isobe et al. 2013";
const PAUL_PRENEEL: &str = "Paul, Preneel 2004";
const VANHOEF: &str = "Vanhoef, Piessens 2015";

/// Of 16-byte keys, from the first byte on.
fn first_bytes(file: &CountsFile) -> Vec<Check> {
    let power = |exponent: f64| 2_f64.powf(exponent);
    let mut singles = vec![
        (2, 0, 2.0013, MANTIN_SHAMIR),
        (1, 129, 0.9933, MIRONOV),
        (1, 0, 0.9969, MIRONOV),
        (3, 131, 1.0 + power(-8.1), ISOBE),
        (256, 0, 1.0 - power(-9.4), ISOBE),
        (257, 0, 1.0 + power(-9.5), ISOBE),
    ];
    for (r, c) in [(3, 0.355), (4, 1.307), (5, 1.330), (128, 0.535), (255, 0.245)] {
        singles.push((r, 0, 1.0 + c / N, MAITRA));
    }
    for (x, exponent) in (1..).zip([-4.81, -5.38, -5.94, -6.49, -7.22, -7.91, -8.66]) {
        let source = if x == 1 { SEN_GUPTA } else { ISOBE };
        singles.push((16 * x, 256 - 16 * x as usize, 1.0 + power(exponent), source));
    }
    let singles = singles.into_iter().map(|(r, value, times, source)| {
        (Group::Single(r), value, format!("Z{r} = {value}"), times / N, source)
    });
    let equalities = [
        (1, 2, 1.0 - 1.0 / N, PAUL_PRENEEL),
        (1, 3, 1.0 - power(-9.617), VANHOEF),
        (1, 4, 1.0 + power(-8.590), VANHOEF),
        (2, 4, 1.0 - power(-9.622), VANHOEF),
    ];
    let equalities = equalities.into_iter().map(|(a, b, times, source)| {
        (Group::Equal(a, b), 1, format!("Z{a} = Z{b}"), times / N, source)
    });
    let zeros = (Group::Digraph(1), 0, "Z1 = Z2 = 0".to_owned(), 3.0 / (N * N), ISOBE);
    singles
        .chain(equalities)
        .chain([zeros])
        .filter_map(|(group, cell, event, published, source)| {
            let measure = Cells::of(file, group)?.measure(cell);
            Some(Check { event, source, published, measure })
        })
        .collect()
}

/// Z_wN = 0 and Z_wN+2 = 0.
fn sen_gupta(file: &CountsFile) -> Vec<Check> {
    let drop = file.campaign.drop;
    let pairs = file.campaign.count.pairs.iter();
    pairs
        .filter(|&&(a, b)| b == a + 2 && (a + drop).is_multiple_of(256))
        .filter_map(|&(a, b)| {
            let measure = Cells::of(file, Group::Pair(a, b))?.measure(0);
            let published = measure.chance * (1.0 + 2_f64.powi(-8));
            let event = format!("Z{} = Z{} = 0", a + drop, b + drop);
            Some(Check { event, source: SEN_GUPTA, published, measure })
        })
        .collect()
}

/// A digraph by i, the i it is published for, and its relative bias in 1/256.
type Rule = (&'static str, fn(u8) -> (u8, u8), fn(u8) -> bool, f64);

/// The long-term digraphs, each over all i it is published for.
fn fluhrer_mcgrew(file: &CountsFile) -> Vec<Check> {
    let rules: [Rule; 12] = [
        ("(0, 0), i = 1", |_| (0, 0), |i| i == 1, 2.0),
        ("(0, 0), i ≠ 1, 255", |_| (0, 0), |i| i != 1 && i != 255, 1.0),
        ("(0, 1), i ≠ 0, 1", |_| (0, 1), |i| i > 1, 1.0),
        ("(0, i+1), i ≠ 0, 255", |i| (0, i.wrapping_add(1)), |i| i != 0 && i != 255, -1.0),
        ("(i+1, 255), i ≠ 254", |i| (i.wrapping_add(1), 255), |i| i != 254, 1.0),
        ("(129, 129), i = 2", |_| (129, 129), |i| i == 2, 1.0),
        ("(255, i+1), i ≠ 1, 254", |i| (255, i.wrapping_add(1)), |i| i != 1 && i != 254, 1.0),
        ("(255, i+2), 1 ≤ i ≤ 252", |i| (255, i + 2), |i| (1..=252).contains(&i), 1.0),
        ("(255, 0), i = 254", |_| (255, 0), |i| i == 254, 1.0),
        ("(255, 1), i = 255", |_| (255, 1), |i| i == 255, 1.0),
        ("(255, 2), i = 0, 1", |_| (255, 2), |i| i < 2, 1.0),
        ("(255, 255), i ≠ 254", |_| (255, 255), |i| i != 254, -1.0),
    ];
    if file.campaign.count.long_term == 0 {
        return vec![];
    }
    let tables: Vec<_> = (0..=255).map(|i| Cells::of(file, Group::LongTerm(i))).collect();
    let check = |(event, digraph, holds, times): Rule| {
        let mut measure = Measure { hits: 0, trials: 0, chance: 0.0 };
        for i in (0..=255).filter(|&i| holds(i)) {
            let cells = tables[usize::from(i)].as_ref().filter(|cells| cells.trials > 0);
            let Some(cells) = cells else { continue };
            let (x, y) = digraph(i);
            let here = cells.measure(usize::from(x) << 8 | usize::from(y));
            measure.hits += here.hits;
            measure.trials += here.trials;
            measure.chance += here.trials as f64 * here.chance;
        }
        measure.chance /= measure.trials as f64;
        let published = (1.0 + times / N) / (N * N);
        let event = event.into();
        Check { event, source: "Fluhrer, McGrew 2000", published, measure }
    };
    rules.into_iter().map(check).filter(|check| check.measure.trials > 0).collect()
}

/// A digraph that comes again behind a gap.
fn mantin(file: &CountsFile) -> Vec<Check> {
    let gaps = 0..file.campaign.count.absab.1;
    let check = |gap| {
        let measure = Cells::of(file, Group::Absab(gap))?.measure(1);
        let published = (1.0 + ((-4.0 - 8.0 * f64::from(gap)) / N).exp() / N) / (N * N);
        let event = format!("ABSAB, gap {gap}");
        Some(Check { event, source: "Mantin 2005", published, measure })
    };
    gaps.filter_map(check).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        campaign::Campaign,
        sampler::{Counts, Sampler},
    };

    fn campaign(keystreams: u64) -> Campaign {
        let seed = "b1a5".repeat(16);
        Campaign::parse(&format!(
            "seed = '{seed}'\nshards = 1\nkeystreams = {keystreams}\nkey-length = 16\n[count]\n\
             single = 257\ndigraphs = 1\nequal = [[1, 2], [1, 3], [1, 4], [2, 4]]"
        ))
        .unwrap()
    }

    fn file(campaign: Campaign, counts: Counts) -> CountsFile {
        CountsFile { campaign, shards: vec![(0, 0)], unfinished: None, counts }
    }

    #[test]
    fn known_biases_are_seen_in_keystreams() {
        let campaign = campaign(1 << 23);
        let mut sampler = Sampler::new(&campaign, 0, 0, Counts::new(&campaign));
        while sampler.step() {}
        let counts = sampler.counts();
        let file = file(campaign, counts);
        let checks = checks(&file);
        let verdicts = verdicts(&checks);
        let of =
            |event: &str| verdicts[checks.iter().position(|check| check.event == event).unwrap()];
        for event in ["Z2 = 0", "Z16 = 240", "Z1 = Z2 = 0"] {
            assert_eq!(of(event), Verdict::Seen, "{event}");
        }
        assert!(!verdicts.contains(&Verdict::Missing));
        let (biased, tested) = biased_positions(&file);
        assert_eq!(tested, 257);
        assert!(biased.contains(&2) && !biased.contains(&257));
    }

    /// The same list against a generator without biases: nothing is seen, what must be is missing.
    #[test]
    fn random_bytes_show_no_bias() {
        use chacha20::rand_core::{Rng, SeedableRng};
        let campaign = campaign(1 << 20);
        for seed in 0..3 {
            let mut random = chacha20::ChaCha8Rng::from_seed([seed; 32]);
            let mut counts = Counts::new(&campaign);
            let mut z = [0; 257];
            for _ in 0..campaign.keystreams {
                random.fill_bytes(&mut z);
                for (position, &z) in z.iter().enumerate() {
                    counts.tables[0][position << 8 | usize::from(z)] += 1;
                }
                counts.tables[1][usize::from(z[0]) << 8 | usize::from(z[1])] += 1;
                for (at, (a, b)) in [(0, 1), (0, 2), (0, 3), (1, 3)].into_iter().enumerate() {
                    counts.tables[2][2 * at + usize::from(z[a] == z[b])] += 1;
                }
            }
            let file = file(campaign.clone(), counts);
            let checks = checks(&file);
            let verdicts = verdicts(&checks);
            assert!(!verdicts.contains(&Verdict::Seen), "seed {seed}");
            let at = checks.iter().position(|check| check.event == "Z2 = 0").unwrap();
            assert_eq!(verdicts[at], Verdict::Missing, "seed {seed}");
            assert!(biased_positions(&file).0.is_empty(), "seed {seed}");
        }
    }

    #[test]
    fn holm_steps_down_until_the_first_that_stands() {
        assert_eq!(holm(&[0.01, 0.04, 0.03, 0.005], 0.05), [true, false, false, true]);
        assert_eq!(holm(&[0.02, 0.02], 0.05), [true, true]);
        assert_eq!(holm(&[], 0.05), [] as [bool; 0]);
    }

    #[test]
    fn five_sigma_of_z2_takes_some_6400_keystreams() {
        let measure = Measure { hits: 0, trials: 6375, chance: 1.0 / N };
        let check = Check { event: String::new(), source: "", published: 2.0 / N, measure };
        assert!((check.needed() - 6375.0).abs() < 1.0);
        assert!((check.expected_z() - 5.0).abs() < 1e-3);
    }
}
