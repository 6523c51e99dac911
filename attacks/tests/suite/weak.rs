//! Tests weak keys and short cycles.

use arcfour::Rc4;
use arcfour_attacks::{
    experiment::{Random, Success},
    weak::{CHANGED, Parities, finney_period, klein_votes, near_collision, pattern, weak_key},
};

/// RC4 makes the pattern from a table whose entries equal their places modulo 2, until an entry
/// differs.
#[test]
fn weak_keys_follow_the_pattern() {
    assert_eq!([1, 2, 3, 4, 5, 6].map(pattern), [0, 1, 1, 0, 0, 1]);
    let mut random = Random::new("test of weak keys", 0, 0);
    let (mut weak, mut others) = (Parities::default(), Parities::default());
    for _ in 0..4000 {
        let key = weak_key(16, &mut random);
        assert!(key[0] == 1 && key[1] >= 128);
        assert!(key.iter().enumerate().all(|(r, byte)| (usize::from(*byte) + r) % 2 == 1));
        weak.add(&key);
        others.add(&random.bytes(16));
    }
    // The other bits are random.
    let random = || Random::new("test of weak keys", 1, 0);
    let (key, bytes) = (weak_key(256, &mut random()), random().bytes(256));
    assert!(key.iter().zip(&bytes).skip(2).all(|(key, byte)| key & 0xfe == byte & 0xfe));
    assert_eq!(key[1], bytes[1] & 0xfe | 0x80);
    // FMS prove more than 2/5 for the table.
    assert!(weak.kept.wilson().0 > 0.4, "{:?}", weak.kept);
    assert_eq!(others.kept.successes, 0);
    assert!(weak.follows[0].wilson().0 > 0.6 && weak.follows[15].wilson().0 > 0.55);
    let (low, high) = others.follows[0].wilson();
    assert!(low < 0.51 && high > 0.49, "{low} {high}");
    let both = weak.clone().merge(&others);
    assert_eq!(both.kept, Success { successes: weak.kept.successes, trials: 8000 });
    for (both, (one, two)) in both.follows.iter().zip(weak.follows.iter().zip(others.follows)) {
        assert_eq!((both.successes, both.trials), (one.successes + two.successes, 8000));
    }
}

/// Klein's vote is right more often than by chance with the IV on either side: for 13 bytes or for 12.
#[test]
fn klein_votes_with_the_iv_on_either_side() {
    let mut random = Random::new("test of IVs", 0, 0);
    let mut votes = [Success::default(); 2];
    for _ in 0..20_000 {
        let more = klein_votes(&mut random);
        votes.iter_mut().zip(more).for_each(|(votes, more)| *votes = *votes + more);
    }
    assert_eq!(votes.map(|votes| votes.trials), [260_000, 240_000]);
    for votes in votes {
        let (low, high) = votes.wilson();
        assert!(low > 1.2 / 256.0 && high < 1.6 / 256.0, "{votes:?}");
    }
}

/// Finney's states repeat after 256 · 255 steps, and no key leads to one.
#[test]
fn finneys_cycles_are_short() {
    let mut random = Random::new("test of short cycles", 0, 0);
    for _ in 0..3 {
        let mut s: [u8; 256] = std::array::from_fn(|place| place as u8);
        for last in (1..256).rev() {
            s.swap(last, random.below(last as u32 + 1) as usize);
        }
        assert_eq!(finney_period(s), 256 * 255);
    }
    let mut rc4 = Rc4::from_key(&random.bytes(16)).unwrap();
    for _ in 0..100_000 {
        rc4.skip(1);
        let (s, i, j) = rc4.state().parts();
        assert!(j != i.wrapping_add(1) || s[usize::from(j)] != 1);
    }
}

/// Two keys of 128 bytes that differ in one byte have tables that differ only in a few entries.
/// Keys of 16 bytes do not.
#[test]
fn long_keys_nearly_collide() {
    let mut random = Random::new("test of collisions", 0, 0);
    let found = near_collision(128, 4, 1_000_000, &mut random).expect("one in some thousands");
    let [one, two] = &found.keys;
    let differ: Vec<usize> = (0..128).filter(|&at| one[at] != two[at]).collect();
    assert_eq!(differ, [CHANGED]);
    let tables = [one, two].map(|key| *Rc4::from_key(key).unwrap().state().parts().0);
    let entries = tables[0].iter().zip(&tables[1]).filter(|(a, b)| a != b).count();
    assert!(entries == found.entries && (2..=4).contains(&entries));
    assert_eq!(near_collision(16, 4, 10_000, &mut random), None);
}
