//! The ciphers compared, by name.

use arcfour::{
    Keystream, Parc4r, Plain, Rc4, Rc4a,
    families::{
        parc4i::{self, Reading},
        rc4a,
    },
};
use chacha20::{
    ChaCha20Rng,
    rand_core::{Rng, SeedableRng},
};
use clap::ValueEnum;

/// A cipher whose keystream is looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Cipher {
    /// RC4 itself, as a control
    Rc4,
    /// RC4A, its second key made by RC4
    Rc4a,
    /// RC4A with one key for both tables
    Rc4aEqual,
    /// PARC4-I as its algorithm 2 is printed
    Parc4i,
    /// PARC4-I as the text above describes it
    Parc4iText,
    /// PARC4-R, our repair of it
    Parc4r,
}

impl Cipher {
    /// The cipher with a key, at its first byte.
    pub fn start(self, key: &[u8]) -> Result<Box<dyn Keystream>, arcfour::KeyLengthError> {
        Ok(match self {
            Self::Rc4 => Box::new(Rc4::from_key(key)?),
            Self::Rc4a => Box::new(Rc4a::from_key(key)?),
            Self::Rc4aEqual => Box::new(Plain::new(rc4a::State::ksa_equal_keys(key)?)),
            Self::Parc4i => Box::new(Plain::new(parc4i::State::ksa(key, Reading::Printed)?)),
            Self::Parc4iText => Box::new(Plain::new(parc4i::State::ksa(key, Reading::Text)?)),
            Self::Parc4r => Box::new(Parc4r::from_key(key)?),
        })
    }

    /// How many bytes a round makes: i moves once for them. PARC4-R and RC4 are looked at in fours.
    pub fn lanes(self) -> usize {
        match self {
            Self::Rc4a | Self::Rc4aEqual => 2,
            _ => 4,
        }
    }
}

/// Keys of 16 bytes from ChaCha20, a stream of their own for each number.
pub struct Keys(ChaCha20Rng);

impl Keys {
    /// The keys of a stream, the same on every machine.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut random = ChaCha20Rng::seed_from_u64(seed);
        random.set_stream(stream);
        Self(random)
    }

    /// The next key.
    pub fn draw(&mut self) -> [u8; 16] {
        let mut key = [0; 16];
        self.0.fill_bytes(&mut key);
        key
    }
}
