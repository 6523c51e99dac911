//! `handa2015 file`: encrypts the reader's file by the paper's scheme or by our repair.

use std::{
    fs::File,
    io::{Read, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use arcfour::families::parc4r;
use clap::ValueEnum;

use crate::time::{BLOCK, Work};

/// Number of PARC4-R's chunks for each thread in a piece of the file.
const CHUNKS: usize = 4;
/// The largest block, in bytes.
const LARGEST: usize = 1 << 24;

/// PARC4-I and RC4A must not protect anything. `parc4i` and `parc4i-text` give every block the same
/// keystream, so blocks can be read without the key. The same command decrypts.
#[derive(clap::Args)]
pub struct Args {
    work: Work,
    /// The file to read
    input: PathBuf,
    /// The file to write; it must not exist
    output: PathBuf,
    /// The key as text; other users of this machine can see it while the program runs
    #[arg(long)]
    key: String,
    /// Number of threads of the pool
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Bytes of a block; PARC4-R has fixed chunks
    #[arg(long, default_value_t = BLOCK)]
    block: usize,
}

impl Args {
    pub fn run(&self, out: &mut Vec<u8>) -> Result<()> {
        ensure!(
            (1..=LARGEST).contains(&self.block),
            "--block {}: it must be 1 to {LARGEST}",
            self.block
        );
        ensure!(
            self.work != Work::Parc4r || self.block == BLOCK,
            "PARC4-R has chunks of {} bytes: leave --block out",
            parc4r::CHUNK
        );
        let pool = self.work.pool(self.threads)?;
        let mut input = File::open(&self.input)
            .with_context(|| format!("cannot read {}", self.input.display()))?;
        ensure!(!self.output.exists(), "{} exists already", self.output.display());
        let parent = self.output.parent().filter(|parent| *parent != Path::new(""));
        let mut made = tempfile::NamedTempFile::new_in(parent.unwrap_or(Path::new(".")))
            .with_context(|| format!("cannot write {}", self.output.display()))?;

        let mut data = vec![0; self.piece(&input)?];
        let (mut offset, mut spent) = (0_u64, Duration::ZERO);
        loop {
            let length = fill(&mut input, &mut data)
                .with_context(|| format!("cannot read {}", self.input.display()))?;
            let start = Instant::now();
            self.work.apply_from(
                self.key.as_bytes(),
                &mut data[..length],
                offset,
                self.block,
                &pool,
            )?;
            spent += start.elapsed();
            made.write_all(&data[..length])
                .with_context(|| format!("cannot write {}", self.output.display()))?;
            offset += length as u64;
            if length < data.len() {
                break;
            }
        }
        made.persist_noclobber(&self.output)
            .with_context(|| format!("cannot write {}", self.output.display()))?;
        let name = self.work.to_possible_value().expect("no work is hidden");
        let (seconds, threads, block) = (spent.as_secs_f64(), self.threads, self.block);
        writeln!(out, "work,threads,block,bytes,seconds")?;
        writeln!(out, "{},{threads},{block},{offset},{seconds:.9}", name.get_name())?;
        Ok(())
    }

    /// Returns how much of the file is in memory at a time: whole blocks and chunks. RC4A, one
    /// serial chain, needs the whole file.
    fn piece(&self, input: &File) -> Result<usize> {
        if self.work.is_serial() {
            let size = input.metadata().context("cannot tell the size of the input")?.len();
            return usize::try_from(size + 1).context("the input does not fit into memory");
        }
        let unit = if self.work == Work::Parc4r { parc4r::CHUNK } else { self.block };
        Ok((self.threads * CHUNKS * parc4r::CHUNK).div_ceil(unit) * unit)
    }
}

/// Reads until the buffer is full or the file ends. Returns the number of bytes.
fn fill(input: &mut File, data: &mut [u8]) -> std::io::Result<usize> {
    let mut length = 0;
    while length < data.len() {
        match input.read(&mut data[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Work;
    use arcfour::Family;

    fn crypt(work: Work, data: &[u8], threads: usize, block: usize) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("in"), folder.path().join("out"));
        std::fs::write(&input, data).unwrap();
        let args =
            Args { work, input, output: output.clone(), key: "a key".into(), threads, block };
        args.run(&mut vec![]).unwrap();
        std::fs::read(output).unwrap()
    }

    /// Longer than the part in memory, and no multiple of it.
    fn text() -> Vec<u8> {
        (0..3 * CHUNKS * parc4r::CHUNK + 12_345).map(|n| (n * 7) as u8).collect()
    }

    #[test]
    fn parc4r_is_one_stream_for_any_number_of_threads() {
        let mut expected = text();
        Family::Parc4r.start(b"a key", None, None).unwrap().apply(&mut expected);
        for threads in [1, 2, 3] {
            assert!(crypt(Work::Parc4r, &text(), threads, BLOCK) == expected, "{threads}");
        }
    }

    #[test]
    fn every_block_begins_anew_or_with_its_own_key() {
        for (block, length) in [(1, 2000), (256, text().len()), (1000, text().len())] {
            let text = &text()[..length];
            let same = crypt(Work::Parc4i, text, 2, block);
            let mut expected = text.to_vec();
            for part in expected.chunks_mut(block) {
                Family::Parc4i.start(b"a key", None, None).unwrap().apply(part);
            }
            assert!(same == expected, "{block}");
            let keyed = crypt(Work::Parc4iKeyed, text, 2, block);
            let mut expected = text.to_vec();
            for (number, part) in expected.chunks_mut(block).enumerate() {
                let key = [b"a key", &(number as u64).to_be_bytes()[..]].concat();
                Family::Parc4i.start(&key, None, None).unwrap().apply(part);
            }
            assert!(keyed == expected, "{block}");
        }
    }

    #[test]
    fn twice_is_the_file_again() {
        for work in
            [Work::Rc4a, Work::Rc4aAligned, Work::Parc4iText, Work::Parc4iRolled, Work::Parc4r]
        {
            let once = crypt(work, &text(), 1, BLOCK);
            assert!(once != text() && crypt(work, &once, 1, BLOCK) == text(), "{work:?}");
        }
        assert!(crypt(Work::Parc4r, &[], 1, BLOCK).is_empty());
    }

    #[test]
    fn nothing_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("in"), folder.path().join("out"));
        std::fs::write(&input, b"text").unwrap();
        std::fs::write(&output, b"kept").unwrap();
        let args = Args {
            work: Work::Parc4r,
            input,
            output: output.clone(),
            key: "k".into(),
            threads: 1,
            block: BLOCK,
        };
        assert!(args.run(&mut vec![]).unwrap_err().to_string().contains("exists already"));
        assert_eq!(std::fs::read(output).unwrap(), b"kept");
    }
}
