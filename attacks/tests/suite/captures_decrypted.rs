//! Captures that are decrypted with the key: times, fragments, and what is left out.

use arcfour::Rc4;
use arcfour_attacks::wep::capture::{self, CaptureError, Decrypted};

use super::captures::{
    MICROSECONDS, NANOSECONDS, SOURCE, STATION, decrypted, enhanced, frame, interface, pcap,
    records, section, whole,
};

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
    let file = pcap(MICROSECONDS, 105, &whole(&frames));
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
