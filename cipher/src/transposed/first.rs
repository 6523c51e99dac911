//! The first byte of keystream of many keys.
//!
//! # Diary
//!
//! The key schedule needs no swap to find the next j. Step i reads S\[i\] and adds it to j. The
//! old S\[i\] must then lie at S\[j\], where a later step may read it. The old S\[j\] would lie at
//! S\[i\], which no later step reads before another store there. So a step is a load and a store.
//! Only the stores go to a place of their own.
//!
//! Afterwards an entry that no later step stored is missing. The list of all j has it. The swaps
//! taken back, from the last to the first, lead from an entry's index to its value, for sixteen
//! tables in a vector. Three entries determine the first byte of keystream: S\[1\], S\[S\[1\]\] and the
//! entry at the sum of both.
//! Steps 0 and 1 also swap, so S\[1\] is right without the list.
//!
//! Measured on a Zen 1 (AMD EPYC, family 23 model 1) at 2.5 to 3 GHz, beside other work. Five
//! streams of assembly (`x86_64/lanes.rs`), run in turn, take 380 ns a key. Their time is 1 below.
//! No other core was measured.
//!
//! * As here: 0.54 for keys of 5 bytes, 0.57 for 16. Of that, 0.42 are the steps, 0.09 the swaps
//!   taken back.
//! * With `schedule` and `firsts` inlined into the caller: 0.06 more in a search.
//! * i of the swaps taken back made anew in each step: 0.06 more.
//! * A step with j < i stores to S\[i\], which lies in the row that was just read: the steps as long.
//! * The swaps as well, for the whole table: see `sample.rs`.
//! * 16 keys at a time: the steps 0.5. With 48 and 64: 0.42.
//! * S\[i + 1\] loaded early and mended by a comparison with j: 0.42, of 16 keys too.
//! * Half the instructions for the indexes, by shifts in place: 0.42 to 0.5.
//! * The indexes read back from memory: the steps 0.65.
//! * Without vectors, bytes added in words: 0.5. The compiler makes no vectors of arrays here.
//! * The tables made anew by the compiler's loop instead of copied: 0.06 more.
//!
//! Measured on a Zen 3 (AMD EPYC, family 25 model 1): with `entries` of `sample.rs` in the steps, a
//! password of a PDF file took 236 ns. As here, it took 196 ns.

use core::{array, fmt};

use super::{GROUP, Tables, UNKEYED, for_each_pair, half, set_keys};
use crate::{
    KeyLengthError,
    backends::Sixteen,
    error::check_key,
    wipe::{wipe_stack, wiped},
};

/// Number of keys scheduled side by side.
const LANES: usize = 4 * GROUP;

/// A byte of each lane.
type Row = [Sixteen; 2];

/// Makes the first byte of keystream of many keys. A key search needs no more to reject 255 of 256
/// keys.
///
/// Faster than [`rekey_many`](crate::rekey_many), because most of the swaps are left out.
///
/// ```
/// # use arcfour::FirstBytes;
/// let mut firsts = [0; 2];
/// FirstBytes::new().fill(&[b"Key", b"Wiki"], &mut firsts)?;
/// assert_eq!(firsts, [0xeb, 0x60]);
/// # Ok::<(), arcfour::KeyLengthError>(())
/// ```
#[derive(Clone)]
#[repr(align(64))]
pub struct FirstBytes {
    keys: [[u8; LANES]; 256],
    tables: [[Tables; 2]; 2],
    /// j of each step of the key schedule.
    js: [Row; 256],
}

impl FirstBytes {
    /// Makes room for the work, about 24 KiB.
    pub fn new() -> Self {
        Self {
            keys: [[0; LANES]; 256],
            tables: [[UNKEYED; 2]; 2],
            js: [[Sixteen::splat(0); 2]; 256],
        }
    }

    /// Writes the first byte of keystream of each key to the place with the same index.
    ///
    /// Fastest for a multiple of 32 keys of the same length.
    ///
    /// # Errors
    /// If a key is empty or has more than 256 bytes; `firsts` then stays as it was.
    ///
    /// # Panics
    /// If the numbers of keys and places differ.
    pub fn fill(&mut self, keys: &[&[u8]], firsts: &mut [u8]) -> Result<(), KeyLengthError> {
        assert_eq!(keys.len(), firsts.len(), "as many places as keys");
        keys.iter().try_for_each(|key| check_key(key))?;
        for (keys, firsts) in keys.chunks(LANES).zip(firsts.chunks_mut(LANES)) {
            let rows = set_keys(&mut self.keys, keys);
            self.schedule(rows);
            firsts.copy_from_slice(&self.firsts()[..firsts.len()]);
        }
        wipe_stack::<512>();
        Ok(())
    }

    /// Runs the key schedules for j. Afterwards S\[1\] is right, and other entries may not be.
    // Inlined into the caller, the loop runs out of registers.
    #[inline(never)]
    fn schedule(&mut self, rows: usize) {
        let Self { keys, tables, js } = self;
        tables.as_flattened_mut().fill(UNKEYED);
        let mut j = [Sixteen::splat(0); 2];
        let mut row = 0;
        for i in 0..256 {
            let key = &keys[row];
            row = if row + 1 == rows { 0 } else { row + 1 };
            for n in 0..2 {
                let tables = &mut tables[n];
                let s_i = tables.each_ref().map(|tables| u64::from_le_bytes(tables[i]));
                j[n] = j[n].plus(Sixteen::new(half(key, n))).plus(Sixteen::new(s_i));
                js[i][n] = j[n];
                for (group, at) in j[n].words().into_iter().enumerate() {
                    let tables = &mut tables[group];
                    if i <= 1 {
                        tables[i] = entries(tables, at).to_le_bytes();
                    }
                    store(tables, at, s_i[group]);
                }
            }
        }
    }

    /// Returns the bytes that the first step after the key schedule makes.
    // Not inlined, as above.
    #[inline(never)]
    fn firsts(&self) -> [u8; LANES] {
        let s_1 = self.tables.each_ref().map(|tables| {
            Sixteen::new(tables.each_ref().map(|tables| u64::from_le_bytes(tables[1])))
        });
        // Here i = 1 and j = S[1].
        let s_j = self.entries(s_1);
        let t = array::from_fn(|n| s_1[n].plus(s_j[n]));
        let [s_1, s_j, s_t, t] = [s_1, s_j, self.entries(t), t].map(bytes);
        // The step swaps S[1] and S[j] before it looks up S[t].
        array::from_fn(|lane| match t[lane] {
            1 => s_j[lane],
            t if t == s_1[lane] => t,
            _ => s_t[lane],
        })
    }

    /// Returns the entry of each lane's scheduled table at this index. Takes the swaps back, until
    /// the index is the entry's place in the first table.
    fn entries(&self, mut at: Row) -> Row {
        let mut i = Sixteen::splat(0);
        for js in self.js.iter().rev() {
            i = i.plus(Sixteen::splat(0xff));
            for (at, &j) in at.iter_mut().zip(js) {
                *at = at.exchanged(i, j);
            }
        }
        at
    }
}

fn bytes(row: Row) -> [u8; LANES] {
    let mut bytes = [0; LANES];
    let words = row.map(Sixteen::words);
    for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words.as_flattened()) {
        *bytes = word.to_le_bytes();
    }
    bytes
}

/// Stores the byte of each lane in its table, at its index.
#[inline(always)]
fn store(tables: &mut Tables, at: u64, mut bytes: u64) {
    for_each_pair(at, |lane, [a, b]| {
        tables[a][lane] = bytes as u8;
        tables[b][lane + 1] = (bytes >> 8) as u8;
        bytes >>= 16;
    });
}

/// Returns the entry of each lane at its index.
#[inline(always)]
fn entries(tables: &Tables, at: u64) -> u64 {
    let mut entries = 0;
    for_each_pair(at, |lane, [a, b]| {
        let pair = u64::from(tables[a][lane]) | u64::from(tables[b][lane + 1]) << 8;
        entries |= pair << (8 * lane);
    });
    entries
}

impl Default for FirstBytes {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for FirstBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FirstBytes").finish_non_exhaustive()
    }
}

wiped!(FirstBytes, |firsts| {
    firsts.keys.as_flattened_mut().fill(0);
    firsts.tables.as_flattened_mut().as_flattened_mut().as_flattened_mut().fill(0);
    firsts.js.fill([Sixteen::splat(0); 2]);
});
