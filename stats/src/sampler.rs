//! The sampler: keystreams of many keys, counted.
//!
//! Diary, on one core of a virtual Zen 5: a step of counting is a load, an add and a store, so what
//! matters is that the cells are near. A batch of keystreams is made first. Single bytes: as many
//! positions as fill half of the first cache go over some keystreams together; neighbouring steps
//! are in tables of different positions, so equal bytes do not wait for one another. Digraphs: the
//! 128 KiB of one position go over the whole batch, so the batch is large; going down the rows as
//! they are took 24 cycles a step, since every step was in another page, so 64 positions at a
//! time are turned into columns first. Cells have 16 bits; the add that wraps one puts 2^16 into its
//! 64-bit total, so no count is ever lost and none is widened on a schedule.
//!
//! Tried together for digraphs and not kept, as they did not gain (1.29 to 1.41 µs a keystream of 512
//! positions, whole process, against 1.12 to 1.26): cells of 8 bits, whose tables are half as large but
//! wrap 256 times as often; turning 8 × 8 bytes in registers, 16,384 rows at a time; and counting
//! long-term digraphs from the same columns (0.42 GB/s either way).

use arcfour::families::rc4::State;

use crate::{
    campaign::{Campaign, Count, Kind, Section},
    file::CountsFile,
    keys::Keys,
};

/// Bytes of keystream in a batch, to stay in the second cache.
const BATCH: usize = 256 << 10;
/// Bytes of keystream in a batch if pairs are counted: their tables are too large for the cache, and each is
/// fetched once a batch.
const PAIRS_BATCH: usize = 32 << 20;
/// Keystreams made by one call, as a multiple of the lanes.
const CALL: usize = 16;
/// Positions of single bytes counted together: 32 KiB of cells.
const TILE: usize = 64;
/// Keystreams they are counted over at a time.
const ROWS: usize = 1 << 10;
/// Positions turned into columns together, and keystreams of each turn.
const TURN: usize = 64;

/// A shard that is being counted.
pub struct Sampler {
    campaign: Campaign,
    shard: u64,
    keys: Keys,
    done: u64,
    stride: usize,
    rows: usize,
    keystreams: Vec<u8>,
    tables: Vec<Table>,
}

/// Counts that never overflow: 16 bits near, 64 bits far.
struct Table {
    section: Section,
    near: Vec<u16>,
    totals: Vec<u64>,
}

/// Why counting cannot start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SamplerError {
    /// The campaign has no such shard.
    #[error("the shard is {shard}; it must be 0 to {last}")]
    NoSuchShard {
        /// Its number.
        shard: u64,
        /// The last of the campaign.
        last: u64,
    },
    /// The counts to go on from are of several shards.
    #[error("the counts are of several shards; only one shard can go on")]
    SeveralShards,
}

impl Sampler {
    /// Starts to count a shard.
    ///
    /// # Errors
    /// If the campaign has no such shard.
    pub fn start(campaign: Campaign, shard: u64) -> Result<Self, SamplerError> {
        let last = campaign.shards() - 1;
        if shard > last {
            return Err(SamplerError::NoSuchShard { shard, last });
        }
        let tables = campaign.empty_tables();
        Ok(Self::new(campaign, shard, 0, tables))
    }

    /// Goes on from the counts of a shard that is not complete; one that is complete has no more steps.
    ///
    /// # Errors
    /// If the counts are of more than one shard.
    pub fn resume(file: CountsFile) -> Result<Self, SamplerError> {
        let (campaign, shard, done, tables) =
            file.into_shard().ok_or(SamplerError::SeveralShards)?;
        Ok(Self::new(campaign, shard, done, tables))
    }

    fn new(campaign: Campaign, shard: u64, done: u64, totals: Vec<Vec<u64>>) -> Self {
        let length = campaign.drop() as usize + campaign.length();
        let stride = length.max(1).next_multiple_of(16);
        let lanes = arcfour::lanes();
        let sections = campaign.sections();
        let pairs = sections.iter().any(|section| section.cells == 1 << 16);
        let bytes = if pairs { PAIRS_BATCH } else { BATCH };
        let rows = (bytes / stride).max(1).next_multiple_of(lanes);
        let tables = sections.into_iter().zip(totals);
        Self {
            keys: Keys::new(&campaign, shard, done),
            campaign,
            shard,
            done,
            stride,
            rows,
            keystreams: vec![0; rows * stride],
            tables: tables
                .map(|(section, totals)| Table { section, near: vec![0; totals.len()], totals })
                .collect(),
        }
    }

    /// The campaign.
    pub fn campaign(&self) -> &Campaign {
        &self.campaign
    }

    /// Number of keystreams counted so far.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Counts a batch of keystreams, and says whether the shard has more. A complete shard is left
    /// as it is.
    pub fn step(&mut self) -> bool {
        let left = self.campaign.keystreams() - self.done;
        if left == 0 {
            return false;
        }
        let rows = left.min(self.rows as u64) as usize;
        let keys: Vec<&[u8]> = self.keys.next(rows).collect();
        let keystreams = &mut self.keystreams[..rows * self.stride];
        let call = CALL * arcfour::lanes();
        for (keys, outs) in keys.chunks(call).zip(keystreams.chunks_mut(call * self.stride)) {
            let mut outs: Vec<_> = outs.chunks_exact_mut(self.stride).collect();
            arcfour::sample_many(keys, &mut outs).expect("a campaign's keys have 1 to 256 bytes");
        }
        let batch = Batch {
            keys: &keys,
            bytes: keystreams,
            stride: self.stride,
            drop: self.campaign.drop() as usize,
        };
        for table in &mut self.tables {
            table.count(self.campaign.count(), &batch);
        }
        self.done += rows as u64;
        self.done < self.campaign.keystreams()
    }

    /// Returns the counts so far.
    pub fn counts(&mut self) -> CountsFile {
        let tables = self.tables.iter_mut().map(|table| {
            table.add_up();
            table.totals.clone()
        });
        let tables = tables.collect();
        CountsFile::of_shard(self.campaign.clone(), self.shard, self.done, tables)
    }

    /// Ends the counting and returns the counts.
    pub fn finish(self) -> CountsFile {
        let tables = self.tables.into_iter().map(|mut table| {
            table.add_up();
            table.totals
        });
        CountsFile::of_shard(self.campaign, self.shard, self.done, tables.collect())
    }
}

/// Keystreams side by side, and their keys.
struct Batch<'a> {
    keys: &'a [&'a [u8]],
    bytes: &'a [u8],
    stride: usize,
    drop: usize,
}

impl Batch<'_> {
    /// Returns each keystream without its drop, so that position r is at r − 1.
    fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.stride).map(|row| &row[self.drop..])
    }
}

/// Adds 1; what wraps goes to the total.
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
    /// Moves what is near to the totals.
    fn add_up(&mut self) {
        for (total, near) in self.totals.iter_mut().zip(&mut self.near) {
            *total += u64::from(std::mem::take(near));
        }
    }

    fn count(&mut self, count: &Count, batch: &Batch) {
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

/// Counts the digraphs of the keystream that come again after a gap of `gap` bytes.
fn absab(row: &[u8], gap: usize) -> u64 {
    let again = &row[gap + 2..];
    let same =
        row.windows(2).zip(again.windows(2)).map(|(a, b)| u32::from(a[0] == b[0] && a[1] == b[1]));
    same.sum::<u32>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn campaign(rest: &str) -> Campaign {
        let seed = "c0".repeat(32);
        Campaign::parse(&format!("seed = '{seed}'\nshards = 3\n{rest}")).unwrap()
    }

    fn run(campaign: &Campaign, shard: u64) -> Vec<Vec<u64>> {
        let mut sampler = Sampler::start(campaign.clone(), shard).unwrap();
        while sampler.step() {}
        sampler.finish().tables().to_vec()
    }

    /// Every counter by its definition, keystream by keystream.
    fn plainly(campaign: &Campaign, shard: u64) -> Vec<Vec<u64>> {
        let mut tables = campaign.empty_tables();
        let mut keys = Keys::new(campaign, shard, 0);
        let count = campaign.count();
        for _ in 0..campaign.keystreams() {
            let key = keys.next(1).next().unwrap().to_vec();
            let mut z = vec![0; campaign.length()];
            arcfour::Rc4::with_drop(&key, campaign.drop().into()).unwrap().fill(&mut z);
            z.insert(0, 0); // positions count from 1
            let pair = |a: usize, b: usize| usize::from(z[a]) * 256 + usize::from(z[b]);
            for (section, table) in campaign.sections().iter().zip(&mut tables) {
                match section.kind {
                    Kind::Single => {
                        (1..=count.single as usize)
                            .for_each(|r| table[(r - 1) * 256 + usize::from(z[r])] += 1);
                    }
                    Kind::Digraphs => {
                        (1..=count.digraphs as usize)
                            .for_each(|r| table[(r - 1) * 65536 + pair(r, r + 1)] += 1);
                    }
                    Kind::Pairs => {
                        for (at, &(a, b)) in count.pairs.iter().enumerate() {
                            table[at * 65536 + pair(a as usize, b as usize)] += 1;
                        }
                    }
                    Kind::Equal => {
                        for (at, &(a, b)) in count.equal.iter().enumerate() {
                            table[at * 2 + usize::from(z[a as usize] == z[b as usize])] += 1;
                        }
                    }
                    Kind::LongTerm => {
                        for r in 1..=count.long_term as usize {
                            table[(r + campaign.drop() as usize) % 256 * 65536 + pair(r, r + 1)] +=
                                1;
                        }
                    }
                    Kind::Absab => {
                        for g in 0..count.absab.1 as usize {
                            for r in 1..=count.absab.0 as usize {
                                table[g * 2
                                    + usize::from(pair(r, r + 1) == pair(r + g + 2, r + g + 3))] +=
                                    1;
                            }
                        }
                    }
                    Kind::Roos => {
                        let state = State::ksa(&key).unwrap();
                        for y in 0..count.roos as usize {
                            let sum: usize = (0..=y).map(|x| usize::from(key[x % key.len()])).sum();
                            let f = (y * (y + 1) / 2 + sum) % 256;
                            let s = usize::from(state.parts().0[y]);
                            table[y * 256 + (s + 256 - f) % 256] += 1;
                        }
                    }
                    Kind::RoosOutput => {
                        let k = |n: usize| usize::from(key[n]);
                        let first = usize::from(State::ksa(&key).unwrap().prga());
                        let offset = (first + 512 - k(2) - 3) % 256;
                        table[(k(0) + k(1)) % 256 * 256 + offset] += 1;
                    }
                    Kind::Glimpse => {
                        let mut state = State::ksa(&key).unwrap();
                        for r in 1..=count.glimpse as usize + campaign.drop() as usize {
                            state.prga();
                            let (s, i, j) = state.parts();
                            if r > campaign.drop() as usize {
                                let r = r - campaign.drop() as usize;
                                let sum = usize::from(s[usize::from(j)])
                                    + usize::from(
                                        s[usize::from(
                                            s[usize::from(i)].wrapping_add(s[usize::from(j)]),
                                        )],
                                    );
                                table[(r - 1) * 256 + (sum + 256 - usize::from(i)) % 256] += 1;
                            }
                        }
                    }
                }
            }
        }
        tables
    }

    const ALL: &str = "single = 70\ndigraphs = 67\npairs = [[3, 1], [40, 41]]\nequal = [[1, 2], [5, 1]]\nlong-term = 300\nabsab = [200, 5]\nglimpse = 9\nroos = 256\n";

    #[test]
    fn every_counter_counts_what_its_definition_says() {
        for (keys, drop) in [
            ("key-length = 16", 0),
            ("key-length = 1", 7),
            ("key-length = 256", 300),
            ("key-length = 5\nkey-pattern = 'tkip'", 1),
        ] {
            let output = !keys.ends_with(" 1");
            let campaign = campaign(&format!(
                "keystreams = 1003\n{keys}\ndrop = {drop}\n[count]\n{ALL}roos-output = {output}"
            ));
            assert!(run(&campaign, 2) == plainly(&campaign, 2), "{keys}, drop {drop}");
        }
    }

    #[test]
    fn shards_have_keys_of_their_own() {
        for keys in ["key-length = 16", "key-length = 5\nkey-pattern = 'tkip'"] {
            let campaign = campaign(&format!("keystreams = 1003\n{keys}\n[count]\nsingle = 1"));
            assert!(run(&campaign, 0) != run(&campaign, 1), "{keys}");
        }
    }

    #[test]
    fn cells_that_pass_16_bits_lose_nothing() {
        let campaign =
            campaign("keystreams = 4000000\nkey-length = 1\n[count]\nsingle = 4\nequal = [[1, 2]]");
        let counts = run(&campaign, 0);
        assert!(counts[0].iter().any(|&cell| cell > 1 << 16));
        for position in counts[0].chunks(256) {
            assert_eq!(position.iter().sum::<u64>(), 4_000_000);
        }
        assert_eq!(counts[1].iter().sum::<u64>(), 4_000_000);
    }

    #[test]
    fn a_sampler_goes_on_where_another_stopped() {
        let campaign = campaign(&format!("keystreams = 150000\nkey-length = 13\n[count]\n{ALL}"));
        let mut first = Sampler::start(campaign.clone(), 1).unwrap();
        assert!(first.step());
        let mut second = Sampler::resume(first.counts()).unwrap();
        assert_eq!(second.done(), first.done());
        while second.step() {}
        assert!(second.finish().tables() == run(&campaign, 1));
    }

    #[test]
    fn tkip_keys_have_its_first_three_bytes() {
        let campaign =
            campaign("keystreams = 9\nkey-length = 16\nkey-pattern = 'tkip'\n[count]\nsingle = 1");
        let mut keys = Keys::new(&campaign, 0, 0);
        assert!(keys.next(1000).all(|key| key.len() == 16 && key[1] == (key[0] | 0x20) & 0x7f));
    }

    #[test]
    fn a_complete_shard_has_no_more_steps() {
        let campaign = campaign("keystreams = 9\nkey-length = 16\n[count]\ndigraphs = 2");
        let mut sampler = Sampler::start(campaign.clone(), 2).unwrap();
        assert!(!sampler.step());
        let counts = sampler.counts();
        assert!(!sampler.step() && sampler.counts() == counts);
        let mut again = Sampler::resume(counts.clone()).unwrap();
        assert!(!again.step() && again.finish() == counts);
        let error = SamplerError::NoSuchShard { shard: 3, last: 2 };
        assert_eq!(Sampler::start(campaign.clone(), 3).err(), Some(error));
        let mut two = Sampler::start(campaign, 1).unwrap();
        two.step();
        let mut both = two.finish();
        both.merge(counts).unwrap();
        assert_eq!(Sampler::resume(both).err(), Some(SamplerError::SeveralShards));
    }
}
