//! The first bytes of keystream of many keys.
//!
//! # Diary
//!
//! Every step makes its swap, so the whole table is right. The swap costs a load for each key. The
//! loaded bytes of eight keys are joined in a register, because one store of eight bytes to S\[i\] is
//! faster than eight stores.
//!
//! Measured on a Zen 1 (AMD EPYC, family 23 model 1) beside other work. The five streams of assembly
//! (`x86_64/lanes.rs`) did the same work in turn. Their time is 1 below. No other core was measured.
//!
//! * As here, keys of 5 bytes: 0.70 for 1 byte of keystream, 0.79 for 20, 0.85 for 32, 0.95 for 64.
//!   Keys of 16 bytes: 0.73, 0.81, 0.87 and 0.97. A longer output is faster by the streams.
//! * With `schedule` and `fill` inlined into the caller: 1.00 for 20 bytes, because registers run
//!   out.
//! * Eight stores to S\[i\] in place of one: the steps alone 0.8.
//! * 32 keys at a time: 0.08 more for 20 bytes.
//! * Rows of keys by an iterator that repeats: 0.04 more.
//! * Half the instructions for the indexes, by shifts in place: the same.
//! * All entries read before the first store, in two loops: 1.01 for 20 bytes. So
//!   `exchange` reads and stores each pair of lanes in turn.

use super::{GROUP, Tables, UNKEYED, entries, for_each_pair, half, set_keys};
use crate::{
    backends::Sixteen,
    wipe::{wipe_stack, wiped},
};

/// Number of keys scheduled side by side.
const LANES: usize = 2 * GROUP;
/// The longest output for which this is faster than the streams of a backend.
const LONGEST: usize = 64;

/// Writes the first bytes of keystream of each key, if no output is longer than [`LONGEST`]. Returns
/// the number of keys done, a multiple of [`LANES`].
pub(crate) fn sample(keys: &[&[u8]], outs: &mut [&mut [u8]]) -> usize {
    let (keys, _) = keys.as_chunks();
    if keys.is_empty() || outs.iter().any(|out| out.len() > LONGEST) {
        return 0;
    }
    let mut sampler = Sampler { keys: [[0; LANES]; 256], tables: [UNKEYED; 2] };
    for (keys, outs) in keys.iter().zip(outs.as_chunks_mut().0) {
        sampler.sample(keys, outs);
    }
    wipe_stack::<2048>();
    LANES * keys.len()
}

/// The tables of [`LANES`] keys.
#[repr(align(64))]
struct Sampler {
    keys: [[u8; LANES]; 256],
    tables: [Tables; 2],
}

impl Sampler {
    fn sample(&mut self, keys: &[&[u8]; LANES], outs: &mut [&mut [u8]; LANES]) {
        let rows = set_keys(&mut self.keys, keys);
        self.schedule(rows);
        let mut keystreams = [[0; LANES]; LONGEST];
        let len = outs.iter().map(|out| out.len()).max().unwrap_or(0);
        self.fill(&mut keystreams[..len]);
        for (lane, out) in outs.iter_mut().enumerate() {
            out.iter_mut().zip(&keystreams).for_each(|(byte, row)| *byte = row[lane]);
        }
    }

    // Inlined into the caller, the loop runs out of registers.
    #[inline(never)]
    fn schedule(&mut self, rows: usize) {
        let Self { keys, tables } = self;
        *tables = [UNKEYED; 2];
        let mut j = Sixteen::splat(0);
        let mut row = 0;
        for i in 0..256 {
            j = j.plus(Sixteen::new(half(&keys[row], 0)));
            row = if row + 1 == rows { 0 } else { row + 1 };
            swap(tables, i, &mut j);
        }
    }

    /// Writes the next bytes of each keystream, from i = 1 on.
    // Not inlined, as above.
    #[inline(never)]
    fn fill(&mut self, keystreams: &mut [[u8; LANES]]) {
        let mut j = Sixteen::splat(0);
        for (i, row) in (1..).zip(keystreams) {
            let t = swap(&mut self.tables, i, &mut j);
            for ((bytes, tables), t) in
                row.as_chunks_mut::<GROUP>().0.iter_mut().zip(&self.tables).zip(t.words())
            {
                *bytes = entries(tables, t).to_le_bytes();
            }
        }
    }
}

/// Adds S\[i\] to j, and swaps S\[i\] and S\[j\]. Returns their sum.
#[inline(always)]
fn swap(tables: &mut [Tables; 2], i: usize, j: &mut Sixteen) -> Sixteen {
    let s_i = tables.each_ref().map(|tables| u64::from_le_bytes(tables[i]));
    *j = j.plus(Sixteen::new(s_i));
    let mut s_j = [0; 2];
    for (n, at) in j.words().into_iter().enumerate() {
        s_j[n] = exchange(&mut tables[n], at, s_i[n]);
        tables[n][i] = s_j[n].to_le_bytes();
    }
    Sixteen::new(s_i).plus(Sixteen::new(s_j))
}

/// Stores the byte of each lane in its table, at its index. Returns the entries that were there.
#[inline(always)]
fn exchange(tables: &mut Tables, at: u64, mut bytes: u64) -> u64 {
    let mut before = 0;
    for_each_pair(at, |lane, [a, b]| {
        let pair = u64::from(tables[a][lane]) | u64::from(tables[b][lane + 1]) << 8;
        tables[a][lane] = bytes as u8;
        tables[b][lane + 1] = (bytes >> 8) as u8;
        before |= pair << (8 * lane);
        bytes >>= 16;
    });
    before
}

wiped!(Sampler, |sampler| {
    sampler.keys.as_flattened_mut().fill(0);
    sampler.tables.as_flattened_mut().as_flattened_mut().fill(0);
});
