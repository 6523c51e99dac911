//! `arcfour open`

use std::{fmt::Display, io::ErrorKind};

use arcfour_container::{Error, Fault, HEADER_LEN, Header, KeyKind, Opener};

use crate::console::{
    failure::Failure, input::Input, progress::Progress, sealing::WorkArgs, secret::SecretArgs,
    size, stream::Sink,
};

/// Verify and open a file of `arcfour seal`
///
/// No byte is written before its chunk is verified. If a later chunk fails, the exit code is 1 and
/// no output file appears. The bytes that went into a pipe before the failure are genuine, but
/// incomplete.
#[derive(clap::Args)]
#[command(
    override_usage = "arcfour open [OPTIONS] <KEY OPTION> [IN]",
    after_help = "\
START and LEN take a unit: KiB, MiB, GiB, TiB, kB, MB, GB, TB.

Examples:
  arcfour open --seal-key key backup.sealed -o backup.tar
  arcfour open --passphrase folder.sealed | tar x
  arcfour open --seal-key key --range 1GiB:4096 disk.sealed | xxd"
)]
pub struct Args {
    #[command(flatten)]
    work: WorkArgs,
    /// Open only LEN bytes of plaintext, from byte START on. Only their chunks are read and
    /// verified. If LEN is 0, only the chunk with byte START is verified
    #[arg(long, value_name = "START:LEN", value_parser = parse_range, allow_hyphen_values = true)]
    range: Option<PlainRange>,
    #[command(flatten)]
    secret: SecretArgs,
}

#[derive(Clone, Copy)]
struct PlainRange {
    start: u64,
    len: u64,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (input, mut output, secret) = self.work.open(self.secret)?;
        check(&input, self.range.is_some(), secret.is_prompt())?;
        let secret = secret.read(false)?;
        let threads = self.work.threads();
        let (name, sealed) = (input.name().to_owned(), input.size());
        let stays = !output.is_new_file();
        let failed = |error, written: u64| match error {
            Error::Read(error) => Failure::read(&name, &error),
            error if stays && written > 0 => Failure::Work(format!(
                "cannot open {name}: {error}; the {written} bytes of plaintext written until then \
                 are verified"
            )),
            error => cannot_open(&name, error),
        };
        let opener = match self.range {
            Some(PlainRange { start, len }) => Opener::range(input, &secret, start, len),
            None => Opener::new(input, &secret),
        };
        let mut opener = opener.map_err(|error| failed(error, 0))?.threads(threads);
        let size = match self.range {
            Some(range) => Some(range.len),
            None => sealed.and_then(|sealed| opener.header().chunk_size.plain_len(sealed)),
        };
        let mut written = 0;
        let mut progress = Progress::new(&mut output, size);
        while let Some(piece) = opener.next_piece().map_err(|error| failed(error, written))? {
            progress.write(piece)?;
            written += piece.len() as u64;
        }
        drop(progress);
        output.commit()
    }
}

/// Refuses a range of a pipe. Before a prompt, refuses a file that no passphrase opens.
fn check(input: &Input, has_range: bool, asks: bool) -> Result<(), Failure> {
    let name = input.name();
    let head = match input.peek(HEADER_LEN) {
        Ok(head) => head,
        Err(error) if error.kind() != ErrorKind::NotSeekable => {
            return Err(Failure::read(name, &error));
        }
        Err(_) if has_range => {
            return Err(Failure::Usage(format!(
                "--range needs a file, since it skips the other chunks; {name} is a pipe or a terminal"
            )));
        }
        Err(_) => return Ok(()),
    };
    if !asks {
        return Ok(());
    }
    match Header::parse(&head).map_err(|fault| cannot_open(name, fault))?.key {
        KeyKind::File => Err(cannot_open(name, Fault::OtherKeyKind { passphrase: false })),
        _ => Ok(()),
    }
}

fn cannot_open(name: &str, error: impl Display) -> Failure {
    Failure::Work(format!("cannot open {name}: {error}"))
}

fn parse_range(text: &str) -> Result<PlainRange, String> {
    let (start, len) = text.split_once(':').ok_or("not START:LEN, as in 1MiB:4096")?;
    let part = |name, text| size::parse(text).map_err(|error| format!("{name}: {error}"));
    Ok(PlainRange { start: part("START", start)?, len: part("LEN", len)? })
}
