//! A search on an adapter, through wgpu.

use std::{
    mem,
    ops::Range,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Duration,
};

use arcfour_attacks::search::{Device, Search};
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, Buffer, BufferDescriptor, BufferUsages,
    CommandEncoder, ComputePipeline, ComputePipelineDescriptor, DeviceDescriptor, MapMode,
    PipelineCompilationOptions, PollError, PollType, Queue, ShaderModuleDescriptor, ShaderSource,
};

use crate::{error::Error, job::Job};

/// Time after which a device without an answer is lost. Systems reset a GPU after a few seconds.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum number of keys of a dispatch.
const DISPATCH: u32 = 1 << 22;
/// Number of found keys that are read without asking how many there are.
const FEW: u32 = 255;
/// Bytes of a word.
const WORD: u64 = 4;

/// What the driver said last of a failure.
type Failure = Arc<Mutex<Option<String>>>;

/// An adapter with the kernel and the buffers of a search.
#[derive(Debug)]
pub(crate) struct Gpu {
    /// The name of the adapter.
    name: String,
    job: Job,
    /// Number of lanes of a workgroup.
    lanes: u32,
    /// Number of keys of a dispatch.
    keys: u32,
    patience: Duration,
    device: wgpu::Device,
    queue: Queue,
    pipeline: ComputePipeline,
    bindings: BindGroup,
    start: Buffer,
    found: Buffer,
    /// What the processor reads of `found`.
    copy: Buffer,
    failure: Failure,
}

impl Gpu {
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
        let limits = adapter.limits();
        let invocations =
            limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
        let lanes = job.lanes(memory, invocations);
        if lanes == 0 {
            return Err(Error::Small { needs: job.lane_memory(), has: memory });
        }
        let groups = limits.max_compute_workgroups_per_dimension.min(DISPATCH / lanes);
        let keys = groups * lanes;

        let descriptor = DeviceDescriptor { required_limits: limits, ..Default::default() };
        let opened = pollster::block_on(adapter.request_device(&descriptor));
        let (device, queue) = opened.map_err(|error| Error::Refused(line(&error.to_string())))?;
        let failure = Failure::default();
        let seen = failure.clone();
        // Without a handler, wgpu panics.
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            note(&seen, &error.to_string())
        }));
        let seen = failure.clone();
        device.set_device_lost_callback(move |_, why| note(&seen, &why));

        let kernel = ShaderSource::Wgsl(job.kernel(lanes).into());
        let module =
            device.create_shader_module(ShaderModuleDescriptor { label: None, source: kernel });
        let pipeline = device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some(job.entry),
            compilation_options: PipelineCompilationOptions {
                // A lane writes its memory before it reads it.
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        let buffer = |words: usize, usage| {
            let size = words as u64 * WORD;
            device.create_buffer(&BufferDescriptor {
                label: None,
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let filled = |words: &[u32]| {
            let buffer = buffer(words.len(), BufferUsages::STORAGE | BufferUsages::COPY_DST);
            queue.write_buffer(&buffer, 0, &bytes(words));
            buffer
        };
        let start = filled(&job.start(0, 0));
        let list = keys as usize + 1;
        let found =
            buffer(list, BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST);
        let copy = buffer(list, BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        let bound =
            [&filled(&job.fixed_bytes), &filled(&job.digits), &start, &filled(&job.goal), &found];
        let entries: Vec<_> = (0..)
            .zip(bound)
            .map(|(binding, buffer)| BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let bindings = device.create_bind_group(&BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let gpu = Self {
            name: adapter.get_info().name,
            job,
            lanes,
            keys,
            patience,
            device,
            queue,
            pipeline,
            bindings,
            start,
            found,
            copy,
            failure,
        };
        match gpu.failure() {
            Some(why) => Err(Error::Refused(why)),
            None => Ok(gpu),
        }
    }

    fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns which of `keys` keys from number `first` on may pass, counted from `first`.
    fn dispatch(&self, first: u128, keys: u32) -> Result<Vec<u32>, Error> {
        self.queue.write_buffer(&self.start, 0, &bytes(&self.job.start(first, keys)));
        let mut commands = self.device.create_command_encoder(&Default::default());
        commands.clear_buffer(&self.found, 0, Some(WORD));
        let mut pass = commands.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.dispatch_workgroups(keys.div_ceil(self.lanes), 1, 1);
        drop(pass);
        let found = self.read(commands, FEW.min(self.keys))?;
        let count = found[0];
        let found = match count as usize >= found.len() {
            true => self.read(self.device.create_command_encoder(&Default::default()), count)?,
            false => found,
        };
        Ok(found[1..=count as usize].to_vec())
    }

    /// Does the commands, and returns the number of found keys and the first `count` of them.
    fn read(&self, mut commands: CommandEncoder, count: u32) -> Result<Vec<u32>, Error> {
        let size = (u64::from(count) + 1) * WORD;
        commands.copy_buffer_to_buffer(&self.found, 0, &self.copy, 0, size);
        self.queue.submit([commands.finish()]);
        let (done, result) = mpsc::channel();
        self.copy.map_async(MapMode::Read, 0..size, move |mapped| {
            let _ = done.send(mapped);
        });
        let wait = PollType::Wait { submission_index: None, timeout: Some(self.patience) };
        if let Err(PollError::Timeout) = self.device.poll(wait) {
            // Dropping the last handle would wait for the device.
            mem::forget((self.device.clone(), self.queue.clone()));
            return Err(Error::Silent(self.patience.as_secs()));
        }
        let lost =
            || Error::Lost(self.failure().unwrap_or_else(|| "no reason is known".to_owned()));
        result.try_recv().ok().and_then(Result::ok).ok_or_else(lost)?;
        let view = self.copy.get_mapped_range(0..size).map_err(|_| lost())?;
        let words = view.chunks_exact(WORD as usize);
        let words = words.map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes")));
        let words = words.collect();
        drop(view);
        self.copy.unmap();
        match self.failure() {
            Some(why) => Err(Error::Lost(why)),
            None => Ok(words),
        }
    }
}

impl Device for Gpu {
    fn candidates(
        &mut self,
        range: Range<u128>,
        stop: &AtomicBool,
    ) -> Result<Vec<u128>, Box<dyn std::error::Error + Send + Sync>> {
        let mut found = vec![];
        let mut first = range.start;
        while first < range.end && !stop.load(Ordering::Relaxed) {
            let keys = (range.end - first).min(u128::from(self.keys)) as u32;
            let dispatched = self.dispatch(first, keys);
            let its = dispatched.map_err(|error| format!("{}: {error}", self.name))?;
            found.extend(its.into_iter().map(|n| first + u128::from(n)));
            first += u128::from(keys);
        }
        Ok(found)
    }
}

/// Keeps the first reason; the next ones follow from it.
fn note(failure: &Failure, why: &str) {
    let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
    failure.get_or_insert_with(|| line(why));
}

/// Joins the lines of a message.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests;
