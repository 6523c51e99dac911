//! The published biases, each looked for in the counts.
//!
//! Every check is a two-sided proportion test, and Holm's method (1979) keeps the probability of
//! even one false alarm in the whole list at [`ALPHA`].

use statrs::distribution::{ContinuousCDF, Normal};

use crate::{
    campaign::Kind,
    ent::chi_square_tail,
    file::CountsFile,
    measure::{Cells, Group, Measure},
    published::{self, N},
};

/// The probability of any false alarm.
pub const ALPHA: f64 = 1e-3;
/// A bias must be seen if the sample shows it with more than this probability.
pub const POWER: f64 = 0.999;

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
    let groups = (0..file.campaign.count.single as usize)
        .map(|index| Cells::of(file, Group { kind: Kind::Single, index }));
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
    checks.extend(zeros_far_on(file));
    checks.extend(long_term_digraphs(file));
    checks.extend(repeated_digraphs(file));
    checks.extend(roos(file));
    checks.extend(roos_output(file));
    checks.extend(glimpse(file));
    checks
}

/// Of 16-byte keys, from the first byte on.
fn first_bytes(file: &CountsFile) -> Vec<Check> {
    let singles = published::single_bytes().into_iter().map(|((r, value), times, source)| {
        let group = Group::at(Kind::Single, r);
        (group, usize::from(value), format!("Z{r} = {value}"), times / N, source)
    });
    let equalities = published::equalities().into_iter().map(|((a, b), times, source)| {
        let group = Group::of(&file.campaign, Kind::Equal, a, b);
        (group, 1, format!("Z{a} = Z{b}"), times / N, source)
    });
    let ((), times, source) = published::TWO_ZEROS;
    let first = Group::at(Kind::Digraphs, 1);
    let zeros = (first, 0, "Z1 = Z2 = 0".to_owned(), times / (N * N), source);
    singles
        .chain(equalities)
        .chain([zeros])
        .filter_map(|(group, cell, event, published, source)| {
            let measure = Cells::of(file, group?)?.measure(cell);
            Some(Check { event, source, published, measure })
        })
        .collect()
}

/// Z_wN = 0 and Z_wN+2 = 0.
fn zeros_far_on(file: &CountsFile) -> Vec<Check> {
    let drop = file.campaign.drop;
    let pairs = file.campaign.count.pairs.iter();
    pairs
        .filter(|&&(a, b)| b == a + 2 && (a + drop).is_multiple_of(256))
        .filter_map(|&(a, b)| {
            let group = Group::of(&file.campaign, Kind::Pairs, a, b)?;
            let measure = Cells::of(file, group)?.measure(0);
            let published = measure.chance * (1.0 + 2_f64.powi(-8));
            let event = format!("Z{} = Z{} = 0", a + drop, b + drop);
            Some(Check { event, source: published::SEN_GUPTA, published, measure })
        })
        .collect()
}

/// The long-term digraphs, each over all i it is published for.
fn long_term_digraphs(file: &CountsFile) -> Vec<Check> {
    if file.campaign.count.long_term == 0 {
        return vec![];
    }
    let kind = Kind::LongTerm;
    let tables: Vec<_> = (0..256).map(|index| Cells::of(file, Group { kind, index })).collect();
    let check = |rule: published::Rule| {
        let mut measure = Measure { hits: 0, trials: 0, chance: 0.0 };
        for i in (0..=255).filter(|&i| (rule.holds)(i)) {
            let cells = tables[usize::from(i)].as_ref().filter(|cells| cells.trials > 0);
            let Some(cells) = cells else { continue };
            let (x, y) = (rule.digraph)(i);
            let here = cells.measure(usize::from(x) << 8 | usize::from(y));
            measure.hits += here.hits;
            measure.trials += here.trials;
            measure.chance += here.trials as f64 * here.chance;
        }
        measure.chance /= measure.trials as f64;
        let published = measure.chance * (1.0 + rule.times / N);
        Check { event: rule.event.into(), source: published::FLUHRER, published, measure }
    };
    let checks = published::fluhrer_mcgrew().into_iter().map(check);
    checks.filter(|check| check.measure.trials > 0).collect()
}

/// A digraph that comes again behind a gap.
fn repeated_digraphs(file: &CountsFile) -> Vec<Check> {
    let check = |gap| {
        let cells = Cells::of(file, Group { kind: Kind::Absab, index: gap as usize })?;
        let (measure, published) = (cells.measure(1), published::absab(gap));
        let event = format!("ABSAB, gap {gap}");
        Some(Check { event, source: published::MANTIN, published, measure })
    };
    (0..file.campaign.count.absab.1).filter_map(check).collect()
}

/// S\[y\] behind the key schedule.
fn roos(file: &CountsFile) -> Vec<Check> {
    let check = |y| {
        let cells = Cells::of(file, Group { kind: Kind::Roos, index: y as usize })?;
        let (measure, published) = (cells.measure(0), published::roos(y));
        let event = match y {
            0 => "S[0] = K[0]".into(),
            1 => "S[1] = 1 + K[0] + K[1]".into(),
            _ => format!("S[{y}] = {} + ΣK[0…{y}]", y * (y + 1) / 2),
        };
        Some(Check { event, source: published::PAUL_MAITRA, published, measure })
    };
    published::ROOS_INDEXES.into_iter().filter_map(check).collect()
}

/// The first byte of weak keys: of the keystreams with K\[0\] + K\[1\] = 0.
fn roos_output(file: &CountsFile) -> Option<Check> {
    let cells = Cells::of(file, Group { kind: Kind::RoosOutput, index: 0 })?;
    let weak = &cells.counts[..256];
    let measure = Measure { hits: weak[0], trials: weak.iter().sum(), chance: 1.0 / N };
    let event = "Z1 = K[2] + 3, weak key".into();
    let check =
        Check { event, source: published::ROOS, published: published::ROOS_OUTPUT, measure };
    (measure.trials > 0).then_some(check)
}

/// S\[j\] = i − Z_r, over all positions.
fn glimpse(file: &CountsFile) -> Option<Check> {
    let positions = 0..file.campaign.count.glimpse as usize;
    let groups = positions.map(|index| Cells::of(file, Group { kind: Kind::Glimpse, index }));
    let mut measure = Measure { hits: 0, trials: 0, chance: 1.0 / N };
    for cells in groups.flatten() {
        measure.hits += cells.counts[0];
        measure.trials += cells.trials;
    }
    let (event, source) = ("S[j] = i − Z_r".into(), published::JENKINS);
    let check = Check { event, source, published: published::GLIMPSE, measure };
    (measure.trials > 0).then_some(check)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        campaign::Campaign,
        sampler::{Counts, Sampler},
    };

    fn campaign(keystreams: u64, more: &str) -> Campaign {
        let seed = "b1a5".repeat(16);
        Campaign::parse(&format!(
            "seed = '{seed}'\nshards = 1\nkeystreams = {keystreams}\nkey-length = 16\n[count]\n\
             single = 257\ndigraphs = 1\nequal = [[1, 2], [1, 3], [1, 4], [2, 4]]\n{more}"
        ))
        .unwrap()
    }

    fn file(campaign: Campaign, counts: Counts) -> CountsFile {
        CountsFile { campaign, shards: vec![(0, 0)], unfinished: None, counts }
    }

    fn counted(campaign: Campaign) -> CountsFile {
        let mut sampler = Sampler::new(&campaign, 0, 0, Counts::new(&campaign));
        while sampler.step() {}
        let counts = sampler.counts();
        file(campaign, counts)
    }

    fn verdict_on(event: &str, checks: &[Check], verdicts: &[Verdict]) -> Verdict {
        verdicts[checks.iter().position(|check| check.event == event).unwrap()]
    }

    #[test]
    fn known_biases_are_seen_in_keystreams() {
        let campaign = campaign(1 << 23, "");
        let file = counted(campaign);
        let checks = checks(&file);
        let verdicts = verdicts(&checks);
        for event in ["Z2 = 0", "Z16 = 240", "Z1 = Z2 = 0"] {
            assert_eq!(verdict_on(event, &checks, &verdicts), Verdict::Seen, "{event}");
        }
        assert!(!verdicts.contains(&Verdict::Missing));
        let (biased, tested) = biased_positions(&file);
        assert_eq!(tested, 257);
        assert!(biased.contains(&2) && !biased.contains(&257));
    }

    #[test]
    fn biases_of_key_and_state_are_seen() {
        let text = "roos = 33\nroos-output = true\nglimpse = 2";
        let file = counted(campaign(1 << 18, text));
        let checks = checks(&file);
        let verdicts = verdicts(&checks);
        for event in
            ["S[0] = K[0]", "S[16] = 136 + ΣK[0…16]", "Z1 = K[2] + 3, weak key", "S[j] = i − Z_r"]
        {
            assert_eq!(verdict_on(event, &checks, &verdicts), Verdict::Seen, "{event}");
        }
        let close = |event: &str, measured: f64| {
            let check = checks.iter().find(|check| check.event == event).unwrap();
            assert!((check.measure.probability() / measured - 1.0).abs() < 0.05, "{event}");
        };
        close("S[0] = K[0]", 0.3686);
        close("S[2] = 3 + ΣK[0…2]", 0.3613);
        close("S[16] = 136 + ΣK[0…16]", 0.2017);
    }

    /// The same list against a generator without biases: nothing is seen, what must be is missing.
    #[test]
    fn random_bytes_show_no_bias() {
        use chacha20::rand_core::{Rng, SeedableRng};
        let campaign = campaign(1 << 20, "");
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
