//! Measures the other families with a few keys, and counts the same key by key.

use arcfour::Family;
use arcfour_attacks::{
    experiment::{Random, Success},
    families::ask,
    weak::weak_key,
};

/// The first sixteen bytes that an attacker sees. PARC4-I makes each byte four times, and the last
/// is RC4's.
fn seen(family: Family, whole: &[u8]) -> [u8; 16] {
    let (iv, key) = whole.split_at(3);
    let mut cipher = match family {
        Family::Vmpc => family.start(key, Some(iv), None),
        _ => family.start(whole, None, None),
    }
    .unwrap();
    let mut keystream = [0; 64];
    cipher.fill(&mut keystream);
    std::array::from_fn(|n| keystream[if family == Family::Parc4i { 4 * n + 3 } else { n }])
}

/// Klein's votes: with the table and j after q steps, K\[q\] = S⁻¹\[q − z\] − j − S\[q\], where z
/// is byte q of keystream, counted from 1.
fn klein(whole: &[u8], keystream: &[u8; 16]) -> Vec<bool> {
    let mut s: Vec<u8> = (0..=255).collect();
    let mut j = 0_u8;
    let mut right = vec![];
    for q in 0..16 {
        if q >= 3 {
            let value = (q as u8).wrapping_sub(keystream[q - 1]);
            let place = s.iter().position(|entry| *entry == value).unwrap() as u8;
            right.push(place.wrapping_sub(j).wrapping_sub(s[q]) == whole[q]);
        }
        j = j.wrapping_add(s[q]).wrapping_add(whole[q]);
        s.swap(q, usize::from(j));
    }
    right
}

#[test]
fn the_counts_are_those_of_each_key() {
    const KEYS: u64 = 300;
    for family in [Family::Rc4, Family::Vmpc, Family::Parc4i] {
        let (mut values, mut odd) = (vec![[0_u32; 256]; 16], [0; 16]);
        let mut right = Success::default();
        for trial in 0..KEYS {
            let mut random = Random::new(family.name(), 5, trial);
            let key = random.bytes(13);
            let whole = [random.bytes(3), key].concat();
            let keystream = seen(family, &whole);
            values.iter_mut().zip(keystream).for_each(|(of, z)| of[usize::from(z)] += 1);
            klein(&whole, &keystream).into_iter().for_each(|one| right.count(one));
            let weak = seen(family, &weak_key(16, &mut random));
            odd.iter_mut().zip(weak).for_each(|(odd, z)| *odd += u64::from(z & 1));
        }
        let chi_square = |of: &[u32; 256]| -> f64 {
            let expected = KEYS as f64 / 256.0;
            of.iter()
                .map(|&n| (f64::from(n) - expected) * (f64::from(n) - expected) / expected)
                .sum()
        };
        let deviations = values.iter().map(|of| (chi_square(of) - 255.0) / 510_f64.sqrt());
        let single = (1..).zip(deviations).max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        let found = ask(family, KEYS, 5);
        assert_eq!((found.family, found.klein), (family, right));
        assert_eq!(right.trials, 13 * KEYS);
        assert_eq!(found.single.0, single.0);
        assert!((found.single.1 - single.1).abs() < 1e-9, "{family}: {found:?} {single:?}");
        let most = odd.iter().map(|&odd| odd.max(KEYS - odd)).max().unwrap();
        assert_eq!(found.lowest_bit.1, Success { successes: most, trials: KEYS });
        let odd = odd[found.lowest_bit.0 - 1];
        assert_eq!(odd.max(KEYS - odd), most);
    }
}
