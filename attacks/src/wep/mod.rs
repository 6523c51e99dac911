//! The key of WEP from packets whose first bytes are known.
//!
//! WEP keys RC4 with an IV of three bytes, sent in clear, and then the secret key. Each packet votes for the next byte of
//! the key, given those before it ([`Vote`]); the votes of all packets are added up as logarithms of likelihoods, and
//! a search goes on with the likeliest beginning of a key ([`find_key`]).

mod search;
mod votes;

use arcfour::Rc4;

pub use search::{FoundKey, find_key};
pub use votes::{Method, Vote};

use crate::experiment::Random;

/// Bytes of keystream of a packet that an attack uses: those of the headers of an ARP packet, which are known (LLC and
/// SNAP 8, ARP 8).
pub const KNOWN: usize = 16;
/// Bytes of the IV.
pub const IV: usize = 3;

/// What is known of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Its IV, the first bytes of the RC4 key.
    pub iv: [u8; IV],
    /// The first bytes of its keystream.
    pub keystream: [u8; KNOWN],
}

impl Packet {
    /// Whether `key` makes this keystream.
    pub fn fits(&self, key: &[u8]) -> bool {
        let mut keystream = [0; KNOWN];
        let whole = [&self.iv[..], key].concat();
        match Rc4::from_key(&whole) {
            Ok(mut rc4) => rc4.fill(&mut keystream),
            Err(_) => return false,
        }
        keystream == self.keystream
    }

    /// `n` packets of a network with this key, each with a random IV.
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
            let made = keys
                .iter()
                .zip(keystreams)
                .map(|(whole, keystream)| Self { iv: [whole[0], whole[1], whole[2]], keystream });
            packets.extend(made.take(n - packets.len()));
        }
        packets
    }
}
