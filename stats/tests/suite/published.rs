//! Tests the published probabilities: which bytes, at which i, and how much more likely than chance.

use arcfour_stats::published::{absab, equalities, fluhrer_mcgrew, roos, single_bytes};

fn close(found: f64, right: f64) {
    assert!((found / right - 1.0).abs() < 1e-6, "{found} is not {right}");
}

/// Z_r = −r at the multiples of 16 up to 112, with the exponents of 2 that Isobe et al. and Sen Gupta et al. print.
#[test]
fn key_length_biases_have_the_printed_exponents() {
    let events = single_bytes();
    let exponents = [-4.81, -5.38, -5.94, -6.49, -7.22, -7.91, -8.66];
    for (r, exponent) in (16_u32..).step_by(16).zip(exponents) {
        let value = (256 - r) as u8;
        let found = events.iter().find(|((at, byte), ..)| (*at, *byte) == (r, value));
        close((found.unwrap().1 - 1.0).log2(), exponent);
    }
}

#[test]
fn other_biases_of_a_byte_or_of_two_have_the_printed_exponents() {
    let events = single_bytes();
    let times = |r, value| events.iter().find(|(bytes, ..)| *bytes == (r, value)).unwrap().1;
    assert_eq!((times(2, 0), times(1, 129), times(1, 0)), (2.0, 0.9933, 0.9969));
    close((times(3, 131) - 1.0).log2(), -8.1);
    close((1.0 - times(256, 0)).log2(), -9.4);
    close((times(257, 0) - 1.0).log2(), -9.5);
    let [first, second, third, fourth] = equalities().map(|(bytes, times, _)| (bytes, times - 1.0));
    assert_eq!(first, ((1, 2), -1.0 / 256.0));
    assert_eq!([second.0, third.0, fourth.0], [(1, 3), (1, 4), (2, 4)]);
    close((-second.1).log2(), -9.617);
    close(third.1.log2(), -8.590);
    close((-fourth.1).log2(), -9.622);
}

/// Table 1 of Fluhrer and McGrew: the digraph at i, the values of i it is published for, and its excess.
#[test]
fn long_term_digraphs_are_those_of_the_table() {
    type Row = (fn(u8) -> (u8, u8), fn(u8) -> bool, f64);
    let table: [Row; 12] = [
        (|_| (0, 0), |i| i == 1, 2.0),
        (|_| (0, 0), |i| ![1, 255].contains(&i), 1.0),
        (|_| (0, 1), |i| ![0, 1].contains(&i), 1.0),
        (|i| (0, i.wrapping_add(1)), |i| ![0, 255].contains(&i), -1.0),
        (|i| (i.wrapping_add(1), 255), |i| i != 254, 1.0),
        (|_| (129, 129), |i| i == 2, 1.0),
        (|i| (255, i.wrapping_add(1)), |i| ![1, 254].contains(&i), 1.0),
        (|i| (255, i.wrapping_add(2)), |i| ![0, 253, 254, 255].contains(&i), 1.0),
        (|_| (255, 0), |i| i == 254, 1.0),
        (|_| (255, 1), |i| i == 255, 1.0),
        (|_| (255, 2), |i| [0, 1].contains(&i), 1.0),
        (|_| (255, 255), |i| i != 254, -1.0),
    ];
    for (rule, (digraph, holds, times)) in fluhrer_mcgrew().iter().zip(table) {
        assert_eq!(rule.times, times, "{}", rule.event);
        for i in 0..=255 {
            assert_eq!((rule.holds)(i), holds(i), "{} at {i}", rule.event);
            if holds(i) {
                assert_eq!((rule.digraph)(i), digraph(i), "{} at {i}", rule.event);
            }
        }
    }
}

/// Mantin's ABSAB bias falls with the gap: e^((−4 − 8 gap) / 256) / 256 above chance.
#[test]
fn repeated_digraphs_have_the_probability_of_the_theorem() {
    for (gap, excess) in [(0, 0.003_845_689_2), (1, 0.003_727_369_8), (16, 0.002_332_528_4)] {
        close(absab(gap) * 65_536.0 - 1.0, excess);
    }
}

/// The first three are the 0.371, 0.368 and 0.364 of the literature.
#[test]
fn roos_bias_has_the_probability_of_the_formula() {
    let right = [
        (0, 0.371_066_005),
        (1, 0.368_203_172),
        (2, 0.363_945_185),
        (8, 0.312_846_527),
        (32, 0.044_585_853),
    ];
    right.into_iter().for_each(|(y, right)| close(roos(y), right));
}
