//! Finds WEP keys from simulated packets and from captures.

use std::io::{self, Read};

use arcfour::Rc4;
use arcfour_attacks::{
    experiment::Random,
    wep::{
        Bytes, CERTAIN, Check, FoundKey, KNOWN, Method, Packet,
        capture::{self, Capture, CaptureError, Kind, Network, Sender},
        default_max_prefixes, measure, packets_for_half, recorded,
    },
};

fn network(length: usize, packets: usize, trial: u64) -> (Vec<u8>, Vec<Packet>) {
    let mut random = Random::new("test of WEP", length as u64, trial);
    let key = random.bytes(length);
    let packets = Packet::simulate(&key, packets, &mut random);
    (key, packets)
}

/// The search on simulated packets, which have no bodies.
fn find_key(packets: &[Packet], lengths: &[usize], method: Method, most: u64) -> Option<FoundKey> {
    arcfour_attacks::wep::find_key(&[packets], &Check::Keystream, lengths, method, most)
}

fn write(key: &[u8], packets: &[Packet]) -> Vec<u8> {
    capture::write(key, packets, Sender::Source)
}

/// The ARP packets of a network.
fn arp(network: &Network) -> Vec<Packet> {
    network.readings().swap_remove(0)
}

/// A simulated packet is RC4 of its IV and then the key.
#[test]
fn packets_are_those_of_the_standard() {
    let (key, packets) = network(13, 1001, 0);
    assert_eq!(packets.len(), 1001);
    for packet in &packets {
        let mut keystream = [0; KNOWN];
        Rc4::from_key(&[&packet.iv[..], &key].concat()).unwrap().fill(&mut keystream);
        assert_eq!(packet.keystream, keystream);
        assert!(packet.fits(&key) && !packet.fits(&key[1..]));
    }
}

/// Sets of bytes, and the sizes of a search: 10,000 prefixes up to 22,500 packets, then fewer.
#[test]
fn sizes_are_those_documented() {
    for (from, to, bits) in
        [(0, 0, 0), (0, 1, 1), (0, 16, 0xffff), (3, 5, 0b11000), (16, 22, 0x3f_0000)]
    {
        assert_eq!((Bytes::range(from, to), Bytes(bits).count()), (Bytes(bits), to - from));
    }
    assert_eq!(Bytes(0b1100).and(Bytes(0b1010)), Bytes(0b1110));
    for (packets, prefixes) in [(0, 10_000), (22_500, 10_000), (45_000, 5_000), (225_000_000, 1)] {
        assert_eq!(default_max_prefixes(packets), prefixes);
    }
    assert_eq!([1, 5, 6, 13].map(packets_for_half), [7_500, 7_500, 22_500, 22_500]);
}

/// Only the known bytes of a keystream are compared, and no key is too long to ask about.
#[test]
fn a_packet_fits_by_its_known_bytes() {
    let (key, [packet]) =
        (b"Keys!", &Packet::simulate(b"Keys!", 1, &mut Random::new("fits", 0, 0))[..])
    else {
        panic!("one packet")
    };
    for n in 0..KNOWN {
        for known in [Bytes(1 << n), Bytes(!(1 << n))] {
            let mut changed = Packet { known, ..*packet };
            assert!(changed.fits(key));
            changed.keystream[n] ^= 0x40;
            assert_eq!(changed.fits(key), known.0 >> n & 1 == 0, "{n}");
        }
    }
    assert!(!packet.fits(&[0; 254]) && !packet.fits(b"Keys?"));
}

/// Each method finds the key with enough packets, and no method with few.
#[test]
fn keys_are_found_from_packets_enough() {
    for (length, method, packets) in
        [(13, Method::All, 60_000), (13, Method::Klein, 80_000), (5, Method::All, 50_000)]
    {
        let (key, packets) = network(length, packets, 1);
        let found = find_key(&packets, &[length], method, 300).unwrap();
        assert_eq!(found.key, key, "{method:?}");
        assert!(found.prefixes + 1 >= length as u64);
        assert_eq!(find_key(&packets[..packets.len() / 40], &[length], method, 30), None);
    }
    let (_, packets) = network(13, 2, 2);
    assert_eq!(find_key(&packets, &[13], Method::All, 30), None);
    assert_eq!(find_key(&[], &[5, 13], Method::All, 30), None);
}

/// Without votes every value of a byte is tried, and the prefixes are counted.
#[test]
fn a_byte_without_votes_has_every_value() {
    for byte in [0, 100, 200, 255] {
        let mut packets = Packet::simulate(&[byte], 4, &mut Random::new("no votes", 0, 0));
        for packet in &mut packets {
            (packet.known, packet.guessed) = (Bytes(3), Bytes::default());
        }
        let found = Some(FoundKey { key: vec![byte], prefixes: 1 });
        assert_eq!(find_key(&packets, &[1], Method::Fms, 1), found);
        assert_eq!(find_key(&packets, &[1], Method::Fms, 0), None);
    }
}

/// Votes without Klein's need more packets, and weak IVs most of all.
#[test]
fn keys_are_found_by_korek() {
    let (key, packets) = network(5, 400_000, 3);
    assert_eq!(find_key(&packets, &[5], Method::Korek, 40).unwrap().key, key);
}

/// The key is found although ARP names another sender than the frame, in all packets or in every
/// second, as in captures with replayed packets.
#[test]
fn a_key_is_found_whatever_sender_arp_names() {
    for every in [1, 2] {
        let (key, mut packets) = network(13, 60_000, 2);
        for packet in packets.iter_mut().step_by(every) {
            packet.keystream[CERTAIN..].iter_mut().for_each(|z| *z ^= 0x5a);
        }
        let found = find_key(&packets, &[13], Method::All, 300).unwrap();
        assert_eq!(found.key, key, "every {every}");
    }
}

/// Packets with partly known plaintext also give the key: the bytes of an IPv4 packet, or only two
/// bytes.
#[test]
fn a_key_is_found_from_some_known_bytes() {
    for (length, known, n) in
        [(5, Bytes::range(0, 12), 30_000), (13, Bytes(0xcfff), 100_000), (5, Bytes(3), 400_000)]
    {
        let (key, mut packets) = network(length, n, 4);
        packets.iter_mut().for_each(|packet| {
            (packet.known, packet.guessed) = (known, Bytes::default());
            (0..KNOWN).filter(|n| known.0 >> n & 1 == 0).for_each(|n| packet.keystream[n] = 0xee);
        });
        let found = find_key(&packets, &[length], Method::All, 3000);
        assert_eq!(found.map(|found| found.key), Some(key), "{known:?}");
    }
}

/// One packet with a wrong plaintext guess does not prevent success, even if it comes first.
#[test]
fn a_wrong_packet_does_no_harm() {
    let (key, mut packets) = network(13, 60_000, 1);
    packets[0].keystream[15] ^= 3;
    assert_eq!(find_key(&packets, &[13], Method::All, 300).unwrap().key, key);
}

/// A key of 13 bytes is found where 5 are also possible, without trying all prefixes of 5 first,
/// which would take a minute.
#[test]
fn a_key_of_unknown_length_is_found() {
    for length in [5, 13] {
        let (key, packets) = network(length, 60_000, 1);
        let found = find_key(&packets, &[5, 13], Method::All, 100_000).unwrap();
        assert_eq!(found.key, key);
        assert_eq!(Some(found), find_key(&packets, &[length], Method::All, 100_000));
    }
}

/// Other keys reproduce the recorded rates, and each kind of vote differs from chance.
#[test]
fn the_recorded_rates_are_measured_again() {
    let again = measure(8, 99);
    assert_eq!(again.len(), recorded().len());
    // Every packet casts the first kind of vote.
    assert_eq!(again[0].right.trials, 8 * 16_384);
    for (recorded, again) in recorded().iter().zip(&again) {
        assert_eq!((recorded.kind, recorded.step), (again.kind, again.step));
        let (p, n) = (recorded.right.rate(), again.right.trials as f64);
        if n > 0.0 {
            let (expected, got) = (n * p, again.right.successes as f64);
            let tolerance = 5.0 * (n * p * (1.0 - p)).sqrt() + 3.0;
            assert!((got - expected).abs() < tolerance, "{recorded:?} {again:?}");
        }
        let (low, high) = recorded.right.wilson();
        if recorded.right.trials > 100_000 {
            assert!(low > 1.0 / 256.0 || high < 1.0 / 256.0, "{recorded:?}");
        }
    }
    let klein = recorded().iter().filter(|rate| rate.kind == "Klein");
    assert!(klein.clone().count() == 13);
    assert!(klein.into_iter().all(|rate| (rate.right.rate() * 256.0 - 1.36).abs() < 0.03));
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
struct Slow<'a>(&'a [u8]);

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
        let tapped: Vec<Vec<u8>> =
            plain.iter().map(|frame| [&header[..], frame, &vec![5; checksum]].concat()).collect();
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
    let wrong_fcs = |_: &[u8]| vec![5; 4];
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
        (192, ppi(1), &wrong_fcs),
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

/// IVs and keystream of airodump-ng's files, of both versions, are read, cut at every length, too.
#[test]
fn ivs_files_are_read() {
    let (_, packets) = network(5, 3, 9);
    let z = |packet: &Packet, n: usize| packet.keystream[..n].to_vec();
    let mut first = vec![0xbf, 0xca, 0x84, 0xd4];
    for (packet, address) in packets.iter().zip([&[1, 2, 3, 4, 5, 6][..], &[0xff], &[0xff]]) {
        let text = z(packet, 2).iter().map(|z| z ^ 0xaa).collect::<Vec<_>>();
        first.extend([address, &packet.iv, &text].concat());
    }
    let two = |packet: &Packet| {
        let mut keystream = [0; KNOWN];
        keystream[..2].copy_from_slice(&packet.keystream[..2]);
        Packet { keystream, known: Bytes(3), guessed: Bytes::default(), ..*packet }
    };
    let read = capture::read(Slow(&first)).unwrap();
    assert_eq!((read.packets, read.cut, read.networks.len()), (3, false, 1));
    assert_eq!(read.networks[0].bssid.to_string(), "01:02:03:04:05:06");
    assert_eq!(read.networks[0].readings(), [packets.iter().map(two).collect::<Vec<_>>()]);

    let mut second = vec![0xae, 0x78, 0xd1, 0xff, 1, 0];
    // An ESSID with the address, then keystreams of 22 bytes, 2 bytes, and two alternatives of 16 bytes.
    second.extend([3, 0, 9, 0, 1, 2, 3, 4, 5, 6, b'n', b'e', b't']);
    second.extend([&[8, 0, 26, 0][..], &packets[0].iv, &[0x40], &z(&packets[0], 22)].concat());
    second.extend([&[8, 0, 6, 0][..], &packets[1].iv, &[0x40], &z(&packets[1], 2)].concat());
    let alternatives = [z(&packets[2], 16), vec![0; 16], vec![7; 32], vec![0; 64]].concat();
    second.extend(
        [&[16, 0, 4 + 2 + 128, 0][..], &packets[2].iv, &[0x40, 2, 16], &alternatives].concat(),
    );
    let read = capture::read(Slow(&second)).unwrap();
    assert_eq!((read.packets, read.cut, read.networks.len()), (3, false, 1));
    let network = &read.networks[0];
    assert_eq!((network.bssid.0, network.key), ([1, 2, 3, 4, 5, 6], 1));
    let ip = Bytes(Bytes::range(0, 12).0 | Bytes::range(14, 16).0);
    let [[a, b, c]] =
        &network.readings()[..].iter().map(|r| [r[0], r[1], r[2]]).collect::<Vec<_>>()[..]
    else {
        panic!("one reading")
    };
    assert_eq!((a, b), (&packets[0], &two(&packets[1])));
    assert_eq!(
        (c.known, c.guessed, &c.keystream[..16]),
        (ip, Bytes::default(), &z(&packets[2], 16)[..])
    );

    for (file, start) in [(first, 4), (second.clone(), 6)] {
        for end in start + 1..file.len() {
            let read = capture::read(&file[..end]).unwrap();
            assert!(read.cut || read.packets < 3, "{end}");
        }
    }
    second[4] = 2;
    assert!(matches!(capture::read(&second[..]), Err(CaptureError::IvsVersion(2))));
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

/// Packets that the key opens become Ethernet frames with their times, and fragments are
/// reassembled.
#[test]
fn captures_are_decrypted() {
    let key = b"Keys!";
    let frame = |number: u16, fragment: u8, more: bool, text: &[u8], key: &[u8]| {
        let mut frame = vec![0x08, if more { 0x46 } else { 0x42 }, 0, 0];
        frame.extend([[1; 6], [2; 6], [3; 6]].concat());
        frame.extend((number << 4 | u16::from(fragment)).to_le_bytes());
        let iv = [number as u8, fragment, 1];
        frame.extend([&iv[..], &[0]].concat());
        let mut body = [text, &crc32fast::hash(text).to_le_bytes()].concat();
        Rc4::from_key(&[&iv[..], key].concat()).unwrap().apply(&mut body);
        frame.extend(body);
        frame
    };
    let snap = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45];
    let tree = [0x42, 0x42, 3, 0, 0];
    let mut all = vec![
        frame(0, 0, false, &snap, key),
        frame(1, 0, false, &tree, key),
        frame(2, 0, false, &snap, b"other"),
        frame(3, 0, true, &snap, key),
        frame(4, 0, true, &snap, key),
        frame(3, 1, true, b"mid", key),
        frame(3, 1, true, b"mid", key), // sent twice
        frame(3, 2, false, b"end", key),
        frame(5, 1, false, b"lost", key),
    ];
    all[0][1] |= 0x08; // sent again
    let frames: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
    let mut file = pcap(105, &frames);
    file[24..32].copy_from_slice(&[7, 0, 0, 0, 9, 0, 0, 0]);
    let mut out = vec![];
    let bssid = capture::Bssid([2; 6]);
    let done = capture::decrypt(&file[..], bssid, key, &mut out).unwrap();
    assert_eq!((done.written, done.refused, done.cut, done.fragments), (3, 1, 0, 2));
    let addresses = [[1; 6], [3; 6]].concat();
    let expected = [
        [&addresses[..], &[8, 0, 0x45]].concat(),
        [&addresses[..], &[0, 5], &tree].concat(),
        [&addresses[..], &[8, 0, 0x45], b"midend"].concat(),
    ];
    assert_eq!(out[..4], 0xa1b2_3c4d_u32.to_le_bytes());
    assert_eq!((out[20], &out[24..32]), (1, &[7, 0, 0, 0, 0x28, 0x23, 0, 0][..]));
    let mut rest = &out[24..];
    for frame in expected {
        let (record, after) = rest.split_at(16 + frame.len());
        assert_eq!(record[16..], frame);
        rest = after;
    }
    assert!(rest.is_empty());
    // A file that was cut, and one that cannot be written.
    assert_eq!(capture::decrypt(&file[..file.len() - 1], bssid, key, &mut out).unwrap().written, 3);
    let full = capture::decrypt(&file[..], bssid, key, &mut [0; 30][..]);
    assert!(matches!(full, Err(CaptureError::Write(_))));
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
