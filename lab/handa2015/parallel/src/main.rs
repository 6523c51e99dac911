//! The measurements of `lab/handa2015` that need a compiled language. Python calls it and reads CSV.

mod broadcast;
mod cipher;
mod clock;
mod file;
mod parc4i;
mod structure;
mod time;

use std::io::{ErrorKind, Write, stdin, stdout};

use anyhow::{Context, Result};
use clap::Parser;

use crate::cipher::Cipher;

/// Measure PARC4-I, RC4A and PARC4-R as Handa & Kapoor 2015 do, and look into their keystream
#[derive(Parser)]
enum Args {
    /// Encrypt and decrypt in memory, verify, and print the seconds of each
    Time(time::Args),
    /// Encrypt or decrypt a file on a pool of threads, and print how long it took
    File(file::Args),
    /// Count equal bytes within rounds and agreement with RC4, over many keys
    Structure(structure::Args),
    /// Recover a plaintext that is encrypted under many keys, by the commonest ciphertext byte
    Broadcast(broadcast::Args),
    /// Print the core clock in GHz for each line of standard input
    Clock,
    /// Write the keystream of a key
    Keystream {
        /// Which cipher
        cipher: Cipher,
        /// The key, as text
        key: String,
        /// How many bytes
        bytes: u64,
    },
}

fn main() -> Result<()> {
    let mut out = Vec::new();
    match Args::parse() {
        Args::Time(args) => args.run(&mut out)?,
        Args::File(args) => args.run(&mut out)?,
        Args::Structure(args) => args.run(&mut out)?,
        Args::Broadcast(args) => args.run(&mut out)?,
        Args::Clock => return clock::answer(stdin().lock(), stdout().lock()),
        Args::Keystream { cipher, key, bytes } => return keystream(cipher, &key, bytes),
    }
    stdout().write_all(&out).context("cannot write to standard output")
}

/// In blocks, so that any length goes through a pipe. A closed pipe is no error.
fn keystream(cipher: Cipher, key: &str, bytes: u64) -> Result<()> {
    let mut stream = cipher.start(key.as_bytes())?;
    let mut block = vec![0; 1 << 16];
    let mut left = bytes;
    let mut stdout = stdout().lock();
    while left > 0 {
        let length = left.min(block.len() as u64) as usize;
        stream.fill(&mut block[..length]);
        match stdout.write_all(&block[..length]) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            written => written.context("cannot write to standard output")?,
        }
        left -= length as u64;
    }
    Ok(())
}
