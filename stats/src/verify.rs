//! The published biases, each looked for in the counts.
//!
//! Every check is a two-sided binomial test, and Holm's method (1979) keeps the probability of
//! even one false alarm in the whole list at [`ALPHA`].

use statrs::distribution::{ContinuousCDF, Normal};

use crate::{
    campaign::Kind,
    cells::{Cells, Group, Proportion, tails},
    ent::chi_square_tail,
    file::CountsFile,
    published::{self, N},
};

/// The probability of any false alarm.
pub const ALPHA: f64 = 1e-3;
/// A bias must be seen if the sample shows it with more than this probability.
pub const POWER: f64 = 0.999;
/// The least expected count of a cell for Pearson's approximation. The usual 5 serve at a level of
/// a few percent; at [`ALPHA`] over hundreds of positions they would double the false alarms.
pub const LEAST_EXPECTED: f64 = 20.0;

/// A published bias and what was measured of it.
#[derive(Clone, Debug)]
pub struct Check {
    /// The event, in the field's notation.
    pub event: String,
    /// The publication.
    pub source: &'static str,
    /// Its published probability.
    pub published: f64,
    /// What was counted.
    pub measured: Proportion,
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Significant, and on the side that was published.
    Seen,
    /// Not seen, though the sample must show it.
    Missing,
    /// Not seen, in a sample that need not show it.
    TooFew,
}

impl Verdict {
    /// Its name in every output: `seen`, `missing` or `too few samples`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seen => "seen",
            Self::Missing => "missing",
            Self::TooFew => "too few samples",
        }
    }
}

impl Check {
    /// The trials that show the published bias at 5 standard deviations; none if chance is not known
    /// or is the published probability itself.
    pub fn needed(&self) -> Option<f64> {
        let chance = self.measured.chance;
        let needed = 25.0 * chance * (1.0 - chance) / (self.published - chance).powi(2);
        (needed.is_finite() && needed > 0.0).then_some(needed)
    }

    /// The z-score that the published bias gives in this sample; none where [`needed`](Self::needed)
    /// is none.
    pub fn expected_z(&self) -> Option<f64> {
        let side = (self.published - self.measured.chance).signum();
        Some(side * 5.0 * (self.measured.trials as f64 / self.needed()?).sqrt())
    }

    /// Whether a sample of this size, if the event has its published probability, is significant at
    /// `level` with more than [`POWER`].
    fn must_be_seen(&self, level: f64) -> bool {
        let Proportion { trials, chance, .. } = self.measured;
        // Power is about 0.5 where the expected z-score equals the critical value.
        let bound = -Normal::standard().inverse_cdf(level / 2.0);
        if self.expected_z().is_none_or(|z| z.abs() <= bound) {
            return false;
        }
        let significant = |hits| Proportion { hits, ..self.measured }.p_value() <= level;
        if self.published > chance {
            // The least count that is significant, and how often there are as many.
            let mean = (trials as f64 * chance) as u64;
            let least = first(mean, trials, significant);
            least.is_some_and(|least| tails(least, trials, self.published).1 > POWER)
        } else {
            // The same downwards: the first count that is no longer significant is one above.
            let mean = (trials as f64 * chance).ceil() as u64;
            let above = first(0, mean, |hits| !significant(hits)).unwrap_or(mean);
            above > 0 && tails(above - 1, trials, self.published).0 > POWER
        }
    }
}

/// The least number from `low` to `high` for which `is` holds, if it then holds for all above.
fn first(mut low: u64, high: u64, is: impl Fn(u64) -> bool) -> Option<u64> {
    let mut end = high + 1;
    while low < end {
        let middle = low + (end - low) / 2;
        if is(middle) { end = middle } else { low = middle + 1 }
    }
    (low <= high).then_some(low)
}

/// Returns the verdict on each check of the whole list.
pub fn verdicts(checks: &[Check]) -> Vec<Verdict> {
    let p_values: Vec<f64> = checks.iter().map(|check| check.measured.p_value()).collect();
    let level = ALPHA / checks.len().max(1) as f64;
    let verdict = |(check, significant): (&Check, bool)| {
        let above = check.measured.z().unwrap_or(0.0) > 0.0;
        if significant && above == (check.published > check.measured.chance) {
            Verdict::Seen
        } else if check.must_be_seen(level) {
            Verdict::Missing
        } else {
            Verdict::TooFew
        }
    };
    checks.iter().zip(holm(&p_values, ALPHA)).map(verdict).collect()
}

/// Returns which of the hypotheses with these p-values are rejected, by Holm's step-down method. One
/// whose p-value is not a number is not rejected.
pub fn holm(p_values: &[f64], alpha: f64) -> Vec<bool> {
    let p_value = |at: usize| if p_values[at].is_nan() { 1.0 } else { p_values[at] };
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_value(a).total_cmp(&p_value(b)));
    let mut rejected = vec![false; p_values.len()];
    for (rank, at) in order.into_iter().enumerate() {
        if p_value(at) > alpha / (p_values.len() - rank) as f64 {
            break;
        }
        rejected[at] = true;
    }
    rejected
}

/// The positions whose bytes are not uniform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uniformity {
    /// The positions, from 1, by Pearson's test and Holm's method.
    pub biased: Vec<u32>,
    /// Number of positions tested: all that were counted, or none if the sample is too small.
    pub tested: usize,
}

/// Tests single bytes for uniformity, position by position. A sample that expects fewer than
/// [`LEAST_EXPECTED`] of each byte is not tested.
pub fn uniformity(file: &CountsFile) -> Uniformity {
    let groups = (0..file.campaign().count().single as usize)
        .map(|index| Cells::of(file, Group { kind: Kind::Single, index }));
    let large = |cells: &Cells| cells.trials as f64 / N >= LEAST_EXPECTED;
    let p_values: Vec<f64> = groups
        .flatten()
        .filter(large)
        .map(|cells| {
            let expected = cells.trials as f64 / N;
            let counts = cells.counts.iter().map(|&count| count as f64);
            chi_square_tail(counts.map(|count| (count - expected).powi(2) / expected).sum(), 255)
        })
        .collect();
    let positions = (1..).zip(holm(&p_values, ALPHA)).filter(|&(_, biased)| biased);
    Uniformity { biased: positions.map(|(r, _)| r).collect(), tested: p_values.len() }
}

/// Returns every published bias that the campaign's counters can show.
pub fn checks(file: &CountsFile) -> Vec<Check> {
    let campaign = file.campaign();
    let mut checks = vec![];
    if campaign.drop() == 0 && campaign.key_pattern().is_none() && campaign.key_length() == 16 {
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
        let group = Group::of(file.campaign(), Kind::Equal, a, b);
        (group, 1, format!("Z{a} = Z{b}"), times / N, source)
    });
    let ((), times, source) = published::TWO_ZEROS;
    let first = Group::at(Kind::Digraphs, 1);
    let zeros = (first, 0, "Z1 = Z2 = 0".to_owned(), times / (N * N), source);
    singles
        .chain(equalities)
        .chain([zeros])
        .filter_map(|(group, cell, event, published, source)| {
            let measured = Cells::of(file, group?)?.proportion(cell);
            Some(Check { event, source, published, measured })
        })
        .collect()
}

/// Z_wN = 0 and Z_wN+2 = 0.
fn zeros_far_on(file: &CountsFile) -> Vec<Check> {
    let drop = file.campaign().drop();
    let pairs = file.campaign().count().pairs.iter();
    pairs
        .filter(|&&(a, b)| b == a + 2 && (a + drop).is_multiple_of(256))
        .filter_map(|&(a, b)| {
            let group = Group::of(file.campaign(), Kind::Pairs, a, b)?;
            let measured = Cells::of(file, group)?.proportion(0);
            let published = measured.chance * (1.0 + 2_f64.powi(-8));
            let event = format!("Z{} = Z{} = 0", a + drop, b + drop);
            Some(Check { event, source: published::SEN_GUPTA, published, measured })
        })
        .collect()
}

/// The long-term digraphs, each over all i it is published for.
fn long_term_digraphs(file: &CountsFile) -> Vec<Check> {
    if file.campaign().count().long_term == 0 {
        return vec![];
    }
    let kind = Kind::LongTerm;
    let tables: Vec<_> = (0..256).map(|index| Cells::of(file, Group { kind, index })).collect();
    let check = |rule: published::Rule| {
        let mut measured = Proportion { hits: 0, trials: 0, chance: 0.0 };
        for i in (0..=255).filter(|&i| (rule.holds)(i)) {
            let cells = tables[usize::from(i)].as_ref().filter(|cells| cells.trials > 0);
            let Some(cells) = cells else { continue };
            let (x, y) = (rule.digraph)(i);
            let here = cells.proportion(usize::from(x) << 8 | usize::from(y));
            measured.hits += here.hits;
            measured.trials += here.trials;
            measured.chance += here.trials as f64 * here.chance;
        }
        measured.chance /= measured.trials as f64;
        let published = measured.chance * (1.0 + rule.times / N);
        Check { event: rule.event.into(), source: published::FLUHRER, published, measured }
    };
    let checks = published::fluhrer_mcgrew().into_iter().map(check);
    checks.filter(|check| check.measured.trials > 0).collect()
}

/// A digraph that comes again after a gap.
fn repeated_digraphs(file: &CountsFile) -> Vec<Check> {
    let check = |gap| {
        let cells = Cells::of(file, Group { kind: Kind::Absab, index: gap as usize })?;
        let (measured, published) = (cells.proportion(1), published::absab(gap));
        let event = format!("ABSAB, gap {gap}");
        Some(Check { event, source: published::MANTIN, published, measured })
    };
    (0..file.campaign().count().absab.1).filter_map(check).collect()
}

/// S\[y\] after the key schedule.
fn roos(file: &CountsFile) -> Vec<Check> {
    let check = |y| {
        let cells = Cells::of(file, Group { kind: Kind::Roos, index: y as usize })?;
        let (measured, published) = (cells.proportion(0), published::roos(y));
        let event = match y {
            0 => "S[0] = K[0]".into(),
            1 => "S[1] = 1 + K[0] + K[1]".into(),
            _ => format!("S[{y}] = {} + ΣK[0…{y}]", y * (y + 1) / 2),
        };
        Some(Check { event, source: published::PAUL_MAITRA, published, measured })
    };
    published::ROOS_INDEXES.into_iter().filter_map(check).collect()
}

/// The first byte of weak keys: of the keystreams with K\[0\] + K\[1\] = 0.
fn roos_output(file: &CountsFile) -> Option<Check> {
    let cells = Cells::of(file, Group { kind: Kind::RoosOutput, index: 0 })?;
    let weak = &cells.counts[..256];
    let measured = Proportion { hits: weak[0], trials: weak.iter().sum(), chance: 1.0 / N };
    let event = "Z1 = K[2] + 3, weak key".into();
    let check =
        Check { event, source: published::ROOS, published: published::ROOS_OUTPUT, measured };
    (measured.trials > 0).then_some(check)
}

/// S\[j\] = i − Z_r, over all positions.
fn glimpse(file: &CountsFile) -> Option<Check> {
    let positions = 0..file.campaign().count().glimpse as usize;
    let groups = positions.map(|index| Cells::of(file, Group { kind: Kind::Glimpse, index }));
    let mut measured = Proportion { hits: 0, trials: 0, chance: 1.0 / N };
    for cells in groups.flatten() {
        measured.hits += cells.counts[0];
        measured.trials += cells.trials;
    }
    let (event, source) = ("S[j] = i − Z_r".into(), published::JENKINS);
    let check = Check { event, source, published: published::GLIMPSE, measured };
    (measured.trials > 0).then_some(check)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{campaign::Campaign, compare, sampler::Sampler, table};

    fn campaign(keystreams: u64, more: &str) -> Campaign {
        seeded(keystreams, 0xb1, more)
    }

    fn seeded(keystreams: u64, seed: u8, more: &str) -> Campaign {
        let seed = format!("{seed:02x}a5").repeat(16);
        Campaign::parse(&format!(
            "seed = '{seed}'\nshards = 1\nkeystreams = {keystreams}\nkey-length = 16\n[count]\n\
             single = 257\ndigraphs = 1\nequal = [[1, 2], [1, 3], [1, 4], [2, 4]]\n{more}"
        ))
        .unwrap()
    }

    fn counted(campaign: Campaign) -> CountsFile {
        let mut sampler = Sampler::start(campaign, 0).unwrap();
        while sampler.step() {}
        sampler.counts()
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
        let Uniformity { biased, tested } = uniformity(&file);
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
            assert!(
                (check.measured.probability().unwrap() / measured - 1.0).abs() < 0.05,
                "{event}"
            );
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
            let mut tables = campaign.empty_tables();
            let mut z = [0; 257];
            for _ in 0..campaign.keystreams() {
                random.fill_bytes(&mut z);
                for (position, &z) in z.iter().enumerate() {
                    tables[0][position << 8 | usize::from(z)] += 1;
                }
                tables[1][usize::from(z[0]) << 8 | usize::from(z[1])] += 1;
                for (at, (a, b)) in [(0, 1), (0, 2), (0, 3), (1, 3)].into_iter().enumerate() {
                    tables[2][2 * at + usize::from(z[a] == z[b])] += 1;
                }
            }
            let file = CountsFile::new(campaign.clone(), vec![(0, 0)], None, tables).unwrap();
            let checks = checks(&file);
            let verdicts = verdicts(&checks);
            assert!(!verdicts.contains(&Verdict::Seen), "seed {seed}");
            let at = checks.iter().position(|check| check.event == "Z2 = 0").unwrap();
            assert_eq!(verdicts[at], Verdict::Missing, "seed {seed}");
            assert!(uniformity(&file).biased.is_empty(), "seed {seed}");
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
        let measured = Proportion { hits: 0, trials: 6375, chance: 1.0 / N };
        let check = Check { event: String::new(), source: "", published: 2.0 / N, measured };
        assert!((check.needed().unwrap() - 6375.0).abs() < 1.0);
        assert!((check.expected_z().unwrap() - 5.0).abs() < 1e-3);
    }

    #[test]
    fn what_is_not_a_number_is_not_rejected() {
        for nan in [f64::NAN, -f64::NAN] {
            assert_eq!(holm(&[nan, 0.001, 0.5], 0.05), [false, true, false]);
            assert_eq!(holm(&[nan], 0.05), [false]);
        }
    }

    /// Samples of every size below what the checks need, of RC4 itself: nothing is missing, nothing
    /// but the large biases of the key schedule is seen, no position is called biased, and no figure
    /// is anything but a number.
    #[test]
    fn small_samples_show_too_little() {
        let more = "pairs = [[256, 258]]\nabsab = [2, 2]\nroos = 33\nroos-output = true";
        for keystreams in [1, 2, 3, 5, 10, 20, 50, 100, 300, 1000, 3000] {
            for seed in 0..4 {
                let file = counted(seeded(keystreams, seed, more));
                let checks = checks(&file);
                for (check, verdict) in checks.iter().zip(verdicts(&checks)) {
                    let Check { event, measured, .. } = check;
                    assert_ne!(verdict, Verdict::Missing, "{keystreams}: {event}: {measured:?}");
                    let large =
                        event == "Z2 = 0" || event.starts_with("S[") || event.ends_with("weak key");
                    assert!(verdict != Verdict::Seen || large, "{keystreams}: {event}");
                    let figures = [measured.probability(), measured.z(), check.expected_z()];
                    assert!(figures.iter().flatten().all(|figure| figure.is_finite()));
                }
                assert_eq!(uniformity(&file).biased, [] as [u32; 0], "{keystreams}, {seed}");
                for flat in [40, 1_000_000] {
                    let line = |cell| format!("{} {} {flat}\n", cell >> 8, cell & 0xff);
                    let flat = (0..257 << 8).map(line).collect::<String>();
                    let flat = table::parse(&flat).unwrap();
                    let differs = |position: &compare::Agreement| {
                        let differs = position.verdict == compare::Verdict::Differs;
                        differs && position.position != 2 || position.chi_square.is_nan()
                    };
                    let positions = compare::compare(&file, &flat).unwrap();
                    let found = positions.iter().find(|position| differs(position));
                    assert!(found.is_none(), "{keystreams}, {seed}: {found:?}");
                }
            }
        }
    }

    /// A sample whose power is 0.999 must show the event; a slightly smaller one need not.
    #[test]
    fn power_is_that_of_the_exact_test() {
        let must = |published: f64, trials, chance| {
            let measured = Proportion { hits: 0, trials, chance };
            Check { event: String::new(), source: "", published, measured }.must_be_seen(1e-3)
        };
        // No 3 coins are significant; 12 heads are, with p = 2 / 2^12.
        assert!(!must(1.0, 3, 0.5) && !must(1.0, 10, 0.5) && must(1.0, 12, 0.5));
        assert!(!must(0.0, 3, 0.5) && must(0.0, 12, 0.5));
        assert!(!must(2.0 / N, 6375, 1.0 / N) && must(2.0 / N, 20_000, 1.0 / N));
        assert!(!must(0.5, 1 << 20, 0.5) && !must(0.1, 1000, 0.0));
        assert!(must(0.9 / N, 1 << 22, 1.0 / N) && !must(0.9 / N, 1 << 10, 1.0 / N));
    }
}
