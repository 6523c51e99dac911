//! `arcfour ent`

use std::path::PathBuf;

use arcfour_stats::ent::{Report, Tally, Unit};
use serde::Serialize;

use crate::console::{
    failure::Failure,
    input::Input,
    output::print,
    progress::Progress,
    stream::{self, Sink},
};

/// Test the randomness of a file or a pipe, with the report of the program ent
///
/// Prints entropy, chi-square with its percentile, mean, Monte Carlo value for Pi and serial
/// correlation, with ent's number of digits.
#[derive(clap::Args)]
#[command(after_help = "\
No test can prove that data are random. The biases of one long RC4 keystream are too small for these tests.

Examples:
  arcfour ent photo.jpg
  arcfour ent --terse --counts photo.jpg > counts.csv
  arcfour keystream --key-hex 0102030405 --bytes 1GiB | arcfour ent --json")]
pub struct Args {
    /// The file to read; - is standard input
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    input: PathBuf,
    /// Take the input as a stream of bits, the highest of each byte first
    #[arg(short, long)]
    bits: bool,
    /// Also print the number of occurrences of each value
    #[arg(short, long)]
    counts: bool,
    /// Fold upper to lower case letters (of Latin-1) first
    #[arg(short, long)]
    fold: bool,
    /// Print comma-separated values, as `ent -t` prints them
    #[arg(short, long)]
    terse: bool,
    /// Print a JSON object; what cannot be computed is null
    #[arg(long, conflicts_with = "terse")]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let input = Input::open(&self.input)?;
        let size = input.size();
        let mut reader = Reader { tally: Tally::new(), fold: self.fold, folded: vec![] };
        stream::send(input, &mut Progress::new(&mut reader, size))?;
        let unit = if self.bits { Unit::Bit } else { Unit::Byte };
        let report = reader.tally.report(unit);
        let counts = self.counts.then(|| reader.tally.counts(unit));
        print(&if self.json {
            json(&report, counts)
        } else if self.terse {
            terse(&report, counts).into_bytes()
        } else {
            let mut text = counts.map(|counts| table(&report, &counts)).unwrap_or_default();
            text.extend(prose(&report).into_bytes());
            text
        })
    }
}

/// A sink that counts the bytes.
struct Reader {
    tally: Tally,
    fold: bool,
    folded: Vec<u8>,
}

impl Sink for Reader {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if self.fold {
            self.folded.clear();
            self.folded.extend(bytes.iter().map(|&byte| folded(byte)));
            self.tally.add(&self.folded);
        } else {
            self.tally.add(bytes);
        }
        Ok(())
    }
}

/// Returns the lower case of a Latin-1 letter.
fn folded(byte: u8) -> u8 {
    match byte {
        b'A'..=b'Z' | 0xc0..=0xd6 | 0xd8..=0xde => byte + 32,
        _ => byte,
    }
}

fn json(report: &Report, counts: Option<Vec<u128>>) -> Vec<u8> {
    #[derive(Serialize)]
    struct Document<'a> {
        #[serde(flatten)]
        report: &'a Report,
        #[serde(skip_serializing_if = "Option::is_none")]
        counts: Option<Vec<u128>>,
    }
    let document = Document { report, counts };
    let mut text = serde_json::to_vec_pretty(&document).expect("numbers are valid JSON");
    text.push(b'\n');
    text
}

/// Writes a number like C's printf on x86-64, where 0/0 has its sign bit set.
fn number(value: f64, decimals: usize) -> String {
    if value.is_nan() { "-nan".into() } else { format!("{value:.decimals$}") }
}

/// Writes a number after ent's absolute value or comparison, which clears the sign of NaN.
fn unsigned(value: f64, decimals: usize) -> String {
    number(value, decimals).trim_start_matches('-').into()
}

fn terse(report: &Report, counts: Option<Vec<u128>>) -> String {
    let unit = match report.unit {
        Unit::Byte => "byte",
        Unit::Bit => "bit",
    };
    let correlation = report.serial_correlation.unwrap_or(-100_000.0);
    let numbers = [report.entropy, report.chi_square, report.mean, report.pi, correlation];
    let numbers = numbers.map(|value| number(value, 6)).join(",");
    let mut text = format!(
        "0,File-{unit}s,Entropy,Chi-square,Mean,Monte-Carlo-Pi,Serial-Correlation\n\
         1,{},{numbers}\n",
        report.samples
    );
    if let Some(counts) = counts {
        text += "2,Value,Occurrences,Fraction\n";
        for (value, &count) in counts.iter().enumerate() {
            let fraction = number(count as f64 / report.samples as f64, 6);
            text += &format!("3,{value},{count},{fraction}\n");
        }
    }
    text
}

/// Lists the values that occurred. A Latin-1 character stands beside its number.
fn table(report: &Report, counts: &[u128]) -> Vec<u8> {
    let mut text = b"Value Char Occurrences Fraction\n".to_vec();
    for (value, &count) in (0_u8..=255).zip(counts).filter(|&(_, &count)| count > 0) {
        let printable = matches!(value, 0x20..=0x7e | 0xa1..=0xff);
        text.extend(format!("{value:3}   ").into_bytes());
        text.push(if printable { value } else { b' ' });
        let fraction = count as f64 / report.samples as f64;
        text.extend(format!("   {count:10}   {fraction:.6}\n").into_bytes());
    }
    text.extend(format!("\nTotal:    {:10}   {:.6}\n\n", report.samples, 1.0).into_bytes());
    text
}

fn prose(report: &Report) -> String {
    let (unit, random) = match report.unit {
        Unit::Byte => ("byte", "127.5"),
        Unit::Bit => ("bit", "0.5"),
    };
    let exceeded = match report.chi_square_percent {
        percent if percent < 0.01 => "less than 0.01".into(),
        percent if percent > 99.99 => "more than than 99.99".into(), // its words
        percent => unsigned(percent, 2),
    };
    let correlation = match report.serial_correlation {
        Some(value) => format!("{value:.6} (totally uncorrelated = 0.0)"),
        None => "undefined (all values equal!)".into(),
    };
    format!(
        "\
Entropy = {entropy:.6} bits per {unit}.

Optimum compression would reduce the size
of this {samples} {unit} file by {compression:.0} percent.

Chi square distribution for {samples} samples is {chi_square}, and randomly
would exceed this value {exceeded} percent of the times.

Arithmetic mean value of data {unit}s is {mean} ({random} = random).
Monte Carlo value for Pi is {pi} (error {error} percent).
Serial correlation coefficient is {correlation}.
",
        entropy = report.entropy,
        samples = report.samples,
        compression = report.compression_percent.trunc(),
        chi_square = number(report.chi_square, 2),
        mean = number(report.mean, 4),
        pi = number(report.pi, 9),
        error = unsigned(report.pi_error_percent, 2),
    )
}
