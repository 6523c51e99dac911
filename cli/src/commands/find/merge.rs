//! `arcfour find merge`, and the files of records.

use std::{
    fs::File,
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
};

use arcfour_attacks::search::{MAX_RECORD, Record, RecordError};

use super::report::hex;
use crate::console::{failure::Failure, output::Output, output::print, say::say, stream::Sink};

/// Merge the records of one search, and print the keys that they cover
///
/// Refuses records of other searches, and keys covered twice. Prints the keys found. Exit code 0: every
/// key of the space was tried, or a key was found; 1: keys are missing.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  arcfour find merge 1.json 2.json 3.json -o all.json")]
pub(super) struct Args {
    /// The records
    #[arg(required = true, value_name = "RECORD")]
    records: Vec<PathBuf>,
    /// Write the merged record to this file
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace OUT if the file exists
    #[arg(long)]
    force: bool,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let read = |path: &PathBuf| {
            read_if_any(path)?.ok_or_else(|| {
                Failure::Work(format!("cannot read '{}': there is no such file", path.display()))
            })
        };
        let (first, rest) = self.records.split_first().expect("clap requires one");
        let mut merged = read(first)?;
        for path in rest {
            merged.merge(&read(path)?).map_err(|error| refused(path, &error))?;
        }
        if let Some(path) = &self.output {
            write(path, &merged, self.force)?;
        }
        for (_, key) in merged.matches() {
            print(format!("{}\n", hex(key)).as_bytes())?;
        }
        let (done, keys) = (merged.done(), merged.keys());
        say(&format!("{done} of {keys} keys were tried, each once"));
        if merged.is_complete() || !merged.matches().is_empty() {
            return Ok(());
        }
        let missing = merged.missing(0..keys);
        let first = &missing[0];
        Err(Failure::Work(format!(
            "{} keys were not tried, the first of them keys {} to {}",
            keys - done,
            first.start,
            first.end - 1
        )))
    }
}

/// Returns the record in the file, if the file exists.
///
/// # Errors
/// If it cannot be read, or is no record.
pub(super) fn read_if_any(path: &Path) -> Result<Option<Record>, Failure> {
    let failed = |error| Failure::read(format_args!("'{}'", path.display()), &error);
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut text = vec![];
    file.take(MAX_RECORD + 1).read_to_end(&mut text).map_err(failed)?;
    if text.len() as u64 > MAX_RECORD {
        let error = RecordError::Format(format!("it has more than {MAX_RECORD} bytes"));
        return Err(refused(path, &error));
    }
    let text = String::from_utf8(text)
        .map_err(|_| refused(path, &RecordError::Format("it is not UTF-8".to_owned())))?;
    Record::from_text(&text).map(Some).map_err(|error| refused(path, &error))
}

/// Replaces the record atomically.
///
/// # Errors
/// If it cannot be written, or an existing file may not be replaced.
pub(super) fn write(path: &Path, record: &Record, replace: bool) -> Result<(), Failure> {
    let mut output = Output::create(path, replace, &[])?;
    output.write(record.to_text().as_bytes())?;
    output.commit()
}

/// Returns the reason for which the record at `path` is refused.
pub(super) fn refused(path: &Path, error: &RecordError) -> Failure {
    Failure::Work(format!("the record '{}': {error}", path.display()))
}
