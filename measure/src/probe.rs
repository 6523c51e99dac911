//! A probe of the core: the speed of its clock, and signs of other work on it.

use std::time::Instant;

use crate::chains::{MULTIPLY_CYCLES, filled, multiplies, multiplies_and_rotates, walked};

/// About 10 µs each at 4 GHz: long beside the timer's 20 ns, short beside a sample.
const MULTIPLIES: u64 = 16 * 1024;
const FILLED: u64 = 2 * 1024;
const WALKED: u64 = 8 * 1024;
/// Number of measurements of a multiply, and their tolerance: 2 or 4 cycles are 33 % away from 3.
const TRIES: usize = 101;
const NEAR: f64 = 0.12;

/// The state of the core at one moment, taken in about 70 µs.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// The core clock in GHz, from a chain of multiplies ([`MULTIPLY_CYCLES`] each).
    pub ghz: f64,
    /// Cycles for one round of work that fills the core's ports: constant on a quiet core, more
    /// when another tenant uses its second hardware thread.
    pub fill: f64,
    /// Cycles for one step of a walk through a table that swaps as it goes. Constant on a quiet
    /// core; more when the second hardware thread loads and stores.
    pub walk: f64,
}

impl Probe {
    /// Takes a probe now.
    pub fn take() -> Self {
        let ghz = clock();
        let cycles = |work: fn(u64), steps: u64| least_nanos(|| work(steps)) * ghz / steps as f64;
        Self { ghz, fill: cycles(filled, FILLED), walk: cycles(walked, WALKED) }
    }
}

/// Measures how many cycles a multiply takes if a rotate takes one cycle. The result must be near
/// [`MULTIPLY_CYCLES`]. Otherwise every cycle count of this crate is wrong on this processor, by
/// the ratio of the two.
pub fn multiply_cycles() -> f64 {
    let best = |work: fn(u64)| (0..20).map(|_| least_nanos(|| work(MULTIPLIES))).reduce(f64::min);
    let plain = best(multiplies).unwrap_or(f64::NAN);
    let rotated = best(multiplies_and_rotates).unwrap_or(f64::NAN);
    plain / (rotated - plain)
}

/// Measures whether a multiply takes about [`MULTIPLY_CYCLES`]. If it does not, returns the factor
/// by which every number of cycles and every clock of this crate is too high.
pub fn clock_error() -> Option<f64> {
    error(multiply_cycles)
}

/// A busy machine disturbs single measurements, so one near the assumed number is enough. Without
/// one, the median counts.
fn error(mut measure: impl FnMut() -> f64) -> Option<f64> {
    let mut measured = [0.0; TRIES];
    for cycles in &mut measured {
        *cycles = measure();
        if (*cycles / MULTIPLY_CYCLES - 1.0).abs() < NEAR {
            return None;
        }
    }
    measured.sort_by(f64::total_cmp);
    Some(MULTIPLY_CYCLES / measured[TRIES / 2])
}

fn clock() -> f64 {
    MULTIPLIES as f64 * MULTIPLY_CYCLES / least_nanos(|| multiplies(MULTIPLIES))
}

/// Returns the minimum of two runs, in nanoseconds. An interrupt makes a run slow, and two in a row
/// are rare.
fn least_nanos(work: impl Fn()) -> f64 {
    let once = || {
        let start = Instant::now();
        work();
        start.elapsed().as_nanos() as f64
    };
    once().min(once())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_takes_time_in_proportion_to_its_length() {
        // A neighbour disturbs single runs, so the best of each length is compared.
        let (mut short, mut long) = (f64::INFINITY, f64::INFINITY);
        let in_proportion = (0..20_000).any(|_| {
            short = short.min(least_nanos(|| multiplies(MULTIPLIES)));
            long = long.min(least_nanos(|| multiplies(4 * MULTIPLIES)));
            (3.2..4.8).contains(&(long / short))
        });
        assert!(in_proportion, "{long} ns for four times the steps, {short} ns for one");
    }

    #[test]
    fn another_latency_of_a_multiply_is_an_error_of_the_clock() {
        let mut noise = (0..).map(|n| if n % 5 == 4 { 7.5 } else { 2.0 });
        assert_eq!(error(|| noise.next().unwrap()), Some(1.5));
        assert_eq!(error(|| 4.0), Some(0.75));
        let mut once_quiet = (0..).map(|n| if n == TRIES - 1 { 3.1 } else { 2.0 });
        assert_eq!(error(|| once_quiet.next().unwrap()), None);
        let mut never_quiet = (0..).map(|n| if n == TRIES { 3.1 } else { 2.5 });
        assert_eq!(error(|| never_quiet.next().unwrap()), Some(1.2));
    }

    #[test]
    fn the_clock_is_a_clock() {
        assert!((0..20_000).any(|_| (0.2..10.0).contains(&clock())));
    }
}
