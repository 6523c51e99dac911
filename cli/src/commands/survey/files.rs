//! The files of the reports.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use arcfour_files::{CreateError, NewFile};
use rustix::io::Errno;

use crate::console::{
    failure::Failure,
    output::{Output, Shown},
    stream::Sink,
};

/// Refuses files that can't be written, and two reports in one file. This costs no survey.
pub(super) fn check(paths: &[&Path], force: bool) -> Result<(), Failure> {
    let mut places = Vec::new();
    for path in paths.iter().filter(|path| **path != Path::new("-")) {
        let name = format!("'{}'", path.display());
        match NewFile::options().replace(force).create(path) {
            Ok(_) => {}
            Err(CreateError::NotRegular) if path.is_dir() => {
                return Err(Failure::write(name, &Errno::ISDIR.into()));
            }
            Err(CreateError::NotRegular) => continue, // a device or pipe, which may take several
            Err(error) => return Err(Failure::create(name, error)),
        }
        let place = place(path).map_err(|error| Failure::write(&name, &error))?;
        if places.contains(&place) {
            let twice = format!("two reports cannot be one file {name}; choose another for one");
            return Err(Failure::Usage(twice));
        }
        places.push(place);
    }
    Ok(())
}

/// Returns the path of a file without links. The file need not exist.
fn place(path: &Path) -> io::Result<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    fs::canonicalize(path).or_else(|_| {
        let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")))?;
        Ok(folder.join(path.file_name().unwrap_or_default()))
    })
}

/// Writes one report.
pub(super) fn write(path: &Path, force: bool, text: &str) -> Result<(), Failure> {
    let mut output = Output::open(Some(path), force, Shown::Text, &[])?;
    output.write(text.as_bytes())?;
    output.commit()
}
