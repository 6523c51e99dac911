//! Captures of simulated packets: how they are written, and read after every header and in every kind of file.

use std::io::{self, Read};

use arcfour::Rc4;
use arcfour_attacks::wep::{
    Bytes, KNOWN, Packet,
    capture::{self, Capture, CaptureError, Kind, Network, Sender},
};

use super::{
    captures::{KEY, MICROSECONDS, body, record},
    wep::network,
};

fn write(key: &[u8], packets: &[Packet]) -> Vec<u8> {
    capture::write(key, packets, Sender::Source)
}

/// The ARP packets of a network.
fn arp(network: &Network) -> Vec<Packet> {
    network.readings().swap_remove(0)
}

/// Reading a written capture gives its packets, for any size of the reads.
#[test]
fn a_written_capture_is_read() {
    let (key, packets) = network(13, 500, 4);
    let file = write(&key, &packets);
    let read = capture::read(Slow(&file)).unwrap();
    assert_eq!((read.packets, read.newer, read.cut), (500, 0, false));
    let [network] = &read.networks[..] else { panic!("{} networks", read.networks.len()) };
    assert_eq!(network.bssid.to_string(), "02:00:00:00:00:aa");
    assert_eq!((network.key, network.unknown, network.repeated), (0, 0, 0));
    assert_eq!(network.packets, [(Kind::ArpRequest, packets)].into());
}

/// A reader that gives seven bytes at a time.
pub(super) struct Slow<'a>(pub(super) &'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let n = room.len().min(7);
        self.0.read(&mut room[..n])
    }
}

fn pcap(link: u32, frames: &[&[u8]]) -> Vec<u8> {
    let mut file = vec![];
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 0xffff, link] {
        file.extend(word.to_le_bytes());
    }
    for frame in frames {
        for word in [0, 0, frame.len() as u32, frame.len() as u32] {
            file.extend(word.to_le_bytes());
        }
        file.extend(*frame);
    }
    file
}

/// The frames of a capture that [`capture::write`] has made.
fn frames(file: &[u8]) -> Vec<&[u8]> {
    let size = 24 + 4 + 40;
    file[24..].chunks(16 + size).map(|record| &record[16..]).collect()
}

/// The same frames after radiotap headers, with a checksum at the end and without, and in the other byte order and in pcapng.
#[test]
fn captures_of_other_kinds_are_read() {
    let (key, packets) = network(5, 40, 5);
    let file = write(&key, &packets);
    let plain = frames(&file);
    let expected = capture::read(&file[..]).unwrap();
    assert_eq!(expected.networks[0].count(Kind::ArpRequest), 40);

    let short = [&[0, 0, 8, 0, 0, 0, 0, 0][..]].concat();
    // Two words of presence, the time, and flags that say there is a checksum.
    let long =
        [&[0, 0, 25, 0][..], &[3, 0, 0, 0x80, 0, 0, 0, 0, 9, 9, 9, 9], &[7; 8], &[0x10]].concat();
    for (header, checksum) in [(short, 0), (long, 4)] {
        let with = |frame: &&[u8]| {
            let fcs = crc32fast::hash(frame).to_le_bytes();
            [&header[..], frame, &fcs[..checksum]].concat()
        };
        let tapped: Vec<Vec<u8>> = plain.iter().map(with).collect();
        let tapped: Vec<&[u8]> = tapped.iter().map(Vec::as_slice).collect();
        assert_eq!(capture::read(&pcap(127, &tapped)[..]).unwrap(), expected, "{}", header.len());
    }

    let mut swapped = vec![];
    for word in file[..24].as_chunks::<4>().0 {
        swapped.extend(word.iter().rev());
    }
    swapped[4..8].copy_from_slice(&[0, 2, 0, 4]);
    for record in file[24..].chunks(16 + plain[0].len()) {
        for word in record[..16].as_chunks::<4>().0 {
            swapped.extend(word.iter().rev());
        }
        swapped.extend(&record[16..]);
    }
    assert_eq!(capture::read(&swapped[..]).unwrap(), expected);

    let mut ng = vec![];
    let mut block = |kind: u32, body: &[u8]| {
        let padding = vec![0; body.len().next_multiple_of(4) - body.len()];
        let length = (12 + body.len() + padding.len()) as u32;
        ng.extend([kind, length].map(u32::to_le_bytes).concat());
        ng.extend([body, &padding].concat());
        ng.extend(length.to_le_bytes());
    };
    block(0x0a0d_0d0a, &[&0x1a2b_3c4d_u32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat());
    block(1, &[105, 0, 0, 0, 0, 0, 0, 0]);
    for frame in plain {
        let length = (frame.len() as u32).to_le_bytes();
        block(6, &[&[0; 12][..], &length, &length, frame].concat());
    }
    assert_eq!(capture::read(&ng[..]).unwrap(), expected);
}

/// The 802.11 header of a frame that goes from the access point, and its body: IV, key number, text
/// and ICV.
fn parts(frame: &[u8]) -> ([u8; 24], &[u8]) {
    let (header, body) = frame.split_first_chunk().unwrap();
    (*header, body)
}

/// The frames after the headers of Prism, AVS and PPI, with an FCS that a flag names, and with one that nothing names.
#[test]
fn captures_with_other_headers_are_read() {
    let (key, packets) = network(5, 40, 5);
    let file = write(&key, &packets);
    let plain = frames(&file);
    let expected = capture::read(&file[..]).unwrap();

    let mut prism = vec![0; 144];
    prism[..8].copy_from_slice(&[0x44, 0, 0, 0, 144, 0, 0, 0]);
    let mut prism_swapped = prism.clone();
    prism_swapped[..8].copy_from_slice(&[0, 0, 0, 0x44, 0, 0, 0, 144]);
    let mut avs = vec![0; 64];
    avs[..8].copy_from_slice(&[0x80, 0x21, 0x10, 0x01, 0, 0, 0, 64]);
    let ppi = |flags: u8| {
        let mut header = vec![0, 0, 40, 0, 105, 0, 0, 0];
        header.extend([9, 0, 4, 0, 1, 2, 3, 4]); // a field of another kind
        header.extend([2, 0, 20, 0]);
        header.extend([0; 8]);
        header.extend([flags, 0]);
        header.extend([0; 10]);
        header
    };
    // Old versions of Kismet wrote 24 for the 32 bytes of this header.
    let mut kismet = vec![0, 0, 24, 0, 105, 0, 0, 0, 2, 0, 20, 0];
    kismet.extend([0; 20]);
    let right_fcs = |frame: &[u8]| crc32fast::hash(frame).to_le_bytes().to_vec();
    let no_fcs = |_: &[u8]| vec![];
    type Fcs<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;
    let cases: [(u32, Vec<u8>, Fcs); 9] = [
        (119, prism.clone(), &no_fcs),
        (119, prism, &right_fcs),
        (119, prism_swapped, &no_fcs),
        (119, avs.clone(), &no_fcs),
        (163, avs, &right_fcs),
        (192, ppi(0), &no_fcs),
        (192, ppi(1), &right_fcs),
        (192, kismet, &no_fcs),
        (105, vec![], &right_fcs),
    ];
    for (number, (link, header, fcs)) in cases.into_iter().enumerate() {
        let with: Vec<Vec<u8>> =
            plain.iter().map(|frame| [&header[..], frame, &fcs(frame)].concat()).collect();
        let with: Vec<&[u8]> = with.iter().map(Vec::as_slice).collect();
        assert_eq!(capture::read(&pcap(link, &with)[..]).unwrap(), expected, "case {number}");
        // A packet with a cut header is omitted for every length of the header, without a panic.
        for end in 0..header.len() {
            let cut: Vec<&[u8]> = with.iter().map(|frame| &frame[..end]).collect();
            let read = capture::read(&pcap(link, &cut)[..]).unwrap();
            assert_eq!((read.packets, read.networks.len()), (40, 0), "case {number}, {end} bytes");
        }
    }
}

/// Frames between access points, with quality of service, and towards the access point have other headers.
#[test]
fn frames_with_other_addresses_are_read() {
    let (key, packets) = network(5, 1, 7);
    let file = write(&key, &packets);
    let (mut header, body) = parts(frames(&file)[0]);
    let expected = capture::read(&file[..]).unwrap();
    let frame = |header: &[u8], more: &[u8]| {
        capture::read(&pcap(105, &[&[header, more, body].concat()])[..]).unwrap()
    };
    let mut quality = header;
    quality[0] |= 0x80;
    assert_eq!(frame(&quality, &[0, 0]), expected, "quality of service");
    quality[1] |= 0x80;
    assert_eq!(frame(&quality, &[0; 6]), expected, "quality of service and HT control");
    // Between access points: receiver, transmitter, destination, and the source after the sequence number.
    let [bssid, source] = [10, 16].map(|at| header[at..at + 6].to_vec());
    let mut wds = header;
    wds[1] |= 3;
    wds[4..10].fill(9);
    wds[16..22].fill(0xff);
    assert_eq!(frame(&wds, &source), expected, "between access points");
    // Towards the access point: the network, the source, the destination.
    header[1] = 0x41;
    header[4..10].copy_from_slice(&bssid);
    header[10..16].copy_from_slice(&source);
    header[16..22].fill(0xff);
    assert_eq!(frame(&header, &[]), expected, "towards the access point");
    // Between stations: destination, source, network.
    header[1] = 0x40;
    header[4..10].fill(0xff);
    header[16..22].copy_from_slice(&bssid);
    assert_eq!(frame(&header, &[]), expected, "between stations");
}

/// The kinds of packets, by their lengths and addresses, with their known bytes.
#[test]
fn packets_are_known_by_length_and_addresses() {
    let key = b"Keys!";
    let kinds = |destination: [u8; 6], flags: u8, text: &[u8]| {
        let mut frame = vec![0x08, flags, 0, 0];
        let (a, b, c) = match flags & 3 {
            2 => (destination, [2; 6], [4; 6]),
            _ => ([2; 6], [4; 6], destination),
        };
        frame.extend([a, b, c].concat());
        frame.extend([0, 0, 7, 7, 7, 0]);
        let mut body = [text, &crc32fast::hash(text).to_le_bytes()].concat();
        Rc4::from_key(&[&[7, 7, 7], &key[..]].concat()).unwrap().apply(&mut body);
        frame.extend(body);
        let read = capture::read(&pcap(105, &[&frame])[..]).unwrap();
        let network = &read.networks[0];
        let (kind, packets) = network.packets.first_key_value().unwrap();
        // The known bytes equal the keystream's.
        assert!(packets[0].fits(key), "{kind:?}");
        (*kind, packets[0].known)
    };
    let snap = |ethertype: [u8; 2], rest: &[u8], size: usize| {
        let mut text = [&[0xaa, 0xaa, 3, 0, 0, 0][..], &ethertype, rest].concat();
        text.resize(8 + size, 0x11);
        text
    };
    let arp = |op: u8, size: usize| snap([8, 6], &[0, 1, 8, 0, 6, 4, 0, op], size);
    let ip =
        |size: usize| snap([8, 0], &[0x45, 0, (size >> 8) as u8, size as u8, 9, 9, 0x40, 0], size);
    let ip_known = Bytes::range(0, 12).and(Bytes::range(14, 16));
    let (all, one) = ([0xff; 6], [0x22; 6]);
    assert_eq!(kinds(all, 0x42, &arp(1, 28)), (Kind::ArpRequest, Bytes::range(0, 16)));
    assert_eq!(kinds(all, 0x41, &arp(1, 46)), (Kind::ArpRequest, Bytes::range(0, 16)));
    assert_eq!(kinds(one, 0x42, &arp(2, 28)), (Kind::ArpReply, Bytes::range(0, 16)));
    assert_eq!(kinds(one, 0x42, &arp(2, 46)), (Kind::Padded, Bytes::range(0, 16)));
    assert_eq!(kinds(one, 0x41, &ip(46)), (Kind::Ipv4, ip_known));
    assert_eq!(kinds(one, 0x42, &ip(1500)), (Kind::Ipv4, ip_known));
    let v6 = snap([0x86, 0xdd], &[0x60, 0, 0, 0, 0, 32], 72);
    assert_eq!(kinds([0x33, 0x33, 0, 0, 0, 1], 0x42, &v6), (Kind::Ipv6, Bytes::range(0, 14)));
    let tree = [&[0x42, 0x42, 3, 0, 0, 2, 2][..], &[0; 31]].concat();
    let bridges = [1, 0x80, 0xc2, 0, 0, 0];
    assert_eq!(kinds(bridges, 0x42, &tree), (Kind::SpanningTree, Bytes::range(0, 5)));
    let cdp = [&[0xaa, 0xaa, 3, 0, 0, 0x0c, 0x20, 0][..], &[2; 60]].concat();
    let cisco = [1, 0, 0x0c, 0xcc, 0xcc, 0xcc];
    assert_eq!(kinds(cisco, 0x42, &cdp), (Kind::Cisco, Bytes::range(0, 7)));
    assert_eq!(kinds(one, 0x46, &ip(36)), (Kind::FirstFragment, Bytes::range(0, 6)));
}

/// Networks and keys are separate, an IV counts once, and packets without ARP or WEP are counted as
/// such.
#[test]
fn packets_are_sorted() {
    let (key, packets) = network(5, 8, 6);
    let file = write(&key, &packets);
    let mut all: Vec<Vec<u8>> = frames(&file).iter().map(|frame| frame.to_vec()).collect();
    all[1][15] = 0xbb; // another network
    all[2][27] = 0x40; // key 1
    all[3] = all[0].clone(); // the same IV again
    all[4].push(0); // no length of ARP
    all[5][27] |= 0x20; // TKIP
    all[6][1] = 0x02; // not protected
    all[7][0] = 0x80; // a beacon
    let all: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
    let Capture { packets: n, newer, cut, networks, .. } =
        capture::read(&pcap(105, &all)[..]).unwrap();
    assert_eq!((n, newer, cut), (8, 1, false));
    let mut found: Vec<_> = networks
        .iter()
        .map(|network| {
            let kinds = [Kind::ArpRequest, Kind::Ipv4].map(|kind| network.count(kind));
            (network.bssid.0[5], network.key, kinds, network.repeated)
        })
        .collect();
    found.sort_unstable();
    assert_eq!(found, [(0xaa, 0, [1, 1], 1), (0xaa, 1, [1, 0], 0), (0xbb, 0, [1, 0], 0)]);
}

/// A packet sent to one station is read as a reply.
#[test]
fn replies_are_known_too() {
    let (key, packets) = network(5, 1, 7);
    let file = write(&key, &packets);
    let mut frame = frames(&file)[0].to_vec();
    frame[4..10].fill(2);
    let read = capture::read(&pcap(105, &[&frame])[..]).unwrap();
    let mut expected = packets[0].keystream;
    expected[15] ^= 1 ^ 2;
    assert_eq!(arp(&read.networks[0])[0].keystream, expected);
}

#[test]
fn what_is_no_capture_is_refused() {
    let (key, packets) = network(5, 3, 8);
    let file = write(&key, &packets);
    // On either side of the ends of the file's header, of a packet's header and of its frame.
    let near = |end: usize| [end - 1, end, end + 1];
    for end in [24, 24 + 16, 24 + 84, 24 + 84 + 16, 24 + 2 * 84].into_iter().flat_map(near) {
        match capture::read(&file[..end]) {
            Err(CaptureError::NotCapture) => assert!(end < 24, "{end}"),
            Ok(read) => {
                let (whole, rest) = ((end - 24) / 84, (end - 24) % 84);
                assert_eq!((read.packets, read.cut), (whole as u64, rest > 0), "{end}");
            }
            Err(error) => panic!("{end}: {error}"),
        }
    }
    let ethernet = capture::read(&pcap(1, &[b"frame"])[..]).unwrap_err();
    assert!(matches!(ethernet, CaptureError::LinkType { packet: 1, link: 1 }));
    let mut long = file.clone();
    long[24 + 84 + 11] = 0x7f; // the second packet's length
    assert!(matches!(capture::read(&long[..]), Err(CaptureError::Malformed { packet: 2 })));
    let failing = io::Cursor::new(&file[..100]).chain(Failing);
    let Err(CaptureError::Read(error)) = capture::read(failing) else { panic!("it fails") };
    assert_eq!(error.to_string(), "the disk is gone");
}

struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is gone"))
    }
}

/// The file of simulated packets, byte by byte where a packet's number counts.
#[test]
fn a_capture_is_written_as_pcap() {
    let packet = |n: usize| Packet {
        iv: [n as u8, (n >> 8) as u8, 5],
        keystream: [0; KNOWN],
        known: Bytes::default(),
        guessed: Bytes::default(),
    };
    let packets: Vec<Packet> = (0..4098).map(packet).collect();
    let file = capture::write(KEY, &packets, Sender::Other);
    let (header, records) = file.split_at(24);
    let start = [MICROSECONDS, 0x0004_0002, 0, 0, 0x0004_0000, 105].map(u32::to_le_bytes);
    assert_eq!(header, start.as_flattened());
    assert_eq!(records.len(), 4098 * (16 + 68));
    let arp = [
        &[0xaa, 0xaa, 3, 0, 0, 0, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1][..],
        &[2, 0, 0, 0, 0, 2, 192, 0, 2, 1],
        &[0, 0, 0, 0, 0, 0, 192, 0, 2, 2],
    ];
    // A file that is longer than the reader's buffer, and has each packet four times.
    let long = capture::read(&[header, &records.repeat(4)].concat()[..]).unwrap();
    assert_eq!((long.packets, long.networks[0].total()), (4 * 4098, 4098));
    // 500 packets a second, and 4096 sequence numbers, each sixteen fragments apart.
    for (n, seconds, microseconds, sequence) in [
        (0_usize, 0, 0, 0_u16),
        (1, 0, 2000, 0x10),
        (499, 0, 998_000, 0x1f30),
        (501, 1, 2000, 0x1f50),
        (4095, 8, 190_000, 0xfff0),
        (4097, 8, 194_000, 0x10),
    ] {
        let frame = [
            &[8, 0x42, 0, 0][..],
            &[0xff; 6],
            &[2, 0, 0, 0, 0, 0xaa],
            &[2, 0, 0, 0, 0, 1],
            &sequence.to_le_bytes(),
            &body(packet(n).iv, 0, &arp.concat()),
        ];
        let expected = record([seconds, microseconds, 68, 68], &frame.concat());
        assert_eq!(records[84 * n..84 * (n + 1)], expected, "{n}");
    }
}
