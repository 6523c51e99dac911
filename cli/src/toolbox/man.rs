//! `arcfour man`

use std::path::PathBuf;

use super::Program;
use crate::failure::Failure;

/// Write the manual pages of both commands
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  arcfour man ~/.local/share/man/man1 && man arcfour-crypt")]
pub struct Args {
    /// The folder for the pages rc4.1, arcfour.1, arcfour-crypt.1 …
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Args {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let failed =
            |error| Failure::write(format_args!("pages to '{}'", self.folder.display()), &error);
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        for program in [Program::Rc4, Program::Arcfour] {
            clap_mangen::generate_to(program.command(), &self.folder).map_err(failed)?;
        }
        Ok(())
    }
}
