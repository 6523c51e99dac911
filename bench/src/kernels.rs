//! Our kernels, as `arcfour bench kernels --json` measures them on this machine.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

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
    let mut command = Command::new(folder.join("arcfour"));
    command.args(["bench", "kernels", "--json"]);
    if quick {
        command.args(["--samples", "3"]);
    }
    let output = command.output().with_context(|| format!("{command:?}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {}: {errors}", output.status);
    let text = String::from_utf8(output.stdout)?;
    let kernels: Vec<Kernel> = serde_json::from_str(&text)?;
    let wrong = kernels.iter().find(|kernel| !kernel.verified);
    ensure!(wrong.is_none(), "{command:?}: a kernel was not verified");
    Ok((text, kernels))
}
