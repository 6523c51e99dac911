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

use super::{Device, MAX_MATCHES, Match, Record, Search};

/// Number of keys in the first block of a thread. A record grows by whole blocks.
const FIRST_BLOCK: u128 = 1 << 10;
/// Blocks are doubled while they take less time than this, so that threads rarely wait.
const LONG_ENOUGH: Duration = Duration::from_millis(20);
/// The same for a device, which needs time to begin and to end a block.
const LONG_ENOUGH_OF_DEVICE: Duration = Duration::from_millis(200);
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

/// What a search tells its caller.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The record has these new matches. It may have grown without any.
    Progress(&'a [Match]),
    /// A device was lost for this reason. Its keys are still to be tested.
    Lost(&'a str),
}

/// The result of a block of keys.
enum Block {
    Tested(Range<u128>, Vec<Match>),
    Lost(String),
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
        self.run_with(range, threads.get(), vec![], record, |record, event| match event {
            Event::Progress(added) => watch(record, added),
            Event::Lost(_) => unreachable!("there is no device"),
        })
    }

    /// Does the same with devices beside the threads. All take blocks of the same keys. A thread
    /// leads each device, and goes on alone if the device is lost. So `threads` may be 0.
    pub fn run_with(
        &self,
        range: Range<u128>,
        threads: usize,
        devices: Vec<Box<dyn Device + '_>>,
        record: &mut Record,
        mut watch: impl FnMut(&Record, Event<'_>) -> ControlFlow<()>,
    ) -> Ended {
        let missing = Mutex::new(VecDeque::from(record.missing(range)));
        let missing = || missing.lock().unwrap_or_else(PoisonError::into_inner);
        let next = |size| {
            let mut missing = missing();
            let mut block = missing.pop_front()?;
            if block.end - block.start > size {
                missing.push_front(block.start + size..block.end);
                block.end = block.start + size;
            }
            Some(block)
        };
        let stop = AtomicBool::new(false);
        let (done, results) = mpsc::channel();
        let work = |mut device: Option<Box<dyn Device + '_>>, done: mpsc::Sender<_>| {
            let mut size = FIRST_BLOCK;
            while let Some(block) = next(size) {
                let start = Instant::now();
                let tested = match &mut device {
                    None => Ok(self.scan(block.clone(), &stop)),
                    Some(device) => device
                        .candidates(block.clone(), &stop)
                        .map(|candidates| self.confirmed(&block, candidates)),
                };
                let lost = tested.is_err();
                let result = match tested {
                    Ok(matches) => Block::Tested(block, matches),
                    Err(error) => {
                        missing().push_front(block);
                        Block::Lost(error.to_string())
                    }
                };
                if stop.load(Ordering::Relaxed) || done.send(result).is_err() {
                    return;
                }
                let enough = if device.is_some() { LONG_ENOUGH_OF_DEVICE } else { LONG_ENOUGH };
                if lost {
                    (device, size) = (None, FIRST_BLOCK);
                } else if start.elapsed() < enough {
                    size *= 2;
                }
            }
        };
        let threads = threads.max(usize::from(devices.is_empty()));
        let workers = devices.into_iter().map(Some).chain((0..threads).map(|_| None));
        thread::scope(|scope| {
            for (n, device) in workers.enumerate() {
                let done = done.clone();
                let work = &work;
                let spawned =
                    thread::Builder::new().spawn_scoped(scope, move || work(device, done));
                if spawned.is_err() {
                    assert!(n > 0, "the system gives not even one thread to search on");
                    break;
                }
            }
            drop(done);
            let mut ended = Ended::Complete;
            loop {
                let seen = match results.recv_timeout(PATIENCE) {
                    Ok(Block::Tested(block, matches)) => {
                        let added = record.add(block, matches.iter().cloned());
                        added.expect("each block is given out once");
                        watch(record, Event::Progress(&matches))
                    }
                    Ok(Block::Lost(why)) => watch(record, Event::Lost(&why)),
                    Err(mpsc::RecvTimeoutError::Timeout) => watch(record, Event::Progress(&[])),
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                };
                if seen.is_break() {
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
