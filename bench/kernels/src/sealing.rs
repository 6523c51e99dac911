//! Times sealing from memory to memory, and the authentication in it.

use std::{hint::black_box, io::Cursor, sync::Arc};

use arcfour_container::{ChunkSize, Cipher, Opener, Options, Sealer, Secret};
use arcfour_measure::{Goal, Meter, Sample};
use serde::{Deserialize, Serialize};

use crate::{Error, data::random};

/// Bytes of plaintext: more than the caches hold, as files are.
const TEXT: usize = 32 << 20;

/// The speed of sealing: an object of `arcfour bench seal --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SealingSpeed {
    /// The family whose keystream hides the text.
    pub family: String,
    /// Bytes of plaintext in one call.
    pub bytes: usize,
    /// Bytes of a chunk.
    pub chunk_bytes: usize,
    /// Median core cycles of all of it, per byte.
    pub cycles_per_byte: f64,
    /// Quartiles of the same; `None` in older records.
    pub quartiles: Option<[f64; 2]>,
    /// Million bytes per second.
    pub mb_per_s: f64,
    /// Median core cycles of the hashes and tags alone, per byte.
    pub authentication_cycles_per_byte: f64,
    /// The ratio of the two.
    pub authentication_share: f64,
    /// Median clock of the core.
    pub ghz: f64,
    /// Samples taken while the core was quiet.
    pub accepted: usize,
    /// Samples taken while it was not.
    pub rejected: usize,
    /// True if enough samples were accepted. If not, the figures are of all samples.
    pub quiet: bool,
    /// True if the sealed bytes were opened and compared.
    pub verified: bool,
}

/// Seals with each cipher of the sealed file, opens and compares, then takes the samples that
/// `goal` asks for. Times all of sealing, and in turn its hashes and tags alone over the same
/// bytes.
///
/// # Errors
/// If the system has no random bytes, or what was sealed does not open as the text it was.
pub fn sealing(meter: &mut Meter, goal: Goal) -> Result<Vec<SealingSpeed>, Error> {
    let ciphers = [("rc4", Cipher::Rc4), ("parc4r", Cipher::Parc4r)];
    ciphers.into_iter().map(|(name, cipher)| measure(meter, goal, name, cipher)).collect()
}

fn measure(
    meter: &mut Meter,
    goal: Goal,
    family: &str,
    cipher: Cipher,
) -> Result<SealingSpeed, Error> {
    let text = Text::random(cipher)?;
    text.verify()?;
    let (mut all, mut tags) = (vec![], vec![]);
    let wants = |meter: &Meter, samples: &[Sample]| meter.wants_more(samples, goal);
    while wants(meter, &all) || wants(meter, &tags) {
        let seal = || text.seal(|piece| _ = black_box(piece)).expect("it was verified");
        all.push(meter.sample(1, seal));
        tags.push(meter.sample(1, || text.authenticate()));
    }
    let (all, tags) = (meter.summary(&all, goal), meter.summary(&tags, goal));
    Ok(SealingSpeed {
        family: family.to_owned(),
        bytes: TEXT,
        chunk_bytes: text.options.chunk_size.bytes(),
        cycles_per_byte: all.cycles_per_byte(TEXT),
        quartiles: Some([all.lower, all.upper].map(|cycles| cycles / TEXT as f64)),
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
struct Text {
    bytes: Arc<[u8]>,
    secret: Secret,
    options: Options,
}

impl Text {
    fn random(cipher: Cipher) -> Result<Self, Error> {
        let secret = Secret::from_key(random(32)?.first_chunk().expect("32 bytes"));
        let mut options = Options::default();
        options.cipher = cipher;
        options.chunk_size = ChunkSize::default();
        Ok(Self { bytes: random(TEXT)?.into(), secret, options })
    }

    fn seal(&self, mut sink: impl FnMut(&[u8])) -> Result<(), arcfour_container::Error> {
        let input = Cursor::new(Arc::clone(&self.bytes));
        let mut sealer = Sealer::new(input, &self.secret, self.options)?;
        while let Some(piece) = sealer.next_piece()? {
            sink(piece);
        }
        Ok(())
    }

    /// Computes the hashes and tags of every chunk.
    fn authenticate(&self) {
        for chunk in self.bytes.chunks(self.options.chunk_size.bytes()) {
            black_box(blake3::keyed_hash(&[7; 32], blake3::hash(chunk).as_bytes()));
        }
    }

    /// Seals, opens and compares.
    fn verify(&self) -> Result<(), Error> {
        let mut sealed = Vec::with_capacity(TEXT + (TEXT >> 8));
        self.seal(|piece| sealed.extend_from_slice(piece))?;
        let mut opener = Opener::new(&sealed[..], &self.secret)?;
        let mut rest = &self.bytes[..];
        while let Some(piece) = opener.next_piece()? {
            rest = rest.strip_prefix(piece).ok_or(Error::Sealed)?;
        }
        if rest.is_empty() { Ok(()) } else { Err(Error::Sealed) }
    }
}
