//! `arcfour bias verify`

use std::path::PathBuf;

use arcfour_stats::{
    file::CountsFile,
    measure::Measure,
    verify::{ALPHA, Check, POWER, Verdict, biased_positions, checks, verdicts},
};
use serde::Serialize;

use super::{read, read_table, runs};
use crate::failure::Failure;

/// Look for every published bias that the counts can show
///
/// Proportion tests with Holm's correction: the chance of any false alarm is 0.001. A bias that the
/// sample must show (with probability 0.999) and does not is missing, and the exit code is 1.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour bias verify all.cnt
  arcfour bias verify --table published.txt --json")]
pub(super) struct Args {
    /// The file of counts
    file: PathBuf,
    /// FILE is a published table instead: plain text, a position of 16-byte keys a line, 256 counts
    /// in it
    #[arg(long)]
    table: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// All that is printed.
#[derive(Serialize)]
struct Report {
    keystreams: u64,
    shards: String,
    alpha: f64,
    power: f64,
    positions_tested: usize,
    positions_not_uniform: Vec<u32>,
    checks: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    event: String,
    source: &'static str,
    hits: u64,
    trials: u64,
    chance: f64,
    published: f64,
    measured: f64,
    relative_bias: f64,
    sigma: f64,
    expected_sigma: f64,
    trials_for_5_sigma: f64,
    verdict: &'static str,
}

impl Args {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let file = if self.table { read_table(&self.file)? } else { read(&self.file)? };
        let report = Report::of(&file);
        match self.json {
            true => super::json(&report)?,
            false => super::super::print(report.text().as_bytes())?,
        }
        match report.checks.iter().filter(|row| row.verdict == name(Verdict::Missing)).count() {
            0 => Ok(()),
            missing => Err(Failure::Work(format!(
                "'{}': {missing} of {} biases that the sample must show are missing",
                self.file.display(),
                report.checks.len()
            ))),
        }
    }
}

impl Report {
    fn of(file: &CountsFile) -> Self {
        let checks = checks(file);
        let rows = checks.iter().zip(verdicts(&checks)).map(|(check, verdict)| {
            let Check { event, source, published, measure } = check;
            let &Measure { hits, trials, chance } = measure;
            Row {
                event: event.clone(),
                source,
                hits,
                trials,
                chance,
                published: *published,
                measured: measure.probability(),
                relative_bias: measure.relative_bias(),
                sigma: measure.z(),
                expected_sigma: check.expected_z(),
                trials_for_5_sigma: check.needed(),
                verdict: name(verdict),
            }
        });
        let checks = rows.collect();
        let (positions_not_uniform, positions_tested) = biased_positions(file);
        let (keystreams, shards) = (file.keystreams(), runs(file));
        let (alpha, power) = (ALPHA, POWER);
        Self { keystreams, shards, alpha, power, positions_tested, positions_not_uniform, checks }
    }

    fn text(&self) -> String {
        let mut text = format!("{} keystreams, shards {}\n", self.keystreams, self.shards);
        if self.positions_tested > 0 {
            text += &format!(
                "{} of {} positions are not uniform (chi-squared, Holm's correction, {ALPHA})\n",
                self.positions_not_uniform.len(),
                self.positions_tested
            );
        }
        text += HEAD;
        self.checks.iter().for_each(|row| text += &row.text());
        text
    }
}

const HEAD: &str = "\
event                     source                                     by chance    published     measured     sigma  expected  5 sigma needs  verdict
";

impl Row {
    fn text(&self) -> String {
        let Self { event, source, chance, published, measured, sigma, expected_sigma, .. } = self;
        let needed = format!("2^{:.1}", self.trials_for_5_sigma.log2());
        let verdict = match self.verdict == name(Verdict::Missing) {
            true => "MISSING",
            false => self.verdict,
        };
        format!(
            "{event:24}  {source:39}  {chance:.9}  {published:.9}  {measured:.9}  {sigma:>+8.1}  {expected_sigma:>+8.1}  {needed:>13}  {verdict}\n"
        )
    }
}

fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Seen => "seen",
        Verdict::Missing => "missing",
        Verdict::TooFew => "too few samples",
    }
}
