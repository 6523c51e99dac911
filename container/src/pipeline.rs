//! Reads batches in order, processes them in parallel and returns them in order, in constant
//! memory.

use std::sync::Arc;

use arcfour_files::{Feed, Pipeline, Work};

use crate::{
    batch::{Batch, Streams},
    fault::Error,
    header::VerifiedHeader,
    keys::FileKeys,
};

/// A source of chunks, read one after the other.
pub(crate) trait Chunks {
    /// Puts the next chunk into the batch, and marks the last.
    fn read_chunk(&mut self, batch: &mut Batch) -> Result<(), Error>;
}

/// The function that seals or opens a batch.
pub(crate) type Task = fn(&mut Batch, &FileKeys, &mut Streams);

/// Maximum number of bytes in all batches under way.
const BUDGET: usize = 40 << 20;

/// Moves a stream to threads. Only a source that may be sent to a thread has one.
type Spread<C> = fn(&mut Batches<C>);

/// A stream of finished batches, one at a time. The first is made on the calling thread, so that a
/// small file costs no thread.
pub(crate) struct Batches<C> {
    header: VerifiedHeader,
    keys: Arc<FileKeys>,
    task: Task,
    pipeline: Pipeline<Batch, Filler<C>, Worker>,
    batch: Batch,
    has_begun: bool,
    spread: Option<Spread<C>>,
    threads: usize,
}

impl<C: Chunks> Batches<C> {
    /// A stream that has an empty batch: nothing is read yet.
    pub(crate) fn new(chunks: C, header: VerifiedHeader, keys: FileKeys, task: Task) -> Self {
        let keys = Arc::new(keys);
        let worker = Worker::new(task, &keys, &header);
        Self {
            batch: Batch::new(header.chunk_size),
            pipeline: Pipeline::new(Filler(chunks), worker),
            header,
            keys,
            task,
            has_begun: false,
            spread: None,
            threads: 1,
        }
    }

    pub(crate) fn header(&self) -> &VerifiedHeader {
        &self.header
    }

    /// Returns the source of chunks before the first batch.
    pub(crate) fn chunks(&mut self) -> Option<&mut C> {
        self.pipeline.feed().map(|Filler(chunks)| chunks)
    }

    /// Returns the batch made last.
    pub(crate) fn batch(&self) -> &Batch {
        &self.batch
    }

    /// Returns the batch made last.
    pub(crate) fn batch_mut(&mut self) -> &mut Batch {
        &mut self.batch
    }

    /// Replaces the batch by the next, unless it is the last.
    pub(crate) fn advance(&mut self) {
        if self.batch.last {
            return;
        }
        if self.has_begun
            && let Some(spread) = self.spread.take()
        {
            spread(self);
        }
        self.has_begun = true;
        self.pipeline.next(&mut self.batch);
    }
}

impl<C: Chunks + Send + 'static> Batches<C> {
    /// Lets this number of threads work from the second batch on, or fewer if the system refuses.
    pub(crate) fn on_threads(&mut self, threads: usize) {
        self.threads = threads;
        self.spread = (threads > 1).then_some(Self::spread);
    }

    fn spread(&mut self) {
        let threads = self.threads;
        let new = || Batch::new(self.header.chunk_size);
        let batches = (BUDGET / self.batch.capacity()).clamp(2, threads + 2);
        let worker = |_| Worker::new(self.task, &self.keys, &self.header);
        let workers = (0..threads.min(batches)).map(worker);
        self.pipeline.spread((0..batches).map(|_| new()).collect(), workers);
    }
}

struct Filler<C>(C);

impl<C: Chunks> Feed<Batch> for Filler<C> {
    fn fill(&mut self, batch: &mut Batch) -> bool {
        batch.clear();
        while !batch.is_full() {
            if let Err(error) = self.0.read_chunk(batch) {
                batch.fail(error);
            }
        }
        !batch.last
    }
}

/// The state that a thread needs for its task.
struct Worker {
    task: Task,
    keys: Arc<FileKeys>,
    streams: Streams,
}

impl Worker {
    fn new(task: Task, keys: &Arc<FileKeys>, header: &VerifiedHeader) -> Self {
        Self { task, keys: Arc::clone(keys), streams: Streams::new(header.cipher) }
    }
}

impl Work<Batch> for Worker {
    fn work(&mut self, batch: &mut Batch) {
        (self.task)(batch, &self.keys, &mut self.streams);
    }
}
