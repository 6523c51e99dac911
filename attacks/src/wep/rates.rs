//! The success rate and the weight of each kind of vote.
//!
//! The rates of each step were counted over simulated keys and packets: `counts/wep-votes.csv`. The
//! weight of a vote is its log-likelihood ratio, so a vote that is right less often than chance
//! weighs against its value. `trials votes` counts anew.

use std::sync::LazyLock;

use rayon::prelude::*;

use super::{
    IV, MAX_KEY, Packet,
    count::{Counter, Counts},
    sums::{self, FIRST, STEPS, SUM_KINDS, Sums},
    votes::{KINDS, LAST, Method, NAMES},
};
use crate::experiment::{Random, Success};

/// Number of packets of each key over which votes are counted.
pub const PACKETS_A_KEY: usize = 1 << 14;
/// Names of the kinds of votes for sums.
const SUM_NAMES: [&str; 2] = ["Klein, sums", "Maitra-Paul, sums"];

/// Counts of one kind of vote: cast, and right. The vote is for the key byte of one step, or for
/// the sum of key bytes up to this step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// The kind's name.
    pub kind: &'static str,
    /// The step of the key schedule: 3 to 15 for votes on bytes, 7 to 22 for votes on sums.
    pub step: usize,
    /// The number of votes, and of right votes.
    pub right: Success,
}

impl Rate {
    /// Returns the information of such votes about the key byte, in bits per vote: the mean
    /// log-likelihood ratio; 0 without votes.
    pub fn bits(&self) -> f64 {
        let part = |p: f64, chance: f64| if p > 0.0 { p * (p / chance).log2() } else { 0.0 };
        match self.right.trials {
            0 => 0.0,
            _ => {
                part(self.right.rate(), 1.0 / 256.0) + part(1.0 - self.right.rate(), 255.0 / 256.0)
            }
        }
    }
}

/// Totals of one kind of vote over all its steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// The kind's name.
    pub name: &'static str,
    /// Votes per packet.
    pub votes: f64,
    /// Share of right votes.
    pub right: f64,
    /// Information in bits per packet.
    pub bits: f64,
}

/// Adds up the rates of [`measure`] over all steps of each kind of vote.
///
/// # Panics
/// If `rates` is empty.
pub fn by_kind(rates: &[Rate]) -> Vec<Kind> {
    // Every packet casts the first kind of vote.
    let packets = rates[0].right.trials as f64;
    let kind = |name: &'static str| {
        let of_kind: Vec<&Rate> = rates.iter().filter(|rate| rate.kind == name).collect();
        let right = of_kind.iter().fold(Success::default(), |all, rate| all + rate.right);
        let bits: f64 = of_kind.iter().map(|rate| rate.bits() * rate.right.trials as f64).sum();
        let chances = packets * of_kind.len() as f64;
        Kind {
            name,
            votes: right.trials as f64 / chances,
            right: right.rate(),
            bits: bits / chances,
        }
    };
    NAMES.into_iter().chain(SUM_NAMES).map(kind).collect()
}

/// Counts votes over `keys` random keys of 13 bytes, with [`PACKETS_A_KEY`] packets each. Rates are
/// ordered by step, then by kind; votes for sums come last.
pub fn measure(keys: u64, seed: u64) -> Vec<Rate> {
    let right = |votes: &[u32; 256], byte: u8| Success {
        successes: votes[usize::from(byte)].into(),
        trials: votes.iter().copied().map(u64::from).sum(),
    };
    let of_key = |trial| {
        let mut random = Random::new("votes of WEP packets", seed, trial);
        let key = random.bytes(MAX_KEY);
        let packets = Packet::simulate(&key, PACKETS_A_KEY, &mut random);
        let counter = Counter::new(&packets);
        let mut all = vec![];
        for (known, &byte) in key.iter().enumerate() {
            let counts = counter.count(&key[..known]);
            all.extend(counts.iter().map(|votes| right(votes, byte)));
        }
        // Secret bytes, with zeros in place of the IV.
        let whole = [&[0; IV][..], &key].concat();
        for (i, counts) in (FIRST..).zip(sums::count(&packets, MAX_KEY, true).iter()) {
            let used = whole.iter().cycle().take(i + 1);
            let sum = used.fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
            all.extend(counts.iter().map(|votes| right(votes, sum)));
        }
        all
    };
    let add = |a: Vec<Success>, b: Vec<Success>| -> Vec<Success> {
        a.into_iter().zip(b).map(|(a, b)| a + b).collect()
    };
    let all = (0..keys).into_par_iter().map(of_key).reduce_with(add).unwrap_or_default();
    let names = (IV..=LAST)
        .flat_map(|step| NAMES.map(|kind| (kind, step)))
        .chain((FIRST..FIRST + STEPS).flat_map(|step| SUM_NAMES.map(|kind| (kind, step))));
    names.zip(all).map(|((kind, step), right)| Rate { kind, step, right }).collect()
}

/// Returns the recorded counts, in the form of [`measure`].
pub fn recorded() -> &'static [Rate] {
    static RECORDED: LazyLock<Vec<Rate>> = LazyLock::new(|| {
        let line = |line: &str| {
            let (name, numbers) = line.strip_prefix('"')?.split_once("\",")?;
            let kind = NAMES.into_iter().chain(SUM_NAMES).find(|kind| *kind == name)?;
            let mut numbers = numbers.split(',');
            let mut number = || numbers.next()?.parse().ok();
            let (step, trials, successes) = (number()?, number()?, number()?);
            Some(Rate { kind, step: step as usize, right: Success { successes, trials } })
        };
        let lines = include_str!("../../counts/wep-votes.csv").lines().skip(1);
        lines.map(|text| line(text).expect("tested to be sound")).collect()
    });
    &RECORDED
}

/// The weight of one kind of vote at one step.
#[derive(Clone, Copy, Default)]
struct Weight {
    /// Log-likelihood ratio of the value voted for, against other values.
    vote: f32,
    /// Log-likelihood ratio of every value, against chance.
    base: f32,
}

impl Weight {
    fn of(right: Success) -> Self {
        // Adds 256 uniform pseudo-votes (smoothing), so that a rare kind of vote gets little weight.
        let p = (right.successes as f64 + 1.0) / (right.trials as f64 + 256.0);
        let other = (1.0 - p) / 255.0;
        Self { vote: (p / other).ln() as f32, base: (256.0 * other).ln() as f32 }
    }

    /// Adds the evidence of these votes to the scores of all values.
    fn add(self, scores: &mut [f32; 256], votes: &[u32; 256]) {
        if self.vote != 0.0 {
            let base = self.base * votes.iter().sum::<u32>() as f32;
            for (score, &votes) in scores.iter_mut().zip(votes) {
                *score += base + self.vote * votes as f32;
            }
        }
    }
}

/// Returns the weights of each kind for each step; 0 where the method does not use it.
pub(super) struct Weights {
    bytes: [[Weight; KINDS]; LAST + 1],
    sums: [[Weight; 2]; STEPS],
}

impl Weights {
    pub(super) fn new(method: Method) -> Self {
        let mut bytes = [[Weight::default(); KINDS]; LAST + 1];
        let mut sums = [[Weight::default(); 2]; STEPS];
        for Rate { kind, step, right } in recorded().iter().filter(|rate| rate.right.trials > 0) {
            let place = |names: &[&str]| names.iter().position(|name| name == kind);
            if let Some(at) = place(&SUM_NAMES).filter(|&at| method.counts(SUM_KINDS[at])) {
                sums[step - FIRST][at] = Weight::of(*right);
            }
            if let Some(at) = place(&NAMES).filter(|&at| method.counts(at)) {
                bytes[*step][at] = Weight::of(*right);
            }
        }
        Self { bytes, sums }
    }

    /// Returns for each value the log-likelihood ratio of these votes for the byte of a step,
    /// against chance.
    pub(super) fn scores(&self, step: usize, counts: &Counts) -> [f32; 256] {
        let mut scores = [0.0; 256];
        for (weight, votes) in self.bytes[step].iter().zip(counts) {
            weight.add(&mut scores, votes);
        }
        scores
    }

    /// Returns the evidence of the votes for sums, with or without the votes that depend on the
    /// sender's `address`.
    pub(super) fn sums(&self, packets: &[Packet], length: usize, address: bool) -> Sums {
        let counts = sums::count(packets, length, address);
        let of_step = |(weights, counts): (&[Weight; 2], &[[u32; 256]; 2])| {
            let mut scores = [0.0; 256];
            for (weight, votes) in weights.iter().zip(counts) {
                weight.add(&mut scores, votes);
            }
            scores
        };
        Sums::new(self.sums.iter().zip(counts.iter()).map(of_step), length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(kind: &'static str, step: usize, successes: u64, trials: u64) -> Rate {
        Rate { kind, step, right: Success { successes, trials } }
    }

    fn near(got: f64, expected: f64) -> bool {
        (got - expected).abs() < 1e-6
    }

    /// p log 256 p and (1 − p) log 256/255 (1 − p), in bits.
    #[test]
    fn bits_are_the_mean_logarithm() {
        let half = 3.5 + 0.5 * (128.0_f64 / 255.0).log2();
        let none = (256.0_f64 / 255.0).log2();
        for (successes, trials, bits) in
            [(0, 0, 0.0), (1, 256, 0.0), (256, 256, 8.0), (1, 2, half), (0, 9, none)]
        {
            assert!(near(rate("Klein", 3, successes, trials).bits(), bits), "{successes} {trials}");
        }
    }

    /// Every packet casts Klein's vote at each step, and the others are counted against it.
    #[test]
    fn kinds_are_summed_over_their_steps() {
        let rates = [
            rate("Klein", 3, 10, 100),
            rate("FMS", 3, 2, 5),
            rate("Klein", 4, 30, 100),
            rate("FMS", 4, 0, 0),
            rate("Klein, sums", 7, 100, 100),
        ];
        let kinds = by_kind(&rates);
        assert_eq!(kinds.len(), KINDS + 2);
        assert!(kinds.iter().map(|kind| kind.name).eq(NAMES.into_iter().chain(SUM_NAMES)));
        let klein = (rates[0].bits() + rates[2].bits()) / 2.0;
        for (at, votes, right, bits) in
            [(0, 1.0, 0.2, klein), (1, 0.025, 0.4, rates[1].bits() * 0.025), (KINDS, 1.0, 1.0, 8.0)]
        {
            let kind = kinds[at];
            let right = near(kind.right, right);
            assert!(near(kind.votes, votes) && right && near(kind.bits, bits), "{kind:?}");
        }
    }

    /// With 99 of 744 right, and 1 of 256 more, p is 1/10.
    #[test]
    fn a_weight_is_a_likelihood_ratio() {
        let weight = Weight::of(Success { successes: 99, trials: 744 });
        let (vote, base) = ((0.1_f64 / (0.9 / 255.0)).ln(), (256.0_f64 * 0.9 / 255.0).ln());
        assert!(near(weight.vote.into(), vote) && near(weight.base.into(), base));
        let mut votes = [0; 256];
        (votes[7], votes[200]) = (3, 1);
        let mut scores = [1.0; 256];
        weight.add(&mut scores, &votes);
        for (value, score) in scores.into_iter().enumerate() {
            let expected = 1.0 + 4.0 * base + f64::from(votes[value]) * vote;
            assert!((f64::from(score) - expected).abs() < 1e-5, "{value}: {score}");
        }
        let before = scores;
        Weight::default().add(&mut scores, &votes);
        assert_eq!(scores, before);
    }

    /// A method weighs its own votes, at the step where they were counted.
    #[test]
    fn a_method_has_the_weights_of_its_votes() {
        for method in [Method::Fms, Method::Korek, Method::Klein, Method::All] {
            let weights = Weights::new(method);
            let used = |kind: usize, rate: &Rate| {
                let right = (method.counts(kind) && rate.right.trials > 0).then_some(rate.right);
                right.map_or(Weight::default(), Weight::of)
            };
            let bits = |weight: Weight| [weight.vote.to_bits(), weight.base.to_bits()];
            for rate in recorded() {
                let weight = match NAMES.iter().position(|name| *name == rate.kind) {
                    Some(kind) => [weights.bytes[rate.step][kind], used(kind, rate)],
                    None => {
                        let at = SUM_NAMES.iter().position(|name| *name == rate.kind).unwrap();
                        [weights.sums[rate.step - 7][at], used(SUM_KINDS[at], rate)]
                    }
                };
                assert_eq!(bits(weight[0]), bits(weight[1]), "{method:?} {rate:?}");
            }
            // Two votes of Klein and one of FMS at step 5.
            let mut counts: Box<Counts> = Box::new([[0; 256]; KINDS]);
            (counts[0][9], counts[1][8]) = (2, 1);
            let (mut klein, mut fms) = ([0.0; 256], [0.0; 256]);
            weights.bytes[5][0].add(&mut klein, &counts[0]);
            weights.bytes[5][1].add(&mut fms, &counts[1]);
            for (value, score) in weights.scores(5, &counts).into_iter().enumerate() {
                assert!((score - klein[value] - fms[value]).abs() < 1e-6);
            }
        }
    }

    /// The scores of sums are of the counted votes at each step.
    #[test]
    fn sums_are_scored_from_their_votes() {
        let mut random = Random::new("test of scores", 0, 0);
        let packets = Packet::simulate(b"Keys!", 50, &mut random);
        let weights = Weights::new(Method::All);
        for address in [false, true] {
            let counts = sums::count(&packets, 5, address);
            let sums = weights.sums(&packets, 5, address);
            for total in [0, 1, 200] {
                let mut expected = 0.0;
                // The steps after each whole turn of eight bytes, up to three more.
                for (step, turns) in
                    [(0, 1), (1, 1), (2, 1), (3, 1), (8, 2), (9, 2), (10, 2), (11, 2_u8)]
                {
                    for (weight, votes) in weights.sums[step].iter().zip(&counts[step]) {
                        let all = votes.iter().sum::<u32>() as f32;
                        let value = usize::from(turns) * total % 256;
                        expected += weight.base * all + weight.vote * votes[value] as f32;
                    }
                }
                assert!((sums.of_total(total as u8) - expected).abs() < 1e-3, "{address} {total}");
            }
        }
    }
}
