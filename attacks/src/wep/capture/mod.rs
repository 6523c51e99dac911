//! Reads WEP packets from a capture file, writes captures made from a seed, and decrypts the
//! packets of a capture.
//!
//! A capture is a pcap or pcapng file of IEEE 802.11 frames, or an `.ivs` file of airodump-ng. Each
//! data frame that WEP protects is sorted by its kind, which determines its first bytes ([`Kind`]).
//! The best kind is ARP (E. Tews, R.-P. Weinmann, A. Pyshkin, *Breaking 104 bit WEP in less than 60
//! seconds*, WISA 2007, §4).

pub mod blocks;
mod bssid;
mod decrypt;
mod error;
mod frames;
mod ivs;
pub mod link;
mod plaintext;
mod wifi;
mod write;

use std::{
    collections::{BTreeMap, HashMap},
    io::{BufReader, Read},
};

use arcfour_files::read_full;
use sha2::{Digest, Sha256};

use super::{Body, Bytes, Check, IV, Packet, check::BODIES};

pub use bssid::Bssid;
pub use decrypt::{Decrypted, decrypt};
pub use error::CaptureError;
pub use plaintext::Kind;
pub use write::{Sender, write};

/// The packets of one key: WEP networks have up to four.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// The network's address.
    pub bssid: Bssid,
    /// The number of its key, 0 to 3.
    pub key: u8,
    /// The packets of each kind. Only one packet is kept for each IV and kind.
    pub packets: BTreeMap<Kind, Vec<Packet>>,
    /// Number of WEP frames that repeat an IV of their kind.
    pub repeated: u64,
    /// Number of WEP frames with unknown plaintext: later fragments, and frames that were cut
    /// before the text.
    pub unknown: u64,
    /// Number of frames whose known keystream agrees with another frame of the same IV.
    pub agreeing: u64,
    /// Number of frames whose known keystream contradicts another frame of the same IV. Then the
    /// kind of one frame was guessed wrongly.
    pub contradicting: u64,
    /// A sample of the packet bodies for the test of a key, by the SHA-256 of their IVs.
    bodies: BTreeMap<[u8; 32], Body>,
    seen: HashMap<[u8; IV], Seen>,
}

/// The frames with one IV.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    /// The first packet with the IV.
    first: Packet,
    /// The kinds of its packets: bit n stands for the kind with that number.
    kinds: u16,
}

impl Network {
    fn new(bssid: Bssid, key: u8) -> Self {
        Self {
            bssid,
            key,
            packets: BTreeMap::new(),
            repeated: 0,
            unknown: 0,
            agreeing: 0,
            contradicting: 0,
            bodies: BTreeMap::new(),
            seen: HashMap::new(),
        }
    }

    /// Returns the number of packets of this kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.packets.get(&kind).map_or(0, Vec::len)
    }

    /// Returns the number of packets of all kinds.
    pub fn total(&self) -> usize {
        self.packets.values().map(Vec::len).sum()
    }

    /// Returns the readings of the packets, for [`super::find_key`], without empty readings. First:
    /// ARP alone. Second: padded packets read as ARP replies. Third: all packets, with the certain
    /// bytes of padded ones.
    pub fn readings(&self) -> Vec<Vec<Packet>> {
        let of = |kinds: &[Kind]| -> Vec<Packet> {
            kinds.iter().filter_map(|kind| self.packets.get(kind)).flatten().copied().collect()
        };
        let arp = of(&[Kind::ArpRequest, Kind::ArpReply]);
        let padded = of(&[Kind::Padded]);
        let others = of(&[
            Kind::Ivs,
            Kind::Ipv4,
            Kind::Ipv6,
            Kind::SpanningTree,
            Kind::Cisco,
            Kind::FirstFragment,
        ]);
        let replies = if padded.is_empty() { vec![] } else { [&arp[..], &padded].concat() };
        // In a padded packet only LLC, SNAP and the first byte of the type are certain.
        let certain = padded.iter().map(|packet| Packet {
            known: Bytes(packet.known.0 & Bytes::range(0, 7).0),
            guessed: Bytes::default(),
            ..*packet
        });
        let all = if others.is_empty() {
            vec![]
        } else {
            arp.iter().copied().chain(certain).chain(others.iter().copied()).collect()
        };
        [arp, replies, all].into_iter().filter(|packets| !packets.is_empty()).collect()
    }

    /// Returns the test of a key: by the ICV if the file has packet bodies.
    pub fn check(&self) -> Check {
        match self.bodies.is_empty() {
            true => Check::Keystream,
            false => Check::Icv(self.bodies.values().cloned().collect()),
        }
    }

    /// Keeps the bodies whose IVs have the smallest SHA-256, a random sample of the whole capture. The
    /// first bodies may all be damaged. One body is kept for an IV, because chopchop sends hundreds
    /// of frames with one IV and a wrong ICV.
    fn sample(&mut self, iv: [u8; IV], body: &[u8]) {
        let place = Sha256::digest(iv).into();
        let is_full = self.bodies.len() == BODIES;
        // Most bodies of a long capture are not copied.
        if is_full && self.bodies.last_key_value().is_some_and(|(last, _)| *last < place) {
            return;
        }
        self.bodies.entry(place).or_insert_with(|| Body { iv, data: body.to_vec() });
        if self.bodies.len() > BODIES {
            self.bodies.pop_last();
        }
    }

    fn add(&mut self, kind: Kind, packet: Packet) {
        let bit = 1 << kind as u16;
        let seen = self.seen.entry(packet.iv);
        let seen = seen.or_insert(Seen { first: packet, kinds: 0 });
        if seen.kinds != 0 {
            let both = Bytes(seen.first.known.0 & packet.known.0);
            let same = (0..super::KNOWN)
                .all(|n| both.has(n) == 0 || seen.first.keystream[n] == packet.keystream[n]);
            *(if same { &mut self.agreeing } else { &mut self.contradicting }) += 1;
        }
        if seen.kinds & bit != 0 {
            self.repeated += 1;
            return;
        }
        seen.kinds |= bit;
        self.packets.entry(kind).or_default().push(packet);
    }
}

/// The contents of a capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    /// Number of packets of any kind.
    pub packets: u64,
    /// Number of data frames that a newer protocol than WEP protects.
    pub newer: u64,
    /// Number of packets of other link types than 802.11.
    pub other_links: u64,
    /// Number of 802.11 packets whose header (radiotap and others) is broken, or whose frame check
    /// sequence (FCS) is wrong.
    pub broken: u64,
    /// True if the file ends in the middle of a packet.
    pub cut: bool,
    /// The networks with WEP packets, sorted by descending number of packets.
    pub networks: Vec<Network>,
}

/// Reads a capture to its end. A packet that is cut by the file's end is left out.
///
/// # Errors
/// If the input cannot be read, or is no capture of 802.11 frames.
pub fn read(from: impl Read + Send) -> Result<Capture, CaptureError> {
    let mut from = BufReader::with_capacity(1 << 16, from);
    let mut magic = [0; 4];
    let n = read_full(&mut from, &mut magic).map_err(CaptureError::Read)?;
    let mut capture = Capture::default();
    let mut networks = BTreeMap::new();
    let mut ivs = |(bssid, key, packet)| {
        capture.packets += 1;
        network(&mut networks, bssid, key).add(Kind::Ivs, packet);
    };
    capture.cut = match magic {
        ivs::FIRST => ivs::first(from, &mut ivs)?,
        ivs::SECOND => ivs::second(from, &mut ivs)?,
        _ => read_frames(magic[..n].chain(from), &mut capture, &mut networks)?,
    };
    capture.networks = networks.into_values().collect();
    capture.networks.sort_by_key(|network| std::cmp::Reverse(network.total()));
    Ok(capture)
}

type Networks = BTreeMap<(Bssid, u8), Network>;

fn network(networks: &mut Networks, bssid: Bssid, key: u8) -> &mut Network {
    networks.entry((bssid, key)).or_insert_with(|| Network::new(bssid, key))
}

fn read_frames(
    from: impl Read + Send,
    capture: &mut Capture,
    networks: &mut Networks,
) -> Result<bool, CaptureError> {
    let mut first_other = None;
    let cut = frames::for_each(from, |raw| {
        capture.packets += 1;
        if !link::is_wifi(raw.link) {
            capture.other_links += 1;
            first_other.get_or_insert((raw.number, raw.link.0));
            return Ok(());
        }
        let Some(frame) = link::frame(raw.link, raw.data, raw.size) else {
            capture.broken += 1;
            return Ok(());
        };
        match wifi::protected(frame) {
            None => {}
            Some(wifi::Protected::Newer) => capture.newer += 1,
            Some(wifi::Protected::Wep(wep)) => {
                let network = network(networks, Bssid(wep.bssid), wep.key);
                if wep.whole() {
                    network.sample(wep.iv, wep.body);
                }
                match plaintext::packet(&wep) {
                    Some((kind, packet)) => network.add(kind, packet),
                    None => network.unknown += 1,
                }
            }
        }
        Ok(())
    })?;
    match first_other {
        Some((packet, link)) if capture.other_links == capture.packets => {
            Err(CaptureError::LinkType { packet, link })
        }
        _ => Ok(cut),
    }
}
