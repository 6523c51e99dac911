//! A part of the keys.

use std::{ops::Range, str::FromStr};

use arcfour_attacks::search::KeySpace;

use crate::console::failure::Failure;

/// `K/N`: part K, from 1, of N.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// The numbers of its keys.
    ///
    /// # Errors
    /// If there is no such part.
    pub(super) fn of(self, space: &KeySpace) -> Result<Range<u128>, Failure> {
        let shard = space.shard(self.index, self.count);
        shard.map_err(|error| Failure::Usage(error.to_string()))
    }
}

impl FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once('/');
        let number = |text: &str| text.parse().ok().filter(|_| !text.starts_with('+'));
        let shard = parts.and_then(|(index, count)| Some((number(index)?, number(count)?)));
        let (index, count) = shard.ok_or("expected K/N, such as 3/64 for the third of 64 parts")?;
        match count {
            0 => Err("there is at least one part: N is 1 or more"),
            _ => Ok(Self { index, count }),
        }
    }
}
