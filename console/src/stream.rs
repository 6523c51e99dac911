//! Bytes from a source to a sink, in constant memory, with the stages overlapped.
//!
//! Each byte is passed on as soon as it arrives. The calling thread handles the first mebibyte, so
//! that a small input starts no thread. After that, each stage except the last runs ahead in its
//! own thread, over a ring of reused blocks.

use std::{mem, thread};

use arcfour_files::{Feed, Pipeline, Work};

use super::failure::Failure;

/// Maximum number of bytes that a source puts into a block. A filter may double them.
///
/// Handing over a block wakes two threads, which takes about 10 µs. With blocks of 64 KiB a file of
/// 1 GiB took 990 ms, with 256 KiB 745 ms. With 512 KiB the file took 685 ms, with 1 MiB 670 ms.
/// Measured on two cores of a virtual Zen 5, to /dev/null.
pub const CHUNK: usize = 512 << 10;
/// Bytes that are handled before threads are started.
const INLINE: u64 = 1 << 20;
/// Number of blocks by which a stage may run ahead of the next.
const AHEAD: usize = 4;

/// A piece of the stream on its way.
pub struct Block {
    bytes: Box<[u8]>,
    len: usize,
}

impl Block {
    /// An empty block with room for 2 × [`CHUNK`] bytes.
    pub fn new() -> Self {
        Self { bytes: vec![0; 2 * CHUNK].into(), len: 0 }
    }

    /// Returns the block's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Returns the block's bytes, to be changed in place.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.len]
    }

    /// Replaces the block's bytes by the bytes that `write` puts at the start of its room. `write`
    /// returns their number.
    pub fn refill<E>(
        &mut self,
        write: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), E> {
        self.len = 0;
        self.len = write(&mut self.bytes)?;
        Ok(())
    }
}

impl Default for Block {
    fn default() -> Self {
        Self::new()
    }
}

/// A source of blocks.
pub trait Source: Send + 'static {
    /// Replaces the contents of `block` by the next bytes of the stream. An empty block means the
    /// end.
    ///
    /// # Errors
    /// If there are no next bytes for another reason. The stream must not be used any more.
    fn next(&mut self, block: &mut Block) -> Result<(), Failure>;
}

/// A destination of bytes.
pub trait Sink {
    /// Takes all of `bytes`.
    ///
    /// # Errors
    /// If it cannot.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure>;

    /// Returns true if the bytes go to a terminal, where someone watches them arrive.
    fn is_terminal(&self) -> bool {
        false
    }
}

/// A stage between a source and a sink.
pub trait Stage: Send + 'static {
    /// Returns the source that this stage makes of another.
    fn next(&mut self, source: &mut impl Source, block: &mut Block) -> Result<(), Failure>;
}

/// A source seen through a stage.
struct Staged<S, T> {
    source: S,
    stage: T,
}

impl<S: Source, T: Stage> Source for Staged<S, T> {
    fn next(&mut self, block: &mut Block) -> Result<(), Failure> {
        self.stage.next(&mut self.source, block)
    }
}

/// A source that a separate thread reads ahead, or that is read directly if no thread can be
/// started.
///
/// Nothing waits for the thread, because it may be blocked in a read that never ends when the sink
/// fails.
struct Ahead<S> {
    pipeline: Pipeline<Read, Reader<S>, Nothing>,
    read: Read,
}

/// The result of reading a block.
#[derive(Default)]
struct Read {
    block: Block,
    failure: Option<Failure>,
}

struct Reader<S>(S);

impl<S: Source> Feed<Read> for Reader<S> {
    fn fill(&mut self, read: &mut Read) -> bool {
        read.failure = self.0.next(&mut read.block).err();
        read.failure.is_none() && !read.block.bytes().is_empty()
    }
}

/// The empty work of a thread that only reads ahead.
struct Nothing;

impl Work<Read> for Nothing {
    fn work(&mut self, _: &mut Read) {}
}

impl<S: Source> Ahead<S> {
    fn new(source: S) -> Self {
        let mut pipeline = Pipeline::new(Reader(source), Nothing);
        pipeline.spread((0..AHEAD).map(|_| Read::default()).collect(), [Nothing]);
        Self { pipeline, read: Read::default() }
    }
}

impl<S: Source> Source for Ahead<S> {
    fn next(&mut self, block: &mut Block) -> Result<(), Failure> {
        self.pipeline.next(&mut self.read);
        mem::swap(block, &mut self.read.block);
        self.read.failure.take().map_or(Ok(()), Err)
    }
}

/// Returns true if a second core can run a thread.
fn can_overlap() -> bool {
    thread::available_parallelism().is_ok_and(|cores| cores.get() > 1)
}

/// Copies to `sink` until the source ends (`true`) or at least `limit` bytes went through.
fn copy(source: &mut impl Source, sink: &mut impl Sink, limit: u64) -> Result<bool, Failure> {
    let mut block = Block::new();
    let mut done = 0;
    while done < limit {
        source.next(&mut block)?;
        if block.bytes().is_empty() {
            return Ok(true);
        }
        sink.write(block.bytes())?;
        done += block.bytes().len() as u64;
    }
    Ok(false)
}

/// Sends all of `source` to `sink`.
///
/// # Errors
/// The first error of the source or the sink.
pub fn send(mut source: impl Source, sink: &mut impl Sink) -> Result<(), Failure> {
    if copy(&mut source, sink, INLINE)? {
        return Ok(());
    }
    if can_overlap() {
        copy(&mut Ahead::new(source), sink, u64::MAX)?;
    } else {
        copy(&mut source, sink, u64::MAX)?;
    }
    Ok(())
}

/// Sends all of `source` through `stage` to `sink`.
///
/// # Errors
/// The first error of the source, the stage or the sink.
pub fn send_through(
    source: impl Source,
    stage: impl Stage,
    sink: &mut impl Sink,
) -> Result<(), Failure> {
    let mut staged = Staged { source, stage };
    if copy(&mut staged, sink, INLINE)? {
        return Ok(());
    }
    if can_overlap() {
        let Staged { source, stage } = staged;
        let staged = Staged { source: Ahead::new(source), stage };
        copy(&mut Ahead::new(staged), sink, u64::MAX)?;
    } else {
        copy(&mut staged, sink, u64::MAX)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts from 0 to its end, one byte per block, then ends or fails.
    struct Count {
        next: u8,
        end: u8,
        fails: bool,
    }

    impl Source for Count {
        fn next(&mut self, block: &mut Block) -> Result<(), Failure> {
            if self.next == self.end && self.fails {
                return Err(Failure::Work("the end".into()));
            }
            let len = usize::from(self.next < self.end);
            let count = self.next;
            self.next += len as u8;
            block.refill(|room| {
                room[0] = count;
                Ok(len)
            })
        }
    }

    struct Collect(Vec<u8>);

    impl Sink for Collect {
        fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
            self.0.extend_from_slice(bytes);
            Ok(())
        }
    }

    /// Runs with threads on any machine, whatever [`can_overlap`] says there.
    #[test]
    fn a_thread_ahead_passes_on_every_block_in_order_and_the_end() {
        for (end, fails) in [(0, false), (3, false), (4, true), (200, false), (200, true)] {
            let mut sink = Collect(vec![]);
            let ahead = Ahead::new(Count { next: 0, end, fails });
            let result = copy(&mut Ahead::new(ahead), &mut sink, u64::MAX);
            assert_eq!(result.is_err(), fails);
            assert_eq!(sink.0, (0..end).collect::<Vec<_>>());
        }
    }
}
