//! A check of one published bias, and the verdicts on a list of checks.

use crate::cells::{Proportion, tails};

/// The probability of any false positive.
pub const ALPHA: f64 = 1e-3;
/// A bias must be seen if the test's power exceeds this probability.
pub const POWER: f64 = 0.999;

/// A published bias and its measurement.
#[derive(Clone, Debug)]
pub struct Check {
    /// The event, in the field's notation.
    pub event: String,
    /// The publication.
    pub source: &'static str,
    /// Its published probability.
    pub published: f64,
    /// The measured count.
    pub measured: Proportion,
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Significant, in the published direction.
    Seen,
    /// Not seen, although the sample is large enough.
    Missing,
    /// Not seen, in a sample that is too small.
    TooFew,
}

impl Verdict {
    /// Returns its name in every output: `seen`, `missing` or `too few samples`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seen => "seen",
            Self::Missing => "missing",
            Self::TooFew => "too few samples",
        }
    }
}

impl Check {
    /// Returns the number of trials that show the published bias at 5 standard deviations. `None`
    /// if chance is unknown or equals the published probability.
    pub fn needed(&self) -> Option<f64> {
        let chance = self.measured.chance;
        let needed = 25.0 * chance * (1.0 - chance) / (self.published - chance).powi(2);
        (needed.is_finite() && needed > 0.0).then_some(needed)
    }

    /// Returns the z-score that the published bias gives in this sample; `None` where
    /// [`needed`](Self::needed) is `None`.
    pub fn expected_z(&self) -> Option<f64> {
        let side = (self.published - self.measured.chance).signum();
        Some(side * 5.0 * (self.measured.trials as f64 / self.needed()?).sqrt())
    }

    /// Returns true if the test's power exceeds [`POWER`]: a sample of this size is significant at
    /// `level` if the event has its published probability.
    fn must_be_seen(&self, level: f64) -> bool {
        let Proportion { trials, chance, .. } = self.measured;
        if self.needed().is_none() {
            return false;
        }
        let significant = |hits| Proportion { hits, ..self.measured }.p_value() <= level;
        if self.published > chance {
            // The smallest significant count, and the probability of at least this count.
            let mean = (trials as f64 * chance) as u64;
            let least = first(mean, trials, significant);
            least.is_some_and(|least| tails(least, trials, self.published).1 > POWER)
        } else {
            // The same for the lower side: the largest significant count is one below the first
            // that is not significant.
            let mean = (trials as f64 * chance).ceil() as u64;
            let above = first(0, mean, |hits| !significant(hits)).unwrap_or(mean);
            above > 0 && tails(above - 1, trials, self.published).0 > POWER
        }
    }
}

/// Returns the smallest number from `low` to `high` for which `is` holds. `is` must be monotonic.
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
        let Check { published, measured, .. } = check;
        let bias = measured.probability().unwrap_or(measured.chance) - measured.chance;
        if significant && bias * (published - measured.chance) > 0.0 {
            Verdict::Seen
        } else if check.must_be_seen(level) {
            Verdict::Missing
        } else {
            Verdict::TooFew
        }
    };
    checks.iter().zip(holm(&p_values, ALPHA)).map(verdict).collect()
}

/// Returns which of the hypotheses with these p-values are rejected, by Holm's step-down method. A
/// hypothesis with p-value NaN is not rejected.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::tests::binomial;

    fn check(published: f64, hits: u64, trials: u64, chance: f64) -> Check {
        let measured = Proportion { hits, trials, chance };
        Check { event: String::new(), source: "", published, measured }
    }

    /// Adds up the power over all counts on the side of the bias whose two-sided p-value is at most
    /// the level.
    #[test]
    fn power_is_that_of_the_exact_test() {
        for (published, chance) in
            [(0.8, 0.5), (0.2, 0.5), (1.0, 0.5), (0.0, 0.5), (0.4, 0.1), (0.6, 0.9)]
        {
            for level in [0.001, 0.000_02] {
                let mut seen = 0;
                for n in 1..160 {
                    let by_chance = binomial(n, chance);
                    let power: f64 = binomial(n, published)
                        .into_iter()
                        .enumerate()
                        .filter(|&(hits, _)| {
                            let tail: f64 = match published > chance {
                                true => by_chance[hits..].iter().sum(),
                                false => by_chance[..=hits].iter().sum(),
                            };
                            2.0 * tail <= level
                        })
                        .map(|(_, probability)| probability)
                        .sum();
                    let must = check(published, 0, n as u64, chance).must_be_seen(level);
                    assert_eq!(must, power > POWER, "{published}, {chance}, {level}, {n}: {power}");
                    seen += usize::from(must);
                }
                assert!((1..159).contains(&seen), "{published}, {chance}, {level}: {seen}");
            }
        }
    }

    #[test]
    fn large_samples_have_the_power_of_the_normal_distribution() {
        let must =
            |published, trials, chance| check(published, 0, trials, chance).must_be_seen(1e-3);
        // The power is 0.999 at an expected z-score of 3.2905 + 3.0902 = 6.3807.
        assert!(!must(0.501, 10_170_000, 0.5) && must(0.501, 10_190_000, 0.5));
        assert!(!must(0.499, 10_170_000, 0.5) && must(0.499, 10_190_000, 0.5));
        assert!(!must(0.89, 2000, 0.9) && !must(0.09, 5000, 0.1));
        assert!(!must(0.5, 1 << 40, 0.5) && !must(0.1, 1000, 0.0));
    }

    #[test]
    fn the_first_number_is_found_wherever_it_is() {
        for low in 0..5 {
            for high in low..9 {
                for from in 0..12 {
                    let right = (low..=high).find(|&at| at >= from);
                    assert_eq!(first(low, high, |at| at >= from), right, "{low} to {high}, {from}");
                }
            }
        }
    }

    /// 75 trials show 1/2 for 1/4 at 5 sigma: 25 (1/4 · 3/4) / (1/4)². So do they for 0.
    #[test]
    fn five_sigma_take_the_variance_over_the_square_of_the_bias() {
        let figures = |published, trials, chance| {
            let check = check(published, 0, trials, chance);
            (check.needed(), check.expected_z())
        };
        assert_eq!(figures(0.5, 300, 0.25), (Some(75.0), Some(10.0)));
        assert_eq!(figures(0.0, 300, 0.25), (Some(75.0), Some(-10.0)));
        for (published, chance) in [(0.25, 0.25), (0.5, 0.0), (0.5, f64::NAN)] {
            assert_eq!(figures(published, 300, chance), (None, None), "{published}, {chance}");
        }
    }

    /// 12 coins that must all be heads are missed in a list of one, but prove nothing in a list of
    /// 100. A significant count on the other side, or without a published bias, is not seen.
    #[test]
    fn a_verdict_depends_on_the_direction_and_on_the_whole_list() {
        use Verdict::{Missing, Seen, TooFew};
        let even = check(0.5, 15, 30, 0.5);
        for (check, alone, among) in [
            (check(1.0, 6, 12, 0.5), Missing, TooFew),
            (check(1.0, 12, 12, 0.5), Seen, TooFew),
            (check(1.0, 30, 30, 0.5), Seen, Seen),
            (check(1.0, 0, 30, 0.5), Missing, Missing),
            (check(0.0, 0, 30, 0.5), Seen, Seen),
            (check(0.0, 30, 30, 0.5), Missing, Missing),
            (check(0.5, 0, 30, 0.5), TooFew, TooFew),
            (check(0.5, 30, 30, 0.5), TooFew, TooFew),
            (check(0.5, 1, 30, 0.0), Seen, Seen),
            (check(0.5, 0, 0, 0.25), TooFew, TooFew),
        ] {
            assert_eq!(verdicts(std::slice::from_ref(&check)), [alone], "{check:?}");
            let mut list = vec![even.clone(); 99];
            list.push(check);
            assert_eq!(verdicts(&list)[99], among, "{list:?}");
        }
        assert_eq!(
            [Seen, Missing, TooFew].map(Verdict::name),
            ["seen", "missing", "too few samples"]
        );
    }
}
