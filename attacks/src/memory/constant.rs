//! Recognises constant tables of 256 different bytes that no RC4 key makes.
//!
//! Searching for the key of one table takes a core a second or more, and most programs contain
//! S-boxes and code tables. A table of RC4 looks like a random permutation. Most constants do not.
//! Some are more regular than a random permutation. Others are farther from every affine function,
//! as the designers of AES, Camellia, SM4 and Whirlpool wanted. The tables of MD2, RC2 and Twofish
//! do look random, and are recognised by their bytes.
//!
//! The probabilities below assume independent Poisson counts of differences, and independent normal
//! Walsh coefficients.

use std::sync::LazyLock;

use data_encoding::HEXLOWER;

/// Threshold: a random table has this number of equal differences of neighbours with probability
/// about 5 · 10^-8.
const ORDERLY: u8 = 13;
/// Threshold: a random table has this number of equal differences at one distance with probability
/// about 2 · 10^-8.
const UNEVEN: u8 = 24;
/// A random table has at least this nonlinearity with a probability of about 10^-8: most have 92 or 94, and AES has 112 (K. Nyberg,
/// Eurocrypt 1993).
const NONLINEAR: i16 = 100;

/// Returns true if a table is a constant of other programs. A table of RC4 is rejected by mistake
/// with a probability below 10^-7. The table of a key whose bytes are all 1 is always rejected,
/// because it begins as a rotated identity.
pub(super) fn is_constant(s: &[u8; 256]) -> bool {
    orderly(s) || PUBLISHED.contains(s) || nonlinear(s) || uneven(s)
}

/// Returns true if many neighbours differ by the same number or in the same bits. Such tables are
/// the identity, rotated or reversed, and tables of letter case, of bit orders, and of run-length
/// codes, as in MP3. A rotation does not change the count.
fn orderly(s: &[u8; 256]) -> bool {
    let mut differences = [[0_u8; 256]; 3];
    for (at, &value) in s.iter().enumerate() {
        let next = s[(at + 1) % 256];
        let steps = [next.wrapping_sub(value), next ^ value, s[(at + 2) % 256] ^ value];
        for (differences, step) in differences.iter_mut().zip(steps) {
            let count = &mut differences[usize::from(step)];
            *count = count.saturating_add(1);
        }
    }
    differences.iter().flatten().any(|&count| count >= ORDERLY)
}

/// Returns true if too many of s\[x\] ⊕ s\[x ⊕ d\] are equal for one d, as in the powers and
/// logarithms of SAFER.
fn uneven(s: &[u8; 256]) -> bool {
    (1..256).any(|d| {
        let mut differences = [0_u8; 256];
        (0..256).for_each(|x| {
            let count = &mut differences[usize::from(s[x] ^ s[x ^ d])];
            *count = count.saturating_add(1);
        });
        differences.iter().any(|&count| count >= UNEVEN)
    })
}

/// Returns true if every nonzero sum of the output bits has nonlinearity of at least [`NONLINEAR`], from the largest
/// Walsh coefficient. A random table passes soon.
fn nonlinear(s: &[u8; 256]) -> bool {
    (1..=255_u8).all(|bits| {
        let sign = |value: &u8| 1 - 2 * ((value & bits).count_ones() as i16 & 1);
        let mut walsh: [i16; 256] = std::array::from_fn(|at| sign(&s[at]));
        for half in [1, 2, 4, 8, 16, 32, 64, 128] {
            for pair in walsh.chunks_exact_mut(2 * half) {
                let (a, b) = pair.split_at_mut(half);
                for (a, b) in a.iter_mut().zip(b) {
                    (*a, *b) = (*a + *b, *a - *b);
                }
            }
        }
        walsh.iter().all(|coefficient| coefficient.abs() <= 2 * (128 - NONLINEAR))
    })
}

/// S-boxes that resemble a random permutation.
static PUBLISHED: LazyLock<Vec<[u8; 256]>> = LazyLock::new(|| {
    let tables = include_str!("constants.txt").lines().filter(|line| !line.starts_with('#'));
    let table = |line: &str| HEXLOWER.decode(line.as_bytes()).ok()?.try_into().ok();
    tables.map(|line| table(line).expect("tested to be sound")).collect()
});

#[cfg(test)]
mod tests {
    use arcfour::Rc4;

    use super::{PUBLISHED, is_constant, nonlinear, orderly, uneven};
    use crate::experiment::Random;

    /// The multiplication of AES (FIPS 197, §4.2).
    fn mul(mut a: u8, b: u8) -> u8 {
        (0..8).fold(0, |sum, bit| {
            let sum = if b >> bit & 1 == 1 { sum ^ a } else { sum };
            a = a << 1 ^ if a & 0x80 == 0 { 0 } else { 0x1b };
            sum
        })
    }

    #[test]
    fn constants_are_known() {
        let ramp: [u8; 256] = std::array::from_fn(|at| at as u8);
        let case = ramp.map(|v| if v.is_ascii_alphabetic() { v ^ 0x20 } else { v });
        for s in [ramp, ramp.map(u8::reverse_bits), ramp.map(|v| v.wrapping_mul(77) ^ 5), case] {
            assert!(orderly(&s) && is_constant(&s));
        }
        // The S-box of AES and its inverse (FIPS 197, §5.1.1).
        let affine = |b: u8| (0..5).fold(0x63, |sum, turn| sum ^ b.rotate_left(turn));
        let aes = ramp.map(|a| affine((0..=255).find(|&b| mul(a, b) == 1).unwrap_or(0)));
        assert_eq!(aes[..4], [0x63, 0x7c, 0x77, 0x7b]);
        let mut inverse = [0; 256];
        ramp.iter().for_each(|&at| inverse[usize::from(aes[usize::from(at)])] = at);
        assert!([aes, inverse].iter().all(|s| nonlinear(s) && is_constant(s) && !orderly(s)));
        // The powers of 45 modulo 257 in SAFER (J. Massey, FSE 1993).
        let mut power = 1_u32;
        let safer = ramp.map(|_| {
            let value = power as u8;
            power = power * 45 % 257;
            value
        });
        assert_eq!(safer[..4], [1, 45, 226, 147]);
        assert!(uneven(&safer) && is_constant(&safer) && !orderly(&safer));
        assert_eq!(PUBLISHED.len(), 4);
        for s in PUBLISHED.iter() {
            let mut sorted = *s;
            sorted.sort_unstable();
            assert!(sorted == ramp && is_constant(s) && !orderly(s) && !nonlinear(s) && !uneven(s));
        }
    }

    /// Thirteen equal differences are orderly, and twelve are not. Neighbours differ, or their
    /// bits, or the bits of every second entry. The last entry is beside
    /// the first.
    #[test]
    fn thirteen_equal_differences_are_orderly() {
        let shift =
            |kind: usize, a: u8, by: u8| if kind == 0 { a.wrapping_add(by) } else { a ^ by };
        for (kind, apart) in [(0, 1), (1, 1), (2, 2)] {
            for pairs in [12, 13] {
                // Random neighbours differ like that too, so another difference may be needed.
                let of = |by: u8| {
                    let mut s: [u8; 256] = std::array::from_fn(|at| at as u8);
                    let mut random = Random::new("orderly", kind as u64, 0);
                    (1..256).for_each(|at| s.swap(at, random.below(at as u32 + 1) as usize));
                    let (mut used, mut at) = ([false; 256], 255);
                    for a in 0..=255_u8 {
                        let b = shift(kind, a, by);
                        if at + 4 * apart * pairs == 255
                            || used[usize::from(a)]
                            || used[usize::from(b)]
                        {
                            continue;
                        }
                        for (place, value) in [(at, a), ((at + apart) % 256, b)] {
                            let from = s.iter().position(|entry| *entry == value).unwrap();
                            s.swap(from, place);
                            used[usize::from(value)] = true;
                        }
                        at -= 4 * apart;
                    }
                    let equal = |&at: &usize| shift(kind, s[at], by) == s[(at + apart) % 256];
                    ((0..256).filter(equal).count() == pairs).then_some(s)
                };
                let s = (3..=255).find_map(of).unwrap();
                assert_eq!(orderly(&s), pairs == 13, "{kind} {pairs}");
            }
        }
    }

    /// No table of RC4 is rejected as a constant, neither after the key schedule nor later. Short
    /// and regular keys are tried too. The only exception is the key whose bytes are all 1.
    #[test]
    fn no_table_of_rc4_is_a_constant() {
        let mut random = Random::new("constants", 1, 0);
        let falling =
            |step: u8| (0..16).map(|at| 7_u8.wrapping_sub(step.wrapping_mul(at))).collect();
        let orders = (0..=255).flat_map(|step| [vec![step], falling(step)]);
        let others = [1, 5, 13, 16, 32].into_iter().cycle().take(5000);
        let others: Vec<_> = others.map(|length| random.bytes(length)).collect();
        assert!(is_constant(Rc4::from_key(&[1; 16]).unwrap().state().parts().0));
        for key in orders.chain(others).filter(|key| key.iter().any(|&byte| byte != 1)) {
            let mut rc4 = Rc4::from_key(&key).unwrap();
            for _ in 0..2 {
                assert!(!is_constant(rc4.state().parts().0), "{key:?}");
                rc4.skip(1000);
            }
        }
    }
}
