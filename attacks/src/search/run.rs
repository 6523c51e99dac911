//! Runs a search on threads.

use std::{
    collections::VecDeque,
    num::NonZero,
    ops::{ControlFlow, Range},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use super::{MAX_MATCHES, Match, Record, Search};

/// Number of keys in the first block of a thread. A record grows by whole blocks.
const FIRST_BLOCK: u128 = 1 << 10;
/// Blocks are doubled while they take less time than this, so that threads rarely wait.
const LONG_ENOUGH: Duration = Duration::from_millis(20);
/// Interval at which the caller is asked whether to continue while no block is complete.
const PATIENCE: Duration = Duration::from_millis(100);

/// The outcome of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every key of the range was tested.
    Complete,
    /// The caller stopped the search.
    Stopped,
    /// More than [`MAX_MATCHES`] keys passed.
    TooManyMatches,
}

impl Search {
    /// Tests the keys of `range` that `record` does not cover yet, on `threads` threads, and adds
    /// them to `record`. Calls `watch` whenever the record has grown, with the record and its new
    /// matches, and at least ten times a second. The search stops when `watch` breaks. Only keys in
    /// the record count as tested. Threads finish their blocks in any order, so new matches may
    /// stand anywhere in the record.
    ///
    /// Uses fewer threads if the system refuses some.
    pub fn run(
        &self,
        range: Range<u128>,
        threads: NonZero<usize>,
        record: &mut Record,
        mut watch: impl FnMut(&Record, &[Match]) -> ControlFlow<()>,
    ) -> Ended {
        let missing = Mutex::new(VecDeque::from(record.missing(range)));
        let next = |size| {
            let mut missing = missing.lock().unwrap_or_else(PoisonError::into_inner);
            let mut block = missing.pop_front()?;
            if block.end - block.start > size {
                missing.push_front(block.start + size..block.end);
                block.end = block.start + size;
            }
            Some(block)
        };
        let stop = AtomicBool::new(false);
        let (done, results) = mpsc::channel();
        let work = |done: mpsc::Sender<_>| {
            let mut size = FIRST_BLOCK;
            while let Some(block) = next(size) {
                let start = Instant::now();
                let matches = self.scan(block.clone(), &stop);
                if stop.load(Ordering::Relaxed) || done.send((block, matches)).is_err() {
                    return;
                }
                if start.elapsed() < LONG_ENOUGH {
                    size *= 2;
                }
            }
        };
        thread::scope(|scope| {
            for n in 0..threads.get() {
                let done = done.clone();
                let work = &work;
                let spawned = thread::Builder::new().spawn_scoped(scope, move || work(done));
                if spawned.is_err() {
                    assert!(n > 0, "the system gives not even one thread to search on");
                    break;
                }
            }
            drop(done);
            let mut ended = Ended::Complete;
            loop {
                let added = match results.recv_timeout(PATIENCE) {
                    Ok((block, matches)) => {
                        let added = record.add(block, matches.iter().cloned());
                        added.expect("each block is given out once");
                        matches
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => vec![],
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                };
                if watch(record, &added).is_break() {
                    ended = Ended::Stopped;
                }
                if record.matches().len() > MAX_MATCHES {
                    ended = Ended::TooManyMatches;
                }
                if ended != Ended::Complete {
                    break;
                }
            }
            stop.store(true, Ordering::Relaxed);
            ended
        })
    }
}
