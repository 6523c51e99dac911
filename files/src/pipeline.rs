//! An order-preserving pipeline over threads in constant memory. Blocks are filled in order,
//! processed in parallel and returned in order.

use std::{
    collections::BTreeMap,
    io::{self, ErrorKind, Read},
    mem,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

/// A source of blocks, read one after the other.
pub trait Feed<B> {
    /// Replaces the contents of `block` by the next block of the stream. Returns true if more
    /// follow.
    fn fill(&mut self, block: &mut B) -> bool;
}

/// The work on each block, done in any order. Each thread has its own.
pub trait Work<B> {
    /// Works on a block in place.
    fn work(&mut self, block: &mut B);
}

/// A stream of finished blocks, on the calling thread until [`Pipeline::spread`] is called.
pub struct Pipeline<B, F, W> {
    source: Source<B, F, W>,
}

impl<B, F, W> std::fmt::Debug for Pipeline<B, F, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Pipeline").finish_non_exhaustive()
    }
}

enum Source<B, F, W> {
    Here { feed: F, work: W },
    Threads(Threads<B>),
    Ended,
}

impl<B, F: Feed<B>, W: Work<B>> Pipeline<B, F, W> {
    /// Starts a stream. No block is filled yet.
    pub fn new(feed: F, work: W) -> Self {
        Self { source: Source::Here { feed, work } }
    }

    /// Returns the feed, as long as no thread has it.
    pub fn feed(&mut self) -> Option<&mut F> {
        match &mut self.source {
            Source::Here { feed, .. } => Some(feed),
            Source::Threads(_) | Source::Ended => None,
        }
    }

    /// Replaces `block` by the next block in order. Returns `false` and leaves `block` as it is if
    /// the previous block was the last.
    ///
    /// # Panics
    /// If a thread panicked.
    pub fn next(&mut self, block: &mut B) -> bool {
        let more = match &mut self.source {
            Source::Here { feed, work } => {
                let more = feed.fill(block);
                work.work(block);
                more
            }
            Source::Threads(threads) => threads.exchange(block),
            Source::Ended => return false,
        };
        if !more {
            self.source = Source::Ended;
        }
        true
    }
}

impl<B, F, W> Pipeline<B, F, W>
where
    B: Send + 'static,
    F: Feed<B> + Send + 'static,
    W: Work<B> + Send + 'static,
{
    /// Starts a thread for each of `workers`. A thread fills one of `blocks` (one thread at a time),
    /// processes the block and delivers it. If the system refuses a thread, fewer threads do the work;
    /// without any thread, the calling thread does.
    ///
    /// When the last block has been returned, the threads have ended and dropped all their data. If
    /// the stream is dropped before, it waits only briefly for the threads, because one may be
    /// blocked in a read that never ends.
    pub fn spread(&mut self, blocks: Vec<B>, workers: impl IntoIterator<Item = W>) {
        self.source = match mem::replace(&mut self.source, Source::Ended) {
            Source::Here { feed, work } => Threads::start(feed, work, blocks, workers),
            other => other,
        };
    }
}

/// Threads that run ahead.
struct Threads<B> {
    full: Receiver<Option<Full<B>>>,
    empty: Sender<B>,
    /// Blocks that were filled before their turn, by number.
    early: BTreeMap<u64, Full<B>>,
    next: u64,
    /// True if the last block was handed out.
    ended: bool,
}

/// Time to wait for threads that may never end.
const PATIENCE: Duration = Duration::from_millis(100);

/// A block that is finished.
struct Full<B> {
    number: u64,
    block: B,
    more: bool,
}

/// The source, shared by the threads. The thread that holds the lock fills a block.
struct Shared<B, F> {
    feed: F,
    empty: Receiver<B>,
    count: u64,
    has_more: bool,
}

impl<B, F: Feed<B>> Shared<B, F> {
    fn take(&mut self) -> Option<Full<B>> {
        if !self.has_more {
            return None;
        }
        let mut block = self.empty.recv().ok()?;
        self.has_more = self.feed.fill(&mut block);
        self.count += 1;
        Some(Full { number: self.count - 1, block, more: self.has_more })
    }
}

impl<B: Send + 'static> Threads<B> {
    fn start<F: Feed<B> + Send + 'static, W: Work<B> + Send + 'static>(
        feed: F,
        work: W,
        blocks: Vec<B>,
        workers: impl IntoIterator<Item = W>,
    ) -> Source<B, F, W> {
        let ((fulls, full), (empty, empties)) = (channel(), channel());
        blocks.into_iter().for_each(|block| _ = empty.send(block)); // the receiver is here
        let shared = Shared { feed, empty: empties, count: 0, has_more: true };
        let shared = Arc::new(Mutex::new(shared));
        let start = |mut worker: W| {
            let (shared, fulls) = (Arc::clone(&shared), PanicNotice(fulls.clone()));
            let run = move || {
                // The lock is released before the work.
                let take = || shared.lock().ok()?.take();
                while let Some(mut full) = take() {
                    worker.work(&mut full.block);
                    if fulls.0.send(Some(full)).is_err() {
                        break;
                    }
                }
                // Wipes the thread's data before it tells `Threads::drop`.
                drop((worker, shared));
                drop(fulls);
            };
            thread::Builder::new().spawn(run).is_ok()
        };
        let started = workers.into_iter().map(start).take_while(|&started| started).count();
        if started > 0 {
            return Source::Threads(Self {
                full,
                empty,
                early: BTreeMap::new(),
                next: 0,
                ended: false,
            });
        }
        let shared = Arc::into_inner(shared).expect("no thread has it");
        let Shared { feed, .. } = shared.into_inner().expect("no thread panicked with it");
        Source::Here { feed, work }
    }
}

impl<B> Threads<B> {
    /// Exchanges the block for the next in order. Returns true if more follow.
    fn exchange(&mut self, block: &mut B) -> bool {
        let next = loop {
            if let Some(next) = self.early.remove(&self.next) {
                break next;
            }
            let full = self.full.recv().ok().flatten().expect("no thread panics");
            self.early.insert(full.number, full);
        };
        self.next += 1;
        let _ = self.empty.send(mem::replace(block, next.block)); // or the source has ended
        self.ended = !next.more;
        next.more
    }
}

impl<B> Drop for Threads<B> {
    /// Waits until all threads that may hold a secret have ended.
    fn drop(&mut self) {
        // No thread waits for a block any more.
        self.empty = channel().0;
        let deadline = (!self.ended).then(|| Instant::now() + PATIENCE);
        loop {
            let left = deadline.map_or(Duration::MAX, |deadline| deadline - Instant::now());
            match self.full.recv_timeout(left) {
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
    }
}

/// Tells the waiting receiver that a thread panicked.
struct PanicNotice<B>(Sender<Option<Full<B>>>);

impl<B> Drop for PanicNotice<B> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(None);
        }
    }
}

/// Reads until `room` is full or the input ends. Returns the number of bytes read.
///
/// # Errors
/// If the input cannot be read.
pub fn read_full(input: &mut impl Read, room: &mut [u8]) -> io::Result<usize> {
    let mut len = 0;
    while len < room.len() {
        match input.read(&mut room[len..]) {
            Ok(0) => break,
            Ok(n) => len += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(len)
}
