//! Tests the number of iterations of a sample.

use std::time::Duration;

use arcfour_measure::{Goal, Meter};

const HALF_A_MILLISECOND: Duration = Duration::from_micros(500);

#[test]
fn iterations_reach_half_a_millisecond() {
    let work = |n: u64| Duration::from_nanos(50 + 100 * n);
    let n = Meter::iterations(work);
    assert!((HALF_A_MILLISECOND..2 * HALF_A_MILLISECOND).contains(&work(n)), "{n} iterations");
}

/// The first run is interrupted for 10 ms, and so is every fifth: neither ends the search.
#[test]
fn an_interrupted_run_is_not_taken_for_a_long_one() {
    let mut runs = 0;
    let n = Meter::iterations(|n| {
        runs += 1;
        let interrupted = if runs % 5 == 1 { 10_000_000 } else { 0 };
        Duration::from_nanos(100 * n + interrupted)
    });
    assert!(n >= 5000, "{n} iterations");
}

#[test]
fn collected_samples_were_run_as_often_as_they_say() {
    let mut runs = 0;
    let work = || {
        runs += 1;
        std::hint::black_box(std::array::from_fn::<u64, 512, _>(|i| i as u64));
    };
    let samples = Meter::new().collect(Goal::of(2), work);
    let sampled: u64 = samples.iter().map(|sample| sample.iterations).sum();
    // The other runs were for finding the number of iterations.
    assert!(runs > sampled && runs < 2 * sampled + 4 * samples[0].iterations);
}
