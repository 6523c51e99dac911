//! `arcfour bias`

mod compare;
mod merge;
mod shard;
mod show;
mod verify;

use std::{fs, path::Path};

use arcfour_stats::{file::CountsFile, table};

use crate::failure::Failure;

/// Count keystreams of many keys, and look for the published biases
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour bias shard campaign.toml --index 0 -o 0.cnt
  arcfour bias merge 0.cnt 1.cnt -o all.cnt
  arcfour bias show all.cnt single:2
  arcfour bias show all.cnt single:1-256 --csv > map.csv
  arcfour bias verify all.cnt
  arcfour bias compare all.cnt published.txt")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Shard(shard::Args),
    Merge(merge::Args),
    Show(show::Args),
    Verify(verify::Args),
    Compare(compare::Args),
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Shard(args) => args.run(),
            Command::Merge(args) => args.run(),
            Command::Show(args) => args.run(),
            Command::Verify(args) => args.run(),
            Command::Compare(args) => args.run(),
        }
    }
}

fn read(path: &Path) -> Result<CountsFile, Failure> {
    let name = format!("'{}'", path.display());
    let bytes = fs::read(path).map_err(|error| Failure::read(&name, &error))?;
    CountsFile::parse(&bytes).map_err(|error| Failure::Work(format!("{name}: {error}")))
}

/// A plain-text table of single-byte counts.
fn read_table(path: &Path) -> Result<CountsFile, Failure> {
    let name = format!("'{}'", path.display());
    let text = fs::read_to_string(path).map_err(|error| Failure::read(&name, &error))?;
    table::parse(&text).map_err(|error| Failure::Work(format!("{name}: {error}")))
}

/// The shards in a file, as in `0-3,5`.
fn runs(file: &CountsFile) -> String {
    let run = |&(first, last): &(u64, u64)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    file.shards.iter().map(run).collect::<Vec<_>>().join(",")
}

fn json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_vec_pretty(value).expect("it is valid JSON");
    text.push(b'\n');
    super::print(&text)
}
