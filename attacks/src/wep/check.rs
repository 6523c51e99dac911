//! Tests whether a whole key is right.

use arcfour::Rc4;

use super::{IV, Packet};

/// Number of packets whose known keystream is compared, if a capture has no packet bodies.
const PACKETS: usize = 32;
/// Minimum number of keystream bytes that must agree. A wrong key passes with probability 2^-64 for
/// each choice of packets.
const AGREEING: usize = 8;
/// Maximum number of packet bodies kept for the test of a key. The right key passes although most of
/// the bodies are damaged: if three of four are, with probability 99.9 %.
pub(crate) const BODIES: usize = 32;
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
    /// By the ICV of bodies, each with another IV. Two of them must be right, or one if there is
    /// only one.
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
                // The test of a wrong key ends once more than half of the packets disagree.
                let wrong = tested.iter().filter(|packet| !packet.fits(key));
                if 2 * wrong.take(tested.len() / 2 + 1).count() > tested.len() {
                    return false;
                }
                let fitting = tested.iter().filter(|packet| packet.fits(key));
                fitting.map(|packet| packet.known.count()).sum::<usize>() >= AGREEING
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wep::{Bytes, KNOWN};

    const KEY: &[u8] = b"Keys!";

    fn body(n: u8, key: &[u8], text: &[u8]) -> Body {
        let mut data = [text, &crc32fast::hash(text).to_le_bytes()].concat();
        Rc4::from_key(&[&[n, 0, 0], key].concat()).unwrap().apply(&mut data);
        Body { iv: [n, 0, 0], data }
    }

    /// A text of any length comes back; a changed bit, another key or a lost byte is noticed.
    #[test]
    fn a_body_opens_by_its_checksum() {
        for text in [&b""[..], b"a", b"a text"] {
            let body = body(7, KEY, text);
            assert_eq!(body.open(KEY).as_deref(), Some(text));
            assert_eq!(body.open(b"Keys?"), None);
            for at in 0..body.data.len() {
                let mut changed = body.clone();
                changed.data[at] ^= 0x10;
                assert_eq!(changed.open(KEY), None);
                changed.data.truncate(at);
                assert_eq!(changed.open(KEY), None, "{at} bytes");
            }
        }
    }

    /// Two checksums must be right, or one if there is one.
    #[test]
    fn a_key_passes_by_two_checksums() {
        for (right, accepted) in [
            ("", false),
            ("1", true),
            ("0", false),
            ("11", true),
            ("10", false),
            ("100", false),
            ("0101", true),
        ] {
            let bodies = right.bytes().zip(0..);
            let bodies =
                bodies.map(|(right, n)| body(n, if right == b'1' { KEY } else { b"other" }, b"x"));
            assert_eq!(Check::Icv(bodies.collect()).accepts(&[], KEY), accepted, "{right}");
        }
    }

    /// Of the first 32 packets half must agree, wherever they stand, and 8 bytes in all.
    #[test]
    fn a_key_passes_by_half_of_the_packets() {
        let packet = |(n, right): (u8, bool), known: usize| {
            let mut keystream = [0; KNOWN];
            Rc4::from_key(&[&[n, 1, 1], KEY].concat()).unwrap().fill(&mut keystream);
            keystream[0] ^= u8::from(!right);
            let (known, guessed) = (Bytes::range(0, known), Bytes::default());
            Packet { iv: [n, 1, 1], keystream, known, guessed }
        };
        for (wrong, right, more_wrong, known, accepted) in [
            (0, 1, 0, 8, true),
            (0, 1, 0, 7, false),
            (0, 4, 0, 2, true),
            (0, 7, 0, 1, false),
            (0, 8, 0, 1, true),
            (0, 0, 0, 8, false),
            (1, 1, 0, 8, true),
            (2, 1, 0, 8, false),
            (3, 2, 0, 8, false),
            (3, 3, 0, 8, true),
            (16, 16, 90, 16, true),
            (17, 15, 0, 16, false),
            (17, 90, 0, 16, false),
        ] {
            let rights = [(wrong, false), (right, true), (more_wrong, false)];
            let rights = rights.into_iter().flat_map(|(n, right)| vec![right; n]);
            let packets: Vec<_> = (0..).zip(rights).map(|one| packet(one, known)).collect();
            let accepts = Check::Keystream.accepts(&packets, KEY);
            assert_eq!(accepts, accepted, "{wrong} {right} {more_wrong} {known}");
        }
    }
}
