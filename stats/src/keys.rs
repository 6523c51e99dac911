//! The keys of a shard: the output of ChaCha20 with the campaign's seed as key and the shard's
//! number as stream.

use chacha20::{
    ChaCha20Rng,
    rand_core::{Rng, SeedableRng},
};

use crate::campaign::{Campaign, KeyPattern};

/// The keys of a shard, in order.
pub struct Keys {
    random: ChaCha20Rng,
    length: usize,
    stride: usize,
    pattern: Option<KeyPattern>,
    bytes: Vec<u8>,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Keys").field("length", &self.length).finish_non_exhaustive()
    }
}

impl Keys {
    /// Starts at key number `done` of `shard`, both counted from 0.
    pub fn new(campaign: &Campaign, shard: u64, done: u64) -> Self {
        let length = usize::from(campaign.key_length());
        let words = length.div_ceil(4);
        let mut random = ChaCha20Rng::from_seed(*campaign.seed());
        random.set_stream(shard);
        random.set_word_pos(u128::from(done) * words as u128);
        Self { random, length, stride: 4 * words, pattern: campaign.key_pattern(), bytes: vec![] }
    }

    /// Returns the next `n` keys.
    pub fn next(&mut self, n: usize) -> impl Iterator<Item = &[u8]> {
        self.bytes.resize(n * self.stride, 0);
        self.random.fill_bytes(&mut self.bytes);
        if let Some(KeyPattern::Tkip) = self.pattern {
            for key in self.bytes.chunks_exact_mut(self.stride) {
                key[1] = (key[0] | 0x20) & 0x7f;
            }
        }
        self.bytes.chunks_exact(self.stride).map(|key| &key[..self.length])
    }
}
