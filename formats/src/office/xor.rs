//! XOR obfuscation: [MS-OFFCRYPTO] §2.3.7.

use zeroize::Zeroizing;

use super::{Error, FileKey};

/// A document's data about the password that obfuscates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Xor {
    /// The key that enters the array: 16 bits derived from the password.
    pub key: u16,
    /// A hash of the password, 15 bits.
    pub verifier: u16,
}

/// Maximum number of characters of a password.
const MOST: usize = 15;
/// §2.3.7.2: the bytes that fill the array after the password.
const PAD: [u8; 15] =
    [0xbb, 0xff, 0xff, 0xba, 0xff, 0xff, 0xb9, 0x80, 0x00, 0xbe, 0x0f, 0x00, 0xbf, 0x0f, 0x00];

impl Xor {
    /// Returns the array of a password, 16 bytes, which is the file key. A password is cut to 15
    /// characters. Each character counts with its low byte, or with its high byte if the low byte
    /// is zero (§2.3.7.4).
    pub fn file_key(&self, password: &str) -> FileKey {
        let bytes = password.encode_utf16().take(MOST).map(u16::to_le_bytes);
        let bytes: Zeroizing<Vec<u8>> =
            Zeroizing::new(bytes.map(|[low, high]| if low == 0 { high } else { low }).collect());
        let [low, high] = xor_key(&bytes).to_le_bytes();
        let text = bytes.iter().chain(&PAD).take(16);
        let array = text.zip([low, high].into_iter().cycle());
        FileKey::of(array.map(|(byte, key)| (byte ^ key).rotate_right(1)).collect())
    }

    /// A file key of these bytes.
    ///
    /// # Errors
    /// If they are not 16.
    pub fn key(&self, bytes: &[u8]) -> Result<FileKey, Error> {
        match bytes.len() {
            16 => Ok(FileKey::of(bytes.to_vec())),
            len => Err(Error::KeyLength { expected: 16, len }),
        }
    }

    /// Returns true if the key opens the document.
    pub fn fits(&self, key: &FileKey) -> bool {
        let Ok(array) = <&[u8; 16]>::try_from(key.bytes()) else { return false };
        let halves = self.key.to_le_bytes().into_iter().cycle();
        let text = array.iter().zip(halves).map(|(byte, key)| byte.rotate_left(1) ^ key);
        let text: Zeroizing<Vec<u8>> = Zeroizing::new(text.collect());
        (1..=MOST).any(|len| {
            let (password, pad) = text.split_at(len);
            pad.iter().zip(&PAD).all(|(a, b)| a == b)
                && xor_key(password) == self.key
                && verifier(password) == self.verifier
        })
    }
}

/// Decrypts bytes of a stream of Word (method 2). A byte that is zero, or would become zero, stays.
pub(super) fn apply_word(array: &[u8; 16], stream: &mut [u8]) {
    for (byte, key) in stream.iter_mut().zip(array.iter().cycle()) {
        if *byte != 0 && *byte != *key {
            *byte ^= key;
        }
    }
}

/// Decrypts a record of Excel (method 1), whose body begins at `at` in the stream.
pub(super) fn apply_excel(array: &[u8; 16], at: usize, body: &mut [u8]) {
    let start = at + body.len();
    for (n, byte) in body.iter_mut().enumerate() {
        *byte = (*byte ^ array[(start + n) % 16]).rotate_right(5);
    }
}

/// §2.3.7.1: the verifier of a password.
fn verifier(password: &[u8]) -> u16 {
    let turn = |hash: u16, byte: u8| (hash >> 14 & 1 | hash << 1 & 0x7fff) ^ u16::from(byte);
    let hash = password.iter().rev().fold(0, |hash, byte| turn(hash, *byte));
    turn(hash, password.len() as u8) ^ 0xce4b
}

/// §2.3.7.2: the key of a password.
fn xor_key(password: &[u8]) -> u16 {
    let Some(mut key) = password.len().checked_sub(1).map(|n| INITIAL[n]) else { return 0 };
    let mut element = MATRIX.len();
    for byte in password.iter().rev() {
        for bit in (0..7).rev() {
            element -= 1;
            if byte >> bit & 1 == 1 {
                key ^= MATRIX[element];
            }
        }
    }
    key
}

const INITIAL: [u16; 15] = [
    0xe1f0, 0x1d0f, 0xcc9c, 0x84c0, 0x110c, 0x0e10, 0xf1ce, 0x313e, 0x1872, 0xe139, 0xd40f, 0x84f9,
    0x280c, 0xa96a, 0x4ec3,
];

const MATRIX: [u16; 105] = [
    0xaefc, 0x4dd9, 0x9bb2, 0x2745, 0x4e8a, 0x9d14, 0x2a09, 0x7b61, 0xf6c2, 0xfda5, 0xeb6b, 0xc6f7,
    0x9dcf, 0x2bbf, 0x4563, 0x8ac6, 0x05ad, 0x0b5a, 0x16b4, 0x2d68, 0x5ad0, 0x0375, 0x06ea, 0x0dd4,
    0x1ba8, 0x3750, 0x6ea0, 0xdd40, 0xd849, 0xa0b3, 0x5147, 0xa28e, 0x553d, 0xaa7a, 0x44d5, 0x6f45,
    0xde8a, 0xad35, 0x4a4b, 0x9496, 0x390d, 0x721a, 0xeb23, 0xc667, 0x9cef, 0x29ff, 0x53fe, 0xa7fc,
    0x5fd9, 0x47d3, 0x8fa6, 0x0f6d, 0x1eda, 0x3db4, 0x7b68, 0xf6d0, 0xb861, 0x60e3, 0xc1c6, 0x93ad,
    0x377b, 0x6ef6, 0xddec, 0x45a0, 0x8b40, 0x06a1, 0x0d42, 0x1a84, 0x3508, 0x6a10, 0xaa51, 0x4483,
    0x8906, 0x022d, 0x045a, 0x08b4, 0x1168, 0x76b4, 0xed68, 0xcaf1, 0x85c3, 0x1ba7, 0x374e, 0x6e9c,
    0x3730, 0x6e60, 0xdcc0, 0xa9a1, 0x4363, 0x86c6, 0x1dad, 0x3331, 0x6662, 0xccc4, 0x89a9, 0x0373,
    0x06e6, 0x0dcc, 0x1021, 0x2042, 0x4084, 0x8108, 0x1231, 0x2462, 0x48c4,
];

/// Excel protects sheets with the same hash; other programs publish these values.
#[cfg(test)]
#[test]
fn verifiers_of_known_passwords() {
    for (password, hash) in [
        ("password", 0x83af),
        ("test", 0xcbeb),
        ("0", 0xce2a),
        ("01234567", 0xeb87),
        ("012345678901", 0xef87),
    ] {
        assert_eq!(verifier(password.as_bytes()), hash, "{password}");
    }
}
