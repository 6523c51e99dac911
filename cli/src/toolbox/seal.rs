//! `arcfour seal`

use std::{num::NonZero, path::PathBuf, thread};

use arcfour_container::{ChunkSize, Cost, Error, Family, Options, Sealer};
use clap::ValueEnum;

use super::crypt::{Shown, open_output};
use crate::{
    failure::Failure, input::Input, output::Output, progress::Progress, secret::SecretArgs, size,
    stream::Sink,
};

/// Seal a file or a pipe: encrypt it so that every later change is detected
///
/// The input is cut into chunks, each encrypted and authenticated under keys of its own, on all
/// cores. `arcfour open` opens it. The authentication is sound; the cipher is RC4.
#[derive(clap::Args)]
#[command(after_help = "\
A passphrase is stretched by Argon2id with 64 MiB of memory.

Examples:
  arcfour keygen -o key
  arcfour seal --seal-key key backup.tar -o backup.sealed
  tar c folder | arcfour seal --passphrase > folder.sealed")]
pub struct Args {
    #[command(flatten)]
    work: WorkArgs,
    /// The cipher; `arcfour open` sees from the file which it is
    #[arg(long, value_enum, default_value_t)]
    family: SealFamily,
    /// The bytes of plaintext in a chunk: a power of two from 1KiB to 1MiB [default: 256KiB]
    #[arg(long, value_name = "N", value_parser = parse_chunk_size, allow_negative_numbers = true)]
    chunk_size: Option<ChunkSize>,
    #[command(flatten)]
    secret: SecretArgs,
}

/// The ciphers of sealed files.
#[derive(Clone, Copy, Default, ValueEnum)]
enum SealFamily {
    /// RC4-drop[3072], several chunks in one loop
    #[default]
    Rc4,
    /// PARC4-R, the five lanes of a chunk in one loop
    Parc4r,
}

/// What sealing and opening have in common.
#[derive(clap::Args)]
pub(super) struct WorkArgs {
    /// The file to read; - is standard input
    #[arg(value_name = "IN", default_value = "-", hide_default_value = true)]
    input: PathBuf,
    /// The file to write [default: standard output]; - is standard output, even if it is a
    /// terminal
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace the file OUT if there is one
    #[arg(long)]
    force: bool,
    /// How many threads work, 1 to 256 [default: one per core]
    #[arg(long, value_name = "N", value_parser = size::within(1..=256_u16), allow_negative_numbers = true)]
    threads: Option<u16>,
}

impl WorkArgs {
    /// The input and the output.
    pub(super) fn open(&self) -> Result<(Input, Output), Failure> {
        let input = Input::open(&self.input)?;
        let shown = Shown::Raw("a pipe");
        let output = open_output(&input, self.output.as_deref(), self.force, shown)?;
        Ok((input, output))
    }

    pub(super) fn threads(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.map_or_else(cores, usize::from)
    }
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let secret = self.secret.read(true)?;
        let (input, mut output) = self.work.open()?;
        let chunk_size = self.chunk_size.unwrap_or_default();
        let size = input.size().and_then(|size| chunk_size.sealed_len(size));
        let family = match self.family {
            SealFamily::Rc4 => Family::Rc4,
            SealFamily::Parc4r => Family::Parc4r,
        };
        let (cost, threads) = (Cost::default(), self.work.threads());
        let options = Options { family, chunk_size, cost, threads };
        let name = input.name().to_owned();
        let failed = |error| match error {
            Error::Read(error) => Failure::read(&name, &error),
            error => Failure::Work(format!("cannot seal {name}: {error}")),
        };
        let mut sealer = Sealer::new(input, &secret, options).map_err(failed)?;
        let mut progress = Progress::new(&mut output, size);
        while let Some(piece) = sealer.next_piece().map_err(failed)? {
            progress.write(piece)?;
        }
        drop(progress);
        output.commit()
    }
}

fn parse_chunk_size(text: &str) -> Result<ChunkSize, String> {
    ChunkSize::new(size::parse(text)?).map_err(|error| error.to_string())
}
