//! Tests the figures of the randomness tests beside what the program `ent` 1.2 prints.

use arcfour::Rc4;
use arcfour_stats::ent::{Report, Tally, Unit};

fn report(bytes: &[u8], unit: Unit) -> Report {
    let mut tally = Tally::default();
    tally.add(bytes);
    tally.report(unit)
}

fn close(found: f64, right: f64) {
    assert!((found - right).abs() < 5e-7, "{found} is not {right}");
}

/// `ent -t`, `ent -b -t`, and its long output for the percentages. The two shares that `ent` rounds are computed from its
/// entropy and from its value of Pi.
#[test]
fn the_figures_are_those_of_ent() {
    let mut bytes = [0; 1003];
    Rc4::from_key(b"Key").unwrap().fill(&mut bytes);
    let bytewise = report(&bytes, Unit::Byte);
    assert_eq!(bytewise.samples, 1003);
    close(bytewise.entropy, 7.770588);
    close(bytewise.compression_percent, 2.867648);
    close(bytewise.chi_square, 302.012961);
    close(bytewise.chi_square_percent, 2.301372);
    close(bytewise.mean, 131.411765);
    close(bytewise.pi, 3.113772);
    close(bytewise.pi_error_percent, 0.885544);
    close(bytewise.serial_correlation.unwrap(), 0.034609);
    let bitwise = report(&bytes, Unit::Bit);
    assert_eq!(bitwise.samples, 8024);
    close(bitwise.entropy, 0.999713);
    close(bitwise.compression_percent, 0.028683);
    close(bitwise.chi_square, 3.190429);
    close(bitwise.chi_square_percent, 7.407058);
    close(bitwise.mean, 0.509970);
    close(bitwise.serial_correlation.unwrap(), -0.002393);
}

#[test]
fn a_point_on_the_circle_is_inside_and_the_next_is_not() {
    let (on, out) = ([255, 255, 255, 0, 0, 0], [255, 255, 255, 0, 0, 1]);
    assert_eq!(report(&on, Unit::Byte).pi, 4.0);
    assert_eq!(report(&out, Unit::Byte).pi, 0.0);
}

#[test]
fn a_stream_too_short_for_a_figure_gives_nan_and_no_correlation() {
    let none = report(&[], Unit::Byte);
    assert_eq!((none.samples, none.serial_correlation), (0, None));
    assert!(none.mean.is_nan() && none.chi_square.is_nan() && none.chi_square_percent.is_nan());
    assert!(report(&[7; 5], Unit::Bit).pi.is_nan());
}
