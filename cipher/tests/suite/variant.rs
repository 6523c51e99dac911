//! Changed RC4s, against `rc4mod` of Binary Refinery.

use arcfour::{Keystream, families::variant::Variant};

use super::{hex, unhex};

#[test]
fn binary_refinery_makes_the_same_keystreams() {
    let mut compared = 0;
    for line in include_str!("../rc4mod.txt").lines().filter(|line| !line.starts_with('#')) {
        let [description, key, keystream] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let variant: Variant = description.parse().unwrap();
        let mut made = vec![0; unhex(keystream).len()];
        variant.start(key.as_bytes()).unwrap().fill(&mut made);
        assert_eq!(hex(made), keystream, "{line}");
        compared += 1;
    }
    assert_eq!(compared, 144);
}
