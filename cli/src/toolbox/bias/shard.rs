//! `arcfour bias shard`

use std::{
    fs::{self, Permissions},
    io::{ErrorKind, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use arcfour_stats::{
    campaign::Campaign,
    file::CountsFile,
    sampler::{Counts, Sampler},
};
use indicatif::{ProgressBar, ProgressStyle};

use super::{read, runs};
use crate::{failure::Failure, size};

/// Count one shard of a campaign, on one core
///
/// The same shard always gives the same file. A shard that is there is not counted again; one that
/// was stopped goes on from OUT.part, which is written twice a minute.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  arcfour bias shard campaign.toml --index 0 -o 0.cnt")]
pub(super) struct Args {
    /// The campaign's TOML file
    campaign: PathBuf,
    /// Which shard, from 0
    #[arg(long, value_name = "K", value_parser = size::within(0..=u64::MAX), allow_negative_numbers = true)]
    index: u64,
    /// The file of counts to write
    #[arg(short, long = "output", alias = "out", value_name = "OUT")]
    out: PathBuf,
    /// Seconds between checkpoints, 0 to 60
    #[arg(long, value_name = "S", default_value = "30", value_parser = size::within(0..=60_u64), allow_negative_numbers = true)]
    checkpoint: u64,
}

impl Args {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let name = format!("'{}'", self.campaign.display());
        let text =
            fs::read_to_string(&self.campaign).map_err(|error| Failure::read(&name, &error))?;
        let campaign = Campaign::parse(&text)
            .map_err(|error| Failure::Work(format!("{name}: {}", error.to_string().trim_end())))?;
        if self.index >= campaign.shards {
            return Err(Failure::Usage(format!(
                "--index is {}; the campaign's shards are 0 to {}",
                self.index,
                campaign.shards - 1
            )));
        }
        if let Some(there) = read_if_any(&self.out)? {
            self.refuse_other(&self.out, &there, &campaign)?;
            if there.unfinished.is_none() {
                return Ok(());
            }
        }
        let part = PathBuf::from([self.out.as_os_str(), ".part".as_ref()].join("".as_ref()));
        let (done, counts) = match read_if_any(&part)? {
            Some(there) => {
                self.refuse_other(&part, &there, &campaign)?;
                (there.keystreams(), there.counts)
            }
            None => (0, Counts::new(&campaign)),
        };
        self.count(&campaign, &part, done, counts)?;
        match fs::remove_file(&part) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Failure::write(format!("'{}'", part.display()), &error))
            }
            _ => Ok(()),
        }
    }

    fn count(
        &self,
        campaign: &Campaign,
        part: &Path,
        done: u64,
        counts: Counts,
    ) -> Result<(), Failure> {
        let bar = ProgressBar::new(campaign.keystreams);
        let template = "{bar:30} {human_pos:>15} of {human_len} keystreams {per_sec} {eta} left";
        bar.set_style(ProgressStyle::with_template(template).expect("the template is valid"));
        let file = |counts, unfinished| CountsFile {
            campaign: campaign.clone(),
            shards: vec![(self.index, self.index)],
            unfinished,
            counts,
        };
        let mut sampler = Sampler::new(campaign, self.index, done, counts);
        let mut saved = Instant::now();
        while sampler.done() < campaign.keystreams {
            sampler.step();
            bar.set_position(sampler.done());
            let due = saved.elapsed() >= Duration::from_secs(self.checkpoint);
            if due && sampler.done() < campaign.keystreams {
                save(part, &file(sampler.counts(), Some(sampler.done())))?;
                saved = Instant::now();
            }
        }
        bar.finish_and_clear();
        save(&self.out, &file(sampler.counts(), None))
    }

    fn refuse_other(
        &self,
        path: &Path,
        there: &CountsFile,
        campaign: &Campaign,
    ) -> Result<(), Failure> {
        if there.campaign == *campaign && there.shards == [(self.index, self.index)] {
            return Ok(());
        }
        Err(Failure::Work(format!(
            "'{}' holds other counts (campaign {}, shards {}); choose another --output, or remove it",
            path.display(),
            there.campaign.hash(),
            runs(there)
        )))
    }
}

/// The file at `path`, if there is one.
fn read_if_any(path: &Path) -> Result<Option<CountsFile>, Failure> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        _ => read(path).map(Some),
    }
}

/// Writes the file in one step: at any moment there is the old one or the new one.
fn save(path: &Path, file: &CountsFile) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let write = || {
        let mut temporary = tempfile::Builder::new()
            .prefix(".arcfour-")
            .permissions(Permissions::from_mode(0o666)) // less the umask
            .tempfile_in(folder)?;
        temporary.write_all(&file.to_bytes())?;
        temporary.as_file().sync_all()?;
        temporary.persist(path).map_err(|error| error.error)
    };
    write().map(|_| ()).map_err(|error| Failure::write(format!("'{}'", path.display()), &error))
}
