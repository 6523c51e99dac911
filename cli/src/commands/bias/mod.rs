//! `arcfour bias`

mod compare;
mod merge;
mod shard;
mod show;
mod verify;

use std::{
    fmt::Display,
    fs::{self, File},
    io,
    path::Path,
};

use arcfour_stats::{
    file::{CountsFile, ReadError},
    table::{self, TableError},
};

use crate::console::{failure::Failure, output::print};

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
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Shard(args) => args.run(),
            Command::Merge(args) => args.run(),
            Command::Show(args) => args.run(),
            Command::Verify(args) => args.run(),
            Command::Compare(args) => args.run(),
        }
    }
}

/// Reads a file of counts.
fn read(path: &Path) -> Result<CountsFile, Failure> {
    let input = open(path)?;
    CountsFile::read(input).map_err(|error| match error {
        ReadError::Io(error) => Failure::read(named(path), &error),
        ReadError::Content(error) => wrong(path, error),
    })
}

/// Reads a published table of single-byte counts.
fn read_table(path: &Path) -> Result<CountsFile, Failure> {
    table::read(open(path)?).map_err(|error| match error {
        TableError::Io(error) => Failure::read(named(path), &error),
        error => wrong(path, error),
    })
}

/// Opens a file to read. A pipe or a device may be one too, so that `<(zcat 0.cnt.gz)` is.
fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| Failure::read(named(path), &error))
}

/// Opens the file that a command is about to write, if it is there: a regular file and nothing else.
fn open_if_any(path: &Path) -> Result<Option<File>, Failure> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Ok(facts) if !facts.is_file() => Err(wrong(path, "not a regular file")),
        _ => open(path).map(Some),
    }
}

/// Builds the failure for a file with wrong contents.
fn wrong(path: &Path, error: impl Display) -> Failure {
    Failure::Work(format!("{}: {error}", named(path)))
}

fn named(path: &Path) -> String {
    format!("'{}'", path.display())
}

/// The shards in a file, as in `0-3,5`.
fn runs(file: &CountsFile) -> String {
    let run = |&(first, last): &(u64, u64)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    file.shards().iter().map(run).collect::<Vec<_>>().join(",")
}

fn json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_vec_pretty(value).expect("it is valid JSON");
    text.push(b'\n');
    print(&text)
}
