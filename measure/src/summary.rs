//! Summary figures of many samples.

use crate::Sample;

/// Medians and spread of a set of samples, per iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Median of the core cycles.
    pub cycles: f64,
    /// Least of the core cycles.
    pub least: f64,
    /// First quartile of the core cycles.
    pub lower: f64,
    /// Third quartile of the core cycles.
    pub upper: f64,
    /// Median of the absolute deviations from the median, in core cycles.
    pub mad: f64,
    /// Median of the time, in nanoseconds.
    pub nanos: f64,
    /// Least, first quartile and third quartile of the time, in nanoseconds.
    pub nanos_spread: [f64; 3],
    /// Median of the core clock, in GHz.
    pub ghz: f64,
    /// Samples taken while the core was quiet.
    pub accepted: usize,
    /// Samples taken while the core was not quiet.
    pub rejected: usize,
    /// True if the figures use accepted samples only. Otherwise too few were accepted, and the
    /// figures use all samples, with their noise.
    pub quiet: bool,
}

impl Summary {
    pub(crate) fn of(samples: &[Sample], accepted: usize, rejected: usize, quiet: bool) -> Self {
        let sorted = |of: &dyn Fn(&Sample) -> f64| {
            let mut values: Vec<f64> = samples.iter().map(of).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let cycles = sorted(&Sample::cycles);
        let median = quantile(&cycles, 0.5);
        let nanos = sorted(&|sample| sample.nanos / sample.iterations as f64);
        Self {
            cycles: median,
            least: quantile(&cycles, 0.0),
            lower: quantile(&cycles, 0.25),
            upper: quantile(&cycles, 0.75),
            mad: quantile(&sorted(&|sample| (sample.cycles() - median).abs()), 0.5),
            nanos: quantile(&nanos, 0.5),
            nanos_spread: [0.0, 0.25, 0.75].map(|q| quantile(&nanos, q)),
            ghz: quantile(&sorted(&Sample::ghz), 0.5),
            accepted,
            rejected,
            quiet,
        }
    }

    /// Core cycles per byte, if an iteration handles `bytes` bytes.
    pub fn cycles_per_byte(&self, bytes: usize) -> f64 {
        self.cycles / bytes as f64
    }

    /// Rate in MB/s (10^6 bytes per second), if an iteration handles `bytes` bytes.
    pub fn mb_per_s(&self, bytes: usize) -> f64 {
        bytes as f64 / self.nanos * 1e3
    }
}

/// Returns the quantile `q` of sorted values, interpolated linearly (Hyndman & Fan 1996, type 7);
/// NaN without values.
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = q * last as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Probe;

    #[test]
    fn quantiles_are_those_of_type_7() {
        let values = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(
            [0.0, 0.25, 0.5, 0.75, 1.0].map(|q| quantile(&values, q)),
            [1.0, 1.75, 3.0, 5.0, 8.0]
        );
        assert!(quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn a_summary_is_per_iteration() {
        let core = Probe { ghz: 2.0, fill: 20.0, walk: 8.0 };
        let samples = [300.0, 100.0, 200.0, 800.0, 400.0].map(|nanos| Sample {
            iterations: 10,
            nanos,
            before: core,
            after: core,
        });
        let summary = Summary::of(&samples, 5, 0, true);
        assert_eq!(summary.least, 20.0);
        assert_eq!((summary.lower, summary.cycles, summary.upper), (40.0, 60.0, 80.0));
        assert_eq!((summary.mad, summary.nanos, summary.ghz), (20.0, 30.0, 2.0));
        assert_eq!(summary.nanos_spread, [10.0, 20.0, 40.0]);
        assert_eq!(summary.cycles_per_byte(30), 2.0);
        assert_eq!(summary.mb_per_s(30), 1000.0);
    }
}
