//! Keystream statistics side by side: the sampler of `arcfour bias`, and a plain loop in C.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use arcfour_measure::{Goal, Meter, Sample, Summary};
use arcfour_stats::{campaign::Campaign, sampler::Sampler};

const SEED: &str = "a7c4000000000000000000000000000000000000000000000000000000000001";
/// Number of keystreams that both count for the check.
const CHECKED: u64 = 30_000;

/// The table that is counted, and its number of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    Single(u32),
    Digraphs(u32),
}

/// The samples of one engine at one table of counts.
pub struct CountTiming {
    pub counted: Counted,
    pub engine: &'static str,
    /// Every sample, and whether it was accepted. An iteration is a keystream.
    pub samples: Vec<(Sample, bool)>,
    pub summary: Summary,
}

impl CountTiming {
    /// Keystreams per second, in millions.
    pub fn rate(&self) -> f64 {
        1e3 / self.summary.nanos
    }
}

impl Counted {
    /// Returns the name in the tables.
    pub fn name(self) -> String {
        match self {
            Self::Single(positions) => format!("single bytes, {positions} positions"),
            Self::Digraphs(positions) => format!("digraphs, {positions} positions"),
        }
    }

    /// The counter's name in a campaign and in the peer, and its number of positions.
    fn counter(self) -> (&'static str, u32) {
        match self {
            Self::Single(positions) => ("single", positions),
            Self::Digraphs(positions) => ("digraphs", positions),
        }
    }

    fn campaign(self, keystreams: u64) -> Result<Campaign> {
        let (counter, positions) = self.counter();
        let text = format!(
            "seed = '{SEED}'\nshards = 1\nkeystreams = {keystreams}\nkey-length = 16\n\
             [count]\n{counter} = {positions}\n"
        );
        Ok(Campaign::parse(&text)?)
    }
}

/// The plain loop, by its program.
struct Peer(PathBuf);

impl Peer {
    fn run(&self, counted: Counted, keystreams: u64, file: Option<&Path>) -> Result<Duration> {
        let (counter, positions) = counted.counter();
        let mut command = Command::new(&self.0);
        command.args([counter, &positions.to_string(), &keystreams.to_string(), SEED]).args(file);
        let output = command.output().with_context(|| format!("{command:?}"))?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{command:?}: {}: {errors}", output.status);
        let text = String::from_utf8(output.stdout)?;
        let nanos = text.trim_end().parse().with_context(|| format!("{command:?}: {text:?}"))?;
        Ok(Duration::from_nanos(nanos))
    }
}

/// Checks that both give the same count in every cell, then times them alternately. A sample has
/// `keystreams` keystreams for ours, and 1/32 of this number for the slower peer.
pub fn measure(
    meter: &mut Meter,
    engines: &Path,
    counted: Counted,
    keystreams: u64,
    goal: Goal,
) -> Result<[CountTiming; 2]> {
    let peer = Peer(engines.join("engine-counts"));
    verify(&peer, counted)?;
    let campaign = counted.campaign(1 << 40)?;
    let mut sampler = Sampler::start(campaign, 0)?;
    sampler.step(); // touches all its memory
    let (mut ours, mut theirs): (Vec<Sample>, Vec<Sample>) = (vec![], vec![]);
    while meter.wants_more(&ours, goal) || meter.wants_more(&theirs, goal) {
        if meter.wants_more(&ours, goal) {
            let before = sampler.done();
            let sample = meter.sample_timed(1, || {
                let start = Instant::now();
                while sampler.done() - before < keystreams {
                    sampler.step();
                }
                start.elapsed()
            });
            ours.push(Sample { iterations: sampler.done() - before, ..sample });
        }
        if meter.wants_more(&theirs, goal) {
            let keystreams = keystreams / 32;
            let mut time = Ok(Duration::ZERO);
            let sample = meter.sample_timed(keystreams, || {
                time = peer.run(counted, keystreams, None);
                *time.as_ref().unwrap_or(&Duration::ZERO)
            });
            time?;
            theirs.push(sample);
        }
    }
    Ok([("arcfour bias", ours), ("plain C loop", theirs)].map(|(engine, samples)| CountTiming {
        counted,
        engine,
        summary: meter.summary(&samples, goal),
        samples: samples.into_iter().map(|sample| (sample, meter.accepts(&sample))).collect(),
    }))
}

fn verify(peer: &Peer, counted: Counted) -> Result<()> {
    let campaign = counted.campaign(CHECKED)?;
    let mut sampler = Sampler::start(campaign, 0)?;
    while sampler.step() {}
    let ours = sampler.finish();
    let file = tempfile::NamedTempFile::new()?;
    peer.run(counted, CHECKED, Some(file.path()))?;
    let bytes = std::fs::read(file.path())?;
    let (cells, rest) = bytes.as_chunks::<8>();
    let same =
        cells.iter().map(|cell| u64::from_le_bytes(*cell)).eq(ours.tables()[0].iter().copied());
    ensure!(same && rest.is_empty(), "{}: the plain loop counts differently", counted.name());
    Ok(())
}
