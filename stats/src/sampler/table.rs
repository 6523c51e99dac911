//! The tables of a shard: every counter over a batch of keystreams.

use arcfour::families::rc4::State;

use crate::campaign::{Count, Kind, Section};

/// Positions of single bytes counted together: 32 KiB of cells.
const TILE: usize = 64;
/// Keystreams they are counted over at a time.
const ROWS: usize = 1 << 10;
/// Positions transposed into columns together, and keystreams of each transposition.
const TURN: usize = 64;

/// Counts that never overflow: 16 bits in the cache, and 64-bit totals.
pub(super) struct Table {
    pub(super) section: Section,
    pub(super) near: Vec<u16>,
    pub(super) totals: Vec<u64>,
}

/// A batch of keystreams and their keys.
pub(super) struct Batch<'a> {
    pub(super) keys: &'a [&'a [u8]],
    pub(super) bytes: &'a [u8],
    pub(super) stride: usize,
    pub(super) drop: usize,
}

impl Batch<'_> {
    /// Returns each keystream without its drop, so that position r is at r − 1.
    fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.stride).map(|row| &row[self.drop..])
    }
}

/// Adds 1. A wrap adds 2^16 to the total.
#[inline(always)]
fn bump(near: &mut u16, total: impl FnOnce() -> usize, totals: &mut [u64]) {
    let (sum, wrapped) = near.overflowing_add(1);
    *near = sum;
    if wrapped {
        widen(totals, total());
    }
}

#[cold]
#[inline(never)]
fn widen(totals: &mut [u64], cell: usize) {
    totals[cell] += 1 << 16;
}

#[inline(always)]
fn digraph(a: u8, b: u8) -> usize {
    usize::from(a) << 8 | usize::from(b)
}

impl Table {
    /// Adds the 16-bit counts to the totals.
    pub(super) fn add_up(&mut self) {
        for (total, near) in self.totals.iter_mut().zip(&mut self.near) {
            *total += u64::from(std::mem::take(near));
        }
    }

    pub(super) fn count(&mut self, count: &Count, batch: &Batch) {
        match self.section.kind {
            Kind::Single => self.count_single(batch),
            Kind::Digraphs => self.count_digraphs(batch),
            Kind::Pairs => {
                for (group, &(a, b)) in count.pairs.iter().enumerate() {
                    self.count_pairs(group, batch, a as usize - 1, b as usize - 1);
                }
            }
            Kind::Equal => {
                for (group, &(a, b)) in count.equal.iter().enumerate() {
                    let (a, b) = (a as usize - 1, b as usize - 1);
                    let equal = batch.rows().filter(|row| row[a] == row[b]).count() as u64;
                    self.add_equal(group, equal, batch.rows().count() as u64);
                }
            }
            Kind::LongTerm => self.count_long_term(batch, count.long_term as usize),
            Kind::Absab => {
                let length = count.absab.0 as usize;
                for gap in 0..self.section.groups {
                    let equal = batch.rows().map(|row| absab(&row[..length + gap + 3], gap)).sum();
                    self.add_equal(gap, equal, (batch.rows().count() * length) as u64);
                }
            }
            Kind::Roos => self.count_roos(batch),
            Kind::RoosOutput => {
                for (key, row) in batch.keys.iter().zip(batch.bytes.chunks_exact(batch.stride)) {
                    let predicted = key[2].wrapping_add(3);
                    let cell = digraph(key[0].wrapping_add(key[1]), row[0].wrapping_sub(predicted));
                    self.totals[cell] += 1;
                }
            }
            Kind::Glimpse => self.count_glimpse(batch),
        }
    }

    fn count_single(&mut self, batch: &Batch) {
        let Self { near, totals, .. } = self;
        let (tables, _) = near.as_chunks_mut::<256>();
        for block in batch.bytes.chunks(ROWS * batch.stride) {
            for (tile, tables) in tables.chunks_mut(TILE).enumerate() {
                let from = batch.drop + tile * TILE;
                for row in block.chunks_exact(batch.stride) {
                    for (at, (table, &z)) in tables.iter_mut().zip(&row[from..]).enumerate() {
                        let cell = || (tile * TILE + at) << 8 | usize::from(z);
                        bump(&mut table[usize::from(z)], cell, totals);
                    }
                }
            }
        }
    }

    fn count_digraphs(&mut self, batch: &Batch) {
        let Self { near, totals, .. } = self;
        let (tables, _) = near.as_chunks_mut::<{ 1 << 16 }>();
        let rows: Vec<&[u8]> = batch.rows().collect();
        let n = rows.len();
        let mut columns = vec![0; (TURN + 1) * n];
        for (turn, tables) in tables.chunks_mut(TURN).enumerate() {
            let from = turn * TURN;
            for (at, rows) in rows.chunks(TURN).enumerate() {
                for (position, column) in columns.chunks_exact_mut(n).enumerate() {
                    if position > tables.len() {
                        break;
                    }
                    for (z, row) in column[at * TURN..].iter_mut().zip(rows) {
                        *z = row[from + position];
                    }
                }
            }
            let seconds = columns.chunks_exact(n).skip(1);
            let pairs = columns.chunks_exact(n).zip(seconds);
            for (at, (table, (firsts, seconds))) in tables.iter_mut().zip(pairs).enumerate() {
                for (&a, &b) in firsts.iter().zip(seconds) {
                    let pair = digraph(a, b);
                    bump(&mut table[pair], || (from + at) << 16 | pair, totals);
                }
            }
        }
    }

    fn count_pairs(&mut self, group: usize, batch: &Batch, a: usize, b: usize) {
        let (tables, _) = self.near.as_chunks_mut::<{ 1 << 16 }>();
        let table = &mut tables[group];
        for row in batch.rows() {
            let pair = digraph(row[a], row[b]);
            bump(&mut table[pair], || group << 16 | pair, &mut self.totals);
        }
    }

    fn count_long_term(&mut self, batch: &Batch, length: usize) {
        let (tables, _) = self.near.as_chunks_mut::<{ 1 << 16 }>();
        for (i, table) in tables.iter_mut().enumerate() {
            let first = (i + 255 - batch.drop % 256) % 256; // position r = first + 1 has this i
            for row in batch.rows() {
                for pair in row[..=length].windows(2).skip(first).step_by(256) {
                    let pair = digraph(pair[0], pair[1]);
                    bump(&mut table[pair], || i << 16 | pair, &mut self.totals);
                }
            }
        }
    }

    fn count_roos(&mut self, batch: &Batch) {
        let (tables, _) = self.totals.as_chunks_mut::<256>();
        for key in batch.keys {
            let state = State::ksa(key).expect("a campaign's keys have 1 to 256 bytes");
            let (s, ..) = state.parts();
            let mut predicted = 0_u8;
            for (y, table) in tables.iter_mut().enumerate() {
                predicted = predicted.wrapping_add(y as u8).wrapping_add(key[y % key.len()]);
                table[usize::from(s[y].wrapping_sub(predicted))] += 1;
            }
        }
    }

    fn count_glimpse(&mut self, batch: &Batch) {
        let (tables, _) = self.totals.as_chunks_mut::<256>();
        for key in batch.keys {
            let mut state = State::ksa(key).expect("a campaign's keys have 1 to 256 bytes");
            (0..batch.drop).for_each(|_| _ = state.prga());
            for table in &mut *tables {
                let z = state.prga();
                let (s, i, j) = state.parts();
                table[usize::from(s[usize::from(j)].wrapping_add(z).wrapping_sub(i))] += 1;
            }
        }
    }

    fn add_equal(&mut self, group: usize, equal: u64, events: u64) {
        self.totals[2 * group] += events - equal;
        self.totals[2 * group + 1] += equal;
    }
}

/// Counts the digraphs of the keystream that are repeated after a gap of `gap` bytes.
fn absab(row: &[u8], gap: usize) -> u64 {
    let again = &row[gap + 2..];
    let same =
        row.windows(2).zip(again.windows(2)).map(|(a, b)| u32::from(a[0] == b[0] && a[1] == b[1]));
    same.sum::<u32>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts 2^16 + 3 keystreams of the bytes 0, 1, 2, …, without the first two.
    #[test]
    fn cells_that_pass_16_bits_lose_nothing() {
        let (all, stride, drop) = ((1 << 16) + 3, 80, 2);
        let bytes: Vec<u8> = (0..all).flat_map(|_| 0..stride as u8).collect();
        let batch = Batch { keys: &[], bytes: &bytes, stride, drop };
        let count = Count { pairs: vec![(7, 7), (70, 3)], long_term: 3, ..Count::default() };
        // Position r has the byte r + 1, so the pair of r and s is the cell 256 (r + 1) + s + 1.
        let pair = |r: usize, s: usize| 256 * (r + 1) + s + 1;
        let singles: Vec<usize> = (1..=70).map(|r| 256 * (r - 1) + r + 1).collect();
        let digraphs: Vec<usize> = (1..=67).map(|r| 65_536 * (r - 1) + pair(r, r + 1)).collect();
        let long_term: Vec<usize> = (1..=3).map(|r| 65_536 * (r + 2) + pair(r, r + 1)).collect();
        for (kind, groups, cells, right) in [
            (Kind::Single, 70, 256, singles),
            (Kind::Digraphs, 67, 65_536, digraphs),
            (Kind::Pairs, 2, 65_536, vec![pair(7, 7), 65_536 + pair(70, 3)]),
            (Kind::LongTerm, 256, 65_536, long_term),
        ] {
            let section = Section { kind, groups, cells };
            let (near, totals) = (vec![0; section.len()], vec![0; section.len()]);
            let mut table = Table { section, near, totals };
            table.count(&count, &batch);
            table.add_up();
            let found = table.totals.iter().enumerate().filter(|&(_, &count)| count > 0);
            let right = right.into_iter().map(|cell| (cell, all as u64));
            assert!(found.map(|(cell, &count)| (cell, count)).eq(right), "{kind:?}");
        }
    }
}
