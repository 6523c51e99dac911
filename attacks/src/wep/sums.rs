//! Votes for sums of key bytes, which need only the IV.
//!
//! E. Tews, R.-P. Weinmann and A. Pyshkin (WISA 2007, §4) vote for sums. Suppose the steps between
//! the IV and step i use the values of the table after the IV. Then j_i is the sum of j after the
//! IV, these values and the key bytes used. So Klein's guess of j_i is a guess of the sum. From the
//! step that ends the key's first repetition on, the sum contains all secret bytes. That step votes
//! for the total. The steps of the second repetition vote for the total plus the first bytes. P.
//! Sepehrdad and others (FSE 2013) also choose the total first.

use super::{
    IV, KEY_LENGTHS, KNOWN, Packet,
    votes::{KLEIN, MAITRA_PAUL, Partial},
};

/// The first step with votes for sums: the last step of the first repetition of a key of five
/// bytes.
pub(super) const FIRST: usize = IV + KEY_LENGTHS[0] - 1;
/// Number of steps with such votes.
pub(super) const STEPS: usize = KNOWN + 1 - FIRST;
/// Klein's votes and those by the correlation of Maitra and Paul.
pub(super) const SUM_KINDS: [usize; 2] = [KLEIN, MAITRA_PAUL];

/// For each step from [`FIRST`] on and each kind: number of votes for each value of the sum of
/// secret bytes.
pub(super) type SumCounts = [[[u32; 256]; 2]; STEPS];

/// Counts the votes for keys of `length` secret bytes, from the known bytes of each packet, and
/// with `address` also from the guessed bytes.
pub(super) fn count(packets: &[Packet], length: usize, address: bool) -> Box<SumCounts> {
    let turn = IV + length;
    let mut counts = Box::new([[[0; 256]; 2]; STEPS]);
    for packet in packets {
        let partial = Partial::new(packet.iv.into_iter());
        let bytes = if address { packet.known.and(packet.guessed) } else { packet.known };
        let mut known = partial.j();
        for i in IV..=KNOWN {
            known = known.wrapping_add(partial.at(i as u8));
            if let Some(iv) = packet.iv.get(i % turn) {
                known = known.wrapping_add(*iv);
            }
            let Some(counts) = i.checked_sub(FIRST).map(|at| &mut counts[at]) else { continue };
            let klein = partial.place((i as u8).wrapping_sub(packet.keystream[i - 1]));
            counts[0][usize::from(klein.wrapping_sub(known))] += bytes.has(i - 1);
            if let Some(&next) = packet.keystream.get(i) {
                counts[1][usize::from(partial.place(next).wrapping_sub(known))] += bytes.has(i);
            }
        }
    }
    counts
}

/// The evidence of the votes about the sums.
pub(super) struct Sums(Vec<Step>);

/// A step from the end of the key's first repetition on.
struct Step {
    /// Number of whole repetitions of the key so far.
    turns: u8,
    /// Number of bytes of the IV and the key used since.
    rest: usize,
    /// Log-likelihood of each value of the sum of secret bytes.
    scores: [f32; 256],
}

impl Sums {
    /// Collects the scores of each step from [`FIRST`] on, for keys of `length` secret bytes.
    pub(super) fn new(scores: impl Iterator<Item = [f32; 256]>, length: usize) -> Self {
        let turn = IV + length;
        let step = |(used, scores)| Step { turns: (used / turn) as u8, rest: used % turn, scores };
        Self((FIRST + 1..).zip(scores).map(step).filter(|step| step.turns > 0).collect())
    }

    /// Returns the evidence about the sum of all secret bytes.
    pub(super) fn of_total(&self, total: u8) -> f32 {
        let score = |step: &Step| step.scores[usize::from(total.wrapping_mul(step.turns))];
        self.0.iter().filter(|step| step.rest <= IV).map(score).sum()
    }

    /// Returns the evidence about the sum of the first `known` secret bytes, given the sum of all.
    pub(super) fn of_prefix(&self, known: usize, sum: u8, total: u8) -> f32 {
        let value = |turns: u8| usize::from(total.wrapping_mul(turns).wrapping_add(sum));
        let score = |step: &Step| step.scores[value(step.turns)];
        self.0.iter().filter(|step| step.rest == IV + known).map(score).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{experiment::Random, wep::Bytes};

    /// If the table stays as the IV leaves it, both votes of a step are for the sum of the secret
    /// bytes so far.
    #[test]
    fn each_step_votes_for_the_sum_so_far() {
        let mut random = Random::new("test of sums", 0, 0);
        for length in [5, 13] {
            let mut key = [0; 16];
            random.fill(&mut key[..IV + length]);
            let iv = [key[0], key[1], key[2]];
            let partial = Partial::new(iv.into_iter());
            let (mut j, mut sum) = (partial.j(), 0_u8);
            for i in IV..=KNOWN {
                let byte = key[i % (IV + length)];
                j = j.wrapping_add(partial.at(i as u8)).wrapping_add(byte);
                sum = sum.wrapping_add(if i % (IV + length) < IV { 0 } else { byte });
                for (kind, place, z) in
                    [(0, i - 1, (i as u8).wrapping_sub(partial.at(j))), (1, i, partial.at(j))]
                {
                    for guessed in [false, true] {
                        if place >= KNOWN {
                            continue;
                        }
                        let mut packet = Packet {
                            iv,
                            keystream: [0; KNOWN],
                            known: Bytes::default(),
                            guessed: Bytes::default(),
                        };
                        packet.keystream[place] = z;
                        let byte = Bytes::range(place, place + 1);
                        *if guessed { &mut packet.guessed } else { &mut packet.known } = byte;
                        for address in [false, true] {
                            let votes = if address || !guessed { 3 } else { 0 };
                            let counts = count(&[packet; 3], length, address);
                            if let Some(at) = i.checked_sub(7) {
                                let mut expected = [0; 256];
                                expected[usize::from(sum)] = votes;
                                assert_eq!(counts[at][kind], expected, "{length} {i} {kind}");
                            }
                            // The byte is the first kind of vote at one step, the second before.
                            let steps = u32::from(place >= 6) + u32::from(place >= 7);
                            let all: u32 = counts.iter().flatten().flatten().sum();
                            assert_eq!(all, votes * steps);
                        }
                    }
                }
            }
        }
    }

    /// The steps of a key's turn: up to the IV's last byte they see the whole sum, then prefixes.
    #[test]
    fn steps_are_evidence_of_the_total_or_a_prefix() {
        // The score of a value at step 7 + n.
        let score = |n: usize, value: u8| (1000 * n + usize::from(value)) as f32;
        let scores = || (0..STEPS).map(|n| std::array::from_fn(|value| score(n, value as u8)));
        let (total, sum) = (200_u8, 90_u8);
        let twice = total.wrapping_mul(2);
        let (more, most) = (total.wrapping_add(sum), twice.wrapping_add(sum));
        let five = Sums::new(scores(), 5);
        let whole: f32 = (0..4).map(|n| score(n, total) + score(n + 8, twice)).sum();
        assert_eq!(five.of_total(total), whole);
        for known in 1..5 {
            let steps = score(known + 3, more) + score(known + 11, most);
            assert_eq!(five.of_prefix(known, sum, total), steps, "{known}");
        }
        let thirteen = Sums::new(scores(), 13);
        assert_eq!(thirteen.of_total(total), (8..12).map(|n| score(n, total)).sum::<f32>());
        for known in 1..13 {
            let expected = if known < 5 { score(known + 11, more) } else { 0.0 };
            assert_eq!(thirteen.of_prefix(known, sum, total), expected, "{known}");
        }
    }
}
