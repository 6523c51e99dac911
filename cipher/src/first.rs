//! The first byte of keystream of many keys.
//!
//! # Diary
//!
//! The key schedule needs no swap to find the next j. Step i reads S\[i\] and adds it to j. The
//! old S\[i\] must then lie at S\[j\], where a later step may read it. The old S\[j\] would lie at
//! S\[i\], which no later step reads before another store there. So a step is a load and a store.
//! All tables of a group lie interleaved, byte by byte. So one load reads S\[i\] of eight tables,
//! and one vector addition makes sixteen j. Only the stores go to a place of their own.
//!
//! Afterwards an entry that no later step stored is missing. The list of all j has it. The swaps
//! taken back, from the last to the first, lead from an entry's index to its value, for sixteen
//! tables in a vector. The first byte of keystream depends on S\[1\], S\[S\[1\]\] and one more entry.
//! Steps 0 and 1 also swap, so S\[1\] is right without the list.
//!
//! Measured on a Zen 1 (AMD EPYC, family 23 model 1) at 2.5 to 3 GHz, beside other work. Five
//! streams of assembly (`x86_64/lanes.rs`), run in turn, take 380 ns a key. Their time is 1 below.
//! No other core was measured.
//!
//! * As here: 0.60 for keys of 5 bytes, 0.63 for 16. Of that, 0.42 are the steps, 0.11 the swaps
//!   taken back. The steps take 1.6 cycles each. A loop that only stores bytes at random places
//!   takes no less on this machine.
//! * The swaps as well, for the whole table: the steps alone 0.8.
//! * 16 keys at a time: the steps 0.5. With 48 and 64: 0.42.
//! * S\[i + 1\] loaded early and mended by a comparison with j: 0.42, of 16 keys too.
//! * Half the instructions for the indexes, by shifts in place: 0.42. So the stores are the limit.
//! * Without vectors, bytes added in words: 0.5. The compiler makes no vectors of arrays here.
//! * The tables made anew by the compiler's loop instead of copied: 0.06 more.

use core::{array, fmt};

use crate::{
    KeyLengthError,
    backends::Sixteen,
    error::check_key,
    families::rc4::IDENTITY,
    wipe::{wipe_stack, wiped},
};

/// Number of tables that lie interleaved.
const GROUP: usize = 8;
/// Number of keys scheduled side by side.
const LANES: usize = 4 * GROUP;

/// A byte of each lane.
type Row = [u8; LANES];
/// S\[i\] of a group, for each i.
type Tables = [[u8; GROUP]; 256];

/// The tables before the key schedule. They are copied, because making them takes longer.
static UNKEYED: [[Tables; 2]; 2] = {
    let mut tables = [[0; GROUP]; 256];
    let mut i = 0;
    while i < 256 {
        tables[i] = [IDENTITY[i]; GROUP];
        i += 1;
    }
    [[tables; 2]; 2]
};

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
pub struct FirstBytes {
    keys: [Row; 256],
    tables: [[Tables; 2]; 2],
    /// j of each step of the key schedule.
    js: [Row; 256],
}

impl FirstBytes {
    /// Makes room for the work, about 24 KiB.
    pub fn new() -> Self {
        let row = [0; LANES];
        Self { keys: [row; 256], tables: [[[[0; GROUP]; 256]; 2]; 2], js: [row; 256] }
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
            let rows = self.set_keys(keys);
            self.schedule(rows);
            firsts.copy_from_slice(&self.firsts()[..firsts.len()]);
        }
        wipe_stack::<512>();
        Ok(())
    }

    /// Takes a key for each lane. Returns the number of rows after which all keys begin anew.
    fn set_keys(&mut self, keys: &[&[u8]]) -> usize {
        let len = keys[0].len();
        let rows = if keys.iter().all(|key| key.len() == len) { len } else { 256 };
        for (lane, key) in keys.iter().enumerate() {
            for rows in self.keys[..rows].chunks_mut(key.len()) {
                rows.iter_mut().zip(*key).for_each(|(row, &byte)| row[lane] = byte);
            }
        }
        rows
    }

    /// Runs the key schedules for j. Afterwards S\[1\] is right, and other entries may not be.
    fn schedule(&mut self, rows: usize) {
        let Self { keys, tables, js } = self;
        *tables = UNKEYED;
        let mut j = [Sixteen::new([0; 2]); 2];
        let mut row = 0;
        for i in 0..256 {
            let (key, js) = (halves(&keys[row]), &mut js[i]);
            row = if row + 1 == rows { 0 } else { row + 1 };
            for half in 0..2 {
                let tables = &mut tables[half];
                let s_i = tables.each_ref().map(|tables| u64::from_le_bytes(tables[i]));
                j[half] = j[half].plus(Sixteen::new(key[half])).plus(Sixteen::new(s_i));
                for (group, at) in j[half].words().into_iter().enumerate() {
                    let tables = &mut tables[group];
                    js[16 * half + GROUP * group..][..GROUP].copy_from_slice(&at.to_le_bytes());
                    if i <= 1 {
                        let at = at.to_le_bytes().map(usize::from);
                        tables[i] = array::from_fn(|lane| tables[at[lane]][lane]);
                    }
                    store(tables, at, s_i[group]);
                }
            }
        }
    }

    /// Returns the bytes that the first step after the key schedule makes.
    fn firsts(&self) -> Row {
        let mut s_1 = [0; LANES];
        for (s_1, tables) in s_1.as_chunks_mut().0.iter_mut().zip(self.tables.as_flattened()) {
            *s_1 = tables[1];
        }
        // Here i = 1 and j = S[1].
        let s_j = self.entries(s_1);
        let t = array::from_fn(|lane| s_1[lane].wrapping_add(s_j[lane]));
        let s_t = self.entries(t);
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
        for i in (0..256).rev() {
            let (i, js) = (i as u8, &self.js[i]);
            at = array::from_fn(|lane| {
                // Masks, because the compiler makes slower vectors of conditions.
                let swapped = u8::from(at[lane] == i) | u8::from(at[lane] == js[lane]);
                at[lane] ^ (i ^ js[lane]) & swapped.wrapping_neg()
            });
        }
        at
    }
}

/// Stores the byte of each lane in its table, at its index.
#[inline(always)]
fn store(tables: &mut Tables, mut at: u64, mut bytes: u64) {
    // Two lanes at a time: x86-64 has names for the lowest two bytes of a register.
    for lane in (0..GROUP).step_by(2) {
        tables[usize::from(at as u8)][lane] = bytes as u8;
        tables[usize::from((at >> 8) as u8)][lane + 1] = (bytes >> 8) as u8;
        (at, bytes) = (at >> 16, bytes >> 16);
    }
}

/// Returns the bytes of each group as a number.
#[inline(always)]
fn halves(row: &Row) -> [[u64; 2]; 2] {
    let (groups, _) = row.as_chunks();
    let word = |group: usize| u64::from_le_bytes(groups[group]);
    [[word(0), word(1)], [word(2), word(3)]]
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
    firsts.js.as_flattened_mut().fill(0);
});
