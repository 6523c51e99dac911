//! A search on an adapter.

use std::{
    error,
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use arcfour_attacks::search::{Device, Search};

use super::{Gpu, Kernel, WORD};
use crate::{error::Error, job::Job};

/// Number of found keys that are read without asking how many there are.
pub(super) const FEW: u32 = 255;

/// An adapter with the kernel and the buffers of a search.
#[derive(Debug)]
pub(crate) struct Searcher {
    pub(super) kernel: Kernel,
    job: Job,
}

impl Searcher {
    /// Prepares an adapter whose workgroups have `memory` bytes.
    ///
    /// # Errors
    /// If it cannot do the search.
    pub(crate) fn open(
        adapter: &wgpu::Adapter,
        memory: u32,
        search: &Search,
        patience: Duration,
    ) -> Result<Self, Error> {
        let job = Job::new(search)?;
        let gpu = Gpu::open(adapter, memory, job.sizes, patience)?;
        let [fixed_bytes, digits, goal] =
            [&job.fixed_bytes, &job.digits, &job.goal].map(|words| gpu.input(words));
        let (start, list) = (job.start(0, 0).len(), gpu.keys as usize + 1);
        let inputs = [(0, &fixed_bytes), (1, &digits), (3, &goal)];
        let kernel = gpu.kernel(job.entry, start, &inputs, (4, list))?;
        Ok(Self { kernel, job })
    }

    /// Returns which of `keys` keys from number `first` on may pass, counted from `first`.
    fn dispatch(&self, first: u128, keys: u32) -> Result<Vec<u32>, Error> {
        let Kernel { gpu, .. } = &self.kernel;
        let commands = self.kernel.dispatch(&self.job.start(first, keys), Some(WORD));
        let read = |commands, keys: u32| self.kernel.read(commands, keys as usize + 1);
        let found = read(commands, FEW.min(gpu.keys))?;
        let count = found[0];
        let found = match count as usize >= found.len() {
            true => read(gpu.device.create_command_encoder(&Default::default()), count)?,
            false => found,
        };
        Ok(found[1..=count as usize].to_vec())
    }
}

impl Device for Searcher {
    fn candidates(
        &mut self,
        range: Range<u128>,
        stop: &AtomicBool,
    ) -> Result<Vec<u128>, Box<dyn error::Error + Send + Sync>> {
        let Gpu { name, keys: most, .. } = &self.kernel.gpu;
        let mut found = vec![];
        let mut first = range.start;
        while first < range.end && !stop.load(Ordering::Relaxed) {
            let keys = (range.end - first).min(u128::from(*most)) as u32;
            let its = self.dispatch(first, keys).map_err(|error| format!("{name}: {error}"))?;
            found.extend(its.into_iter().map(|n| first + u128::from(n)));
            first += u128::from(keys);
        }
        Ok(found)
    }
}
