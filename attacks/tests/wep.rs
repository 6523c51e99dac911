//! WEP keys from simulated packets.

use arcfour::Rc4;
use arcfour_attacks::{
    experiment::Random,
    wep::{Method, Packet, find_key},
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
        let mut keystream = [0; 16];
        Rc4::from_key(&[&packet.iv[..], &key].concat()).unwrap().fill(&mut keystream);
        assert_eq!(packet.keystream, keystream);
        assert!(packet.fits(&key) && !packet.fits(&key[1..]));
    }
}

/// With packets enough each method finds the key; with few of them none does.
#[test]
fn keys_are_found_from_packets_enough() {
    for (length, method, packets) in
        [(13, Method::All, 80_000), (13, Method::Klein, 80_000), (5, Method::All, 60_000)]
    {
        let (key, packets) = network(length, packets, 1);
        let found = find_key(&packets, length, method, 300).unwrap();
        assert_eq!(found.key, key, "{method:?}");
        assert!(found.counted >= length as u64);
        assert_eq!(find_key(&packets[..packets.len() / 40], length, method, 30), None);
    }
    let (_, packets) = network(13, 2, 2);
    assert_eq!(find_key(&packets, 13, Method::All, 30), None);
    assert_eq!(find_key(&[], 13, Method::All, 30), None);
}

/// Votes without Klein's need more packets, and weak IVs most of all.
#[test]
fn keys_are_found_by_korek() {
    let (key, packets) = network(5, 400_000, 3);
    assert_eq!(find_key(&packets, 5, Method::Korek, 20).unwrap().key, key);
}
