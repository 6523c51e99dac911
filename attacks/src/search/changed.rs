//! The information that a byte of a changed RC4's keystream gives, and the keys that it takes for the same.

use arcfour::{Keystream, families::variant::Variant};

use super::ByteSet;
use crate::experiment::Random;

/// Number of keystreams whose values are counted, and bytes of each. A value that one byte in 256 has is missed with a
/// probability of e^-256.
const KEYSTREAMS: u64 = 64;
const LENGTH: usize = 1 << 10;

/// Returns the values that a byte of keystream has.
pub(super) fn values(variant: &Variant) -> ByteSet {
    let keystream = |n| {
        let key = Random::new("values of a changed RC4", n, 0).bytes(16);
        fill(variant, &key, LENGTH)
    };
    (0..KEYSTREAMS).flat_map(keystream).collect()
}

/// Returns the least number below 256 for which keys are the same if their bytes are equal modulo this number.
pub(super) fn modulus(variant: &Variant) -> Option<u8> {
    let key: [u8; 16] = std::array::from_fn(|n| 255 - n as u8);
    let keystream = fill(variant, &key, 64);
    (2..=255).find(|&modulus| fill(variant, &key.map(|byte| byte % modulus), 64) == keystream)
}

fn fill(variant: &Variant, key: &[u8], length: usize) -> Vec<u8> {
    let mut keystream = vec![0; length];
    variant.start(key).expect("16 bytes").fill(&mut keystream);
    keystream
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of values of a byte of keystream, and the modulus of the keys.
    #[test]
    fn small_tables_have_few_values_and_keys() {
        for (text, count, expected) in [
            ("rc4", 256, None),
            ("size=16", 16, Some(16)),
            ("size=255", 255, Some(255)),
            ("size=100, table=256", 256, Some(100)),
            ("size=512", 256, None),
            ("schedule=j+T[i]+K[i]*2", 256, Some(128)),
            ("output=T[i]&15", 16, None),
        ] {
            let variant: Variant = text.parse().unwrap();
            assert_eq!((values(&variant).count(), modulus(&variant)), (count, expected), "{text}");
        }
        let even: Variant = "size=16, fill=i*2".parse().unwrap();
        assert!(values(&even).values().eq((0..16).map(|n| 2 * n)));
    }
}
