//! One timed run.

use crate::Probe;

/// One timed run of a piece of work, with the state of the core on both sides of it.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Number of repetitions of the work.
    pub iterations: u64,
    /// Time of all iterations together, in nanoseconds.
    pub nanos: f64,
    /// The core just before.
    pub before: Probe,
    /// The core just after.
    pub after: Probe,
}

impl Sample {
    /// The core clock during the sample, in GHz.
    pub fn ghz(&self) -> f64 {
        (self.before.ghz + self.after.ghz) / 2.0
    }

    /// Core cycles of one iteration.
    pub fn cycles(&self) -> f64 {
        self.nanos * self.ghz() / self.iterations as f64
    }
}
