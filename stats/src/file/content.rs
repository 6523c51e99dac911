//! An input that ends with the checksum of all bytes before.

use std::io::{self, Read};

use sha2::{Digest, Sha256};

use super::layout::{BLOCK, MAX_HEADER, SUM};
use crate::campaign::MAX_CELLS;

/// Reads an input without the checksum at its end.
pub(super) struct Content<R> {
    input: R,
    /// Bytes that were read and not yet returned, at `start..end`.
    block: Vec<u8>,
    start: usize,
    end: usize,
    sum: Sha256,
}

impl<R: Read> Content<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, block: vec![0; BLOCK], start: 0, end: 0, sum: Sha256::new() }
    }

    /// Returns the next `most` bytes, or the rest.
    pub(super) fn next(&mut self, most: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![];
        self.take(most as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads to the end, up to the maximum length of a file. Returns true if the input ends with
    /// its checksum.
    pub(super) fn rest_has_its_sum(&mut self) -> io::Result<bool> {
        let most = 8 * MAX_CELLS + u64::from(MAX_HEADER);
        let rest = io::copy(&mut self.by_ref().take(most), &mut io::sink())?;
        let sum: [u8; SUM] = self.sum.clone().finalize().into();
        Ok(rest < most && self.block[self.start..self.end] == sum)
    }
}

impl<R: Read> Read for Content<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.end - self.start <= SUM {
            self.block.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            match self.input.read(&mut self.block[self.end..])? {
                0 => return Ok(0),
                read => self.end += read,
            }
        }
        let given = (self.end - self.start - SUM).min(buffer.len());
        let bytes = &self.block[self.start..][..given];
        self.sum.update(bytes);
        buffer[..given].copy_from_slice(bytes);
        self.start += given;
        Ok(given)
    }
}
