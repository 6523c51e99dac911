//! Finds the IP packet in a captured packet.

use std::net::IpAddr;

use arcfour_attacks::wep::capture::link::Frame;
use etherparse::{EtherType, IpNumber, LaxNetSlice, LaxSlicedPacket};
use pcap_parser::Linktype;

/// Maximum number of tunnels, one in the other.
const TUNNELS: usize = 4;
const PPPOE: EtherType = EtherType(0x8864);
const MPLS: EtherType = EtherType(0x8847);
/// The header of PPPoE: version, code, session and length (RFC 2516, 4).
const PPPOE_HEADER: usize = 6;

/// The link types of PKTAP, by which macOS captures on several interfaces. Old versions wrote USER2.
const PKTAP: [i32; 2] = [258, 149];
/// The header of PKTAP, up to the name of the effective command.
const PKTAP_HEADER: usize = 108;

/// The error of a link type that is not read.
pub(super) struct UnknownLink;

/// Takes off the header of PKTAP, if the packet has one. A packet is its link type, its captured
/// bytes and its length on the wire.
pub(super) fn without_tap(link: Linktype, data: &[u8], size: usize) -> (Linktype, &[u8], usize) {
    PKTAP.contains(&link.0).then(|| tapped(data, size)).flatten().unwrap_or((link, data, size))
}

/// The packet after a header of PKTAP, as tcpdump's `print-pktap.c` reads it.
fn tapped(data: &[u8], size: usize) -> Option<(Linktype, &[u8], usize)> {
    const PACKET_FOLLOWS: u32 = 1;
    let word = |at: usize| Some(u32::from_le_bytes(*data.get(at..)?.first_chunk()?));
    let header = usize::try_from(word(0)?).ok()?;
    if header < PKTAP_HEADER || word(4)? != PACKET_FOLLOWS {
        return None;
    }
    let link = Linktype(word(8)?.try_into().ok()?);
    Some((link, data.get(header..)?, size.checked_sub(header)?))
}

/// Returns the innermost packet after the headers of link and tunnels, or `None` if a header is
/// broken.
pub(super) fn packet(
    link: Linktype,
    data: &[u8],
) -> Result<Option<LaxSlicedPacket<'_>>, UnknownLink> {
    Ok(after_link(link, data)?.map(innermost))
}

/// Does the same for a frame of 802.11; `None` if the frame has no packet that is read.
pub(super) fn wifi_packet(frame: Frame<'_>) -> Option<LaxSlicedPacket<'_>> {
    open_wifi(frame).map(innermost)
}

/// Enters the tunnels of a packet.
fn innermost(mut packet: LaxSlicedPacket<'_>) -> LaxSlicedPacket<'_> {
    for _ in 0..TUNNELS {
        match tunnelled(&packet) {
            Some(inner) => packet = inner,
            None => break,
        }
    }
    packet
}

fn after_link(link: Linktype, data: &[u8]) -> Result<Option<LaxSlicedPacket<'_>>, UnknownLink> {
    const NULL: i32 = 0;
    const ETHERNET: i32 = 1;
    const PPP: i32 = 9;
    const RAW_OF_BSD: [i32; 2] = [12, 14];
    const PPP_HDLC: i32 = 50;
    const PPP_ETHERNET: i32 = 51;
    const RAW: i32 = 101;
    const CISCO_HDLC: i32 = 104;
    const LOOP: i32 = 108;
    const COOKED: i32 = 113;
    const IPV4: i32 = 228;
    const IPV6: i32 = 229;
    const NFLOG: i32 = 239;
    const COOKED_2: i32 = 276;
    let typed = |kind: usize, header: usize| {
        let kind = u16::from_be_bytes(*data.get(kind..)?.first_chunk()?);
        Some(LaxSlicedPacket::from_ether_type(EtherType(kind), data.get(header..)?))
    };
    Ok(match link.0 {
        ETHERNET => LaxSlicedPacket::from_ethernet(data).ok(),
        // The family number in the 4 bytes before differs between systems, so the version field of
        // IP decides.
        NULL | LOOP => data.get(4..).and_then(ip),
        RAW | IPV4 | IPV6 => ip(data),
        raw if RAW_OF_BSD.contains(&raw) => ip(data),
        PPP | PPP_HDLC => ppp(data),
        PPP_ETHERNET => data.get(PPPOE_HEADER..).and_then(ppp),
        CISCO_HDLC => typed(2, 4),
        COOKED => typed(14, 16),
        COOKED_2 => typed(0, 20),
        NFLOG => [u16::from_le_bytes, u16::from_be_bytes]
            .into_iter()
            .find_map(|half| ip(nflog_payload(data, half)?)),
        _ => return Err(UnknownLink),
    })
}

/// The packet in an 802.11 frame of data without encryption. Fragments and frames that hold several
/// packets (A-MSDU) are not read.
fn open_wifi(Frame { data, header, .. }: Frame<'_>) -> Option<LaxSlicedPacket<'_>> {
    const SNAP: &[u8] = &[0xaa, 0xaa, 3, 0, 0, 0];
    let (&kind, &flags, &control) = (data.first()?, data.get(1)?, data.get(22)?);
    // Data with a body; more fragments, or encrypted; a later fragment.
    if kind & 0x4f != 8 || flags & 0x44 != 0 || control & 0xf != 0 {
        return None;
    }
    // Several packets: a bit of the field after the addresses.
    if kind & 0x80 != 0 && data.get(if flags & 3 == 3 { 30 } else { 24 })? & 0x80 != 0 {
        return None;
    }
    let body = data.get(header..)?.strip_prefix(SNAP)?;
    let (kind, packet) = body.split_first_chunk()?;
    Some(LaxSlicedPacket::from_ether_type(EtherType(u16::from_be_bytes(*kind)), packet))
}

fn ip(data: &[u8]) -> Option<LaxSlicedPacket<'_>> {
    LaxSlicedPacket::from_ip(data).ok()
}

/// The packet among the attributes that netfilter logged (LINKTYPE_NFLOG). `half` reads the byte
/// order of the capturing machine.
fn nflog_payload(data: &[u8], half: fn([u8; 2]) -> u16) -> Option<&[u8]> {
    const HEADER: usize = 4;
    const PAYLOAD: u16 = 9;
    let mut rest = data.get(HEADER..)?;
    loop {
        let (&[length @ .., kind_0, kind_1], _) = rest.split_first_chunk::<HEADER>()?;
        let length = usize::from(half(length));
        if half([kind_0, kind_1]) == PAYLOAD {
            return rest.get(HEADER..length.min(rest.len()));
        }
        rest = rest.get(length.max(HEADER).next_multiple_of(4)..)?;
    }
}

/// The IP packet in a packet of PPP. The two bytes of HDLC and the first byte of the protocol may
/// be left out (RFC 1661, 6.5 and 6.6).
fn ppp(data: &[u8]) -> Option<LaxSlicedPacket<'_>> {
    let data = data.strip_prefix(&[0xff, 3]).unwrap_or(data);
    match data.strip_prefix(&[0]).unwrap_or(data) {
        [0x21 | 0x57, packet @ ..] => ip(packet),
        _ => None,
    }
}

/// Returns the IP packet that PPPoE, MPLS or another IP packet carries.
fn tunnelled<'a>(packet: &LaxSlicedPacket<'a>) -> Option<LaxSlicedPacket<'a>> {
    if let Some(payload) = packet.net.as_ref().and_then(LaxNetSlice::ip_payload_ref) {
        return match payload.ip_number {
            IpNumber::IPV4 | IpNumber::IPV6 if !payload.fragmented => ip(payload.payload),
            _ => None,
        };
    }
    let payload = packet.ether_payload()?;
    match payload.ether_type {
        PPPOE => payload.payload.get(PPPOE_HEADER..).and_then(ppp),
        MPLS => {
            // The last label has the bit of the bottom (RFC 3032, 2.1).
            let bottom = payload.payload.chunks_exact(4).position(|label| label[2] & 1 != 0)?;
            ip(&payload.payload[4 * (bottom + 1)..])
        }
        _ => None,
    }
}

/// The addresses of sender and receiver.
pub(super) fn addresses(packet: &LaxSlicedPacket<'_>) -> Option<(IpAddr, IpAddr)> {
    match packet.net.as_ref()? {
        LaxNetSlice::Ipv4(ip) => {
            let header = ip.header();
            Some((header.source_addr().into(), header.destination_addr().into()))
        }
        LaxNetSlice::Ipv6(ip) => {
            let header = ip.header();
            Some((header.source_addr().into(), header.destination_addr().into()))
        }
        LaxNetSlice::Arp(_) => None,
    }
}

/// Returns the content of a GRE packet, including its header.
pub(super) fn gre<'a>(packet: &LaxSlicedPacket<'a>) -> Option<&'a [u8]> {
    let payload = packet.net.as_ref()?.ip_payload_ref()?;
    (payload.ip_number == IpNumber::GRE && !payload.fragmented).then_some(payload.payload)
}
