//! Sealed files: `arcfour seal` and `open` on two processors.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use tempfile::{NamedTempFile, TempDir};

use crate::commands::{Filter, same};

/// The commands, and the key they share.
pub struct Sealed {
    /// From a file to a sealed file.
    pub seal: Vec<Filter>,
    /// From a sealed file to a file.
    pub open: Vec<Filter>,
    _key: TempDir,
}

impl Sealed {
    /// Our command in `folder`, kept on these processors by `taskset`.
    pub fn new(folder: &Path, processors: [usize; 2]) -> Result<Self> {
        let arcfour = folder.join("arcfour");
        let key_folder = TempDir::new()?;
        let key = key_folder.path().join("key");
        let keygen = Command::new(&arcfour).args(["keygen", "-o"]).arg(&key).status()?;
        ensure!(keygen.success(), "arcfour keygen: {keygen}");
        let processors = processors.map(|processor| processor.to_string()).join(",");
        let (arcfour, key) = (arcfour.to_string_lossy(), key.to_string_lossy());
        let filter = |name, command, options: &[&str]| {
            let args = ["--cpu-list", &processors, &arcfour, command, "--seal-key", &key];
            Filter::new(name, "taskset".into(), &[&args, options].concat())
        };
        Ok(Self {
            seal: vec![
                filter("arcfour seal", "seal", &["--threads", "2"]),
                filter("arcfour seal, one thread", "seal", &["--threads", "1"]),
                filter("arcfour seal, PARC4-R", "seal", &["--threads", "2", "--cipher", "parc4r"]),
            ],
            open: vec![
                filter("arcfour open", "open", &["--threads", "2"]),
                filter("arcfour open, one thread", "open", &["--threads", "1"]),
            ],
            _key: key_folder,
        })
    }

    /// Seals `input` by the first command.
    pub fn sealed(&self, input: &Path) -> Result<NamedTempFile> {
        seal(self.seal.first().context("a command that seals")?, input)
    }

    /// Seals `input` by each command, opens the result by each command, and compares it with
    /// `input`. Returns the first sealed file.
    pub fn verify(&self, input: &Path) -> Result<NamedTempFile> {
        let mut first = None;
        for command in &self.seal {
            let file = seal(command, input)?;
            for open in &self.open {
                let mut child = open.command(file.path())?.stdout(Stdio::piped()).spawn()?;
                let opened = child.stdout.take().context("stdout is piped")?;
                let same = same(opened, fs::File::open(input)?).with_context(|| open.line())?;
                ensure!(same, "{} does not undo {}", open.line(), command.line());
                ensure!(child.wait()?.success(), "{} failed", open.line());
            }
            first.get_or_insert(file);
        }
        first.context("a command that seals")
    }
}

/// Writes the output of a command on `input`, synced to the disk.
fn seal(command: &Filter, input: &Path) -> Result<NamedTempFile> {
    let file = NamedTempFile::new()?;
    let status = command.command(input)?.stdout(file.reopen()?).status()?;
    ensure!(status.success(), "{}: {status}", command.line());
    file.as_file().sync_all()?;
    Ok(file)
}
