//! `arcfour bench`: measures our kernels, sealing, and GPUs.

mod gpu;

use arcfour::Backend;
use arcfour_kernels::{KernelSpeed, SealingSpeed, kernels, sealing};
use arcfour_measure::{Goal, MULTIPLY_CYCLES, Meter, clock_error};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use self::gpu::GpuArgs;
use crate::console::{
    backend::parse_backend,
    failure::Failure,
    output::print,
    progress::clear_on_signal,
    say::say,
    size,
    table::{optional, table},
};

/// Measure the speed of this machine
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour bench kernels
  arcfour bench seal
  arcfour bench gpu")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Kernels(KernelArgs),
    Seal(SealArgs),
    Gpu(GpuArgs),
}

/// Measure every kernel: one stream, many streams, key schedule, small messages
///
/// Cycles are core cycles, by a clock that is calibrated around every sample. A warning says if the
/// clock does not fit this processor. Figures are medians
/// of the samples taken while the core was quiet. Each kernel is compared with the definition
/// before it is timed. For steady figures keep the command on one processor.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour bench kernels
  taskset -c 1 arcfour bench kernels --backend portable --samples 9 --json")]
struct KernelArgs {
    /// Print a JSON array, one object per kernel, instead of a table
    #[arg(long)]
    json: bool,
    /// Only this backend: a name from `arcfour backends` [default: all this machine has]
    #[arg(long, value_name = "NAME", value_parser = parse_backend)]
    backend: Option<Backend>,
    /// Accepted samples of each kernel, 1 to 10000
    #[arg(long, value_name = "N", default_value = "31", value_parser = size::within(1..=10_000_u16), allow_negative_numbers = true)]
    samples: u16,
}

/// Measure sealing on one thread, and the part of it that is authentication
///
/// Times both in turn in one process: sealing as the library does it, and only its hashes and tags,
/// over the same bytes. Before the timing, the sealed file is opened and compared.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  taskset -c 1 arcfour bench seal --json")]
struct SealArgs {
    /// Print a JSON array, one object per family, instead of a table
    #[arg(long)]
    json: bool,
    /// Accepted samples of each, 1 to 10000
    #[arg(long, value_name = "N", default_value = "31", value_parser = size::within(1..=10_000_u16), allow_negative_numbers = true)]
    samples: u16,
}

impl Args {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.what {
            What::Kernels(args) => args.run(),
            What::Seal(args) => args.run(),
            What::Gpu(args) => args.run(),
        }
    }
}

impl KernelArgs {
    fn run(&self) -> Result<(), Failure> {
        let backends = match self.backend {
            Some(backend) => vec![backend],
            None => Backend::available().collect(),
        };
        let mut meter = Meter::new();
        let mut speeds = vec![];
        // Hidden if standard error is not a terminal.
        let bar = ProgressBar::new_spinner();
        let template = "{spinner} {pos} kernels measured";
        bar.set_style(ProgressStyle::with_template(template).expect("the template is valid"));
        let _on_signal = clear_on_signal(&bar);
        for kernel in backends.into_iter().flat_map(kernels) {
            let goal = Goal::of(self.samples.into());
            speeds
                .push(kernel.and_then(|kernel| kernel.measure(&mut meter, goal)).map_err(failed)?);
            bar.inc(1);
        }
        bar.finish_and_clear();
        let noisy = speeds.iter().any(|speed| !speed.quiet);
        show(self.json, &speeds, kernel_table, noisy)
    }
}

impl SealArgs {
    fn run(&self) -> Result<(), Failure> {
        let goal = Goal::of(self.samples.into());
        let speeds = sealing(&mut Meter::new(), goal).map_err(failed)?;
        let noisy = speeds.iter().any(|speed| !speed.quiet);
        show(self.json, &speeds, sealing_table, noisy)
    }
}

fn failed(error: arcfour_kernels::Error) -> Failure {
    Failure::Work(error.to_string())
}

fn show<T: Serialize>(
    json: bool,
    speeds: &[T],
    table: fn(&[T]) -> String,
    noisy: bool,
) -> Result<(), Failure> {
    let text = match (json, noisy) {
        (true, _) => serde_json::to_string_pretty(speeds).expect("rows are valid JSON") + "\n",
        (false, false) => table(speeds),
        (false, true) => table(speeds) + NOISY,
    };
    print(text.as_bytes())?;
    if let Some(factor) = clock_error() {
        say(&format!(
            "warning: a multiply takes {:.2} cycles on this processor, where the clock counts {MULTIPLY_CYCLES}: divide \
             the cycles and GHz by {factor:.2}",
            MULTIPLY_CYCLES / factor
        ));
    }
    Ok(())
}

const NOISY: &str = "\
* this machine was not quiet long enough: the figure is of all samples, and may be far too high
";

fn kernel_table(speeds: &[KernelSpeed]) -> String {
    let head =
        ["family", "kernel", "backend", "streams", "bytes", "cycles", "cycles/byte", "MB/s", "GHz"];
    let row = |speed: &KernelSpeed| {
        vec![
            speed.family.clone(),
            speed.name.clone(),
            speed.backend.clone(),
            speed.streams.to_string(),
            speed.bytes.to_string(),
            format!("{:.0}", speed.cycles),
            optional(speed.cycles_per_byte, |cycles| format!("{cycles:.2}")),
            optional(speed.mb_per_s, |rate| format!("{rate:.0}")),
            clock(speed.ghz, speed.quiet),
        ]
    };
    table(&head, &[3, 4, 5, 6, 7], speeds.iter().map(row).collect())
}

fn sealing_table(speeds: &[SealingSpeed]) -> String {
    let head = [
        "family",
        "bytes",
        "chunk bytes",
        "cycles/byte",
        "MB/s",
        "authentication alone",
        "share",
        "GHz",
    ];
    let row = |speed: &SealingSpeed| {
        vec![
            speed.family.clone(),
            speed.bytes.to_string(),
            speed.chunk_bytes.to_string(),
            format!("{:.2}", speed.cycles_per_byte),
            format!("{:.0}", speed.mb_per_s),
            format!("{:.2}", speed.authentication_cycles_per_byte),
            format!("{:.0} %", speed.authentication_share * 100.0),
            clock(speed.ghz, speed.quiet),
        ]
    };
    table(&head, &[1, 2, 3, 4, 5, 6], speeds.iter().map(row).collect())
}

/// Returns the clock of the core, marked if the machine was not quiet.
fn clock(ghz: f64, quiet: bool) -> String {
    format!("{ghz:.2}{}", if quiet { "" } else { " *" })
}
