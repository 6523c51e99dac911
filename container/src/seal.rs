//! Plaintext to a sealed file.

use std::io::{self, Read};

use crate::{
    batch::{Batch, Chunk},
    error::Error,
    header::{Cost, Family, HEADER_LEN, Header, KeyKind},
    keys::{FileKeys, Secret},
    layout::{ChunkSize, WORD_LEN, Word},
    pipeline::{Feed, Pipeline},
};

/// How to seal.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The cipher.
    pub family: Family,
    /// The plaintext bytes of every chunk but the last.
    pub chunk_size: ChunkSize,
    /// What a passphrase costs.
    pub cost: Cost,
    /// How many threads encrypt; with one, all happens on the calling thread.
    pub threads: usize,
}

impl Default for Options {
    /// RC4, chunks of 256 KiB, the default cost, one thread.
    fn default() -> Self {
        Self {
            family: Family::default(),
            chunk_size: ChunkSize::default(),
            cost: Cost::default(),
            threads: 1,
        }
    }
}

/// A sealed file in the making, handed out in pieces.
pub struct Sealer<R> {
    header: [u8; HEADER_LEN],
    pipeline: Pipeline<Plain<R>>,
    next: Next,
}

enum Next {
    Header,
    FirstBatch,
    Batch,
}

impl<R: Read + Send + 'static> Sealer<R> {
    /// Starts to seal all of `input`, with a salt of its own.
    ///
    /// # Errors
    /// If the system gives no random bytes, or not the memory for a passphrase.
    pub fn new(input: R, secret: &Secret, options: Options) -> Result<Self, Error> {
        let mut salt = [0; 32];
        getrandom::fill(&mut salt).map_err(Error::Random)?;
        Self::with_salt(input, secret, options, salt)
    }

    /// A salt must never serve two files: only tests choose it.
    pub(crate) fn with_salt(
        input: R,
        secret: &Secret,
        options: Options,
        salt: [u8; 32],
    ) -> Result<Self, Error> {
        let key = match secret {
            Secret::KeyFile(_) => KeyKind::File,
            Secret::Passphrase(_) => KeyKind::Passphrase(options.cost.check()?),
        };
        let size = options.chunk_size;
        let header = Header { family: options.family, key, chunk_size: size, salt };
        let keys = FileKeys::derive(secret, &header)?;
        let signed = keys.sign(&header);
        let feed = Plain { input, index: 0, ahead: None, size };
        let pipeline = Pipeline::start(feed, &header, keys, Batch::seal, options.threads);
        Ok(Self { header: signed, pipeline, next: Next::Header })
    }

    /// The next piece of the sealed file; `None` at its end. Of an input that cannot be read at all
    /// there is none.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn next_piece(&mut self) -> Result<Option<&[u8]>, Error> {
        match self.next {
            Next::Header => {
                let first = self.pipeline.batch();
                if first.chunks.is_empty() {
                    first.check()?;
                }
                self.next = Next::FirstBatch;
                return Ok(Some(&self.header));
            }
            Next::FirstBatch => self.next = Next::Batch,
            Next::Batch if self.pipeline.batch().ends_the_stream() => return Ok(None),
            Next::Batch => self.pipeline.advance(),
        }
        let batch = self.pipeline.batch();
        batch.check()?;
        Ok(Some(batch.sealed()))
    }
}

/// Reads one byte further than a chunk, to know whether it is the last.
struct Plain<R> {
    input: R,
    index: u64,
    ahead: Option<u8>,
    size: ChunkSize,
}

impl<R: Read + Send + 'static> Plain<R> {
    fn read_chunk(&mut self, batch: &mut Batch) -> io::Result<()> {
        let text = &mut batch.free_slot()[WORD_LEN..][..self.size.bytes()];
        let mut len = 0;
        if let Some(byte) = self.ahead.take() {
            text[0] = byte;
            len = 1;
        }
        len += read_full(&mut self.input, &mut text[len..])?;
        if len == text.len() {
            let mut byte = [0];
            self.ahead = (read_full(&mut self.input, &mut byte)? == 1).then_some(byte[0]);
        }
        batch.last = self.ahead.is_none();
        batch.chunks.push(Chunk { index: self.index, word: Word::new(len, batch.last) });
        self.index += 1;
        Ok(())
    }
}

impl<R: Read + Send + 'static> Feed for Plain<R> {
    fn read(&mut self, batch: &mut Batch) {
        while !batch.is_full() {
            if let Err(error) = self.read_chunk(batch) {
                batch.fail(Error::Read(error));
            }
        }
    }
}

/// Reads until `room` is full or the input ends; returns how many bytes came.
pub(crate) fn read_full(input: &mut impl Read, room: &mut [u8]) -> io::Result<usize> {
    let mut len = 0;
    while len < room.len() {
        match input.read(&mut room[len..]) {
            Ok(0) => break,
            Ok(n) => len += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(len)
}
