//! A conversion of one byte stream into another, and a reader that applies it.

use std::{
    error::Error,
    io::{self, ErrorKind, Read},
};

/// Bytes that [`Reader`] reads from its input at a time.
const CHUNK: usize = 64 << 10;

/// Converts a byte stream that arrives in pieces of any length.
///
/// The output does not depend on how the input is cut. After an error or [`finish`](Self::finish) the
/// transform must not be used any more.
pub trait Transform {
    /// The error of an invalid input.
    type Error: Error + Send + Sync + 'static;

    /// Converts the next piece of input and appends the result to `out`.
    ///
    /// # Errors
    /// If the input is invalid. `out` then holds everything that comes before the fault.
    fn push(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<(), Self::Error>;

    /// Ends the input and appends the rest of the result to `out`.
    ///
    /// # Errors
    /// If the input must not end here.
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), Self::Error>;

    /// Converts a whole input.
    ///
    /// # Errors
    /// If the input is invalid.
    fn convert(mut self, input: &[u8]) -> Result<Vec<u8>, Self::Error>
    where
        Self: Sized,
    {
        let mut out = Vec::new();
        self.push(input, &mut out)?;
        self.finish(&mut out)?;
        Ok(out)
    }

    /// Converts all bytes that `input` reads.
    fn reader<R: Read>(self, input: R) -> Reader<R, Self>
    where
        Self: Sized,
    {
        Reader {
            input,
            transform: self,
            chunk: vec![0; CHUNK].into(),
            out: Vec::new(),
            taken: 0,
            state: State::Open,
        }
    }
}

/// Reads the output of a [`Transform`], made by [`Transform::reader`].
///
/// Everything that comes before a fault is read first. The fault is then an [`io::Error`] of kind
/// [`InvalidData`](ErrorKind::InvalidData) that holds the transform's error; errors of the input
/// are passed on as they are. Memory is bounded by 64 KiB of input and their output.
pub struct Reader<R, T: Transform> {
    input: R,
    transform: T,
    chunk: Box<[u8]>,
    out: Vec<u8>,
    /// Bytes of `out` that were read already.
    taken: usize,
    state: State<T::Error>,
}

impl<R, T: Transform> std::fmt::Debug for Reader<R, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Reader").finish_non_exhaustive()
    }
}

enum State<E> {
    Open,
    /// An error that is still to be reported.
    Failed(E),
    Ended,
}

impl<R: Read, T: Transform> Read for Reader<R, T> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if room.is_empty() {
            return Ok(0);
        }
        while self.taken == self.out.len() {
            self.out.clear();
            self.taken = 0;
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Open => {}
                State::Failed(error) => return Err(io::Error::new(ErrorKind::InvalidData, error)),
                State::Ended => return Ok(0),
            }
            // An error of the input leaves the stream open, so that the caller may retry.
            let read = self.input.read(&mut self.chunk);
            let (result, next) = match read {
                Err(error) => {
                    self.state = State::Open;
                    return Err(error);
                }
                Ok(0) => (self.transform.finish(&mut self.out), State::Ended),
                Ok(n) => {
                    let n = n.min(self.chunk.len()); // a reader may return a wrong number
                    (self.transform.push(&self.chunk[..n], &mut self.out), State::Open)
                }
            };
            self.state = result.map_or_else(State::Failed, |()| next);
        }
        let piece = &self.out[self.taken..];
        let len = piece.len().min(room.len());
        room[..len].copy_from_slice(&piece[..len]);
        self.taken += len;
        Ok(len)
    }
}
