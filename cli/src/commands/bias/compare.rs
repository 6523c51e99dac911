//! `arcfour bias compare`

use std::path::PathBuf;

use arcfour_stats::{
    compare::{Agreement, Incomparable, Verdict, compare, total},
    verify::ALPHA,
};
use serde::Serialize;

use super::counts::{json, named, read, read_table, wrong};
use crate::console::{
    failure::Failure,
    output::{despite_closed_pipe, print},
    table::{optional, table},
};

/// Compare single-byte counts with a published table
///
/// The table is plain text, as AlFardan et al. and Vanhoef and Piessens published theirs. Each line
/// 'position value count' counts a byte value at a position. Lines stand in order, and positions
/// begin at 0 or 1. Comments begin with % or #.
///
/// Each position in both tables gets Pearson's test of homogeneity, with Holm's correction at 0.001
/// over all positions. Rare values are merged until 20 are expected. The last line has the
/// statistics of all positions together. The exit code is 1 if a position differs.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  arcfour bias compare all.cnt singlestats.txt")]
pub(super) struct Args {
    /// The file of counts
    file: PathBuf,
    /// The table to compare it with
    table: PathBuf,
    /// Print a JSON array with an object for each position
    #[arg(long)]
    json: bool,
}

/// The output for a position.
#[derive(Serialize)]
struct Position {
    position: u32,
    chi_square: f64,
    degrees: usize,
    p_value: f64,
    correlation: Option<f64>,
    verdict: &'static str,
}

impl From<&Agreement> for Position {
    fn from(agreement: &Agreement) -> Self {
        let &Agreement { position, chi_square, degrees, p_value, correlation, verdict } = agreement;
        Self { position, chi_square, degrees, p_value, correlation, verdict: verdict.name() }
    }
}

impl Args {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let (ours, theirs) = (read(&self.file)?, read_table(&self.table)?);
        let agreements = compare(&ours, &theirs).map_err(|error| match error {
            Incomparable::Positions => wrong(&self.file, "it has no single-byte counts"),
            _ => wrong(&self.file, "the published table has random 16-byte keys and no drop; this file has other keys or a drop"),
        })?;
        let positions: Vec<Position> = agreements.iter().map(Position::from).collect();
        if self.json {
            despite_closed_pipe(json(&positions))?;
        } else {
            let rows = positions.iter().map(Position::cells).collect();
            let head = ["position", "chi-square", "p-value", "correlation", "verdict"];
            let mut text = format!(
                "{} keystreams against {}\n{}",
                ours.keystreams(),
                theirs.keystreams(),
                table(&head, &[0, 1, 2, 3], rows)
            );
            if let Some((chi_square, degrees, p_value)) = total(&agreements) {
                text += &format!(
                    "in all: chi-square {chi_square:.1} on {degrees} degrees of freedom, p-value {p_value:.2e}\n"
                );
            }
            despite_closed_pipe(print(text.as_bytes()))?;
        }
        let differs = |agreement: &&Agreement| agreement.verdict == Verdict::Differs;
        match agreements.iter().filter(differs).count() {
            0 => Ok(()),
            differ => Err(Failure::Work(format!(
                "{} and {} differ at {differ} of {} positions (Holm's correction, {ALPHA})",
                named(&self.file),
                named(&self.table),
                agreements.len()
            ))),
        }
    }
}

impl Position {
    fn cells(&self) -> Vec<String> {
        vec![
            self.position.to_string(),
            format!("{:.2}", self.chi_square),
            format!("{:.2e}", self.p_value),
            optional(self.correlation, |value| format!("{value:+.3}")),
            self.verdict.to_owned(),
        ]
    }
}
