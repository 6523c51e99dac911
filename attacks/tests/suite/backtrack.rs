//! Recovers the state of RC4 with a small table from keystream.

use arcfour_attacks::{
    backtrack::{SmallRc4, expected_assignments, find_table},
    experiment::Random,
};

/// The search ends with the right table, or without one when its limit of assignments is too low.
#[test]
fn tables_are_found() {
    let mut total = [0.0_f64; 2];
    for n in [1, 2, 3, 8, 10] {
        for trial in 0..40 {
            let mut rc4 = SmallRc4::random(n, &mut Random::new("test of states", n as u64, trial));
            let table = rc4.s.clone();
            let keystream = rc4.keystream(6 * n);
            let ended = find_table(&vec![None; n], &keystream, u64::MAX);
            let found = ended.table.expect("the right one at least");
            if n > 3 {
                assert_eq!(found, table, "{n} {trial}");
                let less = find_table(&vec![None; n], &keystream, ended.assignments - 1);
                assert_eq!((less.table, less.assignments), (None, ended.assignments - 1));
            }
            let known: Vec<_> = table.iter().copied().map(Some).collect();
            let all = find_table(&known, &keystream, 0);
            assert_eq!((all.table, all.assignments), (Some(table), 0));
            if n > 3 {
                total[usize::from(n == 10)] += ended.assignments as f64 / 40.0;
            }
        }
    }
    // Half of a whole search, on average: the model is right within a factor of two.
    for (n, mean) in [8, 10].into_iter().zip(total) {
        let ratio = mean / (expected_assignments(n, 0) / 2.0);
        assert!((0.5..2.0).contains(&ratio), "{n}: {ratio}");
    }
}

/// Every table of three entries comes at random.
#[test]
fn random_tables_are_of_every_order() {
    let mut random = Random::new("test of tables", 0, 0);
    let mut tables: Vec<_> = (0..100).map(|_| SmallRc4::random(3, &mut random).s).collect();
    tables.sort_unstable();
    tables.dedup();
    assert_eq!(tables, [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]);
}

/// The literature's figure for the whole of RC4 is 2^779.
#[test]
fn the_model_comes_near_the_published_cost() {
    let log = expected_assignments(256, 0).log2();
    assert!((770.0..785.0).contains(&log), "{log}");
    assert!(expected_assignments(32, 16) < expected_assignments(32, 15));
    assert!(expected_assignments(8, 8) == 0.0);
}
