//! Frames of captures made by hand: every header, limit and kind, with the packets that must come out.

use arcfour::Rc4;
use arcfour_attacks::{
    experiment::Random,
    wep::{
        Body, Bytes, Check, KNOWN, Method, Packet,
        capture::{self, Bssid, Capture, CaptureError, Decrypted, Kind, Network, Sender, link},
        find_key,
    },
};
use pcap_parser::Linktype;

pub(super) const KEY: &[u8] = b"Keys!";
const NETWORK: [u8; 6] = [2; 6];
pub(super) const STATION: [u8; 6] = [1; 6];
pub(super) const SOURCE: [u8; 6] = [3; 6];

/// The body of a WEP frame: the IV, the key's number, the encrypted text and its ICV.
pub(super) fn body(iv: [u8; 3], number: u8, text: &[u8]) -> Vec<u8> {
    let mut data = [text, &crc32fast::hash(text).to_le_bytes()].concat();
    Rc4::from_key(&[&iv[..], KEY].concat()).unwrap().apply(&mut data);
    [&iv[..], &[number << 6], &data].concat()
}

/// A frame from the access point to a station. `control` is the packet's number and the fragment's.
pub(super) fn frame(control: u16, more: bool, text: &[u8]) -> Vec<u8> {
    let flags = if more { 0x46 } else { 0x42 };
    let mut frame = [&[0x08, flags, 0, 0][..], &STATION, &NETWORK, &SOURCE].concat();
    frame.extend(control.to_le_bytes());
    frame.extend(body([control as u8, (control >> 8) as u8, 7], 0, text));
    frame
}

pub(super) fn record(words: [u32; 4], data: &[u8]) -> Vec<u8> {
    [words.map(u32::to_le_bytes).as_flattened(), data].concat()
}

/// A pcap file of frames that were kept up to a number of bytes.
pub(super) fn pcap(magic: u32, link: u32, frames: &[(&[u8], usize)]) -> Vec<u8> {
    let header = [magic, 0x0004_0002, 0, 0, 0xffff, link].map(u32::to_le_bytes);
    let each = frames
        .iter()
        .map(|(frame, kept)| record([7, 9, *kept as u32, frame.len() as u32], &frame[..*kept]));
    std::iter::once(header.concat()).chain(each).collect::<Vec<_>>().concat()
}

pub(super) const MICROSECONDS: u32 = 0xa1b2_c3d4;
pub(super) const NANOSECONDS: u32 = 0xa1b2_3c4d;

pub(super) fn whole<'a>(frames: &[&'a [u8]]) -> Vec<(&'a [u8], usize)> {
    frames.iter().map(|frame| (*frame, frame.len())).collect()
}

fn read(frames: &[&[u8]]) -> Capture {
    capture::read(&pcap(MICROSECONDS, 105, &whole(frames))[..]).unwrap()
}

/// A block of pcapng.
fn block(kind: u32, body: &[u8]) -> Vec<u8> {
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
pub(super) fn interface(link: u8, snaplen: u8, options: &[u8]) -> Vec<u8> {
    block(1, &[&[link, 0, 0, 0, snaplen, 0, 0, 0][..], options].concat())
}

/// A packet of an interface, with its time.
pub(super) fn enhanced(interface: u32, (high, low): (u32, u32), frame: &[u8]) -> Vec<u8> {
    let size = frame.len() as u32;
    let words = [interface, high, low, size, size].map(u32::to_le_bytes);
    block(6, &[words.as_flattened(), frame].concat())
}

pub(super) fn decrypted(file: &[u8]) -> (Decrypted, Vec<u8>) {
    let mut out = vec![];
    (capture::decrypt(file, Bssid(NETWORK), KEY, &mut out).unwrap(), out)
}

/// The times and frames of a pcap file that `decrypt` wrote.
pub(super) fn records(out: &[u8]) -> Vec<([u32; 2], &[u8])> {
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

/// The bit of radiotap's flags among its fields.
const FLAGS: u32 = 2;

/// A radiotap header with these words of presence and fields.
fn radiotap(words: &[u32], fields: &[u8]) -> Vec<u8> {
    let words: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    [&[0, 0, (4 + words.len() + fields.len()) as u8, 0], &words[..], fields].concat()
}

/// A PPI header that names its length.
fn ppi(length: u8, fields: &[u8]) -> Vec<u8> {
    [&[0, 0, length, 0, 105, 0, 0, 0], fields].concat()
}

/// The field "802.11-Common" of PPI.
fn common(flags: [u8; 2]) -> Vec<u8> {
    [&[2, 0, 20, 0][..], &[0; 8], &flags, &[0; 10]].concat()
}

/// The FCS of a frame.
fn fcs(frame: &[u8]) -> [u8; 4] {
    crc32fast::hash(frame).to_le_bytes()
}

/// A frame begins after each header, and ends before its FCS if the header names one.
#[test]
fn a_frame_begins_after_its_header() {
    const TIME: u32 = 1;
    const MORE: u32 = 1 << 31;
    let timed = |padding: usize, flags: u8| [&vec![0; padding][..], &[0xff; 8], &[flags]].concat();
    let prism = |length: [u8; 4]| [&[0x44, 0, 0, 0], &length[..], &[9; 8]].concat();
    let avs = [&[0x80, 0x21, 0x10, 1, 0, 0, 0, 12][..], &[9; 4]].concat();
    for (link, header, named) in [
        (105, vec![], false),
        (119, prism([16, 0, 0, 0]), false),
        (119, prism([0, 0, 0, 16]), false),
        (119, avs.clone(), false),
        (163, avs, false),
        (127, radiotap(&[0], &[]), false),
        (127, radiotap(&[FLAGS], &[0x10]), true),
        (127, radiotap(&[FLAGS], &[0xaf]), false),
        (127, radiotap(&[FLAGS], &[]), false), // the flags would be in the frame
        (127, radiotap(&[4], &[0x10]), false), // the rate
        (127, radiotap(&[TIME], &timed(0, 0x10)), false),
        (127, radiotap(&[TIME | FLAGS], &timed(0, 0x10)), true),
        (127, radiotap(&[TIME | FLAGS], &timed(0, 0xaf)), false),
        (127, radiotap(&[MORE | FLAGS, 0], &[0x10]), true),
        (127, radiotap(&[MORE | FLAGS, MORE, 0], &[0x10]), true),
        (127, radiotap(&[MORE | TIME | FLAGS, 0], &timed(4, 0x10)), true),
        (127, radiotap(&[MORE | TIME | FLAGS, MORE, 0], &timed(0, 0x10)), true),
        (192, ppi(8, &[]), false),
        (192, ppi(12, &[9, 0, 0, 0]), false),
        (192, ppi(32, &common([1, 0])), true),
        (192, ppi(32, &common([0xfa, 0xff])), false),
        (192, ppi(40, &[&[9, 0, 4, 0, 0, 0, 0, 0], &common([1, 0])[..]].concat()), true),
        (192, ppi(24, &common([1, 0])), true), // as Kismet wrote it
        (192, ppi(24, &[&[9, 0, 12, 0][..], &[0; 12]].concat()), false),
    ] {
        // Read as flags or as a field of PPI, these bytes would name an FCS.
        for mut text in
            [[0x12; 20], std::array::from_fn(|n| if n % 12 == 0 { 3 - (n == 0) as u8 } else { 0 })]
        {
            if named {
                let (frame, end) = text.split_last_chunk_mut().unwrap();
                *end = fcs(frame);
            }
            let data = [&header[..], &text].concat();
            let at = |kept: usize, size: usize| {
                link::frame(Linktype(link), &data[..kept], size)
                    .map(|frame| (frame.data, frame.size))
            };
            let (len, size) = (data.len(), 20 - if named { 4 } else { 0 });
            assert_eq!(at(len, len), Some((&text[..size], size)), "{link} {header:02x?}");
            // The capture program cut the frame, and perhaps its FCS.
            assert_eq!(at(len - 6, len), Some((&text[..14], size)), "{link} {header:02x?}");
            assert_eq!(at(len, len + 1), Some((&text[..(size + 1).min(20)], size + 1)));
            assert_eq!(at(len, header.len()), (!named).then_some((&[][..], 0)));
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

/// A frame with a wrong FCS is left out and counted, whether a flag or the FCS itself says so.
#[test]
fn damaged_frames_are_left_out() {
    let sent = frame(0, false, b"some text");
    let expected = read(&[&sent]).networks;
    let (right, wrong) = (fcs(&sent), fcs(b"another frame"));
    for (link, header, end, kept) in [
        (127, radiotap(&[FLAGS], &[0]), &[][..], true),
        (127, radiotap(&[FLAGS], &[0x10]), &right, true),
        (127, radiotap(&[FLAGS], &[0x10]), &wrong, false),
        (127, radiotap(&[FLAGS], &[0x40]), &[], false),
        (127, radiotap(&[FLAGS], &[0x50]), &right, false),
        (127, radiotap(&[FLAGS], &[0x50]), &wrong, false),
        (192, ppi(32, &common([0, 0])), &[], true),
        (192, ppi(32, &common([1, 0])), &right, true),
        (192, ppi(32, &common([1, 0])), &wrong, false),
        (192, ppi(32, &common([4, 0])), &[], false),
        (192, ppi(32, &common([5, 0])), &right, false),
    ] {
        let packet = [&header[..], &sent, end].concat();
        let file = pcap(MICROSECONDS, link, &whole(&[&packet]));
        let read = capture::read(&file[..]).unwrap();
        assert_eq!((read.packets, read.broken), (1, u64::from(!kept)), "{header:02x?} {end:02x?}");
        assert_eq!(read.networks == expected, kept, "{header:02x?} {end:02x?}");
        assert_eq!(decrypted(&file).0.written, u64::from(kept));
        // The capture program did not keep the whole FCS, so only a flag tells.
        let flagged = header[8] & 0x40 != 0 || (link == 192 && header[20] & 4 != 0);
        let cut = pcap(MICROSECONDS, link, &[(&packet, packet.len() - 1)]);
        assert_eq!(capture::read(&cut[..]).unwrap().broken, u64::from(flagged), "{header:02x?}");
    }
}

/// Atheros drivers pad the header of a data frame to a multiple of four bytes. The FCS does not
/// cover the padding.
#[test]
fn padding_after_a_header_is_skipped() {
    let sent = frame(0, false, b"some text");
    let expected = read(&[&sent]).networks;
    let (header, body) = sent.split_at(24);
    let with = |kind: u8, flags: u8, more: &[u8]| {
        let mut header = header.to_vec();
        (header[0], header[1]) = (kind, flags);
        [&header[..], more].concat()
    };
    for (header, padding) in [
        (with(0x08, 0x42, &[]), 0),
        (with(0x88, 0x42, &[0; 2]), 2),
        (with(0x88, 0xc2, &[0; 6]), 2),
        (with(0x08, 0x43, &SOURCE), 2),
        (with(0x88, 0x43, &[&SOURCE[..], &[0; 2]].concat()), 0),
        (with(0x88, 0xc3, &[&SOURCE[..], &[0; 6]].concat()), 0),
        (with(0x80, 0x00, &[]), 0), // a beacon, which has no quality of service
    ] {
        let data = header[0] & 0x0c == 8;
        for flags in [0x20, 0x30] {
            let end = fcs(&[&header, body].concat());
            let end = if flags == 0x30 { &end[..] } else { &[] };
            let tap = radiotap(&[FLAGS], &[flags]);
            let packet = [&tap[..], &header, &vec![0xaa; padding], body, end].concat();
            let found = link::frame(Linktype(127), &packet, packet.len()).unwrap();
            assert_eq!(found.header, header.len() + padding, "{header:02x?}");
            assert_eq!(&found.data[found.header..], body, "{header:02x?}");
            let file = pcap(MICROSECONDS, 127, &whole(&[&packet]));
            let networks = capture::read(&file[..]).unwrap().networks;
            assert_eq!(networks, expected[..usize::from(data)], "{header:02x?}");
        }
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
    // A Packet Block of either byte order, after lost packets.
    let length = sent.len() as u32;
    let words = [length, length].map(u32::to_le_bytes).concat();
    let old = block(2, &[&[1, 0, 0xff, 0xff][..], &[0; 8], &words, &sent].concat());
    let read = got(&[&section(), &wired, &wifi, &old]).unwrap();
    assert_eq!((read.packets, &read.networks), (1, &expected.networks));
    let big = |kind: u32, body: &[u8]| {
        let length = (12 + body.len() as u32).to_be_bytes();
        [&kind.to_be_bytes()[..], &length, body, &length].concat()
    };
    let start = big(0x0a0d_0d0a, &[&[0x1a, 0x2b, 0x3c, 0x4d, 0, 1, 0, 0][..], &[0xff; 8]].concat());
    let (wired_big, wifi_big) =
        (big(1, &[0, 1, 0, 0, 0, 0, 0, 0]), big(1, &[0, 105, 0, 0, 0, 0, 0, 0]));
    let words = [length, length].map(u32::to_be_bytes).concat();
    let old = big(2, &[&[0, 1, 0xff, 0xff][..], &[0; 8], &words, &sent, &[0; 3]].concat());
    let read = got(&[&start, &wired_big, &wifi_big, &old]).unwrap();
    assert_eq!((read.packets, &read.networks), (1, &expected.networks));
    // The bits above the link type tell the length of the FCS.
    let read = capture::read(&pcap(MICROSECONDS, 105 | 0x5400_0000, &whole(&[&sent]))[..]);
    assert_eq!(read.unwrap(), expected);
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

/// The bodies by which a capture tests a key.
fn bodies(frames: &[(&[u8], usize)]) -> Vec<Body> {
    let read = capture::read(&pcap(MICROSECONDS, 105, frames)[..]).unwrap();
    match read.networks[0].check() {
        Check::Icv(bodies) => bodies,
        Check::Keystream => panic!("there are bodies"),
    }
}

/// At most 32 bodies test a key, from the whole capture, one for each IV. Cut bodies are left out.
#[test]
fn the_bodies_are_a_sample_of_the_capture() {
    let sent: Vec<_> = (0..4000).map(|n| frame(n, false, &n.to_le_bytes())).collect();
    let sent: Vec<&[u8]> = sent.iter().map(Vec::as_slice).collect();
    for count in [1, 2, 31, 32, 33, 4000] {
        let kept = bodies(&whole(&sent[..count]));
        assert_eq!(kept.len(), count.min(32));
        assert!(kept.iter().all(|body| body.open(KEY).is_some()));
        let again = [&sent[..count], &sent[..count]].concat();
        assert_eq!(bodies(&whole(&again)), kept, "each frame was sent twice");
        let reversed: Vec<&[u8]> = sent[..count].iter().rev().copied().collect();
        assert_eq!(bodies(&whole(&reversed)), kept);
        let first: Vec<(&[u8], usize)> =
            sent[..count].iter().map(|frame| (*frame, frame.len() - 1)).collect();
        assert_eq!(bodies(&[&first[..], &whole(&again)].concat()), kept, "cut, then whole");
    }
    // The IV has the packet's number. Each quarter of the capture is in the sample.
    let mut quarters = [0; 4];
    for body in bodies(&whole(&sent)) {
        quarters[usize::from(u16::from_le_bytes([body.iv[0], body.iv[1]])) / 1000] += 1;
    }
    assert!(quarters.iter().all(|&bodies| bodies > 2), "{quarters:?}");
}

/// A key is found although the capture begins with damaged frames, and with the wrong guesses of
/// chopchop for its first frame.
#[test]
fn damaged_frames_do_not_hide_the_key() {
    let packets = Packet::simulate(KEY, 40_000, &mut Random::new("damaged", 0, 0));
    let file = capture::write(KEY, &packets, Sender::Source);
    let sent: Vec<&[u8]> = file[24..].chunks(16 + 68).map(|record| &record[16..]).collect();
    let damaged: Vec<Vec<u8>> = sent[..2000]
        .iter()
        .map(|frame| [&frame[..60], &[frame[60] ^ 1], &frame[61..]].concat())
        .collect();
    let guesses: Vec<Vec<u8>> =
        (0..=255).map(|guess| [&sent[0][..66], &[guess]].concat()).collect();
    let bad = [damaged, guesses].concat();
    let bad: Vec<&[u8]> = bad.iter().map(Vec::as_slice).collect();
    let read = read(&[&sent[..1], &bad, &sent[2000..]].concat());
    let network = &read.networks[0];
    let readings = network.readings();
    let readings: Vec<&[Packet]> = readings.iter().map(Vec::as_slice).collect();
    let found = find_key(&readings, &network.check(), &[KEY.len()], Method::All, 300).unwrap();
    assert_eq!(found.key, KEY);
}

/// Networks come with the most packets first.
#[test]
fn networks_are_sorted() {
    let mut frames: Vec<_> = (0..6).map(|n| frame(n << 4, false, b"a text")).collect();
    frames.iter_mut().zip([5, 4, 4, 5, 5, 6]).for_each(|(frame, network)| frame[15] = network);
    let frames: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
    let read = read(&frames);
    let totals: Vec<_> = read.networks.iter().map(|one| (one.bssid.0[5], one.total())).collect();
    assert_eq!(totals, [(5, 3), (4, 2), (6, 1)]);
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
