//! Tests the figures of a proportion: sums of exact fractions, and the normal distribution.

use arcfour_stats::cells::Proportion;

fn close(found: f64, right: f64) {
    assert!((found / right - 1.0).abs() < 1e-9, "{found} is not {right}");
}

/// The p-values are twice a sum of exact fractions.
#[test]
fn a_small_sample_has_the_exact_figures() {
    for (hits, chance, bias, z, p_value) in [
        (60, 0.5, 0.2, 2.0, 0.056_887_933_640_980_784),
        (40, 0.5, -0.2, -2.0, 0.056_887_933_640_980_784),
        (96, 0.9, 96.0 / 90.0 - 1.0, 2.0, 0.047_422_165_326_953_53),
        (80, 0.9, 80.0 / 90.0 - 1.0, -10.0 / 3.0, 0.003_957_121_731_542_462),
    ] {
        let found = Proportion { hits, trials: 100, chance };
        close(found.probability().unwrap(), hits as f64 / 100.0);
        close(found.relative_bias().unwrap(), bias);
        close(found.z().unwrap(), z);
        close(found.p_value(), p_value);
    }
    assert_eq!(Proportion { hits: 50, trials: 100, chance: 0.5 }.p_value(), 1.0);
}

/// The deviation of four million coins is 1000. The p-value of z = 1.96 is in every table.
#[test]
fn a_large_sample_has_the_p_value_of_the_normal_distribution() {
    for hits in [2_001_960, 1_998_040] {
        let found = Proportion { hits, trials: 4_000_000, chance: 0.5 };
        close(found.z().unwrap().abs(), 1.96);
        close(found.p_value(), 0.049_995_790_296_440_87);
    }
}
