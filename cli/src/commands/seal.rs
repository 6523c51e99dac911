//! `arcfour seal`

use arcfour_container::{ChunkSize, Cipher, Error, Options, Sealer};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::console::{
    failure::Failure, progress::Progress, sealing::WorkArgs, secret::SecretArgs, size, stream::Sink,
};

/// Seal a file or a pipe: encrypt it so that every later change is detected
///
/// The input is cut into chunks. Each chunk is encrypted and authenticated under two keys derived
/// for it, on all cores. `arcfour open` opens the file. The authentication is sound; the cipher is
/// RC4.
#[derive(clap::Args)]
#[command(
    override_usage = "arcfour seal [OPTIONS] <KEY OPTION> [IN]",
    after_help = "\
A passphrase is stretched by Argon2id with 64 MiB of memory.

Examples:
  arcfour keygen -o key
  arcfour seal --seal-key key backup.tar -o backup.sealed
  tar c folder | arcfour seal --passphrase > folder.sealed"
)]
pub struct Args {
    #[command(flatten)]
    work: WorkArgs,
    /// The cipher; `arcfour open` reads it from the file
    #[arg(long, value_name = "NAME", value_parser = cipher_parser(), default_value = Cipher::default().name())]
    cipher: Cipher,
    /// The bytes of plaintext in a chunk: a power of two from 1KiB to 1MiB [default: 256KiB]
    #[arg(long, value_name = "N", value_parser = parse_chunk_size, allow_negative_numbers = true)]
    chunk_size: Option<ChunkSize>,
    #[command(flatten)]
    secret: SecretArgs,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (input, mut output, secret) = self.work.open(self.secret)?;
        let secret = secret.read(true)?;
        let chunk_size = self.chunk_size.unwrap_or_default();
        let size = input.size().and_then(|size| chunk_size.sealed_len(size));
        let mut options = Options::default();
        options.cipher = self.cipher;
        options.chunk_size = chunk_size;
        let name = input.name().to_owned();
        let failed = |error| match error {
            Error::Read(error) => Failure::read(&name, &error),
            error => Failure::Work(format!("cannot seal {name}: {error}")),
        };
        let sealer = Sealer::new(input, &secret, options).map_err(failed)?;
        let mut sealer = sealer.threads(self.work.threads());
        let mut progress = Progress::new(&mut output, size);
        while let Some(piece) = sealer.next_piece().map_err(failed)? {
            progress.write(piece)?;
        }
        drop(progress);
        output.commit()
    }
}

fn cipher_parser() -> impl TypedValueParser<Value = Cipher> {
    let help = |cipher| match cipher {
        Cipher::Rc4 => "RC4 without its first 3072 bytes, several chunks in one loop",
        Cipher::Parc4r => "PARC4-R, the five lanes of a chunk in one loop",
        _ => "",
    };
    let name = |cipher: Cipher| PossibleValue::new(cipher.name()).help(help(cipher));
    PossibleValuesParser::new(Cipher::ALL.map(name)).map(|name| {
        let named = |cipher: &Cipher| cipher.name() == name;
        Cipher::ALL.into_iter().find(named).expect("the names are those of the ciphers")
    })
}

fn parse_chunk_size(text: &str) -> Result<ChunkSize, String> {
    ChunkSize::new(size::parse(text)?).map_err(|error| error.to_string())
}
