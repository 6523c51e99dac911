//! `arcfour keystream`

use arcfour::{Backend, Family, Keystream};

use super::backends::parse_backend;
use crate::{
    failure::Failure,
    family::{self, Iv},
    identity::Guard,
    key::KeyArgs,
    output::Output,
    progress::Waiting,
    size,
    stream::{self, Block, CHUNK, Sink, Source},
};

/// Write the raw keystream, N bytes or until the pipe closes
#[derive(clap::Args)]
#[command(
    override_usage = "arcfour keystream [OPTIONS] <KEY OPTION>",
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
    /// How many bytes [default: until the pipe closes]
    #[arg(long, value_name = "N", value_parser = size::parse, allow_negative_numbers = true)]
    bytes: Option<u64>,
    #[command(flatten)]
    cipher: CipherArgs,
}

/// Which keystream: what the commands that make one have in common.
#[derive(clap::Args)]
pub(super) struct CipherArgs {
    /// The family of ciphers: `arcfour families` describes them
    #[arg(long, value_parser = family::parser(), ignore_case = true, default_value_t)]
    family: Family,
    /// The initialization vector, as hexadecimal digits, 1 to 256 bytes: for vmpc and vmpc-ksa3
    #[arg(long, value_name = "HEX")]
    iv_hex: Option<Iv>,
    /// Discard the first N bytes of keystream, as RC4-drop does (256, 768, 1024, 1536, 3072 …)
    #[arg(long, value_name = "N", default_value = "0", value_parser = size::parse, allow_negative_numbers = true)]
    drop: u64,
    /// Begin N bytes into the message: discard N more bytes of keystream than --drop says
    #[arg(long, value_name = "N", default_value = "0", value_parser = size::parse, allow_negative_numbers = true)]
    skip: u64,
    /// Compute by this backend, a name from `arcfour backends` [default: the fastest]
    #[arg(long, value_name = "NAME", value_parser = parse_backend)]
    pub(super) backend: Option<Backend>,
    #[command(flatten)]
    pub(super) key: KeyArgs,
}

impl CipherArgs {
    /// The cipher, if there is one by these options.
    pub(super) fn start(self, stdin_is_data: bool) -> Result<PendingCipher, Failure> {
        let key = self.key.read(stdin_is_data)?;
        let cipher = family::start(self.family, &key.bytes, self.iv_hex.as_ref(), self.backend)?;
        let unused = u128::from(self.drop) + u128::from(self.skip);
        let seekable = self.family.facts().seekable;
        Ok(PendingCipher { cipher, unused, seekable, guard: key.guard })
    }
}

/// A keyed cipher whose first bytes are not discarded yet. That can take minutes: open files first.
pub(super) struct PendingCipher {
    cipher: Box<dyn Keystream + Send>,
    unused: u128,
    seekable: bool,
    /// Keeps the output from being the key file.
    pub(super) guard: Option<Guard>,
}

impl PendingCipher {
    /// Discards the bytes, with a progress bar if it takes long.
    pub(super) fn discard(self) -> Box<dyn Keystream + Send> {
        /// Takes some 10 ms.
        const PIECE: u64 = 16 << 20;
        let Self { mut cipher, unused: mut left, seekable, guard: _ } = self;
        let piece = if seekable { u64::MAX } else { PIECE };
        let mut progress = Waiting::new("discarding", u64::try_from(left).unwrap_or(u64::MAX));
        while left > 0 {
            let n = u64::try_from(left).unwrap_or(u64::MAX).min(piece);
            cipher.skip(n);
            left -= u128::from(n);
            progress.advance(n);
        }
        cipher
    }
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let start = self.cipher.start(false)?;
        let mut output = Output::stdout(&[start.guard.as_ref()])?;
        if output.is_terminal() {
            return Err(Failure::Usage(
                "raw bytes would disturb the terminal; use a pipe, as in `arcfour keystream … | \
                 xxd`"
                    .into(),
            ));
        }
        stream::send(KeystreamSource { cipher: start.discard(), left: self.bytes }, &mut output)
    }
}

/// Reads keystream: the bytes that are left to make, or without an end.
struct KeystreamSource {
    cipher: Box<dyn Keystream + Send>,
    left: Option<u64>,
}

impl Source for KeystreamSource {
    fn next(&mut self, block: &mut Block) -> Result<(), Failure> {
        let len = self.left.map_or(CHUNK, |left| left.min(CHUNK as u64) as usize);
        self.left = self.left.map(|left| left - len as u64);
        block.refill(|room| {
            self.cipher.fill(&mut room[..len]);
            Ok(len)
        })
    }
}
