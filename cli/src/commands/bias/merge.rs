//! `arcfour bias merge`

use std::path::PathBuf;

use arcfour_stats::file::CountsFile;

use super::counts::{read, wrong};
use crate::console::{
    failure::Failure,
    output::{Output, Shown},
    stream::Sink,
};

/// Add up the counts of shards
///
/// Refuses files of another campaign, damaged files and repeated shards, and names the file.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  arcfour bias merge 0.cnt 1.cnt -o all.cnt")]
pub(super) struct Args {
    /// The files of counts
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The file of counts to write; - is standard output
    #[arg(short, long = "output", alias = "out", value_name = "OUT")]
    out: PathBuf,
    /// Replace OUT if the file exists
    #[arg(long)]
    force: bool,
}

impl Args {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut output = Output::open(Some(&self.out), self.force, Shown::Raw("a pipe"), &[])?;
        let mut all: Option<CountsFile> = None;
        for path in &self.files {
            let file = read(path)?;
            let result = match &mut all {
                Some(all) => all.merge(file),
                None => file.refuse_unfinished().map(|()| all = Some(file)),
            };
            result.map_err(|error| wrong(path, error))?;
        }
        output.write(&all.expect("there is a file").to_bytes())?;
        output.commit()
    }
}
