//! Planted changes of RC4 are explained, and chance explains nothing.

use arcfour::{Keystream, families::variant::Variant};
use arcfour_attacks::variant::explain;

const PLAIN: &[u8; 24] = b"GET /gate.php HTTP/1.1\r\n";

/// The descriptions that explain `PLAIN` under a cipher with these changes, with all bytes right.
fn explained(changes: &str, given: &[u8], used: &[u8], dropped: usize, drop: usize) -> Vec<String> {
    let variant: Variant = changes.parse().unwrap();
    let mut keystream = vec![0; dropped + PLAIN.len()];
    variant.start(used).unwrap().fill(&mut keystream);
    let cipher: Vec<u8> = PLAIN.iter().zip(&keystream[dropped..]).map(|(p, k)| p ^ k).collect();
    let found = explain(given, &cipher, PLAIN, drop);
    found
        .explanations
        .iter()
        .filter(|each| each.agree == PLAIN.len())
        .map(|each| format!("{}; {}; {}", each.variant, each.form, each.drop))
        .collect()
}

/// The changes are among the explanations of a text that they encrypted.
fn found(changes: &str) {
    let found = explained(changes, b"Quentin", b"Quentin", 0, 0);
    assert!(
        found.iter().any(|each| each.starts_with(&format!("{changes};"))),
        "{changes}: {found:?}"
    );
}

#[test]
fn one_usual_change_is_found() {
    ["schedule-swap=none", "swap=none", "size=128"].into_iter().for_each(found);
}

#[test]
fn a_reversed_key_and_dropped_bytes_are_found() {
    let found = explained("rc4", b"Quentin", b"nitneuQ", 68, 100);
    assert!(found.iter().any(|each| each.ends_with("; 68")), "{found:?}");
}

#[test]
#[ignore = "half a minute: every constant, with every form of the key"]
fn one_change_by_a_constant_is_found() {
    ["start-i=9", "output=T[T[i]+T[j]+9]"].into_iter().for_each(found);
}

#[test]
#[ignore = "half a minute: the whole search"]
fn chance_explains_nothing() {
    let cipher: Vec<u8> = (0..PLAIN.len() as u8).map(|n| n.wrapping_mul(151) ^ 0xc3).collect();
    assert!(explain(b"Quentin", &cipher, PLAIN, 0).explanations.is_empty());
}
