//! A check of one published bias, and the verdicts on a list of checks.

use statrs::distribution::{ContinuousCDF, Normal};

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
        // Power is about 0.5 where the expected z-score equals the critical value.
        let bound = -Normal::standard().inverse_cdf(level / 2.0);
        if self.expected_z().is_none_or(|z| z.abs() <= bound) {
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
    use crate::published::N;

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
