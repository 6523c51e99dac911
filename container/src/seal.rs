//! Seals plaintext.

use std::{
    io::{self, BufRead, Read},
    mem,
};

use arcfour_files::read_full;

use crate::{
    batch::{Batch, Chunk},
    fault::Error,
    header::{Cipher, Cost, Header, KeyKind, VerifiedHeader},
    keys::{FileKeys, Secret},
    layout::{ChunkSize, HEADER_LEN, SALT_LEN, WORD_LEN, Word},
    pipeline::{Batches, Chunks},
};

/// Options of sealing. The default is RC4, chunks of 256 KiB and the default cost.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The cipher.
    pub cipher: Cipher,
    /// The plaintext bytes of every chunk but the last.
    pub chunk_size: ChunkSize,
    /// The cost of deriving a key from a passphrase.
    pub cost: Cost,
}

/// A sealed file being made. Read from it, or take it piece by piece without a copy.
///
/// All work runs on the calling thread unless [`Sealer::threads`] is called. The header is ready
/// after the first byte of input. The rest comes in batches of chunks, 1.25 MiB by default.
pub struct Sealer<R> {
    header: [u8; HEADER_LEN],
    batches: Batches<PlaintextChunks<R>>,
    piece: Piece,
    /// Bytes of the piece that were read.
    read: usize,
}

// No secret is shown.
impl<R> std::fmt::Debug for Sealer<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Sealer").finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    None,
    Header,
    Batch,
}

impl<R: Read> Sealer<R> {
    /// Prepares to seal all of `input`, with a fresh salt. Nothing is read yet.
    ///
    /// # Errors
    /// If the system gives no random bytes, or not the memory for a passphrase.
    pub fn new(input: R, secret: &Secret, options: Options) -> Result<Self, Error> {
        let mut salt = [0; SALT_LEN];
        getrandom::fill(&mut salt).map_err(|error| Error::Random(error.into()))?;
        Self::with_salt(input, secret, options, salt)
    }

    /// Only tests choose the salt, because no two files may share one.
    pub(crate) fn with_salt(
        input: R,
        secret: &Secret,
        options: Options,
        salt: [u8; SALT_LEN],
    ) -> Result<Self, Error> {
        let Options { cipher, chunk_size, cost } = options;
        let key = match secret.is_passphrase() {
            false => KeyKind::File,
            true => KeyKind::Passphrase(cost.check()?),
        };
        let header = Header { cipher, key, chunk_size, salt };
        let keys = FileKeys::derive(secret, &header)?;
        let signed = keys.sign(&header);
        let chunks = PlaintextChunks { input, index: 0, ahead: None, size: chunk_size };
        let batches = Batches::new(chunks, VerifiedHeader::new(header), keys, Batch::seal);
        Ok(Self { header: signed, batches, piece: Piece::None, read: 0 })
    }

    /// Returns the next piece of the sealed file, or the rest of a piece after a [`Read::read`];
    /// `None` at the end. If the first read of the input fails, the error comes before any piece.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn next_piece(&mut self) -> Result<Option<&[u8]>, Error> {
        if !self.fill()? {
            return Ok(None);
        }
        let end = self.piece().len();
        let start = mem::replace(&mut self.read, end);
        Ok(Some(&self.piece()[start..]))
    }

    /// Advances until some bytes are unread. Returns false at the end.
    fn fill(&mut self) -> Result<bool, Error> {
        while self.read == self.piece().len() {
            if !self.advance()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Advances to the next piece, if there is one.
    fn advance(&mut self) -> Result<bool, Error> {
        self.batches.batch_mut().check()?;
        self.read = 0;
        if self.piece == Piece::None {
            // An input that cannot be read at all gets no header.
            let chunks = self.batches.chunks().expect("no thread has it yet");
            if let Err(error) = chunks.read_ahead() {
                self.batches.batch_mut().fail(Error::Read(error));
            }
            self.batches.batch_mut().check()?;
            self.piece = Piece::Header;
            return Ok(true);
        }
        self.piece = Piece::Batch;
        if self.batches.batch().last {
            self.batches.batch_mut().chunks.clear();
            return Ok(false);
        }
        self.batches.advance();
        // After a failure nothing is left to read.
        self.read = self.piece().len();
        self.batches.batch_mut().check()?;
        self.read = 0;
        Ok(true)
    }

    fn piece(&self) -> &[u8] {
        match self.piece {
            Piece::None => &[],
            Piece::Header => &self.header,
            Piece::Batch => self.batches.batch().sealed(),
        }
    }
}

impl<R: Read + Send + 'static> Sealer<R> {
    /// Reads and encrypts on this number of threads, or on fewer if the system refuses. A small input needs none.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.batches.on_threads(threads);
        self
    }
}

impl<R: Read> BufRead for Sealer<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.fill()?;
        Ok(&self.piece()[self.read..])
    }

    fn consume(&mut self, amount: usize) {
        self.read += amount;
    }
}

impl<R: Read> Read for Sealer<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(room)?;
        self.consume(n);
        Ok(n)
    }
}

/// Reads one byte further than a chunk, to know whether it is the last.
struct PlaintextChunks<R> {
    input: R,
    index: u64,
    ahead: Option<u8>,
    size: ChunkSize,
}

impl<R: Read> PlaintextChunks<R> {
    fn read_ahead(&mut self) -> io::Result<()> {
        let mut byte = [0];
        self.ahead = (read_full(&mut self.input, &mut byte)? == 1).then_some(byte[0]);
        Ok(())
    }
}

impl<R: Read> Chunks for PlaintextChunks<R> {
    fn read_chunk(&mut self, batch: &mut Batch) -> Result<(), Error> {
        let text = &mut batch.free_slot()[WORD_LEN..][..self.size.bytes()];
        let mut len = 0;
        if let Some(byte) = self.ahead.take() {
            text[0] = byte;
            len = 1 + read_full(&mut self.input, &mut text[1..]).map_err(Error::Read)?;
        }
        if len == text.len() {
            self.read_ahead().map_err(Error::Read)?;
        }
        batch.last = self.ahead.is_none();
        batch.chunks.push(Chunk { index: self.index, word: Word::new(len, batch.last) });
        self.index += 1;
        Ok(())
    }
}
