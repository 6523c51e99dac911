//! `arcfour keygen`

use std::{
    fs::{self, OpenOptions},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::PathBuf,
};

use arcfour_container::Secret;

use super::print;
use crate::failure::Failure;

/// Make a key file for `arcfour seal`
///
/// 64 random hexadecimal digits and a line end. A file is readable by its owner alone; one that
/// exists is never replaced, since a lost key loses all that was sealed with it.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  arcfour keygen -o seal.key && arcfour seal --seal-key seal.key old.tar -o old.sealed")]
pub struct Args {
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let key = Secret::new_key_file().map_err(|error| Failure::Work(error.to_string()))?;
        let Some(path) = self.output else { return print(key.as_bytes()) };
        let failed = |error| Failure::write(format_args!("'{}'", path.display()), &error);
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let mut file = file.map_err(failed)?;
        file.write_all(key.as_bytes()).and_then(|()| file.sync_all()).map_err(|error| {
            let _ = fs::remove_file(&path);
            failed(error)
        })
    }
}
