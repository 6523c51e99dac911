//! `handa2015 time`: times the encryption and decryption of a text in memory, on a pool of threads.

use std::{io::Write, path::PathBuf, time::Instant};

use anyhow::{Context, Result, ensure};
use arcfour::{
    Keystream, Parc4r, Plain, Rc4a,
    families::{parc4r, rc4a},
};
use clap::ValueEnum;
use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};

use crate::parc4i::Parc4i;

/// The block of the paper, in bytes.
pub const BLOCK: usize = 256;
/// Minimum number of blocks a thread takes, so that the cost of handing out work is negligible.
const TASK: usize = 64;
/// Length of the part of a stream that is compared with the definition.
const CHECKED: usize = 1 << 24;
/// Number of bytes that are encrypted and decrypted before anything is timed. The first pass of two threads took 4.5 ms
/// longer on Zen 5, whatever its size: the second processor was asleep.
const WARM_UP: usize = 1 << 26;

/// A cipher, and the keystream of its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Work {
    /// RC4A by its definition, a byte at a time, on one thread
    Rc4aPlain,
    /// The same, with its tables at the start of a page
    Rc4aAligned,
    /// RC4A by the fastest backend, on one thread
    Rc4a,
    /// PARC4-I as printed, unrolled; every block of 256 bytes begins with the scheduled state
    Parc4i,
    /// PARC4-I as the text describes it, otherwise the same
    Parc4iText,
    /// PARC4-I as printed, with its loop kept, one byte a turn
    Parc4iRolled,
    /// PARC4-I as printed, with a separate key for every block: the key, then the block's number
    Parc4iKeyed,
    /// PARC4-R, in its own chunks
    Parc4r,
}

#[derive(clap::Args)]
pub struct Args {
    work: Work,
    /// A file whose bytes are repeated to the size
    #[arg(long)]
    text: PathBuf,
    /// Number of bytes to encrypt
    #[arg(long)]
    bytes: usize,
    /// Number of threads of the pool
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Number of repetitions
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// The key as text; by default a new key for each run
    #[arg(long)]
    key: Option<String>,
}

impl Args {
    pub fn run(&self, out: &mut Vec<u8>) -> Result<()> {
        let text = std::fs::read(&self.text)
            .with_context(|| format!("cannot read {}", self.text.display()))?;
        ensure!(!text.is_empty(), "{} is empty: there is nothing to encrypt", self.text.display());
        ensure!(self.bytes > 0, "--bytes is 0: it must be 1 or more");
        let pool = self.work.pool(self.threads)?;
        let mut data = text.repeat(self.bytes.div_ceil(text.len()));
        data.truncate(self.bytes);
        let warm = self.bytes.min(WARM_UP);
        for _ in 0..2 {
            self.work.apply(b"warm-up", &mut data[..warm], BLOCK, &pool)?;
        }
        writeln!(out, "encryption_s,decryption_s")?;
        for run in 0..self.runs {
            let key = self.key.clone().unwrap_or_else(|| format!("Handa & Kapoor, {run}"));
            let start = Instant::now();
            self.work.apply(key.as_bytes(), &mut data, BLOCK, &pool)?;
            let encryption = start.elapsed().as_secs_f64();
            self.work.check(key.as_bytes(), &data, &text)?;
            let start = Instant::now();
            self.work.apply(key.as_bytes(), &mut data, BLOCK, &pool)?;
            let decryption = start.elapsed().as_secs_f64();
            ensure!(
                data.chunks(text.len()).all(|part| part == &text[..part.len()]),
                "{:?} does not decrypt",
                self.work
            );
            writeln!(out, "{encryption:.9},{decryption:.9}")?;
        }
        Ok(())
    }
}

/// A value at the start of a page of memory.
#[repr(align(4096))]
struct Page<T>(T);

impl Work {
    /// Whether it is one chain of rounds, which threads cannot share.
    pub fn is_serial(self) -> bool {
        matches!(self, Self::Rc4a | Self::Rc4aPlain | Self::Rc4aAligned)
    }

    /// Makes a pool of `threads` threads, if the cipher can use several.
    pub fn pool(self, threads: usize) -> Result<ThreadPool> {
        ensure!((1..=1024).contains(&threads), "--threads {threads}: it must be 1 to 1024");
        ensure!(
            !self.is_serial() || threads == 1,
            "RC4A is a serial chain: --threads {threads} must be 1"
        );
        ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start the threads")
    }

    /// Xors the keystream of the first blocks into all of the data.
    fn apply(self, key: &[u8], data: &mut [u8], block: usize, pool: &ThreadPool) -> Result<()> {
        self.apply_from(key, data, 0, block, pool)
    }

    /// Xors the keystream into data that begin at an offset, a multiple of the block and of PARC4-R's chunk.
    /// RC4A, a serial chain, begins anew at each call.
    pub fn apply_from(
        self,
        key: &[u8],
        data: &mut [u8],
        offset: u64,
        block: usize,
        pool: &ThreadPool,
    ) -> Result<()> {
        match self {
            Self::Rc4aPlain => Plain::new(rc4a::State::ksa(key)?).apply(data),
            Self::Rc4aAligned => Page(Plain::new(rc4a::State::ksa(key)?)).0.apply(data),
            Self::Rc4a => Rc4a::from_key(key)?.apply(data),
            Self::Parc4i => {
                blocks(data, block, pool, &Parc4i::<false>::ksa(key), Parc4i::apply);
            }
            Self::Parc4iText => {
                blocks(data, block, pool, &Parc4i::<true>::ksa(key), Parc4i::apply);
            }
            Self::Parc4iRolled => {
                blocks(data, block, pool, &Parc4i::<false>::ksa(key), Parc4i::apply_rolled);
            }
            Self::Parc4iKeyed => pool.install(|| {
                data.par_chunks_mut(block).with_min_len(TASK).enumerate().for_each(
                    |(number, part)| {
                        let number = offset / block as u64 + number as u64;
                        Parc4i::<false>::ksa(&numbered(key, number)).apply(part);
                    },
                );
            }),
            Self::Parc4r => {
                let parc4r = Parc4r::from_key(key)?;
                pool.install(|| {
                    data.par_chunks_mut(parc4r::CHUNK).enumerate().for_each(|(number, chunk)| {
                        let mut parc4r = parc4r.clone();
                        parc4r.seek(offset + (number * parc4r::CHUNK) as u64);
                        parc4r.apply(chunk);
                    });
                });
            }
        }
        Ok(())
    }

    /// Compares the ciphertext with the definition: the start of a stream, or blocks spread over
    /// the data.
    fn check(self, key: &[u8], data: &[u8], text: &[u8]) -> Result<()> {
        let unit = match self {
            Self::Rc4aPlain | Self::Rc4aAligned | Self::Rc4a => data.len(),
            Self::Parc4i | Self::Parc4iText | Self::Parc4iRolled | Self::Parc4iKeyed => BLOCK,
            Self::Parc4r => parc4r::CHUNK,
        };
        let count = data.len().div_ceil(unit);
        for at in 0..count.min(8) {
            let number = if at == 7 { count - 1 } else { at * count / 8 };
            let mut stream: Box<dyn Keystream> = match self {
                Self::Rc4aPlain | Self::Rc4aAligned | Self::Rc4a => {
                    Box::new(Plain::new(rc4a::State::ksa(key)?))
                }
                Self::Parc4i | Self::Parc4iRolled => Box::new(arcfour::Parc4i::from_key(key)?),
                Self::Parc4iText => Box::new(arcfour::Parc4iText::from_key(key)?),
                Self::Parc4iKeyed => {
                    Box::new(arcfour::Parc4i::from_key(&numbered(key, number as u64))?)
                }
                Self::Parc4r => Box::new(Plain::new(parc4r::State::at_chunk(key, number as u64)?)),
            };
            let from = number * unit;
            let mut block = data[from..data.len().min(from + unit.min(CHECKED))].to_vec();
            stream.apply(&mut block);
            let expected = text.iter().cycle().skip(from % text.len());
            ensure!(
                block.iter().eq(expected.take(block.len())),
                "{self:?}: block {number} is not the definition's"
            );
        }
        Ok(())
    }
}

/// Encrypts blocks in parallel, all with the same keystream, because the paper gives them one key
/// and no other rule.
fn blocks<const TEXT: bool>(
    data: &mut [u8],
    block: usize,
    pool: &ThreadPool,
    scheduled: &Parc4i<TEXT>,
    apply: fn(Parc4i<TEXT>, &mut [u8]),
) {
    pool.install(|| {
        data.par_chunks_mut(block)
            .with_min_len(TASK.min(TASK * BLOCK / block).max(1))
            .for_each(|part| apply(scheduled.clone(), part));
    });
}

/// Returns the key of a block: the key and 8 bytes of the block's number.
fn numbered(key: &[u8], number: u64) -> Vec<u8> {
    [key, &number.to_be_bytes()].concat()
}
