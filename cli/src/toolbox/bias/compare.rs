//! `arcfour bias compare`

use std::path::PathBuf;

use arcfour_stats::{
    compare::{Agreement, Verdict, compare},
    verify::ALPHA,
};
use serde::Serialize;

use super::{named, read, read_table, wrong};
use crate::{
    failure::Failure,
    toolbox::{
        print,
        table::{optional, table},
    },
};

/// Compare single-byte counts with a published table
///
/// The table is plain text: a line for each position from the first byte on, and in it 256 counts,
/// as Vanhoef and Piessens published theirs. Pearson's test of homogeneity for each position that
/// both have, with Holm's correction at 0.001 over all; rare values are added up until 20 are expected.
/// The exit code is 1 if a position differs.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  arcfour bias compare all.cnt published.txt")]
pub(super) struct Args {
    /// The file of counts
    file: PathBuf,
    /// The table to compare it with
    table: PathBuf,
    /// A JSON array with an object for each position
    #[arg(long)]
    json: bool,
}

/// A position, as it is printed.
#[derive(Serialize)]
struct Position {
    position: u32,
    chi_square: f64,
    p_value: f64,
    correlation: Option<f64>,
    verdict: &'static str,
}

impl From<&Agreement> for Position {
    fn from(agreement: &Agreement) -> Self {
        let &Agreement { position, chi_square, p_value, correlation, verdict } = agreement;
        Self { position, chi_square, p_value, correlation, verdict: verdict.name() }
    }
}

impl Args {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let (ours, theirs) = (read(&self.file)?, read_table(&self.table)?);
        let campaign = ours.campaign();
        if campaign.key_length() != 16 || campaign.drop() != 0 || campaign.key_pattern().is_some() {
            let reason = "not of random 16-byte keys without a drop, as the tables are";
            return Err(wrong(&self.file, reason));
        }
        let agreements = compare(&ours, &theirs);
        if agreements.is_empty() {
            return Err(wrong(&self.file, "it has no single-byte counts"));
        }
        let positions: Vec<Position> = agreements.iter().map(Position::from).collect();
        if self.json {
            super::json(&positions)?;
        } else {
            let rows = positions.iter().map(Position::cells).collect();
            let head = ["position", "chi-square", "p-value", "correlation", "verdict"];
            let text = format!(
                "{} keystreams against {}\n{}",
                ours.keystreams(),
                theirs.keystreams(),
                table(&head, &[0, 1, 2, 3], rows)
            );
            print(text.as_bytes())?;
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
