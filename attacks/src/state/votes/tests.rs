//! Compares the message passing with exact sums over small models.

use super::*;

/// Compares the distribution of the shift with its definition, in both directions.
#[test]
fn a_shift_changes_as_defined() {
    for y in [1, 2, 100, 254, 255] {
        let before: Table = std::array::from_fn(|d| ((d * d + 3) % 31) as f32);
        let changes = 1.0 - (255.0_f32 / 256.0).powi(y as i32);
        for backwards in [false, true] {
            let mut shift = before;
            changed(&mut shift, y, backwards);
            for d in 0..256 {
                let from = |delta| if backwards { d + 256 - delta } else { d + delta };
                let sum: f32 = (1..=y).map(|delta| before[from(delta) % 256]).sum();
                let expected = (1.0 - changes) * before[d] + changes * sum / y as f32;
                assert!((shift[d] - expected).abs() < 1e-3 * expected.max(1.0), "{y} {d}");
            }
        }
    }
}

/// Random votes with weights for some values at each place.
fn some_votes(seed: u64) -> Votes {
    let mut random = Random::new("test of table votes", seed, 0);
    let mut at = |_| (0..3).map(|_| (random.below(256) as u8, random.below(900) as f32)).collect();
    Votes { values: (0..256).map(&mut at).collect(), base: vec![-0.25; 256] }
}

/// The likelihood ratio of j at y.
fn likelihood(votes: &Votes, y: usize, j: usize) -> f64 {
    let of_j = votes.values[y].iter().filter(|vote| usize::from(vote.0) == j % 256);
    1.0 + of_j.map(|vote| f64::from(vote.1)).sum::<f64>()
}

/// The distribution of d after step y, from the distribution before: it stays, or falls by 1 to y.
fn step(shift: &[f64], y: usize) -> Vec<f64> {
    let changes = 1.0 - (255.0_f64 / 256.0).powi(y as i32);
    let fallen = |d: usize| (1..=y).map(|n| shift[(d + n) % 256]).sum::<f64>() / y.max(1) as f64;
    (0..256).map(|d| (1.0 - changes) * shift[d] + changes * fallen(d)).collect()
}

fn beginning() -> Vec<f64> {
    (0..256).map(|d| f64::from(u8::from(d == 0))).collect()
}

/// With a key of one byte, which its sum gives, only the shifts are unknown: the evidence is
/// the sum over their paths.
#[test]
fn evidence_is_the_sum_over_the_shifts() {
    let votes = some_votes(1);
    for total in [0, 1, 77, 255_u8] {
        let (mut shift, mut expected) = (beginning(), 0.0);
        for y in 0..96 {
            let f = y * (y + 1) / 2 + (y + 1) * usize::from(total);
            shift = step(&shift, y);
            shift.iter_mut().enumerate().for_each(|(d, p)| *p *= likelihood(&votes, y, f + d));
            let sum: f64 = shift.iter().sum();
            shift.iter_mut().for_each(|p| *p /= sum);
            expected += sum.ln() - 0.25;
        }
        let evidence = votes.evidence(1, total);
        assert!((evidence - expected).abs() < 1e-2, "{total}: {evidence} {expected}");
        for again in [false, true] {
            let mut chain = Chain::new(&votes, 1, total, 96, again);
            for _ in 0..2 {
                let evidence = chain.forward();
                assert!((evidence - expected).abs() < 1e-2, "{total}: {evidence} {expected}");
                if again {
                    chain.backward();
                }
            }
        }
    }
}

/// While each sum is at one place, the passes compute the exact distribution of every sum, and
/// further passes change nothing.
#[test]
fn beliefs_are_the_distributions_of_the_sums() {
    const LENGTH: usize = 9;
    let mut votes = some_votes(2);
    let total = 200_u8;
    // The last place votes for shifts of −3 and of 0.
    let f = |d: u8| (36 + total).wrapping_add(d);
    votes.values[LENGTH - 1] = vec![(f(253), 400.0), (f(0), 30.0)];
    // The known sum is evidence of the last shift, and so of the shifts before it.
    let last = LENGTH - 1;
    let known = |d| likelihood(&votes, last, last * (last + 1) / 2 + usize::from(total) + d);
    let before = (0..last).fold(beginning(), |shift, y| step(&shift, y));
    for sweeps in [1, 3] {
        let mut chain = Chain::new(&votes, LENGTH, total, LENGTH, true);
        let evidence = chain.forward();
        for _ in 0..sweeps {
            chain.backward();
            chain.forward();
        }
        let seen = step(&before, last).iter().enumerate().map(|(d, p)| p * known(d)).sum::<f64>();
        let others = (0..last).map(|y| {
            let weights: f64 = votes.values[y].iter().map(|vote| f64::from(vote.1)).sum();
            (1.0 + weights / 256.0).ln()
        });
        let expected = seen.ln() + others.sum::<f64>() - 0.25 * LENGTH as f64;
        assert!((evidence - expected).abs() < 1e-3, "{evidence} {expected}");
        let beliefs = chain.beliefs(evidence);
        assert_eq!(beliefs.sums.len(), last);
        for (y, sums) in beliefs.sums.iter().enumerate() {
            // From each shift at y, what the last place says.
            let shift = (0..=y).fold(beginning(), |shift, y| step(&shift, y));
            let later: Vec<f64> = (0..256)
                .map(|d| {
                    let one: Vec<f64> = (0..256).map(|at| f64::from(u8::from(at == d))).collect();
                    let end = (y + 1..LENGTH).fold(one, |shift, y| step(&shift, y));
                    end.iter().enumerate().map(|(d, p)| p * known(d)).sum()
                })
                .collect();
            let of_sum = |sum: usize| -> f64 {
                let f = y * (y + 1) / 2 + sum;
                (0..256).map(|d| shift[d] * later[d] * likelihood(&votes, y, f + d)).sum()
            };
            let expected: Vec<f64> = (0..256).map(of_sum).collect();
            let best = expected.iter().copied().fold(0.0, f64::max);
            for (got, expected) in sums.iter().zip(&expected) {
                let expected = (expected / best).ln();
                assert!((f64::from(*got) - expected).abs() < 2e-3, "{y}: {got} {expected}");
            }
        }
    }
}

/// f_y is the number without the key, all of its repetitions, and a prefix of it.
#[test]
fn the_sum_of_a_place_is_a_prefix_and_an_offset() {
    let key = Random::new("test of table votes", 3, 0).bytes(32);
    for length in [1, 2, 5, 16, 32] {
        let key = &key[..length];
        let sum = |n: usize| key.iter().cycle().take(n).fold(0_u8, |sum, b| sum.wrapping_add(*b));
        let votes = Votes { values: vec![], base: vec![] };
        let chain = Chain::new(&votes, length, sum(length), 256, false);
        for y in 0..256 {
            let f = sum(y + 1).wrapping_add((y * (y + 1) / 2) as u8);
            assert_eq!(chain.offset(y).wrapping_add(sum(y % length + 1)), f, "{length} {y}");
        }
    }
}

/// S\[y\] is j, if j was in place after y. And y is at j, if y was in place and j is not after
/// it. Each of the 255 other steps leaves that so with probability 255/256.
#[test]
fn success_rates_are_near_their_models() {
    let left = (255.0_f64 / 256.0).powi(255);
    for (y, right) in RIGHT.iter().enumerate() {
        let before = (y as f64 + 0.5) / 256.0;
        for (kind, places) in [(0, 1.0 - before), (2, before)] {
            let expected = left * places + (1.0 - left * places) / 256.0;
            assert!((right[kind] - expected).abs() < 0.008, "{y}: {right:?} {expected}");
        }
    }
}

/// A value has the product of the ratios of its votes. No kind of vote is near chance.
#[test]
fn votes_weigh_their_likelihood_ratios() {
    let ramp: [u8; 256] = std::array::from_fn(|y| y as u8);
    let shuffled = ramp.map(|y| y.wrapping_mul(77) ^ 5);
    for s in [ramp, shuffled] {
        let votes = Votes::of(&s);
        for y in 0..256 {
            let place = |value: usize| s.iter().position(|v| usize::from(*v) == value).unwrap();
            let for_j = [s[y].into(), s[usize::from(s[y])].into(), place(y), place(place(y))];
            let ratios = RIGHT[y].map(|p| p / ((1.0 - p) / 255.0));
            assert!(ratios.iter().all(|&ratio| ratio > 1.1), "{y}: {ratios:?}");
            for j in 0..256 {
                let of_j = ratios.iter().zip(for_j).filter(|(_, vote)| *vote == j);
                let expected: f64 = of_j.map(|(ratio, _)| ratio).product();
                let got = likelihood(&votes, y, j);
                assert!((got / expected - 1.0).abs() < 1e-5, "{y} {j}: {got} {expected}");
            }
            let base: f64 = RIGHT[y].map(|p| (256.0 * (1.0 - p) / 255.0).ln()).iter().sum();
            assert!((votes.base[y] - base).abs() < 1e-9, "{y}");
        }
    }
}
