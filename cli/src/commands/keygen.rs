//! `arcfour keygen`

use std::{
    io::Write,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use arcfour_container::Secret;
use arcfour_files::{CreateError, NewFile, handle_signals};

use crate::console::{failure::Failure, output::print, say::say, stdio};

/// Make a key file for `arcfour seal`
///
/// 64 random hexadecimal digits and a line end. Only its owner can read the file. An existing file
/// is never replaced, because a lost key loses all data that were sealed with it.
///
/// A shell's `> key` mostly makes a file that all users may read. In this case a warning says so.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  arcfour keygen -o seal.key && arcfour seal --seal-key seal.key old.tar -o old.sealed")]
pub struct Args {
    /// The file to write [default: standard output]; - is standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let key = Secret::new_key_file().map_err(|error| Failure::Work(error.to_string()))?;
        match self.output {
            Some(path) if path != Path::new("-") => write(&path, key.as_str().as_bytes()),
            _ => {
                print(key.as_str().as_bytes())?;
                warn_if_others_may_read();
                Ok(())
            }
        }
    }
}

fn write(path: &Path, key: &[u8]) -> Result<(), Failure> {
    let name = format!("'{}'", path.display());
    handle_signals();
    let mut file = NewFile::options().mode(0o600).create(path).map_err(|error| match error {
        CreateError::Exists | CreateError::NotRegular => Failure::Work(format!(
            "the output {name} exists; choose another: a key file is never replaced"
        )),
        error => Failure::create(&name, error),
    })?;
    let written = file.write_all(key).and_then(|()| file.commit());
    written.map_err(|error| Failure::write(name, &error))
}

fn warn_if_others_may_read() {
    let metadata = stdio::stdout().and_then(|file| file.metadata());
    if let Ok(metadata) = metadata
        && metadata.is_file()
        && metadata.mode() & 0o077 != 0
    {
        let mode = metadata.mode() & 0o777;
        say(&format!(
            "warning: the key is in a file of mode {mode:03o}, which others than its owner may \
                 use; -o OUT makes one for the owner alone"
        ));
    }
}
