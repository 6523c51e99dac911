//! `arcfour keystream`

use arcfour::{Backend, Family};

use super::backends::parse_backend;
use crate::{
    WARNING,
    failure::Failure,
    family::{self, Iv},
    key::KeyArgs,
    output::Output,
    size,
    stream::{self, Block, CHUNK, Sink, Source},
};

/// Write the raw keystream, for ever or N bytes, for a pipe
#[derive(clap::Args)]
#[command(
    before_help = WARNING,
    after_help = "\
N takes a unit: KiB, MiB, GiB, TiB, kB, MB, GB, TB.

Examples:
  arcfour keystream --key-hex 0102030405 --bytes 16 | xxd -p
  arcfour keystream --family parc4i --key-hex 0102030405 --bytes 16 | xxd -p
  arcfour keystream --key-hex 0102030405 --bytes 1GiB | ent
  arcfour keystream --key-hex 0102030405 | dieharder -a -g 200
  arcfour keystream --key-hex 0102030405 --drop 3072 | RNG_test stdin8"
)]
pub struct Args {
    /// How many bytes [default: for ever]
    #[arg(long, value_name = "N", value_parser = size::parse, allow_negative_numbers = true)]
    bytes: Option<u64>,
    #[command(flatten)]
    cipher: CipherArgs,
}

/// Which keystream: what the commands that make one have in common.
#[derive(clap::Args)]
pub(super) struct CipherArgs {
    /// The family of ciphers: `arcfour families` tells them apart
    #[arg(long, value_parser = family::parser(), ignore_case = true, default_value_t)]
    family: Family,
    /// The initialization vector, as hexadecimal digits, 1 to 256 bytes: for vmpc and vmpc-ksa3
    #[arg(long, value_name = "HEX")]
    iv_hex: Option<Iv>,
    /// Discard the first N bytes of keystream, as RC4-drop[N] does (256, 768, 1024, 1536, 3072 …)
    #[arg(long, value_name = "N", default_value = "0", value_parser = size::parse, allow_negative_numbers = true)]
    drop: u64,
    /// Begin N bytes into the message: as --drop, and added to it
    #[arg(long, value_name = "N", default_value = "0", value_parser = size::parse, allow_negative_numbers = true)]
    skip: u64,
    /// How to compute it: a name from `arcfour backends` [default: the fastest]
    #[arg(long, value_name = "NAME", value_parser = parse_backend)]
    pub(super) backend: Option<Backend>,
    #[command(flatten)]
    pub(super) key: KeyArgs,
}

impl CipherArgs {
    /// The cipher, if there is one by these options.
    pub(super) fn start(self) -> Result<Start, Failure> {
        let key = self.key.read()?;
        let cipher = family::start(self.family, &key, self.iv_hex.as_ref(), self.backend)?;
        Ok(Start { cipher, unused: [self.drop, self.skip] })
    }
}

/// A cipher that has bytes to discard. As that may take long, all else is best known to be right.
pub(super) struct Start {
    cipher: Box<dyn arcfour::Keystream + Send>,
    unused: [u64; 2],
}

impl Start {
    /// The cipher behind them.
    pub(super) fn discard(self) -> Box<dyn arcfour::Keystream + Send> {
        let Self { mut cipher, unused } = self;
        unused.into_iter().for_each(|n| cipher.skip(n));
        cipher
    }
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let start = self.cipher.start()?;
        let mut output = Output::stdout()?;
        if output.is_terminal() {
            return Err(Failure::Usage(
                "raw bytes would disturb the terminal; use a pipe, as in `arcfour keystream … | \
                 xxd`"
                    .into(),
            ));
        }
        stream::send(Keystream { cipher: start.discard(), left: self.bytes }, &mut output)
    }
}

struct Keystream {
    cipher: Box<dyn arcfour::Keystream + Send>,
    left: Option<u64>,
}

impl Source for Keystream {
    fn next(&mut self, block: &mut Block) -> Result<(), Failure> {
        let len = self.left.map_or(CHUNK, |left| left.min(CHUNK as u64) as usize);
        self.left = self.left.map(|left| left - len as u64);
        block.refill(|room| {
            self.cipher.fill(&mut room[..len]);
            Ok(len)
        })
    }
}
