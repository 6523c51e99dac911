//! The ciphers compared, by name.

use std::{fmt, str::FromStr};

use arcfour::{DynKeystream, Family, Plain, StartError, UnknownFamily, families::rc4a};
use chacha20::{
    ChaCha20Rng,
    rand_core::{Rng, SeedableRng},
};

/// A cipher whose keystream is looked into: a family, or RC4A as it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cipher {
    /// A family of the library.
    Family(Family),
    /// RC4A with one key for both tables.
    Rc4aEqual,
}

impl Cipher {
    const RC4A_EQUAL: &str = "rc4a-equal";

    /// Starts the cipher at its first byte.
    pub fn start(self, key: &[u8]) -> Result<Box<dyn DynKeystream>, StartError> {
        Ok(match self {
            Self::Family(family) => family.start(key, None, None)?,
            Self::Rc4aEqual => Box::new(Plain::new(rc4a::State::ksa_equal_keys(key)?)),
        })
    }

    /// How many bytes a round makes: i moves once for them. Families of one byte a round are looked
    /// at in fours.
    pub fn lanes(self) -> usize {
        match self {
            Self::Family(Family::Rc4a) | Self::Rc4aEqual => 2,
            Self::Family(_) => 4,
        }
    }
}

impl FromStr for Cipher {
    type Err = UnknownFamily;

    fn from_str(name: &str) -> Result<Self, UnknownFamily> {
        if name == Self::RC4A_EQUAL { Ok(Self::Rc4aEqual) } else { name.parse().map(Self::Family) }
    }
}

impl fmt::Display for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Family(family) => family.fmt(f),
            Self::Rc4aEqual => f.pad(Self::RC4A_EQUAL),
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
