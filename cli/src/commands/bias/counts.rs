//! Files of counts on disk, for every command on biases.

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

/// Reads a file of counts.
pub(super) fn read(path: &Path) -> Result<CountsFile, Failure> {
    let input = open(path)?;
    CountsFile::read(input).map_err(|error| match error {
        ReadError::Io(error) => Failure::read(named(path), &error),
        ReadError::Content(error) => wrong(path, error),
    })
}

/// Reads a published table of single-byte counts.
pub(super) fn read_table(path: &Path) -> Result<CountsFile, Failure> {
    table::read(open(path)?).map_err(|error| match error {
        TableError::Io(error) => Failure::read(named(path), &error),
        error => wrong(path, error),
    })
}

/// Opens a file to read. Pipes and devices are allowed, so that `<(zcat 0.cnt.gz)` works.
pub(super) fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| Failure::read(named(path), &error))
}

/// Opens the file that a command is about to write, if it exists. Only a regular file is allowed.
pub(super) fn open_if_any(path: &Path) -> Result<Option<File>, Failure> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Ok(facts) if !facts.is_file() => Err(wrong(path, "not a regular file")),
        _ => open(path).map(Some),
    }
}

/// Builds the failure for a file with wrong contents.
pub(super) fn wrong(path: &Path, error: impl Display) -> Failure {
    Failure::Work(format!("{}: {error}", named(path)))
}

pub(super) fn named(path: &Path) -> String {
    format!("'{}'", path.display())
}

/// Writes the shards in a file, as in `0-3,5`.
pub(super) fn runs(file: &CountsFile) -> String {
    let run = |&(first, last): &(u64, u64)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    file.shards().iter().map(run).collect::<Vec<_>>().join(",")
}

pub(super) fn json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_vec_pretty(value).expect("it is valid JSON");
    text.push(b'\n');
    print(&text)
}
