//! The counts of a campaign on an adapter.

use std::{
    error,
    time::{Duration, Instant},
};

use arcfour_stats::{
    campaign::{Campaign, Kind},
    sampler::Device,
};
use wgpu::{Buffer, BufferUsages};

use super::{Gpu, Kernel};
use crate::{
    error::{Error, REACH},
    sizes::Sizes,
};

/// Cells of a position.
const CELLS: usize = 256;
/// Maximum number of bytes of the keys of a dispatch. WebGPU allows buffers of eight times this size.
const KEYS: u32 = 16 << 20;
/// Number of keys of the first dispatch.
const FIRST: u32 = 1 << 10;
/// Dispatches are doubled while they take less time than this: a slow GPU answers before its system resets it.
const LONG_ENOUGH: Duration = Duration::from_millis(200);

/// An adapter with the kernel and the buffers of a campaign.
#[derive(Debug)]
pub(crate) struct Counter {
    pub(super) kernel: Kernel,
    keys: Buffer,
    drop: u32,
    /// Number of cells of all positions.
    cells: usize,
    /// Number of keys of the next dispatch.
    batch: u32,
}

impl Counter {
    /// Prepares an adapter whose workgroups have `memory` bytes.
    ///
    /// # Errors
    /// If it cannot count what the campaign counts.
    pub(crate) fn open(
        adapter: &wgpu::Adapter,
        memory: u32,
        campaign: &Campaign,
        patience: Duration,
    ) -> Result<Self, Error> {
        let sections = campaign.sections();
        if let Some(other) = sections.iter().find(|section| section.kind != Kind::Single) {
            return Err(Error::Campaign(other.kind.name()));
        }
        let single = campaign.count().single;
        let last = u64::from(campaign.drop()) + u64::from(single);
        if last > REACH {
            return Err(Error::Long(last));
        }
        let length = u32::from(campaign.key_length());
        let sizes = Sizes { key: length, rc4: length };
        let mut gpu = Gpu::open(adapter, memory, sizes, patience)?;
        gpu.keys = gpu.keys.min(KEYS / length.next_multiple_of(4));
        let cells = single as usize * CELLS;
        let words = gpu.keys as usize * length.div_ceil(4) as usize;
        let keys = gpu.buffer(words, BufferUsages::STORAGE);
        let batch = FIRST.min(gpu.keys);
        let kernel = gpu.kernel("count_bytes", 2, &[(5, &keys)], (6, cells))?;
        Ok(Self { kernel, keys, drop: campaign.drop(), cells, batch })
    }

    fn dispatch(&self, keys: &[&[u8]]) -> Result<Vec<u32>, Error> {
        let length = self.kernel.gpu.sizes.rc4.next_multiple_of(4) as usize;
        let mut bytes = Vec::with_capacity(keys.len() * length);
        for key in keys {
            bytes.extend_from_slice(key);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        self.kernel.gpu.queue.write_buffer(&self.keys, 0, &bytes);
        let commands = self.kernel.dispatch(&[keys.len() as u32, self.drop], None);
        self.kernel.read(commands, self.cells)
    }
}

impl Device for Counter {
    fn batch(&self) -> usize {
        self.batch as usize
    }

    fn count(
        &mut self,
        keys: &[&[u8]],
        totals: &mut [u64],
    ) -> Result<(), Box<dyn error::Error + Send + Sync>> {
        let start = Instant::now();
        let counted = self.dispatch(keys);
        let Gpu { name, keys: most, .. } = &self.kernel.gpu;
        let counts = counted.map_err(|error| format!("{name}: {error}"))?;
        for (total, count) in totals.iter_mut().zip(counts) {
            *total += u64::from(count);
        }
        if start.elapsed() < LONG_ENOUGH {
            self.batch = (2 * self.batch).min(*most);
        }
        Ok(())
    }
}
