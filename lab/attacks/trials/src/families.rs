//! `trials families`

use std::fmt::Write as _;

use arcfour::Family;
use arcfour_attacks::families::{Findings, ask};
use serde_json::json;

use super::trials::Options;
use arcfour_console::{failure::Failure, output::print, size::within};

/// Try the attacks on RC4 on the other families
///
/// Each sample chooses random keys of 16 bytes, one of them weak, and makes keystream with each
/// family. Prints three figures. First, the largest deviation of the first 16 bytes from equal
/// counts; above 4 is no chance. Second, how often Klein's vote for a key byte after an IV is
/// right; by chance once in 256. Third, how often the lowest bit of one byte is the same under
/// RC4's weak keys.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  trials families --samples 100000
  trials families --samples 1000000 --seed 7 --json

Sources: A. Klein, Designs, Codes and Cryptography 48, 2008, section 2; S. Fluhrer, I. Mantin, A. Shamir, SAC 2001, \
section 4.")]
pub(crate) struct Args {
    /// Samples of each family, 1 to 1000000000
    #[arg(long, value_name = "N", default_value = "65536", allow_negative_numbers = true,
        value_parser = within(1..=1_000_000_000_u64))]
    samples: u64,
    #[command(flatten)]
    options: Options,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if !self.options.json {
            let head = format!(
                "{:<12} {:>22} {:>26} {:>26}\n",
                "family",
                "single byte, deviation",
                "Klein's vote right, of 256",
                "lowest bit of weak keys, %"
            );
            print(head.as_bytes())?;
        }
        for &family in Family::ALL {
            let findings = ask(family, self.samples, self.options.seed);
            print(self.line(&findings).as_bytes())?;
        }
        Ok(())
    }

    fn line(&self, findings: &Findings) -> String {
        let Findings { family, single, klein, lowest_bit } = findings;
        let (low, high) = klein.wilson();
        if self.options.json {
            let line = json!({
                "attack": "families", "family": family.name(), "samples": self.samples, "seed": self.options.seed,
                "single": {"position": single.0, "deviation": single.1},
                "klein": {"rate": klein.rate(), "wilson": [low, high]},
                "lowest_bit": {"position": lowest_bit.0, "rate": lowest_bit.1.rate(), "wilson": lowest_bit.1.wilson()},
            });
            return format!("{line}\n");
        }
        let mut text = format!("{:<12} {:>15.1} (byte {:>2})", family.name(), single.1, single.0);
        let klein =
            format!("{:.3} ({:.3} to {:.3})", 256.0 * klein.rate(), 256.0 * low, 256.0 * high);
        let _ = writeln!(
            text,
            " {klein:>26} {:>16.2} (byte {:>2})",
            100.0 * lowest_bit.1.rate(),
            lowest_bit.0
        );
        text
    }
}
