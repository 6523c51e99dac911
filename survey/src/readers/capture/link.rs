//! Finds the IP packet in a captured packet.

use std::net::IpAddr;

use etherparse::{EtherType, IpNumber, LaxNetSlice, LaxSlicedPacket};
use pcap_parser::Linktype;

/// Returns the packet after the link header, or `None` if the header is broken or the link type is
/// unknown.
pub(super) fn packet(link: Linktype, data: &[u8]) -> Option<LaxSlicedPacket<'_>> {
    const NULL: i32 = 0;
    const ETHERNET: i32 = 1;
    const RAW_OF_BSD: [i32; 2] = [12, 14];
    const RAW: i32 = 101;
    const LOOP: i32 = 108;
    const COOKED: i32 = 113;
    const IPV4: i32 = 228;
    const IPV6: i32 = 229;
    const COOKED_2: i32 = 276;
    let typed = |kind: usize, header: usize| {
        let kind = u16::from_be_bytes(*data.get(kind..)?.first_chunk()?);
        Some(LaxSlicedPacket::from_ether_type(EtherType(kind), data.get(header..)?))
    };
    match link.0 {
        ETHERNET => LaxSlicedPacket::from_ethernet(data).ok(),
        // The family number in the 4 bytes before differs between systems, so the version field of
        // IP decides.
        NULL | LOOP => LaxSlicedPacket::from_ip(data.get(4..)?).ok(),
        RAW | IPV4 | IPV6 => LaxSlicedPacket::from_ip(data).ok(),
        raw if RAW_OF_BSD.contains(&raw) => LaxSlicedPacket::from_ip(data).ok(),
        COOKED => typed(14, 16),
        COOKED_2 => typed(0, 20),
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
