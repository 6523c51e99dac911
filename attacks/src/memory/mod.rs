//! RC4 states in a memory dump, and their keys.
//!
//! [`scan()`] reads a dump once. It reports every table of 256 different bytes, or of 256 different
//! 32-bit words below 256, except known constants of other programs. [`Table::streams`] reads the
//! indexes i and j where common programs keep them. [`Stream::find_key`] goes back to the key
//! schedule and finds the key, which proves the find.

mod constant;
mod entry;
mod layout;
mod scan;

use rayon::prelude::*;

pub use entry::Entry;
pub use layout::{ELSEWHERE, LAYOUTS, Layout};
pub use scan::{Table, scan};

use crate::state::{self, Beginning};

/// A table with its indexes: a state of RC4, if that is what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Where the indexes are.
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
    /// Finds a key of one of `lengths` bytes whatever the indexes are, for programs that keep them
    /// elsewhere. All 65,536 pairs of indexes are tried, and for each length the `tests` likeliest
    /// keys. The stream must have begun at most `most` bytes before the dump. By chance, each 256
    /// of these bytes give one possible beginning for each value of j.
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

    /// The states that the table may be, one for each layout whose indexes are possible. If the
    /// table's first or last values follow it or stand before it, they are no indexes. A table that
    /// is there twice, as tables of noise are, goes on so.
    pub fn streams(&self) -> impl Iterator<Item = Stream> + '_ {
        LAYOUTS.iter().filter_map(|layout| {
            let (i, j) = self.indexes(layout)?;
            let again = if layout.before { &self.s[254..] } else { &self.s[..2] };
            (again != [i, j]).then_some(Stream { layout, s: self.s, i, j })
        })
    }

    /// The indexes where `layout` keeps them, if the table has such entries and they are in the dump and below 256.
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
        Some((small(i)?.wrapping_sub(layout.next.into()), small(j)?))
    }
}

impl Stream {
    /// Whether table and indexes alone make it likely to be a state: all are 32-bit words below 256, and the indexes are not
    /// both zero. Tables of bytes are not likely without a key: other ciphers have such tables, with anything beside them.
    pub fn is_likely(&self) -> bool {
        self.layout.entry != Entry::Byte && self.layout.width > 1 && (self.i, self.j) != (0, 0)
    }

    /// Finds a key of one of `lengths` bytes among the `tests` likeliest of each, if the stream began at most `most` bytes
    /// before the dump.
    pub fn find_key(&self, lengths: &[usize], most: u64, tests: u64) -> Option<Opened> {
        let beginnings: Vec<Beginning> = state::beginnings(&self.s, self.i, self.j, most).collect();
        let pairs: Vec<_> = beginnings
            .iter()
            .flat_map(|beginning| lengths.iter().map(move |&length| (beginning, length)))
            .collect();
        // Any of them: a wrong beginning has no key.
        pairs.into_par_iter().find_map_any(|(beginning, length)| {
            let found = state::find_key(&beginning.s, length, tests)?;
            Some(Opened { key: found.key, produced: beginning.produced })
        })
    }
}
