//! The ratio of the costs of two pieces of work.

use std::f64::consts::LN_2;

use crate::summary::quantile;

/// The cost ratio of two pieces of work, from paired samples. A pair is taken within milliseconds, so
/// that a disturbance slows both samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Median of the ratios of all pairs; NaN without pairs.
    pub median: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Number of pairs.
    pub pairs: usize,
}

impl Ratio {
    /// Maximum probability that the interval misses the true median.
    pub const RISK: f64 = 0.05;

    /// Returns the median of these ratios, with an interval between two of them. The interval
    /// assumes nothing about their distribution, because the number of pairs below the true median
    /// is binomial. With fewer than six pairs the interval goes from the least to the greatest. It
    /// then misses the true median more often than [`Self::RISK`].
    pub fn of(mut ratios: Vec<f64>) -> Self {
        ratios.sort_by(f64::total_cmp);
        let pairs = ratios.len();
        let median = quantile(&ratios, 0.5);
        let Some(last) = pairs.checked_sub(1) else {
            return Self { median, low: median, high: median, pairs };
        };
        let rank = rank(pairs);
        Self { median, low: ratios[rank], high: ratios[last - rank], pairs }
    }
}

/// Returns how many of `n` sorted values can be dropped at each end. The rest still covers the
/// median with a probability of at least 1 - [`Ratio::RISK`].
fn rank(n: usize) -> usize {
    // The logarithm of the probability that exactly `rank` of `n` values fall below the median, since
    // 2^-n is 0 in an f64 from 1075 values on. Then the probability that at most `rank` do.
    let mut exactly = -(n as f64) * LN_2;
    let (mut at_most, mut rank) = (exactly.exp(), 0);
    loop {
        exactly += ((n - rank) as f64 / (rank + 1) as f64).ln();
        at_most += exactly.exp();
        if 2.0 * at_most > Ratio::RISK || rank + 1 >= n / 2 {
            return rank;
        }
        rank += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Conover, Practical Nonparametric Statistics, table A3, which counts from 1.
    #[test]
    fn ranks_are_those_of_the_sign_test() {
        for (n, from_one) in [(6, 1), (8, 1), (9, 2), (20, 6), (31, 10), (50, 18)] {
            assert_eq!(rank(n) + 1, from_one, "{n} pairs");
        }
        // n / 2 − 1.96 √n / 2, where 2^-n is too small for an f64.
        assert_eq!([rank(1075), rank(2000)], [504, 955]);
    }
}
