//! Predicts the first bytes of a WEP packet's plaintext.
//!
//! The length and the addresses determine the kind of a packet, and the kind determines the first
//! bytes. Certain and guessed bytes are kept apart ([`super::super::Packet`]).

use super::{
    super::{Bytes, CERTAIN, KNOWN, Packet},
    wifi::Wep,
};

/// Length of an ARP packet with LLC and SNAP, in bytes.
const ARP: usize = 36;
/// Length of a packet that an Ethernet station padded to the minimum length of a frame, in bytes.
const PADDED: usize = 54;
/// LLC, SNAP and the start of an ARP packet: a request, or with 2 at the end a reply. The sender's address follows.
pub(super) const ARP_START: [u8; CERTAIN] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1];
const BROADCAST: [u8; 6] = [0xff; 6];
/// Address of the spanning tree packets of bridges (IEEE 802.1D).
const SPANNING_TREE: [u8; 6] = [1, 0x80, 0xc2, 0, 0, 0];
/// Address of the announcements of Cisco's devices (CDP, VTP).
const CISCO: [u8; 6] = [1, 0, 0x0c, 0xcc, 0xcc, 0xcc];
/// The start of a multicast address of IPv6 (RFC 2464, §7).
const IPV6: [u8; 2] = [0x33, 0x33];

/// The kind of a WEP packet, by its length and addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// An ARP request: broadcast, of the length of ARP.
    ArpRequest,
    /// An ARP reply: to one station, of the length of ARP.
    ArpReply,
    /// To one station, padded by Ethernet: an ARP reply or a short IPv4 packet.
    Padded,
    /// An IPv4 packet, the default for packets of no other kind. Its don't-fragment flag is assumed
    /// to be set.
    Ipv4,
    /// An IPv6 multicast packet.
    Ipv6,
    /// A bridge's spanning tree packet.
    SpanningTree,
    /// Cisco's discovery protocols.
    Cisco,
    /// The first fragment of a longer packet.
    FirstFragment,
    /// The keystream that an `.ivs` file gives.
    Ivs,
}

impl Kind {
    /// Returns the name in reports, for a count other than 1.
    pub fn name(self) -> &'static str {
        match self {
            Self::ArpRequest => "ARP requests",
            Self::ArpReply => "ARP replies",
            Self::Padded => "padded packets (ARP replies or short IPv4)",
            Self::Ipv4 => "taken for IPv4",
            Self::Ipv6 => "IPv6 multicasts",
            Self::SpanningTree => "spanning tree packets",
            Self::Cisco => "Cisco discovery packets",
            Self::FirstFragment => "first fragments",
            Self::Ivs => "keystreams of an .ivs file",
        }
    }
}

/// Returns the kind of a packet and its keystream. `None` if no plaintext is known: for a later
/// fragment, or fewer than two bytes.
pub(super) fn packet(wep: &Wep) -> Option<(Kind, Packet)> {
    // The ICV follows the text.
    let kept = wep.body.len().min(wep.size);
    if wep.fragment != 0 || kept < 2 {
        return None;
    }
    let kind = kind(wep);
    let (text, known) = start(kind, wep.size);
    let (mut text, mut guessed) = (text, Bytes::default());
    if matches!(kind, Kind::ArpRequest | Kind::ArpReply | Kind::Padded) {
        text[CERTAIN..].copy_from_slice(&wep.source);
        guessed = Bytes::range(CERTAIN, KNOWN);
    }
    let kept = Bytes::range(0, kept.min(KNOWN)).0;
    let mut keystream = [0; KNOWN];
    for ((z, c), p) in keystream.iter_mut().zip(wep.body).zip(text) {
        *z = c ^ p;
    }
    let (known, guessed) = (Bytes(known.0 & kept), Bytes(guessed.0 & kept));
    Some((kind, Packet { iv: wep.iv, keystream, known, guessed }))
}

fn kind(wep: &Wep) -> Kind {
    let broadcast = wep.destination == BROADCAST;
    match (wep.size, wep.destination) {
        _ if wep.more => Kind::FirstFragment,
        (_, SPANNING_TREE) => Kind::SpanningTree,
        (_, CISCO) => Kind::Cisco,
        (ARP | PADDED, _) if broadcast => Kind::ArpRequest,
        (ARP, _) => Kind::ArpReply,
        (PADDED, _) if !wep.from_station => Kind::Padded,
        (_, [a, b, ..]) if [a, b] == IPV6 => Kind::Ipv6,
        _ => Kind::Ipv4,
    }
}

/// Returns the first bytes of packets of this kind and of `size` bytes, and the set of known bytes.
fn start(kind: Kind, size: usize) -> ([u8; KNOWN], Bytes) {
    let mut text = [0; KNOWN];
    text[..CERTAIN].copy_from_slice(&ARP_START);
    // Number of bytes after LLC and SNAP, as in the header of IP.
    let length = |header: usize| (size.saturating_sub(8 + header) as u16).to_be_bytes();
    let known = match kind {
        Kind::ArpRequest => Bytes::range(0, CERTAIN),
        Kind::ArpReply | Kind::Padded => {
            text[CERTAIN - 1] = 2;
            Bytes::range(0, CERTAIN)
        }
        Kind::Ipv4 => {
            text[6..10].copy_from_slice(&[8, 0, 0x45, 0]);
            text[10..12].copy_from_slice(&length(0));
            text[14..16].copy_from_slice(&[0x40, 0]);
            Bytes::range(0, 12).and(Bytes::range(14, 16)) // not the identification
        }
        Kind::Ipv6 => {
            text[6..12].copy_from_slice(&[0x86, 0xdd, 0x60, 0, 0, 0]);
            text[12..14].copy_from_slice(&length(40));
            Bytes::range(0, 14)
        }
        Kind::SpanningTree => {
            text[..5].copy_from_slice(&[0x42, 0x42, 3, 0, 0]);
            Bytes::range(0, 5)
        }
        Kind::Cisco => {
            text[..7].copy_from_slice(&[0xaa, 0xaa, 3, 0, 0, 0x0c, 0x20]);
            Bytes::range(0, 7)
        }
        Kind::FirstFragment | Kind::Ivs => Bytes::range(0, 6),
    };
    (text, known)
}
