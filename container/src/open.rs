//! Opens a sealed file: the whole plaintext or a range.

use std::{
    io::{self, BufRead, Read, Seek, SeekFrom},
    mem,
    ops::Range,
};

use arcfour_files::read_full;

use crate::{
    batch::{Batch, Chunk},
    fault::{Error, Fault},
    header::{Header, VerifiedHeader},
    keys::{FileKeys, Secret},
    layout::{ChunkSize, FIELDS_LEN, HEADER_LEN, TAG_LEN, WORD_LEN, Word},
    pipeline::{Batches, Chunks},
};

/// A sealed file being opened. Read from it, or take the plaintext piece by piece without a copy.
/// Plaintext is verified before it is returned.
///
/// All work runs on the calling thread unless [`Opener::threads`] is called.
pub struct Opener<R> {
    batches: Batches<Frames<R>>,
    /// The next chunk of the batch.
    next: usize,
    /// The range of the current piece within the text of its chunk.
    piece: Range<usize>,
    /// Bytes of the next chunk that come before the range.
    skip: usize,
    /// Bytes of the range that are still to come; `None` without a range.
    left: Option<u64>,
}

// No secret is shown.
impl<R> std::fmt::Debug for Opener<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Opener").finish_non_exhaustive()
    }
}

impl<R: Read> Opener<R> {
    /// Reads the header of `input` and prepares to open all of it.
    ///
    /// # Errors
    /// If the input cannot be read, is not a sealed file, or is not sealed with this secret.
    pub fn new(mut input: R, secret: &Secret) -> Result<Self, Error> {
        let (header, keys) = unlock(&mut input, secret)?;
        Ok(Self::start(input, header, keys, 0..u64::MAX))
    }

    fn start(input: R, header: VerifiedHeader, keys: FileKeys, chunks: Range<u64>) -> Self {
        let size = header.chunk_size;
        let frames = Frames { input, chunks, size };
        let batches = Batches::new(frames, header, keys, Batch::open);
        Self { batches, next: 0, piece: 0..0, skip: 0, left: None }
    }

    /// Returns the verified header.
    pub fn header(&self) -> &VerifiedHeader {
        self.batches.header()
    }

    /// Returns the next piece of plaintext, or the rest of a piece after a [`Read::read`]; `None` at
    /// the end. Pieces before an error are genuine but incomplete.
    ///
    /// # Errors
    /// If the input cannot be read or is not what was sealed.
    pub fn next_piece(&mut self) -> Result<Option<&[u8]>, Error> {
        if !self.fill()? {
            return Ok(None);
        }
        let piece = mem::take(&mut self.piece);
        Ok(Some(&self.batches.batch().text(self.next - 1)[piece]))
    }

    /// Advances until some bytes are unread. Returns false at the end.
    fn fill(&mut self) -> Result<bool, Error> {
        while self.piece.is_empty() {
            if !self.advance()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Advances to the next piece, if there is one.
    fn advance(&mut self) -> Result<bool, Error> {
        self.piece = 0..0;
        while self.next == self.batches.batch().chunks.len() {
            self.batches.batch_mut().check()?;
            if self.batches.batch().last {
                // The input had fewer bytes than its stated length.
                return if self.left.is_some_and(|left| left > 0) { self.cut() } else { Ok(false) };
            }
            self.batches.advance();
            self.next = 0;
        }
        let len = self.batches.batch().text(self.next).len();
        let Some(wanted) = len.checked_sub(self.skip) else { return self.cut() };
        let wanted = self.left.map_or(wanted, |left| left.min(wanted as u64) as usize);
        self.piece = self.skip..self.skip + wanted;
        self.skip = 0;
        self.next += 1;
        self.left = self.left.map(|left| left - wanted as u64);
        Ok(true)
    }

    /// Ends with the fault that the file ends too early.
    fn cut(&mut self) -> Result<bool, Error> {
        let batch = self.batches.batch_mut();
        let chunk = batch.chunks.last().map_or(0, |chunk| chunk.index + 1);
        self.next = batch.chunks.len();
        batch.fail(Fault::Truncated { chunk });
        batch.check().map(|()| false)
    }

    fn piece(&self) -> &[u8] {
        match self.next.checked_sub(1) {
            Some(at) => &self.batches.batch().text(at)[self.piece.clone()],
            None => &[],
        }
    }
}

impl<R: Read + Seek> Opener<R> {
    /// Prepares to open `len` bytes of plaintext from byte `start` on: reads the header and the
    /// chunks with these bytes, and verifies them. The rest of the file is not verified. Where
    /// `len` is 0, the chunk with byte `start` is verified at once, or the last chunk if the
    /// plaintext ends there.
    ///
    /// # Errors
    /// Fails where [`Opener::new`] does, and if the plaintext has no such range.
    pub fn range(mut input: R, secret: &Secret, start: u64, len: u64) -> Result<Self, Error> {
        let sealed = input.seek(SeekFrom::End(0)).map_err(Error::Read)?;
        input.seek(SeekFrom::Start(0)).map_err(Error::Read)?;
        let (header, keys) = unlock(&mut input, secret)?;
        let size = header.chunk_size;
        let chunk = size.bytes() as u64;
        let plain = size.plain_len(sealed);
        let end = start.checked_add(len).filter(|&end| plain.is_some_and(|plain| end <= plain));
        let last = size.last_index(sealed);
        let chunks = match end {
            // The chunk that holds the position; at the end, the last chunk.
            Some(_) if len == 0 => {
                let at = (start / chunk).min(last);
                at..at + 1
            }
            Some(end) => start / chunk..end.div_ceil(chunk),
            None => last..last + 1,
        };
        let offset = size.offset(chunks.start).expect("within the file");
        input.seek(SeekFrom::Start(offset)).map_err(Error::Read)?;
        let from = chunks.start * chunk;
        let mut opener = Self::start(input, header, keys, chunks);
        if end.is_none() {
            let plain = opener.verified_len(last)?;
            return Err(match start.checked_add(len) {
                // The input is longer than its stated length.
                Some(end) if end <= plain => Fault::Truncated { chunk: last }.into(),
                _ => Error::Range { start, len, plain },
            });
        }
        opener.skip = (start - from) as usize;
        opener.left = Some(len);
        if len == 0 {
            opener.advance()?;
        }
        Ok(opener)
    }

    /// Returns the plaintext length. The final chunk is located by the input's length, which is not
    /// authenticated; only the verified final chunk proves the plaintext length.
    fn verified_len(&mut self, last: u64) -> Result<u64, Error> {
        let size = self.header().chunk_size;
        self.batches.advance();
        self.batches.batch_mut().check()?;
        match self.batches.batch().chunks.first() {
            Some(Chunk { index, word }) if word.is_last() => {
                Ok(index * size.bytes() as u64 + word.len() as u64)
            }
            _ => Err(Fault::Truncated { chunk: last + 1 }.into()),
        }
    }
}

impl<R: Read + Send + 'static> Opener<R> {
    /// Reads and decrypts on this number of threads, or on fewer if the system refuses. A small file needs none.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.batches.on_threads(threads);
        self
    }
}

impl<R: Read> BufRead for Opener<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.fill()?;
        Ok(self.piece())
    }

    fn consume(&mut self, amount: usize) {
        self.piece.start += amount;
    }
}

impl<R: Read> Read for Opener<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(room)?;
        self.consume(n);
        Ok(n)
    }
}

/// Reads the header and derives the keys, if the secret is right.
fn unlock(input: &mut impl Read, secret: &Secret) -> Result<(VerifiedHeader, FileKeys), Error> {
    let mut bytes = [0; HEADER_LEN];
    let len = read_full(input, &mut bytes).map_err(Error::Read)?;
    let header = Header::parse(&bytes[..len])?;
    let keys = FileKeys::derive(secret, &header)?;
    let tag = bytes[FIELDS_LEN..].first_chunk::<TAG_LEN>().expect("the rest of the header");
    Ok((keys.verify(header, *tag)?, keys))
}

/// The sealed chunks of an input that is at the first of them.
struct Frames<R> {
    input: R,
    chunks: Range<u64>,
    size: ChunkSize,
}

impl<R: Read> Chunks for Frames<R> {
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
        let rest = rest.len().checked_sub(word.len() + TAG_LEN).ok_or(truncated)?;
        if word.is_last() {
            batch.last = true;
            batch.trailing =
                rest > 0 || read_full(&mut self.input, &mut [0]).map_err(Error::Read)? > 0;
        }
        batch.chunks.push(Chunk { index, word });
        Ok(())
    }
}
