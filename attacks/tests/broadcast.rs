//! The same plaintext under many keys.

use arcfour_attacks::{
    broadcast::{POSITIONS, ciphertexts, likeliest, recorded_keystreams},
    experiment::Random,
};

/// The second byte, twice as often 0, comes out first; with more ciphertexts more positions do, and none by chance.
#[test]
fn more_ciphertexts_give_more_bytes() {
    let mut random = Random::new("test of broadcasts", 1, 0);
    let mut plain = [0; POSITIONS];
    random.fill(&mut plain);
    let mut right = |n| {
        let counts = ciphertexts(&plain, n, &mut random);
        assert!(counts.iter().all(|counts| counts.iter().sum::<u64>() == n));
        let found = likeliest(&counts);
        assert_eq!(found[1], plain[1], "{n} ciphertexts");
        found.iter().zip(&plain).filter(|(found, plain)| found == plain).count()
    };
    let few = right(1 << 13);
    let many = right(1 << 23);
    assert!(few < 12, "{few} of 256");
    assert!(many >= 12 && many > few, "{many} of 256 after {few}");
    assert!(recorded_keystreams() >= 1 << 30);
}
