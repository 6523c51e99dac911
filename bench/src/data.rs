//! The random keys and data of every engine, and the expected bytes by the definition.

use std::io::Write;

use anyhow::{Result, bail, ensure};
use arcfour::families::rc4::State;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use rand::RngExt;
use tempfile::NamedTempFile;

use crate::engine::Workload;

/// Bytes of a key.
pub const KEY_BYTES: usize = 16;
/// Keys in the ring.
pub const KEYS: usize = 4096;
/// Data start at a random place of a page, so that no engine has a lucky alignment.
pub const PAGE: usize = 4096;
/// Bytes xored with the last key after a setup, to check it.
const PROOF: usize = 256;

/// What an engine computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cipher {
    Rc4,
    /// In counter mode, all 16 bytes of the nonce 0.
    Aes128Ctr,
    /// Of RFC 8439, from block 0: the key twice, all 12 bytes of the nonce 0.
    ChaCha20,
}

impl Cipher {
    /// Returns the cipher of an engine: RC4, unless its name begins with another cipher's.
    pub fn of(engine: &str) -> Self {
        let others = [("aes-128-ctr", Self::Aes128Ctr), ("chacha20", Self::ChaCha20)];
        let found = others.iter().find(|(name, _)| engine.starts_with(name));
        found.map_or(Self::Rc4, |(_, cipher)| *cipher)
    }

    /// A cipher other than RC4, by a different library than OpenSSL.
    fn other(self, key: &[u8]) -> Result<Box<dyn StreamCipher>> {
        Ok(match self {
            Self::Rc4 => bail!("the definition is in the library"),
            Self::Aes128Ctr => {
                Box::new(ctr::Ctr128BE::<aes::Aes128>::new_from_slices(key, &[0; 16])?)
            }
            Self::ChaCha20 => {
                let key = [key, key].concat();
                Box::new(chacha20::ChaCha20::new_from_slices(&key, &[0; 12])?)
            }
        })
    }
}

/// Keys and data, in memory and in the file the engines read.
pub struct Data {
    file: NamedTempFile,
    keys: Vec<u8>,
    text: Vec<u8>,
}

impl Data {
    /// Random keys, and data for pieces of up to `bytes` bytes at any place of a page.
    pub fn random(bytes: usize) -> Result<Self> {
        let (mut keys, mut text) = (vec![0; KEYS * KEY_BYTES], vec![0; bytes + PAGE]);
        rand::rng().fill(&mut keys[..]);
        rand::rng().fill(&mut text[..]);
        let mut file = NamedTempFile::new()?;
        file.write_all(&keys)?;
        file.write_all(&text)?;
        file.flush()?;
        Ok(Self { file, keys, text })
    }

    /// The file: first the keys, then the data.
    pub fn path(&self) -> &std::path::Path {
        self.file.path()
    }

    /// Bytes of data.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// A random place of the first page.
    pub fn offset() -> usize {
        rand::rng().random_range(0..PAGE)
    }

    /// Returns the expected bytes at `at` after `iterations` times `work` from a reset.
    pub fn expected(
        &self,
        cipher: Cipher,
        work: Workload,
        at: usize,
        iterations: usize,
    ) -> Result<Vec<u8>> {
        let state = |n: usize| State::ksa(&self.keys[n * KEY_BYTES..][..KEY_BYTES]);
        let apply =
            |state: &mut State, data: &mut [u8]| data.iter_mut().for_each(|b| *b ^= state.prga());
        ensure!((1..=KEYS).contains(&iterations), "{iterations} iterations to check; 1 to {KEYS}");
        let mut data = self.text[at..][..checked_bytes(work)].to_vec();
        match work {
            Workload::Stream(_) if cipher != Cipher::Rc4 => {
                let mut stream = cipher.other(&self.keys[..KEY_BYTES])?;
                (0..iterations).for_each(|_| stream.apply_keystream(&mut data));
            }
            Workload::Stream(_) => {
                let mut state = state(0)?;
                (0..iterations).for_each(|_| apply(&mut state, &mut data));
            }
            Workload::Setup => apply(&mut state(iterations - 1)?, &mut data),
            Workload::Message(_) => {
                for n in 0..iterations {
                    apply(&mut state(n)?, &mut data);
                }
            }
        }
        Ok(data)
    }
}

/// Returns how many bytes the check of `work` compares.
pub fn checked_bytes(work: Workload) -> usize {
    if work == Workload::Setup { PROOF } else { work.bytes() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setup_is_checked_by_the_last_key_and_messages_by_all() -> Result<()> {
        let data = Data::random(300)?;
        let keystream = |n: usize| {
            let mut state = State::ksa(&data.keys[16 * n..][..16]).unwrap();
            std::array::from_fn::<u8, 256, _>(|_| state.prga())
        };
        let xor = |with: &[[u8; 256]]| -> Vec<u8> {
            (0..256).map(|i| with.iter().fold(data.text[9 + i], |byte, k| byte ^ k[i])).collect()
        };
        assert_eq!(data.expected(Cipher::Rc4, Workload::Setup, 9, 3)?, xor(&[keystream(2)]));
        let all = [keystream(0), keystream(1), keystream(2)];
        assert_eq!(data.expected(Cipher::Rc4, Workload::Message(256), 9, 3)?, xor(&all));
        Ok(())
    }

    #[test]
    fn a_stream_goes_on() -> Result<()> {
        let data = Data::random(64)?;
        let mut twice = data.expected(Cipher::Rc4, Workload::Stream(32), 0, 2)?;
        let mut state = State::ksa(&data.keys[..16])?;
        let keystream: Vec<u8> = (0..64).map(|_| state.prga()).collect();
        twice
            .iter_mut()
            .zip(&keystream[..32])
            .zip(&keystream[32..])
            .for_each(|((b, k), l)| *b ^= k ^ l);
        assert_eq!(twice, data.text[..32]);
        Ok(())
    }
}
