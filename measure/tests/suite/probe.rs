//! Tests the probe in a quiet moment.

use arcfour_measure::{MULTIPLY_CYCLES, Probe, multiply_cycles};

/// Tries a relation between two times of one run until a quiet moment shows it. A busy machine may
/// have no such moment for a second or more.
fn eventually(relation: impl Fn() -> bool) -> bool {
    (0..20_000).any(|_| relation())
}

#[test]
fn a_multiply_takes_three_rotates() {
    // Two or four rotates would be 33 % away.
    assert!(eventually(|| (multiply_cycles() / MULTIPLY_CYCLES - 1.0).abs() < 0.12));
}

#[test]
fn filled_work_keeps_more_than_two_operations_in_flight_per_cycle() {
    // 32 sums of a xor and an add: at least 64 operations.
    assert!(eventually(|| Probe::take().fill < 32.0));
}

#[test]
fn a_step_of_a_walk_waits_for_its_load() {
    // A load takes four cycles or more, a sum one.
    assert!(eventually(|| (4.0..30.0).contains(&Probe::take().walk)));
}
