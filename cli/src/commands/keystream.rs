//! `arcfour keystream`

use arcfour::Keystream;

use crate::console::{
    cipher::CipherArgs,
    failure::Failure,
    output::Output,
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

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
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

/// Reads keystream, with a number of remaining bytes or without end.
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
