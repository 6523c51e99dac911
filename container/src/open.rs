//! A sealed file to plaintext, all of it or a range.

use std::{
    io::{Read, Seek, SeekFrom},
    ops::Range,
};

use crate::{
    batch::{Batch, Chunk},
    error::{Error, Fault},
    header::{FIELDS_LEN, HEADER_LEN, Header},
    keys::{FileKeys, Secret},
    layout::{ChunkSize, TAG_LEN, WORD_LEN, Word},
    pipeline::{Feed, Pipeline},
    seal::read_full,
};

/// A sealed file being opened, handed out in pieces: each a chunk that is verified.
pub struct Opener<R> {
    header: Header,
    pipeline: Pipeline<Frames<R>>,
    /// The next chunk of the batch.
    at: usize,
    /// The part of the first chunk that is not asked for, then nothing.
    skip: usize,
    /// How many bytes are still to be handed out at most.
    left: u64,
}

impl<R: Read + Send + 'static> Opener<R> {
    /// Starts to open all of `input`. With one thread, all happens on the calling thread.
    ///
    /// # Errors
    /// If the input cannot be read, is no sealed file, or is not sealed with this secret.
    pub fn new(mut input: R, secret: &Secret, threads: usize) -> Result<Self, Error> {
        let (header, keys) = unlock(&mut input, secret)?;
        Ok(Self::start(input, header, keys, threads, 0..u64::MAX))
    }

    fn start(input: R, header: Header, keys: FileKeys, threads: usize, chunks: Range<u64>) -> Self {
        let size = header.chunk_size;
        let feed = Frames { input, chunks, size };
        let pipeline = Pipeline::start(feed, &header, keys, Batch::open, threads);
        Self { header, pipeline, at: 0, skip: 0, left: u64::MAX }
    }

    /// What the file says of itself, verified.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The next piece of plaintext; `None` at its end. What came before an error is genuine, but
    /// not all there was.
    ///
    /// # Errors
    /// If the input cannot be read or is not what was sealed.
    pub fn next_piece(&mut self) -> Result<Option<&[u8]>, Error> {
        while self.at == self.pipeline.batch().chunks.len() {
            let batch = self.pipeline.batch();
            batch.check()?;
            if batch.last {
                return Ok(None);
            }
            self.pipeline.advance();
            self.at = 0;
        }
        let text = &self.pipeline.batch().text(self.at)[std::mem::take(&mut self.skip)..];
        self.at += 1;
        let len = self.left.min(text.len() as u64);
        self.left -= len;
        Ok(Some(&text[..len as usize]))
    }
}

impl<R: Read + Seek + Send + 'static> Opener<R> {
    /// Starts to open `len` bytes of plaintext from byte `start` on: reads the header and the
    /// chunks with these bytes, and verifies them. The rest of the file may be anything.
    ///
    /// # Errors
    /// As [`Opener::new`], and if the plaintext has no such range.
    pub fn range(
        mut input: R,
        secret: &Secret,
        threads: usize,
        start: u64,
        len: u64,
    ) -> Result<Self, Error> {
        let sealed = input.seek(SeekFrom::End(0)).map_err(Error::Read)?;
        input.seek(SeekFrom::Start(0)).map_err(Error::Read)?;
        let (header, keys) = unlock(&mut input, secret)?;
        let size = header.chunk_size;
        let chunk = size.bytes() as u64;
        let plain = size.plain_len(sealed);
        let end = start.checked_add(len).filter(|&end| plain.is_some_and(|plain| end <= plain));
        let chunks = match end {
            Some(_) if len == 0 => 0..0,
            Some(end) => start / chunk..end.div_ceil(chunk),
            // Where the plaintext ends is for its last chunk to say.
            None => size.last_index(sealed)..u64::MAX,
        };
        let last = chunks.start;
        let offset = size.offset(last).expect("within the file");
        input.seek(SeekFrom::Start(offset)).map_err(Error::Read)?;
        let mut opener = Self::start(input, header, keys, threads, chunks);
        if end.is_none() {
            opener.pipeline.batch().check()?;
            let plain = plain.ok_or(Fault::Truncated { chunk: last })?;
            return Err(Error::Range { start, len, plain });
        }
        opener.skip = (start % chunk) as usize;
        opener.left = len;
        Ok(opener)
    }
}

/// Reads the header and derives the keys, if the secret fits.
fn unlock(input: &mut impl Read, secret: &Secret) -> Result<(Header, FileKeys), Error> {
    let mut bytes = [0; HEADER_LEN];
    let len = read_full(input, &mut bytes).map_err(Error::Read)?;
    let header = Header::parse(&bytes[..len])?;
    let keys = FileKeys::derive(secret, &header)?;
    let tag = bytes[FIELDS_LEN..].first_chunk::<TAG_LEN>().expect("the rest of the header");
    keys.verify(*tag)?;
    Ok((header, keys))
}

/// The sealed chunks of an input that stands at the first of them.
struct Frames<R> {
    input: R,
    chunks: Range<u64>,
    size: ChunkSize,
}

impl<R: Read + Send + 'static> Frames<R> {
    fn read_chunk(&mut self, batch: &mut Batch) -> Result<(), Error> {
        let Some(index) = self.chunks.next() else {
            batch.last = true;
            return Ok(());
        };
        let slot = batch.free_slot();
        let len = read_full(&mut self.input, slot).map_err(Error::Read)?;
        let truncated = Fault::Truncated { chunk: index };
        let (word, rest) = slot[..len].split_first_chunk::<WORD_LEN>().ok_or(truncated)?;
        let word = Word::from_bytes(*word);
        if !word.fits(self.size, index) {
            let (len, last) = (word.len(), word.is_last());
            return Err(Fault::ChunkLength { chunk: index, len, last }.into());
        }
        let behind = rest.len().checked_sub(word.len() + TAG_LEN).ok_or(truncated)?;
        if word.is_last() {
            batch.last = true;
            batch.trailing =
                behind > 0 || read_full(&mut self.input, &mut [0]).map_err(Error::Read)? > 0;
        }
        batch.chunks.push(Chunk { index, word });
        Ok(())
    }
}

impl<R: Read + Send + 'static> Feed for Frames<R> {
    fn read(&mut self, batch: &mut Batch) {
        while !batch.is_full() {
            if let Err(error) = self.read_chunk(batch) {
                batch.fail(error);
            }
        }
    }
}
