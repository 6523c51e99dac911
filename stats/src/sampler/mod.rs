//! The sampler counts the keystreams of many keys.
//!
//! Diary, on one core of a virtual Zen 5. A step of counting is a load, an add and a store, so the
//! cells must be in a near cache. A batch of keystreams is made first.
//!
//! Single bytes: the tables of a group of positions fill half of the first-level cache, and count
//! several keystreams together. Neighbouring steps are in tables of different positions, so equal
//! bytes do not wait for one another.
//!
//! Digraphs: the table of one position, 128 KiB, counts the whole batch, so the batch is large.
//! Reading down the rows took 24 cycles a step, because every step was in another page. So 64
//! positions at a time are transposed into columns first.
//!
//! Cells have 16 bits. An addition that wraps a cell adds 2^16 to its 64-bit total. So no count is
//! lost, and cells need no regular flush.
//!
//! Three changes for digraphs, tried together, made it slower. A keystream of 512 positions took
//! 1.29 to 1.41 µs instead of 1.12 to 1.26 µs, for the whole process. First: cells of 8 bits, whose
//! tables are half as large but wrap 256 times as often. Second: transposing 8 × 8 bytes in
//! registers, 16,384 rows at a time. Third: counting long-term digraphs from the same columns (0.42
//! GB/s with and without).

mod device;
mod table;

use std::error::Error;

pub use self::device::Device;
use self::table::{Batch, Table};
use crate::{
    campaign::{Campaign, Kind, Section},
    file::CountsFile,
    keys::Keys,
};

/// Bytes of keystream in a batch, which stay in the second-level cache.
const BATCH: usize = 256 << 10;
/// Bytes of keystream in a batch if pairs are counted: their tables are too large for the cache, and each is
/// fetched once a batch.
const PAIRS_BATCH: usize = 32 << 20;
/// Keystreams made by one call, as a multiple of the lanes.
const CALL: usize = 16;

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

impl std::fmt::Debug for Sampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Sampler")
            .field("shard", &self.shard)
            .field("done", &self.done)
            .finish_non_exhaustive()
    }
}

/// An error that prevents counting.
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
    /// The counts to continue contain several shards.
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

    /// Continues from the counts of an incomplete shard. A complete shard has no more steps.
    ///
    /// # Errors
    /// If the counts contain more than one shard.
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

    /// Counts a batch of keystreams. Returns true if the shard has more. A complete shard is left
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

    /// Has a device count a batch of keystreams. Returns true if the shard has more. After an error
    /// the shard is as it was before, and [`Sampler::step`] counts these keystreams.
    ///
    /// # Errors
    /// If the device is lost, or the campaign counts more than single bytes.
    pub fn step_on(
        &mut self,
        device: &mut dyn Device,
    ) -> Result<bool, Box<dyn Error + Send + Sync>> {
        let [Table { section: Section { kind: Kind::Single, .. }, totals, .. }] =
            &mut self.tables[..]
        else {
            return Err("a device counts single bytes alone".into());
        };
        let left = self.campaign.keystreams() - self.done;
        if left == 0 {
            return Ok(false);
        }
        let rows = left.min(device.batch() as u64);
        let keys: Vec<&[u8]> = self.keys.next(rows as usize).collect();
        if let Err(lost) = device.count(&keys, totals) {
            self.keys = Keys::new(&self.campaign, self.shard, self.done);
            return Err(lost);
        }
        self.done += rows;
        Ok(self.done < self.campaign.keystreams())
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
