//! Finds RC4 states in a memory dump, and their keys.
//!
//! [`scan()`] reads a dump once. It reports every table of 256 different entries below 256, except
//! known constants of other programs. [`Table::streams`] reads the
//! indexes i and j where common programs keep them. [`Stream::find_key`] runs RC4 back to the key
//! schedule and finds the key, which proves that the table is RC4's.

mod constant;
mod entry;
mod layout;
mod scan;

use rayon::prelude::*;

pub use entry::Entry;
pub use layout::{ELSEWHERE, LAYOUTS, Layout};
pub use scan::{Table, scan};

use crate::state::{self, Beginning};

/// A table with its indexes: a possible state of RC4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// The place of the indexes.
    pub layout: &'static Layout,
    /// The table.
    pub s: [u8; 256],
    /// The index i.
    pub i: u8,
    /// The index j.
    pub j: u8,
}

/// A stream whose key was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The key.
    pub key: Vec<u8>,
    /// Bytes of keystream made between the key schedule and the dump.
    pub produced: u64,
}

impl Table {
    /// Finds a key of one of `lengths` bytes for unknown indexes, for programs that keep them
    /// elsewhere. Tries all 65,536 pairs of indexes, and the `tests` likeliest keys of each length.
    /// The stream must have begun at most `most` bytes before the dump. By chance, every 256 of
    /// these bytes give one possible beginning for each value of j.
    pub fn find_key_anywhere(
        &self,
        lengths: &[usize],
        most: u64,
        tests: u64,
    ) -> Option<(Stream, Opened)> {
        let pairs: Vec<(u8, u8)> = (0..=255).flat_map(|i| (0..=255).map(move |j| (i, j))).collect();
        pairs.into_par_iter().find_map_any(|(i, j)| {
            state::beginnings(&self.s, i, j, most).find_map(|beginning| {
                let found =
                    lengths.iter().find_map(|&n| state::find_key(&beginning.s, n, tests))?;
                let opened = Opened { key: found.key, produced: beginning.produced };
                Some((Stream { layout: &ELSEWHERE, s: self.s, i, j }, opened))
            })
        })
    }

    /// Returns the possible states, one for each layout with possible indexes. If the bytes beside
    /// the table continue the table, they are no indexes. Tables of noise are often stored twice
    /// and continue so.
    pub fn streams(&self) -> impl Iterator<Item = Stream> + '_ {
        LAYOUTS.iter().filter_map(|layout| {
            let (kept, j) = self.indexes(layout)?;
            let again = if layout.before { &self.s[254..] } else { &self.s[..2] };
            let i = kept.wrapping_sub(layout.next.into());
            (again != [kept, j]).then_some(Stream { layout, s: self.s, i, j })
        })
    }

    /// Returns the indexes as the program keeps them at their place in `layout`. `None` if the
    /// entries are others, or the indexes are not in the dump or not below 256.
    fn indexes(&self, layout: &Layout) -> Option<(u8, u8)> {
        if self.entry != layout.entry {
            return None;
        }
        let near = match layout.before {
            true => self.before.get(self.before.len().checked_sub(2 * layout.width)?..)?,
            false => self.after.get(..2 * layout.width)?,
        };
        let (i, j) = near.split_at(layout.width);
        let small = |index: &[u8]| index[1..].iter().all(|&byte| byte == 0).then_some(index[0]);
        Some((small(i)?, small(j)?))
    }
}

impl Stream {
    /// Returns true if table and indexes alone are a likely state. They are all words of 32 or 64
    /// bits below 256, and the kept indexes are not both zero. Tables of bytes are likely only with a
    /// key, because other ciphers have such tables, with anything beside them.
    ///
    /// Several streams of one table may be likely: libgcrypt and the Linux kernel keep different
    /// values of i at the same place.
    pub fn is_likely(&self) -> bool {
        let kept = self.i.wrapping_add(self.layout.next.into());
        self.layout.entry != Entry::Byte && self.layout.width > 1 && (kept, self.j) != (0, 0)
    }

    /// Finds a key of one of `lengths` bytes among the `tests` likeliest keys of each length, if
    /// the stream began at most `most` bytes before the dump.
    pub fn find_key(&self, lengths: &[usize], most: u64, tests: u64) -> Option<Opened> {
        let beginnings: Vec<Beginning> = state::beginnings(&self.s, self.i, self.j, most).collect();
        let pairs: Vec<_> = beginnings
            .iter()
            .flat_map(|beginning| lengths.iter().map(move |&length| (beginning, length)))
            .collect();
        // Any beginning with a key is right, because a wrong beginning has none.
        pairs.into_par_iter().find_map_any(|(beginning, length)| {
            let found = state::find_key(&beginning.s, length, tests)?;
            Some(Opened { key: found.key, produced: beginning.produced })
        })
    }
}
