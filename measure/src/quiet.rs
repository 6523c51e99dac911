//! The threshold of a quiet core, learnt from all probes so far.

use std::{cmp::Reverse, collections::BinaryHeap};

/// All probes in cycles: the best 1-in-`one_in` quantile, and the rest. Positive floats are ordered
/// like their bits.
#[derive(Debug)]
pub struct Quiet {
    one_in: usize,
    least: BinaryHeap<u64>,
    others: BinaryHeap<Reverse<u64>>,
}

impl Quiet {
    /// Sets the threshold at the 1/`one_in` quantile of the probes. The minimum would reject nearly
    /// every sample. One probe in ten thousand is interrupted twice, gets a wrong clock, and seems
    /// better than any core can be.
    pub fn new(one_in: usize) -> Self {
        Self { one_in, least: BinaryHeap::new(), others: BinaryHeap::new() }
    }

    /// Adds the cost of another probe.
    pub fn learn(&mut self, cycles: f64) {
        let bits = cycles.to_bits();
        if self.least.peek().is_some_and(|&most| bits < most) {
            self.least.push(bits);
        } else {
            self.others.push(Reverse(bits));
        }
        let wanted = 1 + (self.least.len() + self.others.len()) / self.one_in;
        if self.least.len() > wanted {
            self.others.extend(self.least.pop().map(Reverse));
        } else if self.least.len() < wanted {
            self.least.extend(self.others.pop().map(|Reverse(bits)| bits));
        }
    }

    /// Returns the cost of a probe on a quiet core.
    pub fn cycles(&self) -> f64 {
        self.least.peek().map_or(f64::INFINITY, |&bits| f64::from_bits(bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_is_a_quantile_in_any_order() {
        for step in [1, 7, 389] {
            for (one_in, cycles) in [(100, 11.0), (2, 501.0)] {
                let mut quiet = Quiet::new(one_in);
                (0..1000).for_each(|n| quiet.learn(f64::from(n * step % 1000) + 1.0));
                assert_eq!(quiet.cycles(), cycles);
            }
        }
    }

    #[test]
    fn a_probe_gone_wrong_changes_nothing() {
        let mut quiet = Quiet::new(100);
        (0..500).for_each(|_| quiet.learn(20.0));
        quiet.learn(1.4);
        assert_eq!(quiet.cycles(), 20.0);
    }
}
