//! The search for the key.
//!
//! The sum of all its bytes is chosen first, by the votes for it if there are any, and then byte after byte. Each beginning of a key has a score: the logarithm of how
//! much likelier the votes are with it than by chance, less ln 256 for each choice, as in R. Fano's sequential decoding (IEEE
//! Transactions on Information Theory 9, 1963). On the right path the score grows, on a wrong one it falls, so the search goes on with
//! the best beginning of all. The last byte follows from the sum.

use std::collections::{BinaryHeap, HashMap};

use super::{
    IV, MAX_KEY, Packet,
    count::Counter,
    rates::Weights,
    votes::{KLEIN, Method},
};
use crate::best::Scored;

/// Most values of a byte that a beginning goes on with.
const CHILDREN: usize = 48;
/// Packets that a whole key is tested with: it is right if it makes the keystream of one.
const TESTS: usize = 3;

/// A key that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundKey {
    /// The key: it makes the known bytes of keystream of a packet.
    pub key: Vec<u8>,
    /// Beginnings of keys that were gone on with.
    pub beginnings: u64,
}

/// The beginning of a key.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Beginning {
    /// What all bytes add up to, if there are votes for it.
    total: Option<u8>,
    length: usize,
    key: [u8; MAX_KEY],
}

/// Finds the key of `length` bytes, going on with at most `most` beginnings of keys. Each takes a pass over all packets, unless
/// it was met with another sum.
///
/// # Panics
/// If the length is 0 or more than [`MAX_KEY`].
pub fn find_key(packets: &[Packet], length: usize, method: Method, most: u64) -> Option<FoundKey> {
    assert!((1..=MAX_KEY).contains(&length), "WEP key of {length} bytes");
    let tests = &packets[..TESTS.min(packets.len())];
    let (counter, weights) = (Counter::new(packets), Weights::new(method));
    let sums = weights.sums(packets, length);
    let start = |total: Option<u8>| {
        let score = total.map_or(0.0, |total| sums.of_total(total) - 256_f32.ln());
        Scored { score, what: Beginning { total, length: 0, key: [0; MAX_KEY] } }
    };
    let mut heap: BinaryHeap<_> = match method.counts(KLEIN) {
        true => (0..=255).map(|total| start(Some(total))).collect(),
        false => [start(None)].into(),
    };
    // Beginnings that were counted: with another total only the sums change.
    let mut known = HashMap::new();
    let mut beginnings = 0;
    while let Some(Scored { score, what: Beginning { total, length: n, key } }) = heap.pop() {
        let sum = key[..n].iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        let mut whole = key;
        let last = total.filter(|_| n + 1 == length).map(|total| total.wrapping_sub(sum));
        whole[length - 1] = last.unwrap_or(whole[length - 1]);
        if n == length || last.is_some() {
            if tests.iter().any(|packet| packet.fits(&whole[..length])) {
                return Some(FoundKey { key: whole[..length].to_vec(), beginnings });
            }
            continue;
        }
        if beginnings == most {
            return None;
        }
        beginnings += 1;
        let scores = known
            .entry(key[..n].to_vec())
            .or_insert_with(|| weights.scores(IV + n, &counter.count(&key[..n])));
        let mut children: Vec<_> = (0..=255)
            .map(|byte: u8| {
                let mut longer = Beginning { total, length: n + 1, key };
                longer.key[n] = byte;
                let sum = sum.wrapping_add(byte);
                let of_sum = total.map_or(0.0, |total| sums.of_beginning(n + 1, sum, total));
                let more = scores[usize::from(byte)] + of_sum - 256_f32.ln();
                Scored { score: score + more, what: longer }
            })
            .collect();
        children.select_nth_unstable_by(CHILDREN, |a, b| b.cmp(a));
        heap.extend(children.into_iter().take(CHILDREN));
    }
    None
}
