//! `arcfour bench`: `kernels`, and `seal` in a file of its own.

mod kernels;
mod seal;

use arcfour::Backend;
use arcfour_measure::{Goal, Meter, Summary};
use serde::Serialize;

use self::kernels::Kernel;
use super::backends::parse_backend;
use crate::{failure::Failure, size};

/// Measure how fast this machine is
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour bench kernels
  arcfour bench seal")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Kernels(KernelArgs),
    Seal(seal::Args),
}

/// Measure every kernel: one stream, many streams, key schedule, small messages
///
/// Cycles are of the core's own clock, calibrated around every sample; figures are medians of the
/// samples taken while the core was quiet. Each kernel is held against the definition before it
/// is timed. For steady figures keep the command on one processor.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour bench kernels
  taskset -c 1 arcfour bench kernels --backend portable --samples 9 --json")]
struct KernelArgs {
    /// One JSON array, an object per kernel, instead of a table
    #[arg(long)]
    json: bool,
    /// Only this backend: a name from `arcfour backends` [default: all this machine has]
    #[arg(long, value_name = "NAME", value_parser = parse_backend)]
    backend: Option<Backend>,
    /// Accepted samples of each kernel, 1 to 10000
    #[arg(long, value_name = "N", default_value = "31", value_parser = size::within(1..=10_000_u16), allow_negative_numbers = true)]
    samples: u16,
}

/// A kernel's figures.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    family: &'static str,
    backend: &'static str,
    streams: usize,
    /// Bytes of one call, all streams together.
    bytes: usize,
    /// Median core cycles of one call.
    cycles: f64,
    lower_quartile: f64,
    upper_quartile: f64,
    /// None if a call makes no bytes.
    cycles_per_byte: Option<f64>,
    mb_per_s: Option<f64>,
    ghz: f64,
    accepted: usize,
    rejected: usize,
    /// Whether the figures are of accepted samples; if not, of all.
    quiet: bool,
    verified: bool,
}

impl Args {
    pub(super) fn run(&self) -> Result<(), Failure> {
        match &self.what {
            What::Kernels(args) => args.run(),
            What::Seal(args) => args.run(),
        }
    }
}

impl KernelArgs {
    fn run(&self) -> Result<(), Failure> {
        let backends = match self.backend {
            Some(backend) => vec![backend],
            None => Backend::available().collect(),
        };
        let goal = Goal::of(self.samples.into());
        let mut meter = Meter::new();
        let mut rows = vec![];
        if !self.json {
            super::print(HEAD.as_bytes())?;
        }
        for kernel in backends.into_iter().flat_map(kernels::all) {
            let row = measure(&mut meter, goal, kernel?)?;
            if !self.json {
                super::print(row.line().as_bytes())?;
            }
            rows.push(row);
        }
        if self.json {
            let text = serde_json::to_string_pretty(&rows).expect("rows are valid JSON") + "\n";
            super::print(text.as_bytes())?;
        } else if rows.iter().any(|row| !row.quiet) {
            super::print(NOISY.as_bytes())?;
        }
        Ok(())
    }
}

fn measure(meter: &mut Meter, goal: Goal, mut kernel: Kernel) -> Result<Row, Failure> {
    kernel.verify()?;
    let samples = meter.collect(goal, || kernel.call());
    let summary = meter.summary(&samples, goal);
    let Kernel { name, family, backend, streams, bytes, .. } = kernel;
    let per_byte = |of: fn(&Summary, usize) -> f64| (bytes > 0).then(|| of(&summary, bytes));
    Ok(Row {
        name,
        family,
        backend: backend.name(),
        streams,
        bytes,
        cycles: summary.cycles,
        lower_quartile: summary.lower,
        upper_quartile: summary.upper,
        cycles_per_byte: per_byte(Summary::cycles_per_byte),
        mb_per_s: per_byte(Summary::mb_per_s),
        ghz: summary.ghz,
        accepted: summary.accepted,
        rejected: summary.rejected,
        quiet: summary.quiet,
        verified: true,
    })
}

const HEAD: &str = "\
family  kernel                backend      streams    bytes      cycles  cycles/byte     MB/s   GHz
";

const NOISY: &str = "\
* this machine was not quiet long enough: the figure is of all samples, and may be far too high
";

impl Row {
    fn line(&self) -> String {
        let optional = |value: Option<f64>, decimals: usize| {
            value.map_or_else(|| "-".to_string(), |value| format!("{value:.decimals$}"))
        };
        format!(
            "{:6}  {:20}  {:12} {:>7}  {:>7}  {:>10.0}  {:>11}  {:>7}  {:>4.2}{}\n",
            self.family,
            self.name,
            self.backend,
            self.streams,
            self.bytes,
            self.cycles,
            optional(self.cycles_per_byte, 2),
            optional(self.mb_per_s, 0),
            self.ghz,
            if self.quiet { "" } else { " *" },
        )
    }
}
