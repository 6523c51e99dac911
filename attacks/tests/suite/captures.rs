//! Small capture files made by hand: every header, limit and time, with the frames that must come out.

use arcfour::Rc4;
use arcfour_attacks::{
    experiment::Random,
    wep::{
        Bytes, Check, KNOWN, Packet,
        capture::{self, Bssid, Capture, CaptureError, Decrypted, Kind, Network, Sender, link},
    },
};
use pcap_parser::Linktype;

const KEY: &[u8] = b"Keys!";
const NETWORK: [u8; 6] = [2; 6];
const STATION: [u8; 6] = [1; 6];
const SOURCE: [u8; 6] = [3; 6];

/// The body of a WEP frame: the IV, the key's number, the encrypted text and its ICV.
fn body(iv: [u8; 3], number: u8, text: &[u8]) -> Vec<u8> {
    let mut data = [text, &crc32fast::hash(text).to_le_bytes()].concat();
    Rc4::from_key(&[&iv[..], KEY].concat()).unwrap().apply(&mut data);
    [&iv[..], &[number << 6], &data].concat()
}

/// A frame from the access point to a station. `control` is the packet's number and the fragment's.
fn frame(control: u16, more: bool, text: &[u8]) -> Vec<u8> {
    let flags = if more { 0x46 } else { 0x42 };
    let mut frame = [&[0x08, flags, 0, 0][..], &STATION, &NETWORK, &SOURCE].concat();
    frame.extend(control.to_le_bytes());
    frame.extend(body([control as u8, (control >> 8) as u8, 7], 0, text));
    frame
}

fn record(words: [u32; 4], data: &[u8]) -> Vec<u8> {
    [words.map(u32::to_le_bytes).as_flattened(), data].concat()
}

/// A pcap file of frames that were kept up to a number of bytes.
fn pcap(magic: u32, link: u32, frames: &[(&[u8], usize)]) -> Vec<u8> {
    let header = [magic, 0x0004_0002, 0, 0, 0xffff, link].map(u32::to_le_bytes);
    let each = frames
        .iter()
        .map(|(frame, kept)| record([7, 9, *kept as u32, frame.len() as u32], &frame[..*kept]));
    std::iter::once(header.concat()).chain(each).collect::<Vec<_>>().concat()
}

const MICROSECONDS: u32 = 0xa1b2_c3d4;
const NANOSECONDS: u32 = 0xa1b2_3c4d;

fn whole<'a>(frames: &[&'a [u8]]) -> Vec<(&'a [u8], usize)> {
    frames.iter().map(|frame| (*frame, frame.len())).collect()
}

fn read(frames: &[&[u8]]) -> Capture {
    capture::read(&pcap(MICROSECONDS, 105, &whole(frames))[..]).unwrap()
}

/// A block of pcapng.
pub(super) fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let mut body = body.to_vec();
    body.resize(body.len().next_multiple_of(4), 0);
    let length = (12 + body.len() as u32).to_le_bytes();
    [&kind.to_le_bytes()[..], &length, &body, &length].concat()
}

/// The start of a section of pcapng.
pub(super) fn section() -> Vec<u8> {
    block(0x0a0d_0d0a, &[&0x1a2b_3c4d_u32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat())
}

/// An interface with its options, for packets of up to `snaplen` bytes.
fn interface(link: u8, snaplen: u8, options: &[u8]) -> Vec<u8> {
    block(1, &[&[link, 0, 0, 0, snaplen, 0, 0, 0][..], options].concat())
}

/// A packet of an interface, with its time.
fn enhanced(interface: u32, (high, low): (u32, u32), frame: &[u8]) -> Vec<u8> {
    let size = frame.len() as u32;
    let words = [interface, high, low, size, size].map(u32::to_le_bytes);
    block(6, &[words.as_flattened(), frame].concat())
}

fn decrypted(file: &[u8]) -> (Decrypted, Vec<u8>) {
    let mut out = vec![];
    (capture::decrypt(file, Bssid(NETWORK), KEY, &mut out).unwrap(), out)
}

/// The times and frames of a pcap file that `decrypt` wrote.
fn records(out: &[u8]) -> Vec<([u32; 2], &[u8])> {
    let (header, mut rest) = out.split_at(24);
    let start = [NANOSECONDS, 0x0004_0002, 0, 0, 0x0004_0000, 1].map(u32::to_le_bytes);
    assert_eq!(header, start.as_flattened());
    let mut all = vec![];
    while let Some((words, after)) = rest.split_first_chunk::<16>() {
        let [seconds, nanoseconds, kept, size] =
            std::array::from_fn(|n| u32::from_le_bytes(words.as_chunks::<4>().0[n]));
        assert_eq!(kept, size);
        let (frame, after) = after.split_at(size as usize);
        all.push(([seconds, nanoseconds], frame));
        rest = after;
    }
    assert!(rest.is_empty());
    all
}

/// A frame begins after each header, and ends before its FCS if the header names one.
#[test]
fn a_frame_begins_after_its_header() {
    const FLAGS: u32 = 2;
    const TIME: u32 = 1;
    const MORE: u32 = 1 << 31;
    let radiotap = |words: &[u32], fields: &[u8]| {
        let words: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        [&[0, 0, (4 + words.len() + fields.len()) as u8, 0], &words[..], fields].concat()
    };
    let timed = |padding: usize, flags: u8| [&vec![0; padding][..], &[0xff; 8], &[flags]].concat();
    let ppi = |length: u8, fields: &[u8]| [&[0, 0, length, 0, 105, 0, 0, 0], fields].concat();
    let common = |flags: [u8; 2]| [&[2, 0, 20, 0][..], &[0; 8], &flags, &[0; 10]].concat();
    let prism = |length: [u8; 4]| [&[0x44, 0, 0, 0], &length[..], &[9; 8]].concat();
    let avs = [&[0x80, 0x21, 0x10, 1, 0, 0, 0, 12][..], &[9; 4]].concat();
    for (link, header, fcs) in [
        (105, vec![], false),
        (119, prism([16, 0, 0, 0]), false),
        (119, prism([0, 0, 0, 16]), false),
        (119, avs.clone(), false),
        (163, avs, false),
        (127, radiotap(&[0], &[]), false),
        (127, radiotap(&[FLAGS], &[0x10]), true),
        (127, radiotap(&[FLAGS], &[0xef]), false),
        (127, radiotap(&[FLAGS], &[]), false), // the flags would be in the frame
        (127, radiotap(&[4], &[0x10]), false), // the rate
        (127, radiotap(&[TIME], &timed(0, 0x10)), false),
        (127, radiotap(&[TIME | FLAGS], &timed(0, 0x10)), true),
        (127, radiotap(&[TIME | FLAGS], &timed(0, 0xef)), false),
        (127, radiotap(&[MORE | FLAGS, 0], &[0x10]), true),
        (127, radiotap(&[MORE | FLAGS, MORE, 0], &[0x10]), true),
        (127, radiotap(&[MORE | TIME | FLAGS, 0], &timed(4, 0x10)), true),
        (127, radiotap(&[MORE | TIME | FLAGS, MORE, 0], &timed(0, 0x10)), true),
        (192, ppi(8, &[]), false),
        (192, ppi(12, &[9, 0, 0, 0]), false),
        (192, ppi(32, &common([1, 0])), true),
        (192, ppi(32, &common([0xfe, 0xff])), false),
        (192, ppi(40, &[&[9, 0, 4, 0, 0, 0, 0, 0], &common([1, 0])[..]].concat()), true),
        (192, ppi(24, &common([1, 0])), true), // as Kismet wrote it
        (192, ppi(24, &[&[9, 0, 12, 0][..], &[0; 12]].concat()), false),
    ] {
        // Read as flags or as a field of PPI, these bytes would name an FCS.
        for text in
            [[0x12; 20], std::array::from_fn(|n| if n % 12 == 0 { 3 - (n == 0) as u8 } else { 0 })]
        {
            let data = [&header[..], &text].concat();
            let at = |kept: usize, size: usize| {
                link::frame(Linktype(link), &data[..kept], size)
                    .map(|frame| (frame.data, frame.size))
            };
            let (len, size) = (data.len(), 20 - if fcs { 4 } else { 0 });
            assert_eq!(at(len, len), Some((&text[..size], size)), "{link} {header:02x?}");
            // The capture program cut the frame, and perhaps its FCS.
            assert_eq!(at(len - 6, len), Some((&text[..14], size)), "{link} {header:02x?}");
            assert_eq!(at(len, len + 1), Some((&text[..(size + 1).min(20)], size + 1)));
            assert_eq!(at(len, header.len()), (!fcs).then_some((&[][..], 0)));
            let short = header.len().checked_sub(1);
            assert_eq!(short.and_then(|short| at(len, short)), None);
            assert_eq!(short.and_then(|short| at(short, len)), None);
        }
    }
    for other in [0, 1, 104, 106, 118, 120, 126, 128, 162, 164, 191, 193] {
        assert_eq!(link::frame(Linktype(other), &[0; 40], 40), None);
        assert!(!link::is_wifi(Linktype(other)));
    }
}

/// Only data frames with a body are read, and of them only what WEP protects.
#[test]
fn other_frames_are_not_read() {
    let plain = frame(0, false, b"some text");
    let expected = read(&[&plain]);
    assert_eq!(expected.networks[0].total(), 1);
    for (at, value, keys, newer) in [
        (0, 0x00, vec![], 0), // management, control, and an extension
        (0, 0x04, vec![], 0),
        (0, 0x0c, vec![], 0),
        (0, 0x09, vec![], 0), // another version
        (0, 0x48, vec![], 0), // no body
        (0, 0xc8, vec![], 0),
        (1, 0x02, vec![], 0), // not protected
        (1, 0xbe, vec![], 0),
        (1, 0x52, vec![0], 0),
        (1, 0xc2, vec![0], 0), // in order, which adds nothing without quality of service
        (27, 0x40, vec![1], 0),
        (27, 0xdf, vec![3], 0),
        (27, 0x20, vec![], 1),
        (27, 0xff, vec![], 1),
    ] {
        let mut other = plain.clone();
        other[at] = value;
        let got = read(&[&other]);
        let found: Vec<_> = got.networks.iter().map(|network| network.key).collect();
        assert_eq!((found, got.newer), (keys, newer), "byte {at} is {value:02x}");
        if at == 1 && !got.networks.is_empty() {
            assert_eq!(got, expected, "{value:02x}");
        }
    }
}

/// A frame that was cut gives the known bytes that were kept, and a short text no more than it has.
#[test]
fn what_was_cut_is_not_known() {
    let packets = Packet::simulate(KEY, 1, &mut Random::new("test of captures", 0, 0));
    let file = capture::write(KEY, &packets, Sender::Source);
    let request = &file[24 + 16..];
    for kept in 0..=request.len() {
        let file = pcap(MICROSECONDS, 105, &[(request, kept)]);
        let read = capture::read(&file[..]).unwrap();
        let (done, out) = decrypted(&file);
        let Some(text) = kept.checked_sub(28) else {
            assert!(read.networks.is_empty() && done == Decrypted::default(), "{kept}");
            continue;
        };
        let network = &read.networks[0];
        assert_eq!((read.networks.len(), network.unknown), (1, (text < 2).into()), "{kept}");
        if text >= 2 {
            let [packet] = &network.packets[&Kind::ArpRequest][..] else { panic!("{kept}") };
            let keystream =
                std::array::from_fn(|n| if n < text { packets[0].keystream[n] } else { 0 });
            let (known, guessed) =
                (Bytes::range(0, text.min(16)), Bytes::range(16, text.clamp(16, KNOWN)));
            assert_eq!(*packet, Packet { iv: packets[0].iv, keystream, known, guessed }, "{kept}");
        }
        let whole = kept == request.len();
        assert_eq!(matches!(network.check(), Check::Icv(_)), whole, "{kept}");
        // The address of the network is another.
        assert_eq!((done, records(&out).len()), (Decrypted::default(), 0));
    }
    // LLC, SNAP and the start of an IPv4 packet, of every length.
    for len in 0..=22_u8 {
        let text = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45, 0, 0, len.saturating_sub(8), 7, 7, 0x40];
        let mut text = text.to_vec();
        text.resize(22, 0);
        let read = read(&[&frame(0, false, &text[..len.into()])]);
        let network = &read.networks[0];
        let known = Bytes::range(0, 12).and(Bytes::range(14, 16)).0;
        match network.packets.get(&Kind::Ipv4) {
            None => assert!(len < 2 && network.unknown == 1),
            Some(packets) => {
                assert_eq!(packets[0].known, Bytes(known & Bytes::range(0, len.into()).0));
                assert!(len > 1 && packets[0].fits(KEY), "{len}");
            }
        }
    }
}

/// Every frame with its time: in microseconds or nanoseconds of pcap, and in the units of pcapng.
#[test]
fn frames_keep_their_times() {
    let text = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 1, 2, 3];
    let sent = frame(0x10, false, &text);
    let ethernet = [&STATION[..], &SOURCE, &text[6..]].concat();
    for (magic, nanoseconds) in [(MICROSECONDS, 9000), (NANOSECONDS, 9)] {
        let (_, out) = decrypted(&pcap(magic, 105, &whole(&[&sent])));
        assert_eq!(records(&out), [([7, nanoseconds], &ethernet[..])]);
    }
    let units = |power: u8| vec![9, 0, 1, 0, power, 0, 0, 0, 0, 0, 0, 0];
    let mut later = units(3);
    later.splice(8..8, [&[14, 0, 8, 0][..], &100_u64.to_le_bytes()].concat());
    for (options, time, expected) in [
        (vec![], (1, 2), [4294, 967_298_000]),
        (units(0), (0, 5), [5, 0]),
        (units(3), (0, 12_345), [12, 345_000_000]),
        (later, (0, 12_345), [112, 345_000_000]),
        (units(6), (0, 3_000_001), [3, 1000]),
        (units(9), (0, 1_000_000_007), [1, 7]),
        (units(12), (0x100, 0), [1, 99_511_627]), // 2^40 picoseconds
        (units(20), (0, 3_000_001), [3, 1000]),   // too many: the default
        (units(0x80 | 10), (0, 3 << 10 | 1 << 9), [3, 500_000_000]),
        (units(0x80 | 63), (0xa000_0000, 0), [1, 250_000_000]),
    ] {
        let file = [section(), interface(105, 0, &options), enhanced(0, time, &sent)].concat();
        let (_, out) = decrypted(&file);
        assert_eq!(records(&out), [(expected, &ethernet[..])], "{options:?}");
    }
}

/// Each packet of pcapng is of its section's interface. Simple packets are of the first.
#[test]
fn packets_are_of_their_interface() {
    let sent = frame(0x10, false, b"texts"); // 37 bytes: three more pad them
    let of = |interface| enhanced(interface, (0, 0), &sent);
    let simple = |size: u32, data: &[u8]| block(3, &[&size.to_le_bytes(), data].concat());
    let (wifi, wired) = (interface(105, 0, &[]), interface(1, 0, &[]));
    let expected = read(&[&sent]);
    let got = |blocks: &[&[u8]]| capture::read(&blocks.concat()[..]);
    for (blocks, wifis, others) in [
        ([section(), wifi.clone(), of(0)].concat(), 1, 0),
        ([section(), wifi.clone(), wired.clone(), of(0), of(1)].concat(), 1, 1),
        ([section(), wired.clone(), wifi.clone(), of(0), of(0), of(1)].concat(), 1, 2),
        ([section(), wired.clone(), of(0), section(), wifi.clone(), of(0)].concat(), 1, 1),
        ([section(), wifi.clone(), of(0), section(), wired.clone(), of(0)].concat(), 1, 1),
        ([section(), wifi.clone(), wired.clone(), simple(37, &sent)].concat(), 1, 0),
    ] {
        let read = got(&[&blocks]).unwrap();
        assert_eq!((read.packets, read.other_links), (wifis + others, others));
        assert_eq!((read.cut, &read.networks), (false, &expected.networks));
    }
    for (blocks, bad) in [
        ([section(), of(0)].concat(), 1),
        ([section(), wifi.clone(), of(0), of(1)].concat(), 2),
        ([section(), wifi.clone(), of(0), of(0), section(), of(0)].concat(), 3),
        ([section(), simple(37, &sent)].concat(), 1),
    ] {
        let error = got(&[&blocks]).unwrap_err();
        assert!(matches!(error, CaptureError::Malformed { packet } if packet == bad), "{error}");
    }
    // 33 bytes are kept, and three more pad them.
    let cut = [section(), interface(105, 33, &[]), simple(37, &sent[..33])].concat();
    assert_eq!(
        got(&[&cut]).unwrap(),
        capture::read(&pcap(MICROSECONDS, 105, &[(&sent, 33)])[..]).unwrap()
    );
    // No packet is of 802.11.
    let none = [section(), wired, wifi, of(0), of(0)].concat();
    let error = got(&[&none]).unwrap_err();
    assert!(matches!(error, CaptureError::LinkType { packet: 1, link: 1 }), "{error}");
    // A broken header.
    let read = capture::read(&pcap(127, 127, &[])[..]);
    assert!(matches!(read, Err(CaptureError::NotCapture)));
    let broken = capture::read(&pcap(MICROSECONDS, 127, &whole(&[&[0; 9], &[0; 3]]))[..]).unwrap();
    assert_eq!((broken.packets, broken.broken, broken.other_links), (2, 1, 0));
}

/// Frames with one IV are compared where both are known. One of each kind is kept.
#[test]
fn frames_of_one_iv_are_compared() {
    let snap = |end: &[u8], size: usize| {
        let mut text = [&[0xaa, 0xaa, 3, 0, 0, 0], end].concat();
        text.resize(size, 0x55);
        text
    };
    let arp = snap(&[8, 6, 0, 1, 8, 0, 6, 4, 0, 2], 36);
    let padded = snap(&[8, 6, 0, 1, 8, 0, 6, 4, 0, 2], 54);
    let ip = snap(&[8, 0, 0x45, 0, 0, 32, 0x77, 0x77, 0x40, 0], 40);
    let other = snap(&[9, 9], 40);
    let network = |texts: &[&Vec<u8>]| {
        let frames: Vec<_> = texts.iter().map(|text| frame(0, false, text)).collect();
        let frames: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
        read(&frames).networks.remove(0)
    };
    let counts = |network: &Network| {
        (network.agreeing, network.contradicting, network.repeated, network.total())
    };
    for (texts, expected) in [
        (vec![&arp], (0, 0, 0, 1)),
        (vec![&arp, &arp], (1, 0, 1, 1)),
        (vec![&ip, &ip, &ip], (2, 0, 2, 1)),
        (vec![&arp, &ip], (1, 0, 0, 2)),
        (vec![&arp, &ip, &padded, &ip, &arp], (4, 0, 2, 3)),
        (vec![&ip, &other], (0, 1, 1, 1)),
        (vec![&arp, &other, &other], (0, 2, 1, 2)),
    ] {
        assert_eq!(counts(&network(&texts)), expected);
    }
    // The readings: ARP, then padded packets as replies, then all.
    let [of_arp, of_padded, of_ip] =
        [(&arp, Kind::ArpReply), (&padded, Kind::Padded), (&ip, Kind::Ipv4)]
            .map(|(text, kind)| network(&[text]).packets[&kind][0]);
    let certain = Packet { known: Bytes::range(0, 7), guessed: Bytes::default(), ..of_padded };
    for (texts, readings) in [
        (vec![&arp], vec![vec![of_arp]]),
        (vec![&ip], vec![vec![of_ip]]),
        (vec![&padded], vec![vec![of_padded]]),
        (vec![&padded, &arp], vec![vec![of_arp], vec![of_arp, of_padded]]),
        (vec![&ip, &arp], vec![vec![of_arp], vec![of_arp, of_ip]]),
        (vec![&ip, &padded], vec![vec![of_padded], vec![certain, of_ip]]),
        (
            vec![&ip, &padded, &arp],
            vec![vec![of_arp], vec![of_arp, of_padded], vec![of_arp, certain, of_ip]],
        ),
    ] {
        assert_eq!(network(&texts).readings(), readings);
    }
}

/// The first sixteen bodies that were kept whole test a key. Networks come with the most packets first.
#[test]
fn sixteen_bodies_are_kept() {
    let sent: Vec<_> = (0..20).map(|n| frame(n, false, &[n as u8; 9])).collect();
    for (cut, kept) in [(0, 1..17), (1, 2..18), (18, 19..20)] {
        let frames: Vec<_> = sent[1..]
            .iter()
            .zip(0..)
            .map(|(frame, n)| (&frame[..], frame.len() - usize::from(n < cut)))
            .collect();
        let read = capture::read(&pcap(MICROSECONDS, 105, &frames)[..]).unwrap();
        let Check::Icv(bodies) = read.networks[0].check() else { panic!("there are bodies") };
        let ivs: Vec<_> = bodies.iter().map(|body| body.iv).collect();
        assert_eq!(ivs, kept.clone().map(|n| [n, 0, 7]).collect::<Vec<_>>());
        let first = kept.start;
        assert_eq!(bodies[0].data, sent[usize::from(first)][28..]);
    }
    let mut frames: Vec<_> = (0..6).map(|n| frame(n << 4, false, b"a text")).collect();
    frames.iter_mut().zip([5, 4, 4, 5, 5, 6]).for_each(|(frame, network)| frame[15] = network);
    let frames: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
    let read = read(&frames);
    let totals: Vec<_> = read.networks.iter().map(|one| (one.bssid.0[5], one.total())).collect();
    assert_eq!(totals, [(5, 3), (4, 2), (6, 1)]);
}

/// Fragments are joined in their order. A later fragment may come twice. Lost fragments are
/// counted.
#[test]
fn fragments_are_joined() {
    for (sent, texts, lost) in [
        ("0", vec!["0"], 0),
        ("0+ 1", vec!["01"], 0),
        ("0+ 1+ 2", vec!["012"], 0),
        ("0+ 0+ 1", vec!["01"], 1),
        ("0+ 1+ 1+ 1+ 2", vec!["012"], 0),
        ("0+ 2", vec![], 2),
        ("0+ 1+ 3", vec![], 3),
        ("0+ 1+ 0+ 1", vec!["01"], 2),
        ("0+ 1+ 2+ 1+ 3", vec![], 5),
        ("1", vec![], 1),
        ("0+ 1+", vec![], 2),
        ("0+ 1 0", vec!["01", "0"], 0),
    ] {
        let frames: Vec<Vec<u8>> = sent
            .split(' ')
            .map(|part| {
                let number = part.as_bytes()[0] - b'0';
                frame(0x120 | u16::from(number), part.ends_with('+'), &[b'0' + number])
            })
            .collect();
        let frames: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
        let (done, out) = decrypted(&pcap(MICROSECONDS, 105, &whole(&frames)));
        let expected: Vec<Vec<u8>> = texts
            .iter()
            .map(|text| [&STATION[..], &SOURCE, &[0, text.len() as u8], text.as_bytes()].concat())
            .collect();
        let joined: Vec<&[u8]> = records(&out).into_iter().map(|(_, frame)| frame).collect();
        assert_eq!(joined, expected, "{sent}");
        let written = texts.len() as u64;
        let expected = Decrypted { written, fragments: lost, ..Decrypted::default() };
        assert_eq!(done, expected, "{sent}");
    }
    // At most 64 packets wait for their other fragments. Packet 65 drops all waiting packets.
    for (packets, written, lost) in [(64, 64, 0), (65, 1, 128)] {
        let firsts = (0..packets).map(|number| frame(number << 4, true, b"a"));
        let lasts = (0..packets).map(|number| frame(number << 4 | 1, false, b"b"));
        let frames: Vec<_> = firsts.chain(lasts).collect();
        let frames: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
        let (done, _) = decrypted(&pcap(MICROSECONDS, 105, &whole(&frames)));
        assert_eq!((done.written, done.fragments), (written, lost));
    }
}

/// Frames of other networks, cut frames and wrong checksums are left out. The type is Ethernet's
/// where LLC and SNAP name it.
#[test]
fn what_the_key_opens_is_written() {
    let good = frame(0x10, false, &[0xaa, 0xaa, 3, 0, 0, 0xf8, 0x81, 0x37, 1]);
    let plain = frame(0x20, false, &[0xaa, 0xaa, 3, 0, 0, 0x0c, 0x20, 0]);
    let mut wrong = frame(0x30, false, b"text");
    *wrong.last_mut().unwrap() ^= 1;
    let mut other = good.clone();
    other[10] = 9;
    let cut = (&plain[..], plain.len() - 1);
    let frames = [&wrong, &good, &other, &plain, &wrong].map(|frame| (&frame[..], frame.len()));
    let (done, out) = decrypted(&pcap(MICROSECONDS, 105, &[&frames[..], &[cut; 3]].concat()));
    assert_eq!(done, Decrypted { written: 2, refused: 2, cut: 3, fragments: 0 });
    let addresses = [STATION, SOURCE].concat();
    let expected = [
        [&addresses[..], &[0x81, 0x37, 1]].concat(),
        [&addresses[..], &[0, 8, 0xaa, 0xaa, 3, 0, 0, 0x0c, 0x20, 0]].concat(),
    ];
    assert_eq!(records(&out).into_iter().map(|(_, frame)| frame).collect::<Vec<_>>(), expected);
}

/// Entries of `.ivs` files: keystreams of every length, several keystreams, and what is no entry.
#[test]
fn entries_of_ivs_files_are_read() {
    let entry = |flags: u16, content: &[u8]| {
        [&flags.to_le_bytes()[..], &(content.len() as u16).to_le_bytes(), content].concat()
    };
    let z: Vec<u8> = (1..=100).collect();
    let file = |version: [u8; 2], entries: &[Vec<u8>]| {
        [&[0xae, 0x78, 0xd1, 0xff][..], &version, &entries.concat()].concat()
    };
    let iv = |n: u8, number: u8| [n, 1, 2, number << 6 | 0x3f];
    let packets = |file: &[u8]| -> Vec<_> {
        let read = capture::read(file).unwrap();
        assert!(!read.cut);
        let of = |network: &Network| {
            let (bssid, key) = (network.bssid.0[0], network.key);
            let packets = network.packets[&Kind::Ivs].clone();
            packets.into_iter().map(|packet| (bssid, key, packet)).collect::<Vec<_>>()
        };
        read.networks.iter().flat_map(of).collect()
    };
    let expected = |n: u8, len: usize, known: Bytes, guessed: Bytes| {
        let keystream = std::array::from_fn(|at| if at < len { z[at] } else { 0 });
        Packet { iv: [n, 1, 2], keystream, known, guessed }
    };
    for len in [0, 1, 2, 15, 16, 17, 21, 22, 23, 100_usize] {
        let one = entry(8, &[&iv(7, 2)[..], &z[..len]].concat());
        let (known, guessed) = (Bytes::range(0, len.min(16)), Bytes::range(16, len.clamp(16, 22)));
        let packet = expected(7, len.min(22), known, guessed);
        assert_eq!(packets(&file([0, 0], &[one])), [(0, 2, packet)], "{len}");
    }
    let gap = Bytes::range(12, 14).0;
    for (length, rest, len) in [
        (16, 64, 16_usize),
        (32, 64, 22),
        (33, 64, 22), // one keystream has 32 bytes
        (255, 64, 22),
        (32, 20, 20), // cut
        (13, 64, 13),
        (0, 64, 0),
    ] {
        let one = entry(16, &[&iv(7, 0)[..], &[1, length], &z[..rest]].concat());
        let known = Bytes(Bytes::range(0, len.min(16)).0 & !gap);
        let packet = expected(7, len, known, Bytes::range(16, len.clamp(16, 22)));
        assert_eq!(packets(&file([1, 0], &[one])), [(0, 0, packet)], "{length} of {rest}");
    }
    // The address of the network holds for the entries after it. Other entries are passed over.
    let two = |n, number: u8| entry(8, &[&iv(n, number)[..], &z[..2]].concat());
    let named = |n: u8| entry(9, &[&[n; 6][..], &iv(n, 1), &z[..2]].concat());
    let none = [
        entry(1, &[4; 5]),
        entry(2, b"a name"),
        entry(8, &[9; 3]),
        entry(24, &[9; 50]),
        entry(16, &[&iv(9, 0)[..], &[0, 16], &z[..32]].concat()),
        entry(16, &[&iv(9, 0)[..], &[1]].concat()),
        entry(0x100, &[9; 50]),
        entry(0, &[9; 50]),
    ]
    .concat();
    let entries = [two(3, 0), named(4), none.clone(), two(5, 1), named(6), none, two(8, 3)];
    let known = Bytes(3);
    let all = [(0, 0, 3), (4, 1, 4), (4, 1, 5), (6, 1, 6), (6, 3, 8)];
    let mut got = packets(&file([1, 0], &entries));
    got.sort_by_key(|(.., packet)| packet.iv);
    let all = all.map(|(bssid, key, n)| (bssid, key, expected(n, 2, known, Bytes::default())));
    assert_eq!(got, all);
    for (version, refused) in
        [([0, 0], None), ([1, 0], None), ([2, 0], Some(2)), ([0, 1], Some(256))]
    {
        let error = match capture::read(&file(version, &[])[..]) {
            Err(CaptureError::IvsVersion(version)) => Some(version),
            other => other.map(|_| None).unwrap(),
        };
        assert_eq!(error, refused);
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

#[test]
fn kinds_have_names() {
    for (kind, name) in [
        (Kind::ArpRequest, "ARP requests"),
        (Kind::ArpReply, "ARP replies"),
        (Kind::Padded, "padded packets (ARP replies or short IPv4)"),
        (Kind::Ipv4, "taken for IPv4"),
        (Kind::Ipv6, "IPv6 multicasts"),
        (Kind::SpanningTree, "spanning tree packets"),
        (Kind::Cisco, "Cisco discovery packets"),
        (Kind::FirstFragment, "first fragments"),
        (Kind::Ivs, "keystreams of an .ivs file"),
    ] {
        assert_eq!(kind.name(), name);
    }
}
