//! The base of all experiments: data from a seed, and a success rate with its interval.

use chacha20::{
    ChaCha20Rng,
    rand_core::{Rng, SeedableRng},
};
use rand_distr::{Distribution, StandardNormal};
use sha2::{Digest, Sha256};

/// Quantile of the normal distribution for intervals of 95 %.
const Z: f64 = 1.959_963_985;

/// `successes` out of `trials`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Success {
    /// Number of successful trials.
    pub successes: u64,
    /// Number of trials.
    pub trials: u64,
}

impl Success {
    /// Counts one more trial.
    pub fn count(&mut self, success: bool) {
        self.successes += u64::from(success);
        self.trials += 1;
    }

    /// Returns the share of successful trials; NaN without trials.
    pub fn rate(self) -> f64 {
        self.successes as f64 / self.trials as f64
    }

    /// Returns Wilson's 95 % score interval of the probability of success (E. B. Wilson, J.
    /// American Statistical Association 22, 1927); 0 to 1 without trials.
    pub fn wilson(self) -> (f64, f64) {
        if self.trials == 0 {
            return (0.0, 1.0);
        }
        let (n, p) = (self.trials as f64, self.rate());
        let centre = p + Z * Z / (2.0 * n);
        let spread = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        (((centre - spread) / scale).max(0.0), ((centre + spread) / scale).min(1.0))
    }
}

impl std::ops::Add for Success {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { successes: self.successes + other.successes, trials: self.trials + other.trials }
    }
}

impl From<bool> for Success {
    /// One trial.
    fn from(success: bool) -> Self {
        Self { successes: u64::from(success), trials: 1 }
    }
}

impl FromIterator<bool> for Success {
    fn from_iter<T: IntoIterator<Item = bool>>(trials: T) -> Self {
        let mut success = Self::default();
        trials.into_iter().for_each(|trial| success.count(trial));
        success
    }
}

/// A published figure, for comparison with an experiment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The probability of success.
    pub rate: f64,
    /// The source.
    pub source: &'static str,
}

/// The random bytes of one trial: the output of ChaCha20. Its key is the SHA-256 of the attack's
/// name and the seed, its stream the trial's number. They do not depend on the order of the trials
/// or on threads.
#[derive(Debug)]
pub struct Random(ChaCha20Rng);

impl Random {
    /// Starts the random bytes of trial number `trial` of the experiment `name`.
    pub fn new(name: &str, seed: u64, trial: u64) -> Self {
        let key = Sha256::digest(format!("arcfour attack {name} {seed}"));
        let mut random = ChaCha20Rng::from_seed(key.into());
        random.set_stream(trial);
        Self(random)
    }

    /// Fills `bytes`.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }

    /// Returns `n` bytes.
    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        let mut bytes = vec![0; n];
        self.fill(&mut bytes);
        bytes
    }

    /// Returns a number with the standard normal distribution.
    pub fn standard_normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    /// Returns a number below `n`. All numbers are equally likely, up to one part in 2^32.
    ///
    /// # Panics
    /// If `n` is 0.
    pub fn below(&mut self, n: u32) -> u32 {
        assert!(n > 0, "a number below 0");
        (self.0.next_u64() % u64::from(n)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::{Random, Success};

    #[test]
    fn intervals_are_those_of_the_literature() {
        // R. G. Newcombe, Statistics in Medicine 17, 1998, table I, method 3.
        for (successes, trials, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let (a, b) = Success { successes, trials }.wilson();
            assert!((a - low).abs() < 6e-5 && (b - high).abs() < 6e-5, "{successes}: {a} {b}");
        }
        assert_eq!(Success::default().wilson(), (0.0, 1.0));
        assert_eq!(Success::from(true), Success { successes: 1, trials: 1 });
        assert_eq!(Success::from(false), Success { successes: 0, trials: 1 });
    }

    #[test]
    fn trials_have_data_of_their_own() {
        let bytes = |name, seed, trial| Random::new(name, seed, trial).bytes(16);
        assert_eq!(bytes("a", 1, 2), bytes("a", 1, 2));
        let different = [bytes("a", 1, 2), bytes("b", 1, 2), bytes("a", 2, 2), bytes("a", 1, 3)];
        for (at, one) in different.iter().enumerate() {
            assert!(!different[at + 1..].contains(one));
        }
        let mut random = Random::new("a", 1, 0);
        assert!((0..1000).all(|_| random.below(3) < 3));
    }
}
