//! Writes files of counts.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

use super::{
    CountsFile,
    layout::{BLOCK, Header, MAGIC},
};

impl CountsFile {
    /// Writes the file.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let header = Header {
            campaign: self.campaign.clone(),
            hash: self.campaign.hash(),
            shards: self.shards.clone(),
            unfinished: self.unfinished,
        };
        let header = serde_json::to_vec(&header).expect("a header is valid JSON");
        let mut out = Hashing { inner: out, sum: Sha256::new() };
        out.put(MAGIC)?;
        out.put(&(header.len() as u32).to_le_bytes())?;
        out.put(&header)?;
        let mut block = Vec::with_capacity(BLOCK);
        for table in &self.tables {
            let width = width_of(table.iter().copied().max().unwrap_or(0));
            out.put(&[width as u8])?;
            for cells in table.chunks(BLOCK / width) {
                block.clear();
                cells.iter().for_each(|cell| block.extend(&cell.to_le_bytes()[..width]));
                out.put(&block)?;
            }
        }
        let (mut out, sum) = (out.inner, out.sum.finalize());
        out.write_all(&sum)
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![];
        self.write(&mut bytes).expect("a vector takes all bytes");
        bytes
    }
}

/// Returns the bytes of each cell: 2, 4 or 8, the fewest that hold the largest count.
fn width_of(largest: u64) -> usize {
    match largest {
        0..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}

/// Writes to `inner`, and computes the checksum of all written bytes.
struct Hashing<W> {
    inner: W,
    sum: Sha256,
}

impl<W: Write> Hashing<W> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.inner.write_all(bytes)
    }
}
