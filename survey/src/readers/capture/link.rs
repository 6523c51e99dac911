//! From a packet of a capture to IP.

use std::net::IpAddr;

use etherparse::{EtherType, IpNumber, LaxNetSlice, LaxSlicedPacket};
use pcap_parser::Linktype;

/// The packet behind the header of its link, or None if the header is broken or the link type is not read.
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
        // The family in the 4 bytes before is another number on each system; IP itself says its version.
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

/// What is in a packet of GRE, its header included.
pub(super) fn gre<'a>(packet: &LaxSlicedPacket<'a>) -> Option<&'a [u8]> {
    let payload = packet.net.as_ref()?.ip_payload_ref()?;
    (payload.ip_number == IpNumber::GRE && !payload.fragmented).then_some(payload.payload)
}
