//! Tries the attacks on RC4 on the other families.
//!
//! Three questions are asked of each family with keys of 16 bytes. First, is a single byte of its
//! keystream biased, as broadcast attacks need? Second, is Klein's vote right with an IV of three
//! bytes in the key, as the attack on WEP needs? Third, do weak keys reveal lowest bits? VMPC takes
//! the IV as an IV. PARC4-I makes each byte four times. The fourth is used, because it is RC4's
//! byte.

use arcfour::Family;
use rayon::prelude::*;

use crate::{
    experiment::{Random, Success},
    weak::weak_key,
    wep::{IV, MAX_KEY, klein_is_right},
};

/// The measurements of a family.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The family.
    pub family: Family,
    /// The position, from 1 to 16, of the keystream byte that deviates most from equal counts. The
    /// deviation is (χ² − 255) / √510. By chance it rarely exceeds 4.
    pub single: (usize, f64),
    /// Success of Klein's votes for all bytes of a key that follows an IV. By chance 1 in 256 is
    /// right.
    pub klein: Success,
    /// The position, from 1 to 16, of the keystream byte with the most biased lowest bit under weak
    /// keys. The success counts the more frequent value of this bit.
    pub lowest_bit: (usize, Success),
}

/// Number of bytes of a key with its IV, and of the keystream examined.
const KNOWN: usize = IV + MAX_KEY;

/// Counts of many keystreams.
struct Counts {
    values: Vec<[u32; 256]>,
    klein: Success,
    odd: [u64; KNOWN],
}

impl Default for Counts {
    fn default() -> Self {
        Self { values: vec![[0; 256]; KNOWN], klein: Success::default(), odd: [0; KNOWN] }
    }
}

/// Asks the questions of a family, with `samples` random keys for each.
///
/// # Panics
/// If there are no samples.
pub fn ask(family: Family, samples: u64, seed: u64) -> Findings {
    assert!(samples > 0, "no samples");
    let one = |mut counts: Counts, trial| {
        let mut random = Random::new(family.name(), seed, trial);
        let (mut iv, key) = ([0; IV], random.bytes(MAX_KEY));
        random.fill(&mut iv);
        let keystream = start(family, &iv, &key);
        for (values, &byte) in counts.values.iter_mut().zip(&keystream) {
            values[usize::from(byte)] += 1;
        }
        for right in klein_is_right(&iv, &key, &keystream) {
            counts.klein.count(right);
        }
        let weak = weak_key(KNOWN, &mut random);
        for (odd, byte) in counts.odd.iter_mut().zip(start(family, &weak[..IV], &weak[IV..])) {
            *odd += u64::from(byte % 2);
        }
        counts
    };
    let add = |mut all: Counts, more: Counts| {
        let values = all.values.iter_mut().flatten().zip(more.values.iter().flatten());
        values.for_each(|(all, more)| *all += more);
        all.klein = all.klein + more.klein;
        all.odd.iter_mut().zip(more.odd).for_each(|(all, more)| *all += more);
        all
    };
    let parts = (0..samples).into_par_iter().fold(Counts::default, one);
    let counts = parts.reduce(Counts::default, add);

    let expected = samples as f64 / 256.0;
    let deviation = |values: &[u32; 256]| {
        let squares = values.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected);
        (squares.sum::<f64>() - 255.0) / 510_f64.sqrt()
    };
    let single = (1..).zip(counts.values.iter().map(deviation));
    let bit = |odd: u64| Success { successes: odd.max(samples - odd), trials: samples };
    let lowest_bit = (1..).zip(counts.odd.map(bit));
    Findings {
        family,
        single: single.max_by(|a, b| a.1.total_cmp(&b.1)).expect("there are 16"),
        klein: counts.klein,
        lowest_bit: lowest_bit.max_by_key(|(_, bit)| bit.successes).expect("there are 16"),
    }
}

/// Returns the first bytes of keystream. For PARC4-I it takes the last of each four equal bytes.
fn start(family: Family, iv: &[u8], key: &[u8]) -> [u8; KNOWN] {
    let whole = [iv, key].concat();
    let (key, iv) = if family.takes_iv() { (key, Some(iv)) } else { (&whole[..], None) };
    let mut cipher = family.start(key, iv, None).expect("every family takes such keys");
    let times = if matches!(family, Family::Parc4i | Family::Parc4iText) { 4 } else { 1 };
    let mut keystream = [0; 4 * KNOWN];
    cipher.fill(&mut keystream[..times * KNOWN]);
    std::array::from_fn(|at| keystream[times * at + times - 1])
}
