//! Takes samples, each between two probes of the core.

use std::time::{Duration, Instant};

use crate::{Probe, Ratio, Sample, Summary, quiet::Quiet};

/// Tolerance: the excess of a probe over a quiet probe, and the difference of the clock between two
/// probes.
const TOLERANCE: f64 = 0.02;
/// The quiet threshold for fills is the best-1-in-`FILLS` quantile of all fills.
const FILLS: usize = 100;
/// The usual time of a walk is the 1-in-`WALKS` quantile (the median) of the walks beside a quiet fill.
const WALKS: usize = 2;
/// Tolerance of a walk's difference from the usual time. On a quiet core 98 % of 80,000 walks were
/// within 6 %, at every place of the table. Beside a neighbour the clock is misread, and a walk
/// seemed 20 % faster (AMD family 26, model 2).
const WALK_TOLERANCE: f64 = 0.08;
/// Minimum duration of a sample of [`Meter::iterations`].
const SAMPLE: Duration = Duration::from_micros(500);

/// The number of samples to take.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// Samples to be accepted.
    pub wanted: usize,
    /// Maximum number of samples; beyond it the machine counts as noisy.
    pub tries: usize,
}

impl Goal {
    /// `wanted` accepted samples, from at most 20 × `wanted` tries.
    pub const fn of(wanted: usize) -> Self {
        Self { wanted, tries: 20 * wanted }
    }
}

/// Takes samples, and learns how fast a quiet core is.
#[derive(Debug)]
pub struct Meter {
    fills: Quiet,
    walks: Quiet,
}

impl Meter {
    /// Keeps the core busy for about 50 ms, and learns the quiet thresholds.
    pub fn new() -> Self {
        let start = Instant::now();
        let mut meter = Self { fills: Quiet::new(FILLS), walks: Quiet::new(WALKS) };
        while start.elapsed() < Duration::from_millis(50) {
            meter.probe();
        }
        meter
    }

    fn probe(&mut self) -> Probe {
        let probe = Probe::take();
        self.learn(probe);
        probe
    }

    fn learn(&mut self, probe: Probe) {
        self.fills.learn(probe.fill);
        if self.fills_quietly(probe) {
            self.walks.learn(probe.walk);
        }
    }

    fn fills_quietly(&self, probe: Probe) -> bool {
        probe.fill <= self.fills.cycles() * (1.0 + TOLERANCE)
    }

    /// Takes one sample of `work`, which repeats itself `iterations` times and returns the
    /// duration. `work` may time itself in another process on the same core.
    pub fn sample_timed(&mut self, iterations: u64, work: impl FnOnce() -> Duration) -> Sample {
        let before = self.probe();
        let nanos = work().as_nanos() as f64;
        Sample { iterations, nanos, before, after: self.probe() }
    }

    /// Takes one sample of `work`, repeated `iterations` times.
    pub fn sample(&mut self, iterations: u64, mut work: impl FnMut()) -> Sample {
        self.sample_timed(iterations, || {
            let start = Instant::now();
            (0..iterations).for_each(|_| work());
            start.elapsed()
        })
    }

    /// Returns true if the core was quiet and its clock steady on both sides of the sample. The
    /// fill must be at most 2 % above the first percentile of all probes of the process. The walk
    /// must be within 8 % of the median of the walks beside such fills. The clocks must be within 2
    /// % of one another. The percentile and the median still change, so ask again at the end.
    pub fn accepts(&self, sample: &Sample) -> bool {
        let quiet = |probe: Probe| {
            self.fills_quietly(probe)
                && (probe.walk / self.walks.cycles() - 1.0).abs() <= WALK_TOLERANCE
        };
        quiet(sample.before)
            && quiet(sample.after)
            && (sample.before.ghz / sample.after.ghz - 1.0).abs() <= TOLERANCE
    }

    /// Returns the number of iterations that make a sample of half a millisecond or more. `work`
    /// runs the given number of iterations and returns the duration. The number must take that long
    /// three times, because one run may have been interrupted.
    pub fn iterations(mut work: impl FnMut(u64) -> Duration) -> u64 {
        let mut n = 1;
        loop {
            let mut time = work(n);
            for _ in 0..2 {
                if time >= SAMPLE {
                    time = time.min(work(n));
                }
            }
            if time >= SAMPLE {
                return n;
            }
            // At most eightfold, because the first runs are slow.
            let wanted = SAMPLE.as_nanos() as f64 / time.as_nanos().max(1) as f64 * 1.1;
            n = (n as f64 * wanted.min(8.0)).ceil() as u64;
        }
    }

    /// Samples `work` until the goal is reached or given up.
    pub fn collect(&mut self, goal: Goal, mut work: impl FnMut()) -> Vec<Sample> {
        let iterations = Self::iterations(|n| {
            let start = Instant::now();
            (0..n).for_each(|_| work());
            start.elapsed()
        });
        let mut samples = Vec::with_capacity(goal.wanted);
        while self.wants_more(&samples, goal) {
            let sample = self.sample(iterations, &mut work);
            samples.push(sample);
        }
        samples
    }

    /// Returns true if another sample is wanted: neither the goal nor its limit of samples is
    /// reached.
    pub fn wants_more(&self, samples: &[Sample], goal: Goal) -> bool {
        samples.len() < goal.tries
            && samples.iter().filter(|sample| self.accepts(sample)).count() < goal.wanted
    }

    /// Summarises the accepted samples. If the goal was not reached, summarises all samples and
    /// marks them as noisy.
    pub fn summary(&self, samples: &[Sample], goal: Goal) -> Summary {
        let accepted: Vec<_> = samples.iter().filter(|s| self.accepts(s)).copied().collect();
        let quiet = accepted.len() >= goal.wanted;
        let judged = if quiet { &accepted } else { samples };
        Summary::of(judged, accepted.len(), samples.len() - accepted.len(), quiet)
    }

    /// Returns the cost of an iteration of `samples` divided by the cost of an iteration of
    /// `others`, both taken in turn. Uses the pairs whose samples were both accepted, or all pairs
    /// if no pair was.
    pub fn ratio(&self, samples: &[Sample], others: &[Sample]) -> Ratio {
        let pairs = || samples.iter().zip(others);
        let over = |(one, other): (&Sample, &Sample)| one.cycles() / other.cycles();
        let quiet = |&(one, other): &(&Sample, &Sample)| self.accepts(one) && self.accepts(other);
        let accepted: Vec<_> = pairs().filter(quiet).map(over).collect();
        Ratio::of(if accepted.is_empty() { pairs().map(over).collect() } else { accepted })
    }
}

impl Default for Meter {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Probe = Probe { ghz: 4.0, fill: 20.0, walk: 8.0 };

    fn meter() -> Meter {
        let mut meter = Meter { fills: Quiet::new(FILLS), walks: Quiet::new(WALKS) };
        meter.learn(QUIET);
        meter
    }

    fn sample(nanos: f64, before: Probe, after: Probe) -> Sample {
        Sample { iterations: 10, nanos, before, after }
    }

    #[test]
    fn cycles_are_nanoseconds_times_gigahertz_per_iteration() {
        let faster = Probe { ghz: 5.0, ..QUIET };
        assert_eq!(sample(1000.0, QUIET, faster).cycles(), 450.0);
    }

    #[test]
    fn a_sample_is_accepted_if_quiet_and_steady_on_both_sides() {
        let busy = Probe { fill: 20.5, ..QUIET };
        let slower = Probe { ghz: 3.9, ..QUIET };
        let storing = Probe { walk: 8.7, ..QUIET };
        let misread = Probe { walk: 7.3, ..QUIET };
        assert!(meter().accepts(&sample(1.0, QUIET, Probe { fill: 20.3, walk: 8.6, ghz: 3.95 })));
        let noisy = [busy, storing, misread, slower].map(|probe| [(probe, QUIET), (QUIET, probe)]);
        for (before, after) in noisy.into_iter().flatten() {
            assert!(!meter().accepts(&sample(1.0, before, after)));
        }
    }

    #[test]
    fn a_walk_beside_a_neighbour_is_not_what_others_are_held_to() {
        let mut meter = meter();
        (0..98).for_each(|_| meter.learn(Probe { fill: 26.0, walk: 6.0, ..QUIET }));
        assert!(meter.accepts(&sample(1.0, QUIET, QUIET)));
    }

    #[test]
    fn a_machine_never_quiet_ends_the_sampling_and_is_named() {
        let busy = sample(1000.0, Probe { fill: 30.0, ..QUIET }, QUIET);
        let mut samples = vec![];
        while meter().wants_more(&samples, Goal::of(3)) {
            samples.push(busy);
        }
        let summary = meter().summary(&samples, Goal::of(3));
        assert!(!summary.quiet);
        assert_eq!((summary.accepted, summary.rejected), (0, 60));
        assert_eq!(summary.cycles, 400.0);
    }

    #[test]
    fn rejected_samples_do_not_count_in_a_quiet_run() {
        let busy = sample(9000.0, Probe { fill: 30.0, ..QUIET }, QUIET);
        let samples = [busy, sample(1000.0, QUIET, QUIET), sample(1100.0, QUIET, QUIET)];
        let summary = meter().summary(&samples, Goal::of(2));
        assert!(summary.quiet);
        assert_eq!((summary.accepted, summary.rejected), (2, 1));
        assert_eq!(summary.cycles, 420.0);
    }

    #[test]
    fn a_ratio_is_of_pairs_in_which_both_were_quiet() {
        let busy = Probe { fill: 30.0, ..QUIET };
        let ours = [100.0, 110.0, 100.0].map(|nanos| sample(nanos, QUIET, QUIET));
        let theirs = [(200.0, QUIET), (330.0, QUIET), (900.0, busy)];
        let theirs = theirs.map(|(nanos, probe)| sample(nanos, probe, QUIET));
        let ratio = meter().ratio(&theirs, &ours);
        assert_eq!((ratio.median, ratio.pairs), (2.5, 2));
        assert_eq!(meter().ratio(&theirs[2..], &ours[2..]).median, 9.0);
    }
}
