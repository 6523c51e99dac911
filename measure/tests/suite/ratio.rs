//! Ratios of pairs, and their interval.

use arcfour_measure::Ratio;

#[test]
fn a_ratio_is_a_median_with_an_interval_of_its_pairs() {
    let ratio = Ratio::of((0..31).rev().map(f64::from).collect());
    assert_eq!(ratio, Ratio { median: 15.0, low: 9.0, high: 21.0, pairs: 31 });
    assert_eq!(Ratio::of(vec![2.0, 1.0]), Ratio { median: 1.5, low: 1.0, high: 2.0, pairs: 2 });
    assert_eq!(Ratio::of(vec![2.0]), Ratio { median: 2.0, low: 2.0, high: 2.0, pairs: 1 });
    assert!(Ratio::of(vec![]).median.is_nan());
}
