//! An adapter that runs an entry point of the kernel, through wgpu.

mod count;
mod search;

use std::{
    mem,
    sync::{Arc, Mutex, PoisonError, mpsc},
    time::Duration,
};

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, Buffer, BufferDescriptor, BufferUsages,
    CommandEncoder, ComputePipeline, ComputePipelineDescriptor, DeviceDescriptor, MapMode,
    PipelineCompilationOptions, PollError, PollType, Queue, ShaderModuleDescriptor, ShaderSource,
};

pub(crate) use self::{count::Counter, search::Searcher};
use crate::{error::Error, sizes::Sizes};

/// Time after which a device without an answer is lost. Systems reset a GPU after a few seconds.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum number of keys of a dispatch.
const DISPATCH: u32 = 1 << 22;
/// Bytes of a word.
const WORD: u64 = 4;
/// The binding of the buffer that each dispatch writes anew.
const START: u32 = 2;

/// What the driver said last of a failure.
type Failure = Arc<Mutex<Option<String>>>;

/// An opened adapter.
#[derive(Debug)]
struct Gpu {
    name: String,
    sizes: Sizes,
    /// Number of lanes of a workgroup.
    lanes: u32,
    /// Maximum number of keys of a dispatch.
    keys: u32,
    patience: Duration,
    device: wgpu::Device,
    queue: Queue,
    failure: Failure,
}

impl Gpu {
    /// Opens an adapter whose workgroups have `memory` bytes.
    fn open(
        adapter: &wgpu::Adapter,
        memory: u32,
        sizes: Sizes,
        patience: Duration,
    ) -> Result<Self, Error> {
        let limits = adapter.limits();
        let invocations =
            limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
        let lanes = sizes.lanes(memory, invocations);
        if lanes == 0 {
            return Err(Error::Small { needs: sizes.lane_memory(), has: memory });
        }
        let groups = limits.max_compute_workgroups_per_dimension.min(DISPATCH / lanes);

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
        let (name, keys) = (adapter.get_info().name, groups * lanes);
        Ok(Self { name, sizes, lanes, keys, patience, device, queue, failure })
    }

    fn buffer(&self, words: usize, usage: BufferUsages) -> Buffer {
        self.device.create_buffer(&BufferDescriptor {
            label: None,
            size: words as u64 * WORD,
            usage: usage | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// Returns a buffer that the kernel reads.
    fn input(&self, words: &[u32]) -> Buffer {
        let buffer = self.buffer(words.len(), BufferUsages::STORAGE);
        self.queue.write_buffer(&buffer, 0, &bytes(words));
        buffer
    }

    /// Prepares an entry point whose start has `start` words. The entry point reads the buffers of
    /// `inputs` and writes `output`: the number of a binding, and the number of words.
    fn kernel(
        self,
        entry: &str,
        start: usize,
        inputs: &[(u32, &Buffer)],
        output: (u32, usize),
    ) -> Result<Kernel, Error> {
        let source = ShaderSource::Wgsl(self.sizes.kernel(self.lanes).into());
        let module =
            self.device.create_shader_module(ShaderModuleDescriptor { label: None, source });
        let pipeline = self.device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some(entry),
            compilation_options: PipelineCompilationOptions {
                // A lane writes its memory before it reads it.
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        let start = self.buffer(start, BufferUsages::STORAGE);
        let (binding, words) = output;
        let output = self.buffer(words, BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        let copy = self.buffer(words, BufferUsages::MAP_READ);
        let bound = inputs.iter().copied().chain([(START, &start), (binding, &output)]);
        let entries: Vec<_> = bound
            .map(|(binding, buffer)| BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let bindings = self.device.create_bind_group(&BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        match self.failure() {
            Some(why) => Err(Error::Refused(why)),
            None => Ok(Kernel { gpu: self, pipeline, bindings, start, output, copy }),
        }
    }

    fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// An entry point of the kernel on an adapter, with its buffers.
#[derive(Debug)]
struct Kernel {
    gpu: Gpu,
    pipeline: ComputePipeline,
    bindings: BindGroup,
    start: Buffer,
    output: Buffer,
    /// What the processor reads of the output.
    copy: Buffer,
}

impl Kernel {
    /// Returns the commands of a dispatch; its start begins with the number of keys. They clear the
    /// first bytes of the output, or all of it.
    fn dispatch(&self, start: &[u32], cleared: Option<u64>) -> CommandEncoder {
        self.gpu.queue.write_buffer(&self.start, 0, &bytes(start));
        let mut commands = self.gpu.device.create_command_encoder(&Default::default());
        commands.clear_buffer(&self.output, 0, cleared);
        let mut pass = commands.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.dispatch_workgroups(start[0].div_ceil(self.gpu.lanes), 1, 1);
        drop(pass);
        commands
    }

    /// Does the commands, and returns the first words of the output.
    fn read(&self, mut commands: CommandEncoder, words: usize) -> Result<Vec<u32>, Error> {
        let Self { gpu, output, copy, .. } = self;
        let size = words as u64 * WORD;
        commands.copy_buffer_to_buffer(output, 0, copy, 0, size);
        gpu.queue.submit([commands.finish()]);
        let (done, result) = mpsc::channel();
        copy.map_async(MapMode::Read, 0..size, move |mapped| {
            let _ = done.send(mapped);
        });
        let wait = PollType::Wait { submission_index: None, timeout: Some(gpu.patience) };
        if let Err(PollError::Timeout) = gpu.device.poll(wait) {
            // Dropping the last handle would wait for the device.
            mem::forget((gpu.device.clone(), gpu.queue.clone()));
            return Err(Error::Silent(gpu.patience.as_secs()));
        }
        let lost = || Error::Lost(gpu.failure().unwrap_or_else(|| "no reason is known".to_owned()));
        result.try_recv().ok().and_then(Result::ok).ok_or_else(lost)?;
        let view = copy.get_mapped_range(0..size).map_err(|_| lost())?;
        let words = view.chunks_exact(WORD as usize);
        let words = words.map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes")));
        let words = words.collect();
        drop(view);
        copy.unmap();
        match gpu.failure() {
            Some(why) => Err(Error::Lost(why)),
            None => Ok(words),
        }
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
