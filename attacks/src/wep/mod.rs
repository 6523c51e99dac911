//! Finds the WEP key from packets with known first bytes.
//!
//! WEP keys RC4 with an IV of three bytes, sent in clear, and then the secret key. Each packet
//! votes for the next byte of the key, given the bytes before it. The votes of all packets are
//! added up as logarithms of likelihoods ([`Rate`]). A search extends the likeliest prefix of a key
//! ([`find_key`]). The packets are simulated, or come from a [`capture`]. A key is accepted by a
//! [`Check`].

pub mod capture;
mod check;
mod count;
mod rates;
mod search;
mod sums;
mod votes;

use arcfour::Rc4;

pub use check::{Body, Check};
pub use rates::{Kind, PACKETS_A_KEY, Rate, by_kind, measure, recorded};
pub use search::{FoundKey, find_key};
pub use votes::Method;
pub(crate) use votes::klein_is_right;

use crate::experiment::Random;

/// Maximum number of keystream bytes used of a packet. This is the start of an ARP packet: LLC and
/// SNAP, 8 bytes, ARP, 8, and the sender's address, 6.
pub const KNOWN: usize = 22;
/// Number of bytes of an ARP packet with certain plaintext: [`KNOWN`] without the sender's address.
pub const CERTAIN: usize = 16;
/// Bytes of the IV.
pub const IV: usize = 3;
/// Maximum length of a secret key, in bytes.
pub const MAX_KEY: usize = 13;

/// Lengths of the secret keys of the standard and of most products, in bytes: WEP of 64 and of 128
/// bits.
pub const KEY_LENGTHS: [usize; 2] = [5, 13];

/// Returns the default number of key prefixes that a search extends: 10,000. Above 22,500 packets
/// it is smaller, so that a search takes no longer.
pub fn default_max_prefixes(packets: usize) -> u64 {
    (225_000_000 / packets.max(22_500)) as u64
}

/// Number of packets with which about half of all keys of 5 or 13 bytes are found with at most
/// 10,000 prefixes. It is the smallest recorded number at which the interval of the success rate
/// reaches 50 %.
pub fn packets_for_half(length: usize) -> usize {
    if length <= KEY_LENGTHS[0] { 7_500 } else { 22_500 }
}

/// A set of keystream bytes of a packet: bit `n` stands for byte `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes(pub u32);

impl Bytes {
    /// Returns the set of this range.
    pub const fn range(from: usize, to: usize) -> Self {
        Self(((1 << to) - 1) & !((1 << from) - 1))
    }

    /// Returns 1 if the set has byte `n`, else 0.
    pub(crate) const fn has(self, n: usize) -> u32 {
        self.0 >> n & 1
    }

    /// Returns the union of both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the number of bytes.
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }
}

/// The IV of a packet, and its keystream where the plaintext is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The IV, the first bytes of the RC4 key.
    pub iv: [u8; IV],
    /// The first bytes of the keystream.
    pub keystream: [u8; KNOWN],
    /// The bytes of `keystream` that are known.
    pub known: Bytes,
    /// The bytes of `keystream` that are right if the sender's address in ARP is the frame's source address. A replayed
    /// packet has another source address.
    pub guessed: Bytes,
}

impl Packet {
    /// Returns true if `key` makes the known bytes of the keystream.
    pub fn fits(&self, key: &[u8]) -> bool {
        let mut keystream = [0; KNOWN];
        let whole = [&self.iv[..], key].concat();
        match Rc4::from_key(&whole) {
            Ok(mut rc4) => rc4.fill(&mut keystream),
            Err(_) => return false,
        }
        (0..KNOWN).all(|n| self.known.has(n) == 0 || keystream[n] == self.keystream[n])
    }

    /// Simulates `n` packets of a network with this key, each with a random IV.
    pub fn simulate(key: &[u8], n: usize, random: &mut Random) -> Vec<Self> {
        const TOGETHER: usize = 16;
        let mut packets = Vec::with_capacity(n);
        while packets.len() < n {
            let mut keys = [[0; IV + 29]; TOGETHER];
            for whole in &mut keys {
                random.fill(&mut whole[..IV]);
                whole[IV..IV + key.len()].copy_from_slice(key);
            }
            let refs = keys.each_ref().map(|whole| &whole[..IV + key.len()]);
            let mut keystreams = [[0; KNOWN]; TOGETHER];
            arcfour::sample_many(&refs, &mut keystreams.each_mut().map(|bytes| &mut bytes[..]))
                .expect("a WEP key has 1 to 29 bytes");
            let made = keys.iter().zip(keystreams).map(|(whole, keystream)| Self {
                iv: [whole[0], whole[1], whole[2]],
                keystream,
                known: Bytes::range(0, CERTAIN),
                guessed: Bytes::range(CERTAIN, KNOWN),
            });
            packets.extend(made.take(n - packets.len()));
        }
        packets
    }
}
