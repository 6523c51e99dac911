//! The search for the key.
//!
//! The sum of all key bytes is chosen first, if there are votes for it, and then byte after byte.
//! Each prefix of a key has a score: the logarithm of the likelihood ratio of its votes against
//! chance, less ln 256 for each choice. This is R. Fano's sequential decoding (IEEE Transactions on
//! Information Theory 9, 1963). On the right path the score grows, on a wrong path it falls, so the
//! search extends the best prefix of all. The last byte follows from the sum.
//!
//! If the length of the key is unknown, or the packets to trust are unknown, the searches take
//! turns. Otherwise the search for a key of five bytes would come first, and use up all its
//! prefixes where the key has thirteen.

use std::collections::{BinaryHeap, HashMap};

use super::{
    Check, IV, MAX_KEY, Packet,
    count::Counter,
    rates::Weights,
    sums::Sums,
    votes::{KLEIN, Method},
};
use crate::best::Scored;

/// Most values of a byte that a beginning goes on with, where there are votes for it.
const CHILDREN: usize = 48;
/// Beginnings that one search goes on with before it is the next one's turn.
const TURN: u64 = 64;

/// A key that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundKey {
    /// The key: the [`Check`] accepts it.
    pub key: Vec<u8>,
    /// Beginnings of keys of this length that were gone on with, by the search that found it.
    pub beginnings: u64,
}

/// Finds the key of one of these lengths, going on with at most `most` beginnings of keys in each search. A beginning takes a pass over
/// all packets, unless it was met with another sum or length.
///
/// Each reading is a way to take the packets of a capture, such as the ARP packets alone. A search is made for each reading and length,
/// and another one that trusts the sender's address where a packet has guessed bytes.
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

/// What the packets of a reading say of beginnings of keys.
struct Votes<'a> {
    packets: &'a [Packet],
    check: &'a Check,
    method: Method,
    counter: Counter<'a>,
    weights: Weights,
    /// The scores of the values of the next byte, for beginnings that were counted.
    known: HashMap<Vec<u8>, [f32; 256]>,
}

impl<'a> Votes<'a> {
    fn new(packets: &'a [Packet], check: &'a Check, method: Method) -> Self {
        let (counter, weights) = (Counter::new(packets), Weights::new(method));
        Self { packets, check, method, counter, weights, known: HashMap::new() }
    }

    /// Whether to trust the sender's address: both ways, the daring one first, where that makes a difference.
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
            Scored { score, what: Beginning { total, length: 0, key: [0; MAX_KEY] } }
        };
        // Without votes for the sum, a choice of it would only split the search in 256.
        let voted = (1..=255).any(|total| sums.of_total(total) != sums.of_total(0));
        let heap = match voted {
            true => (0..=255).map(|total| start(Some(total))).collect(),
            false => [start(None)].into(),
        };
        Search { reading, length, sums, heap, beginnings: 0 }
    }
}

/// The beginning of a key.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Beginning {
    /// What all bytes add up to, if there are votes for it.
    total: Option<u8>,
    length: usize,
    key: [u8; MAX_KEY],
}

/// The search for a key of one length.
struct Search {
    reading: usize,
    length: usize,
    sums: Sums,
    heap: BinaryHeap<Scored<Beginning>>,
    /// How many were gone on with.
    beginnings: u64,
}

impl Search {
    /// Goes on until the key is found, `limit` beginnings were gone on with in all, or none is left.
    fn go_on(&mut self, votes: &mut Votes, limit: u64) -> Option<FoundKey> {
        while let Some(Scored { score, what: Beginning { total, length: n, key } }) =
            self.heap.pop()
        {
            let sum = key[..n].iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
            let last = total.filter(|_| n + 1 == self.length).map(|total| total.wrapping_sub(sum));
            if n == self.length || last.is_some() {
                let mut whole = key[..self.length].to_vec();
                whole[self.length - 1] = last.unwrap_or(whole[self.length - 1]);
                if votes.check.accepts(votes.packets, &whole) {
                    return Some(FoundKey { key: whole, beginnings: self.beginnings });
                }
                continue;
            }
            if self.beginnings == limit {
                self.heap.push(Scored { score, what: Beginning { total, length: n, key } });
                return None;
            }
            self.beginnings += 1;
            let scores = votes.after(&key[..n]);
            let mut children: Vec<_> = (0..=255)
                .map(|byte: u8| {
                    let mut longer = Beginning { total, length: n + 1, key };
                    longer.key[n] = byte;
                    let sum = sum.wrapping_add(byte);
                    let of_sum =
                        total.map_or(0.0, |total| self.sums.of_beginning(n + 1, sum, total));
                    let more = scores[usize::from(byte)] + of_sum - 256_f32.ln();
                    Scored { score: score + more, what: longer }
                })
                .collect();
            // Without votes each value is as likely, and the right one must not be left out.
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
