//! Tests whether a whole key is right.

use arcfour::Rc4;

use super::{IV, Packet};

/// Number of packets whose known keystream is compared, if a capture has no packet bodies.
const PACKETS: usize = 32;
/// Minimum number of keystream bytes that must agree. A wrong key passes with probability 2^-64 for
/// each choice of packets.
const AGREEING: usize = 8;
/// Maximum number of packet bodies kept for the test of a key.
pub(crate) const BODIES: usize = 16;
/// Number of bodies whose checksum must be right. A wrong key passes one with probability 2^-32.
const RIGHT: usize = 2;

/// The body of a packet: the encrypted text and its checksum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The IV.
    pub iv: [u8; IV],
    /// The encrypted text, and the four bytes of the integrity check value (ICV).
    pub data: Vec<u8>,
}

impl Body {
    /// Returns the text, if its ICV is right under `key`. The ICV is the CRC-32 of the text,
    /// little-endian (IEEE 802.11-2007, §8.2.1.4.2).
    pub fn open(&self, key: &[u8]) -> Option<Vec<u8>> {
        let mut text = self.data.clone();
        Rc4::from_key(&[&self.iv[..], key].concat()).ok()?.apply(&mut text);
        let (rest, icv) = text.split_last_chunk::<4>()?;
        let right = crc32fast::hash(rest).to_le_bytes() == *icv;
        text.truncate(text.len() - 4);
        right.then_some(text)
    }
}

/// A test of a whole key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// By the ICV of bodies. Two of them must be right, or one if there is only one.
    Icv(Vec<Body>),
    /// By known keystream, for files without bodies (`.ivs`) and simulations: of the packets tested, half must agree, and
    /// 8 bytes in all.
    Keystream,
}

impl Check {
    pub(super) fn accepts(&self, packets: &[Packet], key: &[u8]) -> bool {
        match self {
            Self::Icv(bodies) => {
                let right = bodies.iter().filter(|body| body.open(key).is_some()).take(RIGHT);
                right.count() == RIGHT.min(bodies.len()) && !bodies.is_empty()
            }
            Self::Keystream => {
                let tested = &packets[..packets.len().min(PACKETS)];
                // A wrong key fails at the first few packets.
                if !tested.iter().take(3).any(|packet| packet.fits(key)) {
                    return false;
                }
                let fitting = tested.iter().filter(|packet| packet.fits(key));
                let (packets, bytes) = fitting.fold((0, 0), |(packets, bytes), packet| {
                    (packets + 1, bytes + packet.known.count())
                });
                2 * packets >= tested.len() && bytes >= AGREEING
            }
        }
    }
}
