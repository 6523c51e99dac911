//! `arcfour bias shard`

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use arcfour_files::NewFile;
use arcfour_gpu::Adapter;
use arcfour_stats::{
    campaign::{Campaign, CampaignError},
    file::{CountsFile, ReadError},
    sampler::{Device, Sampler},
};
use indicatif::{ProgressBar, ProgressStyle};

use super::counts::{named, open, open_if_any, runs, wrong};
use crate::console::{
    device::{self, Devices},
    failure::Failure,
    output::{Output, Shown},
    progress::clear_on_signal,
    size,
    stream::Sink,
};

/// Count one shard of a campaign, on one core or a GPU
///
/// The same shard always gives the same file. A finished shard is not counted again. A stopped
/// shard continues from OUT.part, which is written twice a minute.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  arcfour bias shard campaign.toml --index 0 -o 0.cnt")]
pub(super) struct Args {
    /// The campaign's TOML file
    campaign: PathBuf,
    /// The shard's number, from 0
    #[arg(long, value_name = "K", value_parser = size::within(0..=u64::MAX), allow_negative_numbers = true)]
    index: u64,
    /// The file of counts to write; - is standard output, without OUT.part
    #[arg(short, long = "output", alias = "out", value_name = "OUT")]
    out: PathBuf,
    /// Seconds between checkpoints, 0 to 60
    #[arg(long, value_name = "S", default_value = "30", value_parser = size::within(0..=60_u64), allow_negative_numbers = true)]
    checkpoint: u64,
    /// The device that counts: one core (cpu), the first GPU (gpu), a GPU if there is one (auto), or the
    /// adapter with this number in `arcfour backends`
    ///
    /// A GPU counts campaigns of single bytes alone. The core counts all other campaigns, and continues
    /// if the GPU is lost. The file is the same. A GPU needs a build with the feature gpu.
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: Devices,
}

impl Args {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let campaign = Campaign::read(open(&self.campaign)?).map_err(|error| match error {
            CampaignError::Io(error) => Failure::read(named(&self.campaign), &error),
            error => wrong(&self.campaign, error),
        })?;
        if self.index >= campaign.shards() {
            return Err(Failure::Usage(format!(
                "--index is {}; the campaign's shards are 0 to {}",
                self.index,
                campaign.shards() - 1
            )));
        }
        let adapters = self.device.adapters("counts")?;
        if self.out == Path::new("-") {
            let sampler = start(Sampler::start(campaign, self.index))?;
            return self.count(sampler, adapters, self.output()?, None);
        }
        let part = PathBuf::from([self.out.as_os_str(), ".part".as_ref()].join("".as_ref()));
        let there = self.read_if_any(&self.out, &campaign)?;
        if there.is_none_or(|there| there.unfinished().is_some()) {
            // Counting takes long, so every obstacle to the output is reported before it.
            let output = self.output()?;
            let sampler = match self.read_if_any(&part, &campaign)? {
                Some(there) => Sampler::resume(there),
                None => Sampler::start(campaign, self.index),
            };
            self.count(start(sampler)?, adapters, output, Some(&part))?;
        }
        match fs::remove_file(&part) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Failure::write(named(&part), &error))
            }
            _ => Ok(()),
        }
    }

    fn output(&self) -> Result<Output, Failure> {
        Output::open(Some(&self.out), true, Shown::Raw("a pipe"), &[])
    }

    fn count(
        &self,
        mut sampler: Sampler,
        adapters: Vec<(usize, Adapter)>,
        mut output: Output,
        part: Option<&Path>,
    ) -> Result<(), Failure> {
        let campaign = sampler.campaign();
        let opened = |adapter| {
            device::open(adapter, ["counts", "count"], |adapter| adapter.counter(campaign))
        };
        let mut gpu = adapters.into_iter().find_map(opened);
        let all = campaign.keystreams();
        let bar = ProgressBar::new(all);
        let template = "{bar:30} {human_pos:>15} of {human_len} keystreams {per_sec} {eta} left";
        bar.set_style(ProgressStyle::with_template(template).expect("the template is valid"));
        let _on_signal = clear_on_signal(&bar);
        let mut saved = Instant::now();
        while step(&mut sampler, &mut gpu, &bar) {
            bar.set_position(sampler.done());
            let is_due = saved.elapsed() >= Duration::from_secs(self.checkpoint);
            if let Some(part) = part.filter(|_| is_due) {
                save(part, &sampler.counts())?;
                saved = Instant::now();
            }
        }
        bar.finish_and_clear();
        output.write(&sampler.finish().to_bytes())?;
        output.commit()
    }

    /// Reads the file at `path`, if it exists. It must have only this shard's counts.
    fn read_if_any(&self, path: &Path, campaign: &Campaign) -> Result<Option<CountsFile>, Failure> {
        let Some(input) = open_if_any(path)? else { return Ok(None) };
        let there = CountsFile::read(input).map_err(|error| match error {
            ReadError::Io(error) => Failure::read(named(path), &error),
            ReadError::Content(error) => wrong(path, error),
        })?;
        if there.campaign() == campaign && there.shards() == [(self.index, self.index)] {
            return Ok(Some(there));
        }
        let (hash, shards) = (there.campaign().hash(), runs(&there));
        let reason = format!(
            "holds other counts (campaign {hash}, shards {shards}); choose another --output, or remove it"
        );
        Err(Failure::Work(format!("{} {reason}", named(path))))
    }
}

/// Counts a batch, on the GPU if there is one. Returns true if the shard has more.
fn step(sampler: &mut Sampler, gpu: &mut Option<Box<dyn Device>>, bar: &ProgressBar) -> bool {
    let Some(its) = gpu else { return sampler.step() };
    sampler.step_on(its.as_mut()).unwrap_or_else(|why| {
        bar.suspend(|| device::lost(why));
        *gpu = None;
        true
    })
}

fn start<E: std::fmt::Display>(sampler: Result<Sampler, E>) -> Result<Sampler, Failure> {
    sampler.map_err(|error| Failure::Work(error.to_string()))
}

/// Replaces the file atomically.
fn save(path: &Path, file: &CountsFile) -> Result<(), Failure> {
    let new = NewFile::options().replace(true).create(path);
    let mut new = new.map_err(|error| Failure::create(named(path), error))?;
    let written = file.write(&mut new).and_then(|()| new.commit());
    written.map_err(|error| Failure::write(named(path), &error))
}
