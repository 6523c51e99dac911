//! Our kernels, as `arcfour bench kernels --json` measures them on this machine, and how to ask it.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, de::DeserializeOwned};

/// One object of the command's output.
#[derive(Deserialize)]
pub struct Kernel {
    pub name: String,
    pub family: String,
    pub backend: String,
    pub streams: usize,
    pub bytes: usize,
    pub cycles: f64,
    pub cycles_per_byte: Option<f64>,
    pub mb_per_s: Option<f64>,
    pub accepted: usize,
    pub rejected: usize,
    pub quiet: bool,
    pub verified: bool,
}

/// The command's output as it came, and read.
pub fn measure(folder: &Path, quick: bool) -> Result<(String, Vec<Kernel>)> {
    json(folder, "kernels", quick, |kernel: &Kernel| kernel.verified)
}

/// What `arcfour bench WHAT --json` says, as it came, and read.
pub fn json<T: DeserializeOwned>(
    folder: &Path,
    what: &str,
    quick: bool,
    verified: fn(&T) -> bool,
) -> Result<(String, Vec<T>)> {
    let mut command = Command::new(folder.join("arcfour"));
    command.args(["bench", what, "--json"]);
    if quick {
        command.args(["--samples", "3"]);
    }
    let output = command.output().with_context(|| format!("{command:?}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {}: {errors}", output.status);
    let text = String::from_utf8(output.stdout)?;
    let rows: Vec<T> = serde_json::from_str(&text)?;
    ensure!(rows.iter().all(verified), "{command:?}: something was not verified");
    Ok((text, rows))
}
