//! WEP keys, from simulated packets and from captures.

use std::io::{self, Read};

use arcfour::Rc4;
use arcfour_attacks::{
    experiment::Random,
    wep::{
        KNOWN, Method, Packet,
        capture::{self, Capture, CaptureError},
        find_key, measure, recorded,
    },
};

fn network(length: usize, packets: usize, trial: u64) -> (Vec<u8>, Vec<Packet>) {
    let mut random = Random::new("test of WEP", length as u64, trial);
    let key = random.bytes(length);
    let packets = Packet::simulate(&key, packets, &mut random);
    (key, packets)
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

/// With packets enough each method finds the key; with few of them none does.
#[test]
fn keys_are_found_from_packets_enough() {
    for (length, method, packets) in
        [(13, Method::All, 60_000), (13, Method::Klein, 80_000), (5, Method::All, 50_000)]
    {
        let (key, packets) = network(length, packets, 1);
        let found = find_key(&packets, &[length], method, 300).unwrap();
        assert_eq!(found.key, key, "{method:?}");
        assert!(found.beginnings + 1 >= length as u64);
        assert_eq!(find_key(&packets[..packets.len() / 40], &[length], method, 30), None);
    }
    let (_, packets) = network(13, 2, 2);
    assert_eq!(find_key(&packets, &[13], Method::All, 30), None);
    assert_eq!(find_key(&[], &[5, 13], Method::All, 30), None);
}

/// Votes without Klein's need more packets, and weak IVs most of all.
#[test]
fn keys_are_found_by_korek() {
    let (key, packets) = network(5, 400_000, 3);
    assert_eq!(find_key(&packets, &[5], Method::Korek, 40).unwrap().key, key);
}

/// A packet whose text was not what it was taken for does no harm, be it the first.
#[test]
fn a_wrong_packet_does_no_harm() {
    let (key, mut packets) = network(13, 60_000, 1);
    packets[0].keystream[15] ^= 3;
    assert_eq!(find_key(&packets, &[13], Method::All, 300).unwrap().key, key);
}

/// A key of 13 bytes comes out where 5 are possible too, without all beginnings of 5 before it: they would take a minute.
#[test]
fn a_key_of_unknown_length_is_found() {
    for length in [5, 13] {
        let (key, packets) = network(length, 60_000, 1);
        let found = find_key(&packets, &[5, 13], Method::All, 100_000).unwrap();
        assert_eq!(found.key, key);
        assert_eq!(Some(found), find_key(&packets, &[length], Method::All, 100_000));
    }
}

/// Other keys give the recorded rates again, and each kind of vote is right more often, or less, than by chance.
#[test]
fn the_recorded_rates_are_measured_again() {
    let again = measure(8, 99);
    assert_eq!(again.len(), recorded().len());
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

/// A capture that was written is read as its packets, however slowly it comes.
#[test]
fn a_written_capture_is_read() {
    let (key, packets) = network(13, 500, 4);
    let file = capture::write(&key, &packets);
    let read = capture::read(Slow(&file)).unwrap();
    assert_eq!((read.packets, read.newer, read.cut), (500, 0, false));
    let [network] = &read.networks[..] else { panic!("{} networks", read.networks.len()) };
    assert_eq!(network.bssid.to_string(), "02:00:00:00:00:aa");
    assert_eq!((network.key, network.others), (0, 0));
    assert_eq!(network.packets, packets);
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
    let file = capture::write(&key, &packets);
    let plain = frames(&file);
    let expected = capture::read(&file[..]).unwrap();
    assert_eq!(expected.networks[0].packets.len(), 40);

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

/// Networks and keys are told apart, an IV counts once, what is not ARP or not WEP is counted as that.
#[test]
fn packets_are_sorted() {
    let (key, packets) = network(5, 8, 6);
    let file = capture::write(&key, &packets);
    let mut all: Vec<Vec<u8>> = frames(&file).iter().map(|frame| frame.to_vec()).collect();
    all[1][15] = 0xbb; // another network
    all[2][27] = 0x40; // key 1
    all[3] = all[0].clone(); // the same IV again
    all[4].push(0); // no length of ARP
    all[5][27] |= 0x20; // TKIP
    all[6][1] = 0x02; // not protected
    all[7][0] = 0x80; // a beacon
    let all: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
    let Capture { packets: n, newer, cut, networks } = capture::read(&pcap(105, &all)[..]).unwrap();
    assert_eq!((n, newer, cut), (8, 1, false));
    let mut found: Vec<_> = networks
        .iter()
        .map(|network| (network.bssid.0[5], network.key, network.packets.len(), network.others))
        .collect();
    found.sort_unstable();
    assert_eq!(found, [(0xaa, 0, 1, 1), (0xaa, 1, 1, 0), (0xbb, 0, 1, 0)]);
}

/// A packet sent to one station is taken for a reply.
#[test]
fn replies_are_known_too() {
    let (key, packets) = network(5, 1, 7);
    let file = capture::write(&key, &packets);
    let mut frame = frames(&file)[0].to_vec();
    frame[4..10].fill(2);
    let read = capture::read(&pcap(105, &[&frame])[..]).unwrap();
    let mut expected = packets[0].keystream;
    expected[15] ^= 1 ^ 2;
    assert_eq!(read.networks[0].packets[0].keystream, expected);
}

#[test]
fn what_is_no_capture_is_refused() {
    let (key, packets) = network(5, 3, 8);
    let file = capture::write(&key, &packets);
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
