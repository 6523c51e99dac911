//! `arcfour bias`

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
    measure::{Cells, Group, Measure},
    sampler::{Counts, Sampler},
    verify::{ALPHA, Check, Verdict, biased_positions, checks, verdicts},
};
use indicatif::{ProgressBar, ProgressStyle};

use crate::{failure::Failure, output::Output, stream::Sink};

/// Count keystreams of many keys, and look for the published biases
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour bias shard campaign.toml --index 0 --out 0.cnt
  arcfour bias merge 0.cnt 1.cnt --out all.cnt
  arcfour bias show all.cnt single:2
  arcfour bias verify all.cnt")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Shard(ShardArgs),
    Merge(MergeArgs),
    Show(ShowArgs),
    Verify(VerifyArgs),
}

/// Count one shard of a campaign, on one core
///
/// The same shard always gives the same file. A shard that is there is not counted again; one that
/// was stopped goes on from OUT.part, which is written twice a minute.
#[derive(clap::Args)]
struct ShardArgs {
    /// The campaign's TOML file
    campaign: PathBuf,
    /// Which shard, from 0
    #[arg(long, value_name = "K")]
    index: u64,
    /// The file of counts to write
    #[arg(long, value_name = "OUT")]
    out: PathBuf,
    /// Seconds between checkpoints, 0 to 60
    #[arg(long, value_name = "S", default_value = "30", value_parser = clap::value_parser!(u64).range(0..=60))]
    checkpoint: u64,
}

/// Add up the counts of shards
///
/// Files of another campaign, damaged ones, and shards that come twice are refused by name.
#[derive(clap::Args)]
struct MergeArgs {
    /// The files of counts
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The file of counts to write
    #[arg(long, value_name = "OUT")]
    out: PathBuf,
    /// Replace the file OUT if there is one
    #[arg(long)]
    force: bool,
}

/// Print what a file of counts holds
///
/// Each cell with its count, probability, bias relative to chance, and z-score. Chance is
/// uniformity for single bytes, and independence of the two bytes for pairs.
#[derive(clap::Args)]
struct ShowArgs {
    /// The file of counts
    file: PathBuf,
    /// Which cells: single:R, digraph:R, pair:A,B, equal:A,B, long-term:I or absab:G [default: a
    /// summary of the file]
    group: Option<Group>,
    /// Only this cell: a byte, two bytes X,Y of a pair, or for equalities 1 (equal) or 0
    #[arg(long, value_name = "VALUE", requires = "group")]
    cell: Option<String>,
}

/// Look for every published bias that the counts can show
///
/// Proportion tests with Holm's correction: the chance of any false alarm is 0.001. A bias that the
/// sample must show (with probability 0.999) and does not is missing, and the exit code is 1.
#[derive(clap::Args)]
struct VerifyArgs {
    /// The file of counts
    file: PathBuf,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Shard(args) => args.run(),
            Command::Merge(args) => args.run(),
            Command::Show(args) => args.run(),
            Command::Verify(args) => args.run(),
        }
    }
}

fn read(path: &Path) -> Result<CountsFile, Failure> {
    let name = format!("'{}'", path.display());
    let bytes = fs::read(path).map_err(|error| Failure::read(&name, &error))?;
    CountsFile::parse(&bytes).map_err(|error| Failure::Work(format!("{name}: {error}")))
}

/// The file at `path`, if there is one.
fn read_if_any(path: &Path) -> Result<Option<CountsFile>, Failure> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        _ => read(path).map(Some),
    }
}

impl ShardArgs {
    fn run(&self) -> Result<(), Failure> {
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
            "'{}' holds other counts (campaign {}, shards {}); choose another --out, or remove it",
            path.display(),
            there.campaign.hash(),
            runs(there)
        )))
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

fn runs(file: &CountsFile) -> String {
    let run = |&(first, last): &(u64, u64)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    file.shards.iter().map(run).collect::<Vec<_>>().join(",")
}

impl MergeArgs {
    fn run(&self) -> Result<(), Failure> {
        let mut output = Output::create(&self.out, self.force)?;
        let mut all: Option<CountsFile> = None;
        for path in &self.files {
            let file = read(path)?;
            let result = match &mut all {
                Some(all) => all.merge(file),
                None => file.refuse_unfinished().map(|()| all = Some(file)),
            };
            result.map_err(|error| Failure::Work(format!("'{}': {error}", path.display())))?;
        }
        output.write(&all.expect("there is a file").to_bytes())?;
        output.commit()
    }
}

impl ShowArgs {
    fn run(&self) -> Result<(), Failure> {
        let file = read(&self.file)?;
        let Some(group) = self.group else { return super::print(summary(&file).as_bytes()) };
        let cells = Cells::of(&file, group)
            .ok_or_else(|| Failure::Usage(format!("the campaign did not count {group}")))?;
        let wanted = match &self.cell {
            Some(text) => {
                let cell = parse_cell(text, cells.counts.len())
                    .ok_or_else(|| Failure::Usage(format!("{group} has no cell '{text}'")))?;
                cell..cell + 1
            }
            None => 0..cells.counts.len(),
        };
        let mut text =
            "cell              count   probability   relative bias         z\n".to_owned();
        for cell in wanted {
            let name = match cells.counts.len() {
                65_536 => format!("{},{}", cell >> 8, cell & 255),
                _ => cell.to_string(),
            };
            let measure = cells.measure(cell);
            text += &format!(
                "{name:7} {:>15}   {:.9}   {:>+13.6} {:>+9.2}\n",
                measure.hits,
                measure.probability(),
                measure.relative_bias(),
                measure.z()
            );
        }
        super::print(text.as_bytes())
    }
}

fn parse_cell(text: &str, cells: usize) -> Option<usize> {
    let cell = match text.split_once(',') {
        Some((x, y)) if cells == 65_536 => {
            usize::from(x.parse::<u8>().ok()?) << 8 | usize::from(y.parse::<u8>().ok()?)
        }
        None if cells < 65_536 => text.parse().ok()?,
        _ => return None,
    };
    (cell < cells).then_some(cell)
}

fn summary(file: &CountsFile) -> String {
    let campaign = &file.campaign;
    let unfinished = if file.unfinished.is_some() { " (not complete)" } else { "" };
    let mut text = format!(
        "campaign    {}\nshards      {}{unfinished} of {}\nkeystreams  {}\nkey length  {}\ndrop        {}\n",
        campaign.hash(),
        runs(file),
        campaign.shards,
        file.keystreams(),
        campaign.key_length,
        campaign.drop,
    );
    for section in campaign.sections() {
        text +=
            &format!("{:?}: {} groups of {} cells\n", section.kind, section.groups, section.cells);
    }
    text
}

impl VerifyArgs {
    fn run(&self) -> Result<(), Failure> {
        let file = read(&self.file)?;
        let checks = checks(&file);
        let verdicts = verdicts(&checks);
        let mut text = format!("{} keystreams, shards {}\n", file.keystreams(), runs(&file));
        let (biased, tested) = biased_positions(&file);
        if tested > 0 {
            text += &format!(
                "{} of {tested} positions are not uniform (chi-squared, Holm's correction, {ALPHA})\n",
                biased.len()
            );
        }
        text += HEAD;
        for (check, verdict) in checks.iter().zip(&verdicts) {
            text += &line(check, *verdict);
        }
        super::print(text.as_bytes())?;
        match verdicts.iter().filter(|verdict| **verdict == Verdict::Missing).count() {
            0 => Ok(()),
            missing => Err(Failure::Work(format!(
                "'{}': {missing} of {} biases that the sample must show are missing",
                self.file.display(),
                checks.len()
            ))),
        }
    }
}

const HEAD: &str = "\
event                     source                        by chance    published     measured    sigma  expected  5 sigma needs  verdict
";

fn line(check: &Check, verdict: Verdict) -> String {
    let Check { event, source, published, measure } = check;
    let Measure { chance, .. } = measure;
    let verdict = match verdict {
        Verdict::Seen => "seen",
        Verdict::Missing => "MISSING",
        Verdict::TooFew => "too few samples",
    };
    let probability = measure.probability();
    let needed = check.needed().log2();
    format!(
        "{event:24}  {source:28}  {chance:.9}  {published:.9}  {probability:.9}  {:>+7.1}  {:>+8.1}  {:>13}  {verdict}\n",
        measure.z(),
        check.expected_z(),
        format!("2^{needed:.1}"),
    )
}
