//! `arcfour bias compare`

use std::path::PathBuf;

use arcfour_stats::{
    table::{Agreement, compare},
    verify::ALPHA,
};
use serde::Serialize;

use super::{read, read_table};
use crate::failure::Failure;

/// Compare single-byte counts with a published table
///
/// The table is plain text: a line for each position from the first byte on, and in it 256 counts,
/// as Vanhoef and Piessens published theirs. Pearson's test of homogeneity for each position that
/// both have, with Holm's correction at 0.001 over all; the exit code is 1 if one differs.
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
struct Row {
    position: u32,
    chi_square: f64,
    p_value: f64,
    correlation: f64,
    verdict: &'static str,
}

impl Args {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let (ours, theirs) = (read(&self.file)?, read_table(&self.table)?);
        let campaign = &ours.campaign;
        if campaign.key_length != 16 || campaign.drop != 0 || campaign.key_pattern.is_some() {
            return Err(Failure::Work(format!(
                "'{}' is not of random 16-byte keys without a drop, as the tables are",
                self.file.display()
            )));
        }
        let row = |agreement: Agreement| {
            let Agreement { position, chi_square, p_value, correlation, differs } = agreement;
            let verdict = if differs { "differs" } else { "agrees" };
            Row { position, chi_square, p_value, correlation, verdict }
        };
        let rows: Vec<Row> = compare(&ours, &theirs).into_iter().map(row).collect();
        if rows.is_empty() {
            let message = format!("'{}' has no single-byte counts", self.file.display());
            return Err(Failure::Work(message));
        }
        if self.json {
            super::json(&rows)?;
        } else {
            let mut text = format!(
                "{} keystreams against {}\nposition  chi-square    p-value  correlation  verdict\n",
                ours.keystreams(),
                theirs.keystreams()
            );
            for Row { position, chi_square, p_value, correlation, verdict } in &rows {
                text += &format!(
                    "{position:>8}  {chi_square:>10.2}  {p_value:>9.2e}  {correlation:>+11.3}  {verdict}\n"
                );
            }
            super::super::print(text.as_bytes())?;
        }
        match rows.iter().filter(|row| row.verdict == "differs").count() {
            0 => Ok(()),
            differ => Err(Failure::Work(format!(
                "'{}' and '{}' differ at {differ} of {} positions (Holm's correction, {ALPHA})",
                self.file.display(),
                self.table.display(),
                rows.len()
            ))),
        }
    }
}
