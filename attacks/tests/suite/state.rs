//! Finds keys from states.

use arcfour::Rc4;
use arcfour_attacks::{
    experiment::{Random, Success},
    search::Pattern,
    state::{MAX_PLACES, beginnings, find_key, places},
};

/// Returns a random key of `length` bytes and its table.
fn keyed(length: usize, trial: u64) -> (Vec<u8>, [u8; 256]) {
    let key = Random::new("test of keys from states", length as u64, trial).bytes(length);
    let table = *Rc4::from_key(&key).unwrap().state().parts().0;
    (key, table)
}

/// Most keys of every usual length are found, and each result is the key. With 4,096 keys tested,
/// 200 trials of `trials key` found 98.5, 99, 90 and 65 % of these lengths. A binomial of this
/// probability falls below each limit once in a million. Without the votes of the inverse table, 16
/// bytes fall below it.
#[test]
fn keys_are_found_as_often_as_recorded() {
    for (length, trials, at_least) in [(5, 6, 3), (8, 4, 1), (13, 8, 2), (16, 38, 10)] {
        let trial = |trial| {
            let (key, table) = keyed(length, trial);
            let found = find_key(&table, length, 1 << 12);
            found.is_some_and(|found| {
                assert_eq!(found.key, key, "the shortest key of a table is unique in practice");
                true
            })
        };
        let success: Success = (0..trials).map(trial).collect();
        assert!(success.successes >= at_least, "{length} bytes: {success:?}");
    }
}

/// Short keys, down to one byte, and a table without a key of that length.
#[test]
fn short_keys_and_no_key() {
    for length in 1..=4 {
        let (key, table) = keyed(length, 0);
        assert_eq!(find_key(&table, length, 1 << 18).unwrap().key, key);
    }
    let (_, table) = keyed(16, 1);
    assert_eq!(find_key(&table, 1, 1 << 20), None);
    assert_eq!(find_key(&table, 5, 1 << 10), None);
}

/// A ciphertext is found at every place up to and including the limits, and not beyond.
#[test]
fn a_ciphertext_is_placed() {
    const MOST: u64 = 70_000;
    let plain: Pattern = "47 45 54 20 2f ?? 73".parse().unwrap();
    for place in [-70_001, -70_000, -4464, -1, 0, 1, 65_536, 70_000, 70_001_i64] {
        let mut rc4 = Rc4::from_key(b"Quentin").unwrap();
        rc4.skip(100_000);
        let (s, i, j) = rc4.state().parts();
        let mut text = *b"GET /es and more of it";
        text[5] ^= place as u8;
        text[6] = b's';
        let mut sender = Rc4::from_key(b"Quentin").unwrap();
        sender.skip((100_000 + place) as u64);
        sender.apply(&mut text);
        let expected = if place.unsigned_abs() <= MOST { vec![place] } else { vec![] };
        assert_eq!(places(s, i, j, &text, &plain, MOST), expected);
        let any = places(s, i, j, &text, &"??".parse().unwrap(), MOST);
        assert!(any.len() == MAX_PLACES && any[0] == -(MOST as i64));
        assert_eq!(places(s, i, j, &text, &"??".parse().unwrap(), 0), [0]);
    }
}

/// The first sixteen places are listed, although they are in several blocks of keystream.
#[test]
fn the_first_places_are_listed() {
    let mut rc4 = Rc4::from_key(b"Quentin").unwrap();
    let mut keystream = vec![0; 500_000];
    rc4.clone().fill(&mut keystream);
    rc4.skip(300_000);
    let (s, i, j) = rc4.state().parts();
    let plain: Pattern = "41 [00-07]".parse().unwrap();
    let fits = |at: &i64| {
        let at = (300_000 + at) as usize;
        keystream[at] ^ b'x' == 0x41 && keystream[at + 1] ^ b'y' < 8
    };
    let all: Vec<i64> = (-200_000..190_000).filter(fits).collect();
    let first = all.iter().filter(|place| **place < -200_000 + (1 << 16)).count();
    assert!(first < 16 && all.len() > 16 + first);
    assert_eq!(places(s, i, j, b"xy", &plain, 200_000), all[..16]);
}

/// The true beginning is listed for every i, and only beginnings within the limit are.
#[test]
fn the_beginning_is_found() {
    for produced in [0, 1, 255, 256, 257, 70_000] {
        let (key, table) = keyed(16, produced);
        let mut rc4 = Rc4::from_key(&key).unwrap();
        rc4.skip(produced);
        let (s, i, j) = rc4.state().parts();
        let all: Vec<_> = beginnings(s, i, j, produced).collect();
        assert_eq!(all.last().map(|beginning| beginning.produced), Some(produced));
        assert_eq!(all.last().unwrap().s, table);
        if produced > 0 {
            let fewer: Vec<_> = beginnings(s, i, j, produced - 1).collect();
            assert_eq!(fewer[..], all[..all.len() - 1]);
        }
    }
}
