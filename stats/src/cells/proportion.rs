//! A count and its binomial distribution under the null hypothesis.

use statrs::function::erf::erfc;

/// From this variance on, the normal distribution approximates the binomial.
pub(super) const NORMAL: f64 = 1000.0;
/// Distance from the mean, in counts, at which the tail of a variance below [`NORMAL`] is 0.
const FAR: f64 = 20_000.0;

/// Number of occurrences of an event, and its probability under the null hypothesis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proportion {
    /// Number of occurrences.
    pub hits: u64,
    /// Number of trials.
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

    /// Returns the z-score, in standard deviations above chance; `None` if the variance is 0.
    pub fn z(&self) -> Option<f64> {
        let n = self.trials as f64;
        let deviation = (n * self.chance * (1.0 - self.chance)).sqrt();
        (deviation > 0.0).then(|| (self.hits as f64 - n * self.chance) / deviation)
    }

    /// Returns the two-sided p-value: twice the smaller tail of the binomial distribution, at most 1.
    /// It is exact where the variance is below 1000, and a normal approximation above.
    pub fn p_value(&self) -> f64 {
        let (lower, upper) = tails(self.hits, self.trials, self.chance);
        (2.0 * lower.min(upper)).min(1.0)
    }
}

/// Returns the probabilities that a binomial variable is at most `hits`, and at least `hits`.
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
    // Sums the tail away from the mean; the other tail is the rest.
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

/// Returns `first` × (1 + r₁ + r₁r₂ + …), until a term changes nothing.
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

/// Returns the probability that a binomial variable is `hits`.
fn probability(hits: u64, trials: u64, p: f64) -> f64 {
    let n = trials as f64;
    // Computes by the rarer of event and complement, so that the sum is short where the variance is
    // small.
    let (k, p) = if p <= 0.5 { (hits, p) } else { (trials - hits, 1.0 - p) };
    let ways: f64 = (0..k).map(|i| ((n - i as f64) / (k - i) as f64).ln()).sum();
    (ways + k as f64 * p.ln() + (n - k as f64) * (-p).ln_1p()).exp()
}
