//! Finds WEP keys from simulated packets.

use arcfour::Rc4;
use arcfour_attacks::{
    experiment::Random,
    wep::{
        Bytes, CERTAIN, Check, FoundKey, KNOWN, Method, Packet, default_max_prefixes, measure,
        packets_for_half, recorded,
    },
};

pub(super) fn network(length: usize, packets: usize, trial: u64) -> (Vec<u8>, Vec<Packet>) {
    let mut random = Random::new("test of WEP", length as u64, trial);
    let key = random.bytes(length);
    let packets = Packet::simulate(&key, packets, &mut random);
    (key, packets)
}

/// The search on simulated packets, which have no bodies.
fn find_key(packets: &[Packet], lengths: &[usize], method: Method, most: u64) -> Option<FoundKey> {
    arcfour_attacks::wep::find_key(&[packets], &Check::Keystream, lengths, method, most)
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
