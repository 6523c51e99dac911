//! `arcfour bench seal`: sealing from memory to memory, and how much of that is authentication.

use std::{hint::black_box, io::Cursor, sync::Arc};

use arcfour_container::{ChunkSize, Cipher, Error, Opener, Options, Sealer, Secret};
use arcfour_measure::{Goal, Meter, Sample};
use serde::Serialize;

use super::kernels::random;
use crate::{failure::Failure, size};

/// More than the caches hold, as files are.
const TEXT: usize = 32 << 20;

/// Measure sealing on one thread, and the part of it that is authentication
///
/// Both in turn in one process: all of it, as the library does it, and its hashes and tags alone,
/// over the same bytes. What was sealed is opened and compared before it is timed.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  taskset -c 1 arcfour bench seal --json")]
pub struct Args {
    /// One JSON array, an object per family, instead of a table
    #[arg(long)]
    json: bool,
    /// Accepted samples of each, 1 to 10000
    #[arg(long, value_name = "N", default_value = "31", value_parser = size::within(1..=10_000_u16), allow_negative_numbers = true)]
    samples: u16,
}

/// The figures of a family.
#[derive(Serialize)]
struct Row {
    family: &'static str,
    /// Bytes of plaintext in one call.
    bytes: usize,
    chunk_bytes: usize,
    /// Median core cycles of all of it.
    cycles_per_byte: f64,
    mb_per_s: f64,
    /// Median core cycles of the hashes and tags.
    authentication_cycles_per_byte: f64,
    /// The ratio of the two.
    authentication_share: f64,
    ghz: f64,
    accepted: usize,
    rejected: usize,
    /// Whether the figures are of accepted samples; if not, of all.
    quiet: bool,
    verified: bool,
}

impl Args {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let goal = Goal::of(self.samples.into());
        let mut meter = Meter::new();
        let mut rows = vec![];
        for (name, cipher) in [("rc4", Cipher::Rc4), ("parc4r", Cipher::Parc4r)] {
            rows.push(measure(&mut meter, goal, name, &Work::new(cipher)?)?);
        }
        let text = if self.json {
            serde_json::to_string_pretty(&rows).expect("rows are valid JSON") + "\n"
        } else {
            let noisy = if rows.iter().any(|row| !row.quiet) { super::NOISY } else { "" };
            HEAD.to_owned() + &rows.iter().map(Row::line).collect::<String>() + noisy
        };
        crate::toolbox::print(text.as_bytes())
    }
}

fn measure(
    meter: &mut Meter,
    goal: Goal,
    family: &'static str,
    work: &Work,
) -> Result<Row, Failure> {
    work.verify()?;
    let (mut all, mut tags) = (vec![], vec![]);
    let wants = |meter: &Meter, samples: &[Sample]| meter.wants_more(samples, goal);
    while wants(meter, &all) || wants(meter, &tags) {
        let seal = || work.seal(|piece| _ = black_box(piece)).expect("it was verified");
        all.push(meter.sample(1, seal));
        tags.push(meter.sample(1, || work.authenticate()));
    }
    let (all, tags) = (meter.summary(&all, goal), meter.summary(&tags, goal));
    Ok(Row {
        family,
        bytes: TEXT,
        chunk_bytes: work.options.chunk_size.bytes(),
        cycles_per_byte: all.cycles_per_byte(TEXT),
        mb_per_s: all.mb_per_s(TEXT),
        authentication_cycles_per_byte: tags.cycles_per_byte(TEXT),
        authentication_share: tags.cycles / all.cycles,
        ghz: all.ghz,
        accepted: all.accepted,
        rejected: all.rejected,
        quiet: all.quiet && tags.quiet,
        verified: true,
    })
}

/// A text and how to seal it.
struct Work {
    text: Arc<[u8]>,
    secret: Secret,
    options: Options,
}

impl Work {
    fn new(cipher: Cipher) -> Result<Self, Failure> {
        let secret = Secret::from_key(random(32)?.first_chunk().expect("32 bytes"));
        let mut options = Options::default();
        options.cipher = cipher;
        options.chunk_size = ChunkSize::default();
        Ok(Self { text: random(TEXT)?.into(), secret, options })
    }

    fn seal(&self, mut sink: impl FnMut(&[u8])) -> Result<(), Error> {
        let input = Cursor::new(Arc::clone(&self.text));
        let mut sealer = Sealer::new(input, &self.secret, self.options)?;
        while let Some(piece) = sealer.next_piece()? {
            sink(piece);
        }
        Ok(())
    }

    /// What a chunk's tag takes, for every chunk.
    fn authenticate(&self) {
        for chunk in self.text.chunks(self.options.chunk_size.bytes()) {
            black_box(blake3::keyed_hash(&[7; 32], blake3::hash(chunk).as_bytes()));
        }
    }

    /// Holds what is opened of what was sealed against the text.
    fn verify(&self) -> Result<(), Failure> {
        let mut sealed = Vec::with_capacity(TEXT + (TEXT >> 8));
        let opened = self.seal(|piece| sealed.extend_from_slice(piece)).and_then(|()| {
            let mut opener = Opener::new(&sealed[..], &self.secret)?;
            let mut rest = &self.text[..];
            while let Some(piece) = opener.next_piece()? {
                let Some(behind) = rest.strip_prefix(piece) else { return Ok(false) };
                rest = behind;
            }
            Ok(rest.is_empty())
        });
        match opened {
            Ok(true) => Ok(()),
            Ok(false) => Err(Failure::Work("what was sealed opens as another text".into())),
            Err(error) => Err(Failure::Work(format!("what was sealed does not open: {error}"))),
        }
    }
}

const HEAD: &str = "\
family       bytes  chunk bytes  cycles/byte     MB/s  authentication alone  share   GHz
";

impl Row {
    fn line(&self) -> String {
        format!(
            "{:6}  {:>10}  {:>11}  {:>11.2}  {:>7.0}  {:>20.2}  {:>4.0} %  {:>4.2}{}\n",
            self.family,
            self.bytes,
            self.chunk_bytes,
            self.cycles_per_byte,
            self.mb_per_s,
            self.authentication_cycles_per_byte,
            self.authentication_share * 100.0,
            self.ghz,
            if self.quiet { "" } else { "  *" },
        )
    }
}
