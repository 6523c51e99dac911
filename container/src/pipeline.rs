//! Batches read in order, worked on in parallel, handed out in order, in constant memory.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use crate::{
    batch::{Batch, Streams},
    header::Header,
    keys::FileKeys,
};

/// Where batches come from, one after the other.
pub(crate) trait Feed: Send + 'static {
    /// Fills the empty batch. The last one says so.
    fn read(&mut self, batch: &mut Batch);
}

/// What is done to each batch.
pub(crate) type Work = fn(&mut Batch, &FileKeys, &mut Streams);

/// How many bytes of batches may be under way.
const BUDGET: usize = 40 << 20;

/// A stream of finished batches.
///
/// The first is made on the calling thread, so that a small file costs no thread. Then each thread
/// takes an empty batch, reads it (one thread at a time), works on it and hands it over.
pub(crate) struct Pipeline<F> {
    batch: Batch,
    keys: Arc<FileKeys>,
    work: Work,
    source: Source<F>,
}

enum Source<F> {
    Here { feed: F, streams: Streams },
    Threads(Threads),
    Ended,
}

impl<F: Feed> Pipeline<F> {
    /// A pipeline that has made its first batch.
    pub(crate) fn start(
        mut feed: F,
        header: &Header,
        keys: FileKeys,
        work: Work,
        threads: usize,
    ) -> Self {
        let mut batch = Batch::new(header.chunk_size);
        let mut streams = Streams::new(header.family);
        feed.read(&mut batch);
        work(&mut batch, &keys, &mut streams);
        let keys = Arc::new(keys);
        let source = if batch.last {
            Source::Ended
        } else if threads > 1 {
            Source::Threads(Threads::start(feed, header, &keys, work, threads))
        } else {
            Source::Here { feed, streams }
        };
        Self { batch, keys, work, source }
    }

    /// The batch made last.
    pub(crate) fn batch(&mut self) -> &mut Batch {
        &mut self.batch
    }

    /// Replaces the batch by the next, unless it is the last.
    pub(crate) fn advance(&mut self) {
        match &mut self.source {
            Source::Here { feed, streams } => {
                self.batch.clear();
                feed.read(&mut self.batch);
                (self.work)(&mut self.batch, &self.keys, streams);
            }
            Source::Threads(threads) => threads.exchange(&mut self.batch),
            Source::Ended => {}
        }
        if self.batch.last {
            self.source = Source::Ended;
        }
    }
}

/// Threads that work ahead. They are not waited for: one may be blocked in a read that never ends.
struct Threads {
    full: Receiver<Option<(u64, Batch)>>,
    empty: Sender<Batch>,
    early: BTreeMap<u64, Batch>,
    next: u64,
}

/// What the threads share.
struct Shelf<F> {
    feed: F,
    empty: Receiver<Batch>,
    count: u64,
    done: bool,
}

impl<F: Feed> Shelf<F> {
    /// The next batch, read but not worked on, and its number.
    fn take(&mut self) -> Option<(u64, Batch)> {
        if self.done {
            return None;
        }
        let mut batch = self.empty.recv().ok()?;
        batch.clear();
        self.feed.read(&mut batch);
        self.done = batch.last;
        self.count += 1;
        Some((self.count - 1, batch))
    }
}

impl Threads {
    fn start<F: Feed>(
        feed: F,
        header: &Header,
        keys: &Arc<FileKeys>,
        work: Work,
        threads: usize,
    ) -> Self {
        let (size, family) = (header.chunk_size, header.family);
        let ((fulls, full), (empty, empties)) = (channel(), channel());
        let batches = (BUDGET / Batch::new(size).capacity()).clamp(2, threads + 2);
        for _ in 0..batches {
            let _ = empty.send(Batch::new(size)); // the receiver is here
        }
        let shelf = Shelf { feed, empty: empties, count: 0, done: false };
        let shelf = Arc::new(Mutex::new(shelf));
        for _ in 0..threads.min(batches) {
            let (shelf, keys, full) = (Arc::clone(&shelf), Arc::clone(keys), Alarm(fulls.clone()));
            thread::spawn(move || {
                let mut streams = Streams::new(family);
                // The lock is released before the work.
                let take = || shelf.lock().ok()?.take();
                while let Some((number, mut batch)) = take() {
                    work(&mut batch, &keys, &mut streams);
                    if full.0.send(Some((number, batch))).is_err() {
                        break;
                    }
                }
            });
        }
        Self { full, empty, early: BTreeMap::new(), next: 0 }
    }

    /// Gives the batch back for the next in order.
    fn exchange(&mut self, batch: &mut Batch) {
        let next = loop {
            if let Some(next) = self.early.remove(&self.next) {
                break next;
            }
            let (number, batch) = self.full.recv().ok().flatten().expect("no thread panics");
            self.early.insert(number, batch);
        };
        self.next += 1;
        let _ = self.empty.send(std::mem::replace(batch, next)); // or all has been read
    }
}

/// Sends the end of a thread that panics to whoever waits for it.
struct Alarm(Sender<Option<(u64, Batch)>>);

impl Drop for Alarm {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(None);
        }
    }
}
