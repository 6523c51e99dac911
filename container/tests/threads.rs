//! Tests on which threads a stream reads, and how far it reads ahead.

use std::{
    collections::HashSet,
    io::{self, Read},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, ThreadId},
    time::{Duration, Instant},
};

use arcfour_container::{ChunkSize, Opener, Options, Sealer, Secret};

/// Notes how many bytes are read, and by which threads.
struct Noted<R> {
    input: R,
    bytes: Arc<AtomicU64>,
    threads: Arc<Mutex<HashSet<ThreadId>>>,
}

impl<R: Read> Noted<R> {
    fn new(input: R) -> Self {
        Self { input, bytes: Arc::default(), threads: Arc::default() }
    }
}

impl<R: Read> Read for Noted<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.threads.lock().unwrap().insert(thread::current().id());
        let n = self.input.read(room)?;
        self.bytes.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

fn secret() -> Secret {
    Secret::from_key(&[7; 32])
}

fn options(chunk_size: u64) -> Options {
    let mut options = Options::default();
    options.chunk_size = ChunkSize::new(chunk_size).unwrap();
    options
}

/// The first batch is always made by the calling thread, so that a small file costs no thread.
#[test]
fn other_threads_read_from_the_second_batch_on_if_there_is_more_than_one() {
    let caller = thread::current().id();
    for threads in [1, 2] {
        let input = Noted::new(io::repeat(7).take(10_000_000));
        let by = Arc::clone(&input.threads);
        let mut sealer = Sealer::new(input, &secret(), options(1024)).unwrap().threads(threads);
        let mut sealed = sealer.next_piece().unwrap().unwrap().to_vec(); // the header
        sealed.extend_from_slice(sealer.next_piece().unwrap().unwrap());
        assert_eq!(*by.lock().unwrap(), HashSet::from([caller]));
        while let Some(piece) = sealer.next_piece().unwrap() {
            sealed.extend_from_slice(piece);
        }
        assert_eq!(by.lock().unwrap().len() > 1, threads > 1, "{threads} threads seal");

        let input = Noted::new(io::Cursor::new(sealed));
        let by = Arc::clone(&input.threads);
        let mut opener = Opener::new(input, &secret()).unwrap().threads(threads);
        io::copy(&mut opener, &mut io::sink()).unwrap();
        assert_eq!(by.lock().unwrap().len() > 1, threads > 1, "{threads} threads open");
    }
}

/// Sealing endless input, and what it has read.
struct Ahead {
    _sealer: Sealer<Noted<io::Repeat>>,
    bytes: Arc<AtomicU64>,
    taken: u64,
    batch: u64,
}

impl Ahead {
    /// Takes the header and two batches.
    fn new(chunk_size: u64, threads: usize) -> Self {
        let input = Noted::new(io::repeat(7));
        let bytes = Arc::clone(&input.bytes);
        let sealer = Sealer::new(input, &secret(), options(chunk_size)).unwrap();
        let mut sealer = sealer.threads(threads);
        let pieces = [0; 3].map(|_| sealer.next_piece().unwrap().unwrap().len() as u64);
        Self { _sealer: sealer, bytes, taken: pieces.iter().sum(), batch: pieces[2] }
    }

    /// The bytes that are read and not taken yet.
    fn now(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed).saturating_sub(self.taken)
    }

    /// [`now`](Self::now) after the time in which a stream that reads too far does so.
    fn later(&self) -> u64 {
        thread::sleep(Duration::from_secs(1));
        self.now()
    }
}

#[test]
fn any_number_of_threads_reads_at_most_40_mib_ahead() {
    let ahead = Ahead::new(1 << 20, 200).later();
    assert!(ahead <= 40 << 20, "{ahead} bytes ahead");
}

#[test]
fn reading_ahead_takes_at_most_a_batch_a_thread_and_two_more() {
    let stream = Ahead::new(1024, 20);
    let (ahead, batch) = (stream.later(), stream.batch);
    assert!(ahead <= 22 * batch, "{ahead} bytes ahead in batches of {batch} bytes");
}

#[test]
fn many_threads_have_more_than_two_batches_to_work_on() {
    let stream = Ahead::new(1024, 20);
    let begun = Instant::now();
    while stream.now() < 3 * stream.batch {
        assert!(begun.elapsed() < Duration::from_secs(60), "{} bytes ahead", stream.now());
        thread::sleep(Duration::from_millis(10));
    }
}
