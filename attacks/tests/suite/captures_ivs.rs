//! Files of IVs and keystreams that airodump-ng writes.

use arcfour_attacks::wep::{
    Bytes, KNOWN, Packet,
    capture::{self, CaptureError, Kind, Network},
};

use super::{captures_simulated::Slow, wep::network};

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
