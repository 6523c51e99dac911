//! Tests the order of the blocks, when a stream waits for its threads, what reaches the caller of a thread, and full reads.

use std::{
    io::{self, ErrorKind, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

use arcfour_files::{Feed, Pipeline, Work, read_full};

/// Numbers the blocks, up to `end`.
struct Count {
    next: u64,
    end: u64,
}

impl Feed<u64> for Count {
    fn fill(&mut self, block: &mut u64) -> bool {
        *block = self.next;
        self.next += 1;
        self.next < self.end
    }
}

/// Doubles; even numbers take longer, so that odd ones overtake them.
struct Double;

impl Work<u64> for Double {
    fn work(&mut self, block: &mut u64) {
        if block.is_multiple_of(2) {
            thread::yield_now();
        }
        *block *= 2;
    }
}

fn all(pipeline: &mut Pipeline<u64, Count, Double>) -> Vec<u64> {
    let mut block = 0;
    std::iter::from_fn(|| pipeline.next(&mut block).then_some(block)).collect()
}

/// Leaves the blocks as they are. Its end takes time, as the wiping of a large buffer does.
#[derive(Default)]
struct Slow {
    end: Duration,
    ended: Arc<AtomicBool>,
}

impl Work<u64> for Slow {
    fn work(&mut self, _: &mut u64) {}
}

impl Drop for Slow {
    fn drop(&mut self) {
        thread::sleep(self.end);
        self.ended.store(true, Ordering::Relaxed);
    }
}

/// A stream over one thread, and the flag that the thread sets at its end.
fn slow<F: Feed<u64> + Send + 'static>(
    feed: F,
    end: Duration,
) -> (Pipeline<u64, F, Slow>, Arc<AtomicBool>) {
    let ended = Arc::default();
    let mut pipeline = Pipeline::new(feed, Slow::default());
    pipeline.spread(vec![0; 2], [Slow { end, ended: Arc::clone(&ended) }]);
    (pipeline, ended)
}

/// Runs a function that may wait without end. `Disconnected` means a panic.
fn in_time<T: Send + 'static>(
    run: impl FnOnce() -> T + Send + 'static,
) -> Result<T, RecvTimeoutError> {
    let (done, is_done) = channel();
    thread::spawn(move || done.send(run()));
    is_done.recv_timeout(Duration::from_secs(30))
}

#[test]
fn blocks_come_in_order_by_any_number_of_threads() {
    for end in [1, 2, 5, 500] {
        for threads in [0, 1, 2, 7] {
            let mut pipeline = Pipeline::new(Count { next: 0, end }, Double);
            pipeline.spread(vec![0; threads + 2], (0..threads).map(|_| Double));
            let expected: Vec<_> = (0..end).map(|n| 2 * n).collect();
            assert_eq!(all(&mut pipeline), expected, "{end} blocks, {threads} threads");
            assert!(!pipeline.next(&mut 0), "it ended");
        }
    }
}

#[test]
fn threads_may_start_in_the_middle() {
    let mut pipeline = Pipeline::new(Count { next: 0, end: 100 }, Double);
    let mut block = 0;
    (0..10).for_each(|_| assert!(pipeline.next(&mut block)));
    pipeline.spread(vec![0; 3], [Double, Double]);
    assert_eq!(all(&mut pipeline), (10..100).map(|n| 2 * n).collect::<Vec<_>>());
}

/// A feed may borrow as long as no thread has it.
#[test]
fn a_feed_on_the_calling_thread_may_borrow() {
    struct Borrowed<'a>(&'a [u8]);
    impl Feed<u8> for Borrowed<'_> {
        fn fill(&mut self, block: &mut u8) -> bool {
            (*block, self.0) = (self.0[0], &self.0[1..]);
            !self.0.is_empty()
        }
    }
    struct Nothing;
    impl Work<u8> for Nothing {
        fn work(&mut self, _: &mut u8) {}
    }
    let bytes = [1, 2, 3];
    let mut pipeline = Pipeline::new(Borrowed(&bytes), Nothing);
    let (mut block, mut sum) = (0, 0);
    while pipeline.next(&mut block) {
        sum += block;
    }
    assert_eq!(sum, 6);
}

#[test]
#[should_panic(expected = "no thread panics")]
fn a_panic_of_a_thread_reaches_the_caller() {
    struct Panics;
    impl Work<u64> for Panics {
        fn work(&mut self, _: &mut u64) {
            panic!("as this test wants");
        }
    }
    let mut pipeline = Pipeline::new(Count { next: 0, end: 9 }, Panics);
    pipeline.spread(vec![0; 2], [Panics]);
    pipeline.next(&mut 0);
}

#[test]
fn the_feed_is_there_until_a_thread_has_it() {
    let mut pipeline = Pipeline::new(Count { next: 0, end: 9 }, Slow::default());
    assert_eq!(pipeline.feed().unwrap().next, 0);
    pipeline.next(&mut 0);
    assert_eq!(pipeline.feed().unwrap().next, 1);
    pipeline.spread(vec![0; 2], [Slow::default()]);
    assert!(pipeline.feed().is_none());
}

#[test]
fn the_threads_have_ended_when_the_last_block_is_returned() {
    let (mut pipeline, ended) = slow(Count { next: 0, end: 2 }, Duration::from_millis(300));
    assert!(pipeline.next(&mut 0) && !ended.load(Ordering::Relaxed));
    assert!(pipeline.next(&mut 0) && ended.load(Ordering::Relaxed));
}

/// A busy machine may delay the thread beyond this short wait, so one success of many is enough.
#[test]
fn a_stream_that_is_dropped_gives_its_threads_time_to_end() {
    assert!((0..20).any(|_| {
        let (pipeline, ended) = slow(Count { next: 0, end: u64::MAX }, Duration::from_millis(20));
        drop(pipeline);
        ended.load(Ordering::Relaxed)
    }));
}

#[test]
fn a_stream_that_is_dropped_does_not_wait_for_a_read_that_never_ends() {
    struct Waits(Receiver<()>);
    impl Feed<u64> for Waits {
        fn fill(&mut self, _: &mut u64) -> bool {
            self.0.recv().is_ok()
        }
    }
    let (_sender, receiver) = channel();
    let (pipeline, _) = slow(Waits(receiver), Duration::ZERO);
    assert_eq!(in_time(move || drop(pipeline)), Ok(()));
}

/// The other thread lives and waits for a block, so the end of all threads cannot tell the caller.
#[test]
fn a_panic_of_one_of_two_threads_reaches_the_caller() {
    struct PanicsAtFirst;
    impl Work<u64> for PanicsAtFirst {
        fn work(&mut self, block: &mut u64) {
            assert!(*block > 0, "as this test wants");
        }
    }
    let mut pipeline = Pipeline::new(Count { next: 0, end: 9 }, PanicsAtFirst);
    pipeline.spread(vec![0; 2], [PanicsAtFirst, PanicsAtFirst]);
    assert_eq!(in_time(move || pipeline.next(&mut 0)), Err(RecvTimeoutError::Disconnected));
}

#[test]
fn the_debug_form_of_a_stream_shows_no_block() {
    let pipeline = Pipeline::new(Count { next: 0, end: 9 }, Slow::default());
    assert_eq!(format!("{pipeline:?}"), "Pipeline { .. }");
}

/// Gives at most two bytes a read, and is interrupted before each.
struct Halting {
    bytes: &'static [u8],
    is_interrupted: bool,
}

impl Read for Halting {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        assert!(!room.is_empty(), "a read without room may wait for ever");
        self.is_interrupted = !self.is_interrupted;
        if self.is_interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        let len = room.len().min(2);
        self.bytes.read(&mut room[..len])
    }
}

#[test]
fn a_full_read_goes_on_until_the_room_is_full_or_the_input_ends() {
    for len in 0..9 {
        let (mut input, mut room) =
            (Halting { bytes: b"abcdef", is_interrupted: false }, [b'.'; 9]);
        let n = read_full(&mut input, &mut room[..len]).unwrap();
        assert_eq!(n, len.min(6));
        assert_eq!((&room[..n], &room[n..]), (&b"abcdef"[..n], &b"........."[n..]), "{len}");
    }
}

#[test]
fn a_full_read_ends_at_an_error() {
    struct Fails(bool);
    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            let has_failed = std::mem::replace(&mut self.0, true);
            if has_failed { Ok(0) } else { Err(ErrorKind::BrokenPipe.into()) }
        }
    }
    let error = read_full(&mut b"ab".chain(Fails(false)), &mut [0; 9]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BrokenPipe);
}
