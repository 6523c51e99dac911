//! Finds the key of a table after the key schedule, by trying keys in the order of their
//! likelihood.
//!
//! Given the sum of all key bytes, the likelihood is a product over the key's prefix sums
//! ([`votes`](super::votes)). So the keys of one total come in order from a heap with three
//! successors a key, and the 256 totals share the heap. Each key is tested by its whole schedule,
//! so no wrong key is returned.

use std::collections::BinaryHeap;

use arcfour::Rc4;

use super::votes::{Beliefs, MAX_LENGTH, Votes};
use crate::best::Scored;

/// Number of keys tested by one call of the interleaved schedules.
const BATCH: usize = 16;
/// Number of totals whose keys are sorted together, the likeliest totals first. More totals follow
/// when no key of these is left.
const TOGETHER: usize = 12;

/// Number of backward and forward passes of their beliefs.
const SWEEPS: usize = 2;

/// A key that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundKey {
    /// The key. Its schedule gives the table.
    pub key: Vec<u8>,
    /// Number of keys tested, including this one.
    pub tested: u64,
}

/// Finds the key of `length` bytes whose key schedule ends with `s`, if it is among the `most`
/// likeliest keys.
///
/// ```
/// use arcfour::Rc4;
/// use arcfour_attacks::state::find_key;
///
/// let rc4 = Rc4::from_key(&[0x1f, 0x8b, 0x42, 0x06, 0x9d])?;
/// let (s, ..) = rc4.state().parts();
/// assert_eq!(find_key(s, 5, 1 << 18).unwrap().key, [0x1f, 0x8b, 0x42, 0x06, 0x9d]);
/// # Ok::<(), arcfour::KeyLengthError>(())
/// ```
///
/// # Panics
/// If the length is 0 or more than [`MAX_LENGTH`].
pub fn find_key(s: &[u8; 256], length: usize, most: u64) -> Option<FoundKey> {
    assert!((1..=MAX_LENGTH).contains(&length), "key of {length} bytes");
    let votes = Votes::of(s);
    let mut keys = Likeliest::new(&votes, length);
    let mut streams: Vec<Rc4> = vec![Rc4::from_parts(s, 0, 0); BATCH];
    let mut tested = 0;
    while tested < most {
        let wanted = BATCH.min((most - tested) as usize);
        let batch: Vec<Vec<u8>> = keys.by_ref().take(wanted).collect();
        if batch.is_empty() {
            return None;
        }
        let refs: Vec<&[u8]> = batch.iter().map(Vec::as_slice).collect();
        let streams = &mut streams[..batch.len()];
        arcfour::rekey_many(streams, &refs).expect("the length was checked");
        if let Some(at) = streams.iter().position(|stream| stream.state().parts().0 == s) {
            return Some(FoundKey { key: batch[at].clone(), tested: tested + at as u64 + 1 });
        }
        tested += batch.len() as u64;
    }
    None
}

/// The keys of one length, sorted by likelihood over the totals taken so far.
struct Likeliest<'a> {
    votes: &'a Votes,
    length: usize,
    /// Totals that are not yet taken, the likeliest last.
    waiting: Vec<u8>,
    totals: Vec<Total>,
    heap: BinaryHeap<Scored<Choice>>,
}

/// The prefix sums of the keys with one total.
struct Total {
    /// For each sum, in the order of `places`: its values, best first, with the loss of each
    /// against the best. Computed on demand, because most totals are never used.
    ranked: Option<Vec<Vec<(f32, u8)>>>,
    /// The sums, ordered by the loss of their second-best value.
    places: Vec<usize>,
    scores: Vec<[f32; 256]>,
    total: u8,
}

/// A choice of a value for each sum, as ranks. After `last` all ranks are 0.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Choice {
    total: u8,
    ranks: [u8; MAX_LENGTH],
    last: u8,
}

impl<'a> Likeliest<'a> {
    fn new(votes: &'a Votes, length: usize) -> Self {
        let evidence = |total| (votes.evidence(length, total), total);
        let mut waiting: Vec<(f64, u8)> = (0..=255).map(evidence).collect();
        waiting.sort_by(|a, b| a.0.total_cmp(&b.0));
        let waiting = waiting.into_iter().map(|(_, total)| total).collect();
        Self { votes, length, waiting, totals: vec![], heap: BinaryHeap::new() }
    }

    /// Takes more of the totals.
    fn refill(&mut self) {
        for _ in 0..TOGETHER {
            let Some(total) = self.waiting.pop() else { return };
            let Beliefs { evidence, sums: mut scores } =
                self.votes.beliefs(self.length, total, SWEEPS);
            // Normalises to logarithms of probabilities, so that totals can be compared.
            for scores in &mut scores {
                let sum: f32 = scores.iter().map(|score| score.exp()).sum();
                scores.iter_mut().for_each(|score| *score -= sum.ln());
            }
            let best = |scores: &[f32; 256]| scores.iter().copied().fold(f32::MIN, f32::max);
            let score = evidence as f32 + scores.iter().map(best).sum::<f32>();
            let at = self.totals.len() as u8;
            let first = Choice { total: at, ranks: [0; MAX_LENGTH], last: 0 };
            self.heap.push(Scored { score, what: first });
            self.totals.push(Total { ranked: None, places: vec![], scores, total });
        }
    }
}

impl Total {
    fn rank(&mut self) {
        if self.ranked.is_some() {
            return;
        }
        let ranked = std::mem::take(&mut self.scores).into_iter().map(|scores| {
            let mut values: Vec<(f32, u8)> = scores.into_iter().zip(0..=255).collect();
            values.sort_by(|a, b| b.0.total_cmp(&a.0));
            let best = values[0].0;
            values.iter_mut().for_each(|value| value.0 = best - value.0);
            values
        });
        let ranked: Vec<_> = ranked.collect();
        self.places = (0..ranked.len()).collect();
        self.places.sort_by(|&a, &b| ranked[a][1].0.total_cmp(&ranked[b][1].0));
        self.ranked = Some(self.places.iter().map(|&place| ranked[place].clone()).collect());
    }

    fn key(&self, ranks: &[u8]) -> Vec<u8> {
        let ranked = self.ranked.as_ref().expect("ranked when its first key was taken");
        let mut sums = vec![0; ranked.len() + 1];
        for ((&place, values), &rank) in self.places.iter().zip(ranked).zip(ranks) {
            sums[place] = values[usize::from(rank)].1;
        }
        sums[ranked.len()] = self.total;
        let mut before = 0;
        for sum in &mut sums {
            (*sum, before) = (sum.wrapping_sub(before), *sum);
        }
        sums
    }
}

impl Iterator for Likeliest<'_> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        if self.heap.is_empty() {
            self.refill();
        }
        let Scored { score: likelihood, what: node } = self.heap.pop()?;
        let total = &mut self.totals[usize::from(node.total)];
        total.rank();
        let lost = total.ranked.as_ref().expect("just ranked");
        let last = usize::from(node.last);
        let mut push = |ranks: [u8; MAX_LENGTH], last: usize, score: f32| {
            let what = Choice { total: node.total, ranks, last: last as u8 };
            self.heap.push(Scored { score, what });
        };
        // Every choice but the first has one predecessor, which is at least as likely. The reason
        // is that the loss of the second rank grows from sum to sum.
        if let Some(losses) = lost.get(last) {
            let rank = usize::from(node.ranks[last]);
            if rank == 0 {
                let mut ranks = node.ranks;
                ranks[last] = 1;
                push(ranks, last, likelihood - losses[1].0);
            } else {
                if rank < 255 {
                    let mut ranks = node.ranks;
                    ranks[last] += 1;
                    push(ranks, last, likelihood - (losses[rank + 1].0 - losses[rank].0));
                }
                if let Some(next) = lost.get(last + 1) {
                    let mut ranks = node.ranks;
                    ranks[last + 1] = 1;
                    push(ranks, last + 1, likelihood - next[1].0);
                    if rank == 1 {
                        ranks[last] = 0;
                        push(ranks, last + 1, likelihood - (next[1].0 - losses[1].0));
                    }
                }
            }
        }
        Some(total.key(&node.ranks[..self.length - 1]))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::experiment::Random;

    /// All 2^16 keys of two bytes come, each once.
    #[test]
    fn every_key_comes_once() {
        let rc4 = Rc4::from_key(&[7, 200]).unwrap();
        let votes = Votes::of(rc4.state().parts().0);
        let mut seen = HashMap::new();
        for key in Likeliest::new(&votes, 2) {
            *seen.entry(key).or_insert(0) += 1;
        }
        assert!(seen.len() == 1 << 16 && seen.values().all(|&times| times == 1));
    }

    /// No key of four bytes comes twice, or before a likelier key. The order of the sums differs
    /// from their order in the key.
    #[test]
    fn the_first_keys_of_four_bytes_are_different_and_in_order() {
        let rc4 = Rc4::from_key(&[7, 200, 33, 1]).unwrap();
        let votes = Votes::of(rc4.state().parts().0);
        let mut keys = Likeliest::new(&votes, 4);
        keys.refill();
        // Totals compare by their evidence and the probabilities of their best sums.
        for Scored { score, what } in keys.heap.iter() {
            let total = &keys.totals[usize::from(what.total)];
            let mut expected = votes.beliefs(4, total.total, SWEEPS).evidence as f32;
            for scores in &total.scores {
                assert!((scores.iter().map(|score| score.exp()).sum::<f32>() - 1.0).abs() < 1e-4);
                expected += scores.iter().copied().fold(f32::MIN, f32::max);
            }
            assert!((score - expected).abs() < 1e-3, "{score} {expected}");
        }
        let mut seen = HashMap::new();
        let mut before = f32::MAX;
        for _ in 0..20_000 {
            let score = keys.heap.peek().unwrap().score;
            assert!(score <= before + 1e-3, "{score} after {before}");
            before = score;
            *seen.entry(keys.next().unwrap()).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 20_000);
    }

    /// The keys of some totals come by the sum of their scores, none is left out, and each has its
    /// prefix sums.
    #[test]
    fn keys_come_by_the_sum_of_their_scores() {
        let votes = Votes::of(&[0; 256]);
        let mut random = Random::new("test of likely keys", 0, 0);
        for (length, totals) in [(2, vec![9, 200, 31_u8]), (3, vec![77])] {
            let mut keys = Likeliest {
                votes: &votes,
                length,
                waiting: vec![],
                totals: vec![],
                heap: BinaryHeap::new(),
            };
            let mut all = vec![];
            for (at, &total) in totals.iter().enumerate() {
                let scores: Vec<[f32; 256]> = (1..length)
                    .map(|_| std::array::from_fn(|_| -(random.below(1 << 16) as f32)))
                    .collect();
                let best: f32 =
                    scores.iter().map(|of| of.iter().copied().fold(f32::MIN, f32::max)).sum();
                for n in 0..1 << (8 * (length - 1)) {
                    let sums: Vec<u8> =
                        (1..length).map(|place| (n >> (8 * (place - 1))) as u8).collect();
                    let score: f32 =
                        sums.iter().zip(&scores).map(|(&sum, of)| of[usize::from(sum)]).sum();
                    all.push((score, [&sums[..], &[total]].concat()));
                }
                let first = Choice { total: at as u8, ranks: [0; MAX_LENGTH], last: 0 };
                keys.heap.push(Scored { score: best, what: first });
                keys.totals.push(Total { ranked: None, places: vec![], scores, total });
            }
            all.sort_by(|a, b| b.0.total_cmp(&a.0));
            let number = all.len();
            let mut by_score: HashMap<Vec<u8>, f32> =
                all.iter().map(|(score, sums)| (sums.clone(), *score)).collect();
            for (key, (score, _)) in keys.by_ref().take(number).zip(&all) {
                let sums: Vec<u8> = key
                    .iter()
                    .scan(0_u8, |sum, byte| {
                        *sum = sum.wrapping_add(*byte);
                        Some(*sum)
                    })
                    .collect();
                assert_eq!(by_score.remove(&sums), Some(*score), "{length} {sums:?}");
            }
            assert!(by_score.is_empty() && keys.next().is_none());
        }
    }

    /// A key counts with its place among the keys tested, which is the limit that suffices.
    #[test]
    fn the_limit_counts_keys() {
        // A key inside of a batch of tests, but not of the first. Trial 29 has the first one.
        let inside = |trial| {
            let key = Random::new("test of limits", 0, trial).bytes(12);
            let rc4 = Rc4::from_key(&key).unwrap();
            let votes = Votes::of(rc4.state().parts().0);
            let place = Likeliest::new(&votes, 12).take(200).position(|likely| likely == key)?;
            let found = FoundKey { key, tested: place as u64 + 1 };
            (place > BATCH && place % BATCH != 0).then_some((rc4, found))
        };
        let (rc4, found) = (29..200).find_map(inside).unwrap();
        let s = rc4.state().parts().0;
        assert_eq!(find_key(s, 12, found.tested - 1), None);
        for most in [found.tested, found.tested + 1, 200] {
            assert_eq!(find_key(s, 12, most).as_ref(), Some(&found));
        }
    }
}
