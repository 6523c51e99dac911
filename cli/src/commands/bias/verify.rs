//! `arcfour bias verify`

use std::path::PathBuf;

use arcfour_stats::{
    cells::Proportion,
    file::CountsFile,
    verify::{
        ALPHA, Check, LEAST_EXPECTED, POWER, Uniformity, Verdict, checks, uniformity, verdicts,
    },
};
use serde::Serialize;

use super::counts::{json, read, read_table, runs, wrong};
use crate::console::{
    failure::Failure,
    output::{despite_closed_pipe, print},
    table::{optional, table},
};

/// Look for every published bias that the counts can show
///
/// Runs binomial tests. Holm's correction keeps the probability of any false positive at 0.1 %. A large
/// enough sample detects a bias with a probability of 99.9 %. A bias that such a sample does not detect
/// is missing, and the exit code is 1.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour bias verify all.cnt
  arcfour bias verify --table published.txt --json")]
pub(super) struct Args {
    /// The file of counts
    file: PathBuf,
    /// Read FILE as a published table of 16-byte keys: lines 'position value count', as `compare`
    /// reads
    #[arg(long)]
    table: bool,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// The whole output.
#[derive(Serialize)]
struct Report {
    keystreams: u64,
    shards: String,
    alpha: f64,
    power: f64,
    positions_tested: usize,
    positions_not_uniform: Vec<u32>,
    checks: Vec<Line>,
}

/// The output for a check.
#[derive(Serialize)]
struct Line {
    event: String,
    source: &'static str,
    hits: u64,
    trials: u64,
    chance: f64,
    published: f64,
    measured: Option<f64>,
    relative_bias: Option<f64>,
    sigma: Option<f64>,
    expected_sigma: Option<f64>,
    trials_for_5_sigma: Option<f64>,
    verdict: &'static str,
}

impl Args {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let file = if self.table { read_table(&self.file)? } else { read(&self.file)? };
        let checks = checks(&file);
        let verdicts = verdicts(&checks);
        let report = Report::of(&file, &checks, &verdicts);
        despite_closed_pipe(match self.json {
            true => json(&report),
            false => print(report.text(&file).as_bytes()),
        })?;
        match verdicts.iter().filter(|&&verdict| verdict == Verdict::Missing).count() {
            0 => Ok(()),
            missing => {
                let all = checks.len();
                let reason =
                    format!("{missing} of {all} biases that the sample must show are missing");
                Err(wrong(&self.file, reason))
            }
        }
    }
}

impl Report {
    fn of(file: &CountsFile, checks: &[Check], verdicts: &[Verdict]) -> Self {
        let Uniformity { biased, tested } = uniformity(file);
        Self {
            keystreams: file.keystreams(),
            shards: runs(file),
            alpha: ALPHA,
            power: POWER,
            positions_tested: tested,
            positions_not_uniform: biased,
            checks: checks
                .iter()
                .zip(verdicts)
                .map(|(check, &verdict)| Line::of(check, verdict))
                .collect(),
        }
    }

    fn text(&self, file: &CountsFile) -> String {
        let Self { keystreams, positions_tested: tested, positions_not_uniform: biased, .. } = self;
        let mut text = format!("{keystreams} keystreams, shards {}\n", self.shards);
        if *tested > 0 {
            let biased = biased.len();
            text += &format!(
                "{biased} of {tested} positions are not uniform (chi-squared, Holm's correction, {ALPHA})\n"
            );
        } else if file.campaign().count().single > 0 {
            let least = LEAST_EXPECTED * 256.0;
            text += &format!(
                "too few keystreams to test whether positions are uniform; it takes {least}\n"
            );
        }
        let mut sources: Vec<&str> = vec![];
        let mut rows = vec![];
        for line in &self.checks {
            let at = sources.iter().position(|&source| source == line.source);
            let at = at.unwrap_or_else(|| {
                sources.push(line.source);
                sources.len() - 1
            });
            rows.push(line.cells(at + 1));
        }
        let head = [
            "event",
            "",
            "by chance",
            "published",
            "measured",
            "sigma",
            "expected",
            "5σ",
            "verdict",
        ];
        text += &table(&head, &[2, 3, 4, 5, 6, 7], rows);
        for (at, source) in (1..).zip(sources) {
            text += &format!("[{at}] {source}\n");
        }
        text
    }
}

impl Line {
    fn of(check: &Check, verdict: Verdict) -> Self {
        let Check { event, source, published, measured } = check;
        let &Proportion { hits, trials, chance } = measured;
        Self {
            event: event.clone(),
            source,
            hits,
            trials,
            chance,
            published: *published,
            measured: measured.probability(),
            relative_bias: measured.relative_bias(),
            sigma: measured.z(),
            expected_sigma: check.expected_z(),
            trials_for_5_sigma: check.needed(),
            verdict: verdict.name(),
        }
    }

    /// Returns the columns, with the number of the source.
    fn cells(&self, source: usize) -> Vec<String> {
        let sigmas = |value: Option<f64>| optional(value, |value| format!("{value:+.1}"));
        let missing = self.verdict == Verdict::Missing.name();
        vec![
            self.event.clone(),
            format!("[{source}]"),
            digits(self.chance),
            digits(self.published),
            optional(self.measured, digits),
            sigmas(self.sigma),
            sigmas(self.expected_sigma),
            optional(self.trials_for_5_sigma, |needed| format!("2^{:.1}", needed.log2())),
            if missing { self.verdict.to_uppercase() } else { self.verdict.to_owned() },
        ]
    }
}

/// Writes a probability with five digits.
fn digits(probability: f64) -> String {
    if probability < 1e-3 { format!("{probability:.4e}") } else { format!("{probability:.7}") }
}
