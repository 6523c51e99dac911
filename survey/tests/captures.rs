//! One conversation of TLS in captures of every kind: link types, tunnels and blocks of pcapng.

use std::fs;

use arcfour_survey::{Options, Watch, survey};
use etherparse::PacketBuilder;

const CLIENT: ([u8; 4], u16) = ([10, 0, 0, 5], 40_000);
const SERVER: ([u8; 4], u16) = ([10, 0, 0, 7], 443);

/// A TLS record with one handshake message without extensions.
fn hello(kind: u8, after_random: &[u8]) -> Vec<u8> {
    let body = [&[3, 1][..], &[7; 32], &[0], after_random].concat();
    let message = [&[kind, 0, 0, body.len() as u8][..], &body].concat();
    [&[22, 3, 1, 0, message.len() as u8][..], &message].concat()
}

type End = ([u8; 4], u16);

fn packet(from: End, to: End, syn: bool, data: &[u8]) -> Vec<u8> {
    let builder = PacketBuilder::ipv4(from.0, to.0, 64).tcp(from.1, to.1, 1, 1024);
    let builder = if syn { builder.syn() } else { builder.ack(1) };
    let mut bytes = Vec::new();
    builder.write(&mut bytes, data).unwrap();
    bytes
}

/// The client offers RC4, and the server takes it.
fn offer() -> Vec<u8> {
    hello(1, &[0, 4, 0, 5, 0, 0x2f, 1, 0])
}

fn choice() -> Vec<u8> {
    hello(2, &[0, 5, 0])
}

/// The IP packets of a conversation.
fn conversation() -> Vec<Vec<u8>> {
    vec![packet(CLIENT, SERVER, false, &offer()), packet(SERVER, CLIENT, false, &choice())]
}

/// The conversation with these bytes before each packet.
fn after(header: &[u8]) -> Vec<Vec<u8>> {
    conversation().iter().map(|packet| [header, packet].concat()).collect()
}

/// The conversation in Ethernet, after these bytes from the type on.
fn ethernet(rest: &[u8]) -> Vec<Vec<u8>> {
    after(&[&[2; 12], rest].concat())
}

fn pcap(link: u32, packets: &[Vec<u8>]) -> Vec<u8> {
    let mut file: Vec<u8> =
        [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 0xffff, link].map(u32::to_le_bytes).concat();
    for packet in packets {
        let size = packet.len() as u32;
        file.extend([0, 0, size, size].map(u32::to_le_bytes).concat());
        file.extend(packet);
    }
    file
}

/// A block of pcapng, little-endian.
fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let mut body = body.to_vec();
    body.resize(body.len().next_multiple_of(4), 0);
    let length = (12 + body.len() as u32).to_le_bytes();
    [&kind.to_le_bytes()[..], &length, &body, &length].concat()
}

/// The findings in a capture, and the reason for which it was not read to its end.
fn found(capture: &[u8]) -> (Vec<String>, Option<String>) {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("a.pcap"), capture).unwrap();
    let mut outcome = survey(&[root.path().into()], &Options::default(), &Watch::default());
    let findings = outcome.findings.iter();
    let findings = findings
        .map(|one| format!("{}: {}", one.rule.name(), one.place.within.as_ref().unwrap()))
        .collect();
    (findings, outcome.unread.pop().map(|(_, reason)| reason))
}

fn both() -> Vec<String> {
    let (chosen, offered) = ("10.0.0.7:443, frame 2", "10.0.0.5 to 10.0.0.7:443, frame 1");
    vec![format!("tls-chosen: {chosen}"), format!("tls-offered: {offered}")]
}

/// The conversation as netfilter logs it: a prefix of 5 bytes, then the packet.
fn logged(half: fn(u16) -> [u8; 2]) -> Vec<Vec<u8>> {
    let attribute = |kind: u16, value: &[u8]| {
        let mut bytes = [&half(4 + value.len() as u16)[..], &half(kind), value].concat();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    };
    let packet = |packet: &Vec<u8>| {
        [&[2, 0, 0, 30][..], &attribute(10, b"log: "), &attribute(9, packet)].concat()
    };
    conversation().iter().map(packet).collect()
}

/// Packets of a link type after the header of PKTAP, whose length is 108 and that has a packet (1).
fn tapped(link: u32, packets: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let header = [&[108, 1, link].map(u32::to_le_bytes).concat()[..], &[0; 96]].concat();
    packets.iter().map(|packet| [&header[..], packet].concat()).collect()
}

#[test]
fn each_link_type_and_tunnel_is_read() {
    let in_ipv4 = |next: u8, size: usize| {
        let mut header = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, next, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2];
        header[2..4].copy_from_slice(&(20 + size as u16).to_be_bytes());
        header
    };
    let twice = |packet: &Vec<u8>| {
        let inner = [in_ipv4(4, packet.len()), packet.clone()].concat();
        [&[2; 12][..], &[8, 0], &in_ipv4(4, inner.len()), &inner].concat()
    };
    for (name, link, packets) in [
        ("BSD loopback", 0, after(&[2, 0, 0, 0])),
        ("Ethernet", 1, ethernet(&[8, 0])),
        ("Ethernet with an FCS", 0x5400_0001, ethernet(&[8, 0])),
        ("VLAN", 1, ethernet(&[0x81, 0, 0, 7, 8, 0])),
        ("PPPoE", 1, ethernet(&[0x88, 0x64, 0x11, 0, 0, 1, 0, 99, 0, 0x21])),
        ("MPLS", 1, ethernet(&[0x88, 0x47, 0, 1, 0, 64, 0, 2, 1, 64])),
        ("IP in IP, twice", 1, conversation().iter().map(twice).collect()),
        ("PPP", 9, after(&[0xff, 3, 0, 0x21])),
        ("PPP without bytes that may be left out", 9, after(&[0x21])),
        ("PPP in HDLC", 50, after(&[0xff, 3, 0, 0x21])),
        ("PPPoE without Ethernet", 51, after(&[0x11, 0, 0, 1, 0, 99, 0, 0x21])),
        ("raw IP", 101, conversation()),
        ("HDLC of Cisco", 104, after(&[0x0f, 0, 8, 0])),
        ("Linux cooked", 113, after(&[&[0; 14][..], &[8, 0]].concat())),
        ("Linux cooked 2", 276, after(&[&[8, 0][..], &[0; 18]].concat())),
        ("NFLOG", 239, logged(u16::to_le_bytes)),
        ("NFLOG of a machine with the other byte order", 239, logged(u16::to_be_bytes)),
        ("PKTAP, Ethernet", 258, tapped(1, &ethernet(&[8, 0]))),
        ("PKTAP, raw IP of BSD", 258, tapped(12, &conversation())),
        ("PKTAP with the old number", 149, tapped(1, &ethernet(&[8, 0]))),
    ] {
        assert_eq!(found(&pcap(link, &packets)), (both(), None), "{name}");
    }
}

/// The packets of open Wi-Fi are read, and no others.
#[test]
fn open_wifi_is_read() {
    const SNAP: [u8; 8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];
    let wifi = |kind: u8, flags: u8, control: u8, rest: &[u8]| {
        after(&[&[kind, flags][..], &[2; 20], &[control, 0], rest, &SNAP].concat())
    };
    for (name, packets, read) in [
        ("to the access point", wifi(8, 1, 0x10, &[]), true),
        ("to the station", wifi(8, 2, 0x10, &[]), true),
        ("between access points", wifi(8, 3, 0x10, &[6; 6]), true),
        ("with quality", wifi(0x88, 2, 0x10, &[7, 0]), true),
        ("with quality and order", wifi(0x88, 0x82, 0x10, &[7, 0, 0, 0, 0, 0]), true),
        ("encrypted", wifi(8, 0x41, 0x10, &[]), false),
        ("with more fragments", wifi(8, 5, 0x10, &[]), false),
        ("a later fragment", wifi(8, 1, 0x11, &[]), false),
        ("several packets", wifi(0x88, 2, 0x10, &[0x87, 0]), false),
        ("without a body", wifi(0x48, 2, 0x10, &[]), false),
        ("no data", wifi(0x80, 0, 0x10, &[]), false),
    ] {
        let radiotap: Vec<_> =
            packets.iter().map(|one| [&[0, 0, 8, 0, 0, 0, 0, 0][..], one].concat()).collect();
        for file in [pcap(105, &packets), pcap(127, &radiotap)] {
            let mut found = found(&file).0;
            // The survey also reports the encrypted frame.
            found.retain(|one| !one.starts_with("wifi-wep"));
            assert_eq!(found, if read { both() } else { vec![] }, "{name}");
        }
    }
}

/// Packets of an unknown link type are counted. A capture that is cut also reports them.
#[test]
fn packets_that_are_not_read_are_told() {
    let file = pcap(147, &conversation());
    let what = "the content of 2 packets of link type 147 is not looked into";
    assert_eq!(found(&file), (vec![], Some(format!("capture: {what}"))));
    let cut = [&file[..], &[0; 9]].concat();
    let end = "the capture ends in the middle of a packet after frame 2";
    assert_eq!(found(&cut), (vec![], Some(format!("capture: {end}; {what}"))));
}

/// Old programs wrote Packet Blocks. Their packets have numbers too.
#[test]
fn old_blocks_of_pcapng_are_read() {
    let start = [
        block(0x0a0d_0d0a, &[&[0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0][..], &[0xff; 8]].concat()),
        block(1, &[1, 0, 0, 0, 0, 0, 0, 0]),
    ];
    let packets = ethernet(&[8, 0]).into_iter().map(|packet| {
        let size = packet.len() as u32;
        // The number of lost packets stands beside the number of the interface.
        let words = [0xffff_0000, 0, 0, size, size].map(u32::to_le_bytes);
        block(2, &[words.as_flattened(), &packet].concat())
    });
    let file: Vec<_> = start.into_iter().chain(packets).collect();
    assert_eq!(found(&file.concat()), (both(), None));
}

/// Without a SYN the lower port is the server's, unless a message shows that it is not.
#[test]
fn messages_tell_which_side_is_the_client() {
    let high = (SERVER.0, 44_300);
    let (offer, choice) =
        (packet(CLIENT, high, false, &offer()), packet(high, CLIENT, false, &choice()));
    let offered = "tls-offered: 10.0.0.5 to 10.0.0.7:44300, frame 1".to_owned();
    let chosen = |frame: u8| format!("tls-chosen: 10.0.0.7:44300, frame {frame}");
    let of = |packets: &[&Vec<u8>]| {
        found(&pcap(101, &packets.iter().map(|one| (*one).clone()).collect::<Vec<_>>())).0
    };
    assert_eq!(of(&[&offer, &choice]), [chosen(2), offered.clone()]);
    assert_eq!(of(&[&offer]), [offered]);
    assert_eq!(of(&[&choice]), [chosen(1)]);
    // NTLM: the flags agree on sealing and a key of 128 bits.
    let ntlm = [&b"NTLMSSP\0\x03\0\0\0"[..], &[0; 48], &[0x20, 0, 0, 0x20]].concat();
    let (high, low) = ((SERVER.0, 58_772), (CLIENT.0, 54_784));
    let (request, answer) = (packet(low, high, false, &ntlm), packet(high, low, false, b"answer"));
    assert_eq!(of(&[&answer, &request]), ["ntlm-sealing: 10.0.0.5 to 10.0.0.7:58772, frame 2"]);
}

/// With TCP Fast Open, data stand in the SYN. The server may not have taken them.
#[test]
fn data_in_a_syn_are_read() {
    let (syn, answer) =
        (packet(CLIENT, SERVER, true, &offer()), packet(SERVER, CLIENT, false, &choice()));
    assert_eq!(found(&pcap(101, &[syn.clone(), answer.clone()])).0, both());
    let mut again = packet(CLIENT, SERVER, false, &offer());
    again[20 + 7] += 1; // the number after the SYN
    assert_eq!(found(&pcap(101, &[syn, answer, again])).0, both());
}
