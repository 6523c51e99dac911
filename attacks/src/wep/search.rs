//! The search for the key.
//!
//! The sum of all key bytes is chosen first, if there are votes for it, then byte after byte. The
//! score of a key prefix is the log-likelihood ratio of its votes against chance, minus ln 256 for
//! each choice. This is R. Fano's sequential decoding (IEEE Transactions on Information Theory 9,
//! 1963). The score grows on the right path and falls on wrong paths, so the search extends the
//! best prefix of all. The last byte follows from the sum.
//!
//! If the length of the key or the trust in packets is unknown, several searches take turns. In
//! sequence, the search for five bytes would use all its prefixes before the search for thirteen
//! begins.

use std::collections::{BinaryHeap, HashMap};

use super::{
    Check, IV, MAX_KEY, Packet,
    count::Counter,
    rates::Weights,
    sums::Sums,
    votes::{KLEIN, Method},
};
use crate::best::Scored;

/// Maximum number of values of a byte with which a prefix is extended, if there are votes.
const CHILDREN: usize = 48;
/// Number of prefixes that one search extends before the next search's turn.
const TURN: u64 = 64;

/// A key that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundKey {
    /// The key, which the [`Check`] accepted.
    pub key: Vec<u8>,
    /// Number of prefixes extended by the search that found the key.
    pub prefixes: u64,
}

/// Finds the key of one of these lengths. Each search extends at most `most` key prefixes. A prefix
/// takes a pass over all packets, unless it was counted for another sum or length.
///
/// A reading is a choice of packets and known bytes of a capture, such as the ARP packets alone.
/// Each reading and length has a search. If a packet has guessed bytes, another search trusts the
/// sender's address.
///
/// # Panics
/// If a length is 0 or more than [`MAX_KEY`].
pub fn find_key(
    readings: &[&[Packet]],
    check: &Check,
    lengths: &[usize],
    method: Method,
    most: u64,
) -> Option<FoundKey> {
    let mut votes: Vec<_> =
        readings.iter().map(|packets| Votes::new(packets, check, method)).collect();
    let mut searches = vec![];
    for (reading, votes) in votes.iter().enumerate().filter(|(_, votes)| !votes.packets.is_empty())
    {
        for address in votes.addresses() {
            searches.extend(lengths.iter().map(|&length| votes.search(reading, length, *address)));
        }
    }
    let mut limit = 0;
    while limit < most {
        limit = (limit + TURN).min(most);
        let mut searches = searches.iter_mut();
        let found = searches.find_map(|search| search.go_on(&mut votes[search.reading], limit));
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The evidence of a reading's packets about key prefixes.
struct Votes<'a> {
    packets: &'a [Packet],
    check: &'a Check,
    method: Method,
    counter: Counter<'a>,
    weights: Weights,
    /// The scores of the next byte's values, for prefixes already counted.
    known: HashMap<Vec<u8>, [f32; 256]>,
}

impl<'a> Votes<'a> {
    fn new(packets: &'a [Packet], check: &'a Check, method: Method) -> Self {
        let (counter, weights) = (Counter::new(packets), Weights::new(method));
        Self { packets, check, method, counter, weights, known: HashMap::new() }
    }

    /// Returns the choices of trust in the sender's address: first true, then false, if it makes a
    /// difference.
    fn addresses(&self) -> &'static [bool] {
        let guessed = self.packets.iter().any(|packet| packet.guessed.count() > 0);
        if guessed && self.method.counts(KLEIN) { &[true, false] } else { &[false] }
    }

    fn after(&mut self, key: &[u8]) -> &[f32; 256] {
        let Self { counter, weights, known, .. } = self;
        let count = || weights.scores(IV + key.len(), &counter.count(key));
        known.entry(key.to_vec()).or_insert_with(count)
    }

    fn search(&self, reading: usize, length: usize, address: bool) -> Search {
        assert!((1..=MAX_KEY).contains(&length), "WEP key of {length} bytes");
        let sums = self.weights.sums(self.packets, length, address);
        let start = |total: Option<u8>| {
            let score = total.map_or(0.0, |total| sums.of_total(total) - 256_f32.ln());
            Scored { score, what: Prefix { total, length: 0, key: [0; MAX_KEY] } }
        };
        // Without votes for the sum, choosing a sum would only split the search in 256.
        let voted = (1..=255).any(|total| sums.of_total(total) != sums.of_total(0));
        let heap = match voted {
            true => (0..=255).map(|total| start(Some(total))).collect(),
            false => [start(None)].into(),
        };
        Search { reading, length, sums, heap, prefixes: 0 }
    }
}

/// The key prefix.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Prefix {
    /// The sum of all bytes, if there are votes for it.
    total: Option<u8>,
    length: usize,
    key: [u8; MAX_KEY],
}

/// The search for a key of one length.
struct Search {
    reading: usize,
    length: usize,
    sums: Sums,
    heap: BinaryHeap<Scored<Prefix>>,
    /// Number of extended prefixes.
    prefixes: u64,
}

impl Search {
    /// Runs until the key is found, `limit` prefixes have been extended in all, or no prefix is
    /// left.
    fn go_on(&mut self, votes: &mut Votes, limit: u64) -> Option<FoundKey> {
        while let Some(Scored { score, what: Prefix { total, length: n, key } }) = self.heap.pop() {
            let sum = key[..n].iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
            let last = total.filter(|_| n + 1 == self.length).map(|total| total.wrapping_sub(sum));
            if n == self.length || last.is_some() {
                let mut whole = key[..self.length].to_vec();
                whole[self.length - 1] = last.unwrap_or(whole[self.length - 1]);
                if votes.check.accepts(votes.packets, &whole) {
                    return Some(FoundKey { key: whole, prefixes: self.prefixes });
                }
                continue;
            }
            if self.prefixes == limit {
                self.heap.push(Scored { score, what: Prefix { total, length: n, key } });
                return None;
            }
            self.prefixes += 1;
            let scores = votes.after(&key[..n]);
            let mut children: Vec<_> = (0..=255)
                .map(|byte: u8| {
                    let mut longer = Prefix { total, length: n + 1, key };
                    longer.key[n] = byte;
                    let sum = sum.wrapping_add(byte);
                    let of_sum = total.map_or(0.0, |total| self.sums.of_prefix(n + 1, sum, total));
                    let more = scores[usize::from(byte)] + of_sum - 256_f32.ln();
                    Scored { score: score + more, what: longer }
                })
                .collect();
            // Without votes all values are equally likely, so none may be omitted.
            let voted = children.iter().any(|child| child.score != children[0].score);
            if voted {
                children.select_nth_unstable_by(CHILDREN, |a, b| b.cmp(a));
                children.truncate(CHILDREN);
            }
            self.heap.extend(children);
        }
        None
    }
}
