//! The search for the key.
//!
//! Each beginning of a key has a score: the logarithm of how much likelier the votes are with it than by chance, less ln 256 for
//! each byte, as in R. Fano's sequential decoding (IEEE Transactions on Information Theory 9, 1963). On the right path the score grows,
//! on a wrong one it falls, so the search goes on with the best beginning of all.

use std::{cmp::Ordering, collections::BinaryHeap};

use super::{
    IV, Packet,
    votes::{LAST, Method, Partial, weights},
};

/// Most values of a byte that a beginning goes on with.
const CHILDREN: usize = 48;
/// Packets that a whole key is tested with.
const TESTS: usize = 3;

/// A key that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundKey {
    /// The key: it makes the keystream of the packets it was tested with.
    pub key: Vec<u8>,
    /// Beginnings of keys for which the votes of all packets were counted.
    pub counted: u64,
}

/// Finds the key of `length` bytes, 1 to 13, counting the votes for at most `most` beginnings of keys: each takes one pass over all
/// packets.
///
/// # Panics
/// If the length is 0 or more than 13.
pub fn find_key(packets: &[Packet], length: usize, method: Method, most: u64) -> Option<FoundKey> {
    assert!((1..=LAST + 1 - IV).contains(&length), "WEP key of {length} bytes");
    let tests = packets.get(..TESTS.min(packets.len())).filter(|tests| !tests.is_empty())?;
    let weights = weights(method);
    let mut heap = BinaryHeap::from([Node { score: 0.0, key: vec![] }]);
    let mut counted = 0;
    while counted < most {
        let node = heap.pop()?;
        counted += 1;
        let mut scores = [0.0_f32; 256];
        let mut base = 0.0_f64;
        let weights = &weights[IV + node.key.len()];
        for packet in packets {
            let known = packet.iv.iter().chain(&node.key).copied();
            Partial::new(known).votes(packet, |vote| {
                let weight = weights[vote.kind];
                scores[usize::from(vote.byte)] += weight.vote;
                base += f64::from(weight.base);
            });
        }
        let mut ranked: Vec<u8> = (0..=255).collect();
        ranked.sort_by(|&a, &b| scores[usize::from(b)].total_cmp(&scores[usize::from(a)]));
        let child = |byte: u8| {
            let key = [&node.key[..], &[byte]].concat();
            let more = base + f64::from(scores[usize::from(byte)]) - 256_f64.ln();
            Node { score: node.score + more, key }
        };
        if node.key.len() + 1 == length {
            let keys = ranked.into_iter().map(|byte| child(byte).key);
            let mut right = keys.filter(|key| tests.iter().all(|packet| packet.fits(key)));
            if let Some(key) = right.next() {
                return Some(FoundKey { key, counted });
            }
        } else {
            heap.extend(ranked.into_iter().take(CHILDREN).map(child));
        }
    }
    None
}

/// The beginning of a key.
struct Node {
    score: f64,
    key: Vec<u8>,
}

impl Ord for Node {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.key.cmp(&self.key))
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Node {}
