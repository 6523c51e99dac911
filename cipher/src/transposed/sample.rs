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
//!
//! Measured on a Zen 3 (AMD EPYC, family 25 model 1) beside other work, the best of many calls.
//! 160 keys of 16 bytes, 20 bytes of keystream each:
//!
//! * Entries joined by shifts in registers: 251 ns a key. Inserted into a vector by SSE4.1: 226 ns.
//! * Keys and outputs transposed eight bytes at a time by shifts: no faster than byte by byte.
//! * Transposed sixteen at a time by instructions that interleave bytes: 217 to 205 ns. In a loop
//!   that the compiler did not unroll: 229 ns.
//!
//! The steps of the key schedule alone, 16 keys of 16 bytes:
//!
//! * By shifts: 188 ns a key. Inserted: 162 ns. The bytes to store extracted from a vector too: the
//!   same.
//! * A store of a byte takes two cycles on this core, a store of 32 bits one. So tables with entries
//!   of 32 bits were tried: 154 to 184 ns, with four times the memory.
//! * The indexes read back from memory: 209 ns.
//! * S\[i\] read two steps ahead and mended where j is i: 177 ns in place of 205 for the whole. One
//!   step ahead: 181 ns; three or four steps: 186 to 190 ns. `first.rs` gains nothing by it.
//! * With 82 instructions a step in place of 117, by shifts in place and the names for the lowest
//!   two bytes: the same.

use super::{GROUP, Tables, UNKEYED, for_each_pair, half, set_keys};
use crate::{
    backends::{Sixteen, columns, with_inserts},
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
    let mut sampler = Sampler {
        keys: [[0; LANES]; 256],
        tables: [UNKEYED; 2],
        keystreams: [[0; LANES]; LONGEST],
    };
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
    /// A row for each byte of the outputs.
    keystreams: [[u8; LANES]; LONGEST],
}

impl Sampler {
    fn sample(&mut self, keys: &[&[u8]; LANES], outs: &mut [&mut [u8]; LANES]) {
        let rows = set_keys(&mut self.keys, keys);
        self.schedule(rows);
        let len = outs.iter().map(|out| out.len()).max().unwrap_or(0);
        self.fill(len);
        for (at, rows) in (0..len).step_by(LANES).zip(self.keystreams.as_chunks::<LANES>().0) {
            for (out, column) in outs.iter_mut().zip(columns(rows.each_ref())) {
                let out = out.get_mut(at..).unwrap_or_default();
                match out.first_chunk_mut() {
                    Some(whole) => *whole = column,
                    None => out.iter_mut().zip(column).for_each(|(byte, of)| *byte = of),
                }
            }
        }
    }

    fn schedule(&mut self, rows: usize) {
        let Self { keys, tables, .. } = self;
        *tables = [UNKEYED; 2];
        with_inserts(
            #[inline(always)]
            || {
                let mut j = Sixteen::splat(0);
                let mut ahead = Ahead::new(tables, 0);
                let mut row = 0;
                for i in 0..256 {
                    j = j.plus(Sixteen::new(half(&keys[row], 0)));
                    row = if row + 1 == rows { 0 } else { row + 1 };
                    swap(tables, i, &mut j, &mut ahead);
                }
            },
        );
    }

    /// Makes `len` bytes of each keystream, from i = 1 on.
    fn fill(&mut self, len: usize) {
        let Self { tables, keystreams, .. } = self;
        with_inserts(
            #[inline(always)]
            || {
                let mut j = Sixteen::splat(0);
                let mut ahead = Ahead::new(tables, 1);
                for (i, row) in (1..).zip(&mut keystreams[..len]) {
                    let t = swap(tables, i, &mut j, &mut ahead);
                    let words = entries(tables, t).words();
                    row.as_chunks_mut().0.copy_from_slice(&words.map(u64::to_le_bytes));
                }
            },
        );
    }
}

/// S\[i\] and S\[i + 1\], read before the last bytes were stored. A read of eight bytes waits for a
/// byte among them that was just stored.
struct Ahead([Sixteen; 2]);

impl Ahead {
    #[inline(always)]
    fn new(tables: &[Tables; 2], i: usize) -> Self {
        Self([i, i + 1].map(|i| read(tables, i)))
    }
}

/// Returns S\[i\] of each lane.
#[inline(always)]
fn read(tables: &[Tables; 2], i: usize) -> Sixteen {
    Sixteen::new(tables.each_ref().map(|tables| u64::from_le_bytes(tables[i])))
}

/// Adds S\[i\] to j, and swaps S\[i\] and S\[j\]. Returns their sum.
#[inline(always)]
fn swap(tables: &mut [Tables; 2], i: usize, j: &mut Sixteen, ahead: &mut Ahead) -> Sixteen {
    let [s_i, next] = ahead.0;
    let after = read(tables, (i + 2) % 256);
    *j = j.plus(s_i);
    let s_j = exchange(tables, *j, s_i.words());
    for (tables, word) in tables.iter_mut().zip(s_j.words()) {
        tables[i] = word.to_le_bytes();
    }
    // S[j] may be one of the entries that were read before.
    let stored = |entry: Sixteen, at: usize| entry.replaced(*j, Sixteen::splat(at as u8), s_i);
    ahead.0 = [stored(next, i + 1), stored(after, i + 2)];
    s_i.plus(s_j)
}

/// Stores the byte of each lane in its table, at its index. Returns the entries that were there.
#[inline(always)]
fn exchange(tables: &mut [Tables; 2], at: Sixteen, mut bytes: [u64; 2]) -> Sixteen {
    let mut before = [0; LANES];
    for_each_pair_of_both(
        at,
        #[inline(always)]
        |n, lane, [a, b]| {
            let (tables, bytes) = (&mut tables[n], &mut bytes[n]);
            before[GROUP * n + lane] = tables[a][lane];
            before[GROUP * n + lane + 1] = tables[b][lane + 1];
            tables[a][lane] = *bytes as u8;
            tables[b][lane + 1] = (*bytes >> 8) as u8;
            *bytes >>= 16;
        },
    );
    Sixteen::of(before)
}

/// Returns the entry of each lane at its index.
#[inline(always)]
fn entries(tables: &[Tables; 2], at: Sixteen) -> Sixteen {
    let mut entries = [0; LANES];
    for_each_pair_of_both(
        at,
        #[inline(always)]
        |n, lane, [a, b]| {
            entries[GROUP * n + lane] = tables[n][a][lane];
            entries[GROUP * n + lane + 1] = tables[n][b][lane + 1];
        },
    );
    Sixteen::of(entries)
}

/// Calls `visit` with each pair of lanes of both groups. Its arguments are the number of the group,
/// the first lane in the group, and the indexes of the entries.
#[inline(always)]
fn for_each_pair_of_both(at: Sixteen, mut visit: impl FnMut(usize, usize, [usize; 2])) {
    for (n, at) in at.words().into_iter().enumerate() {
        for_each_pair(
            at,
            #[inline(always)]
            |lane, at| visit(n, lane, at),
        );
    }
}

wiped!(Sampler, |sampler| {
    sampler.keys.as_flattened_mut().fill(0);
    sampler.tables.as_flattened_mut().as_flattened_mut().fill(0);
    sampler.keystreams.as_flattened_mut().fill(0);
});
