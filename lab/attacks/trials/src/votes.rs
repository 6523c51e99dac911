//! `trials votes`

use std::fmt::Write as _;

use arcfour_attacks::wep::{Kind, PACKETS_A_KEY, Rate, by_kind, measure, recorded};

use arcfour_console::{failure::Failure, output::print, size::within};

/// Print the success rate of each kind of vote in the WEP attack
///
/// A packet votes for the next byte of the key, given the bytes before it. By chance one vote in
/// 256 is right. The recorded rates weigh the votes of `trials wep`; --keys counts them anew.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  trials votes
  trials votes --keys 64 --seed 2
  trials votes --keys 8192 --csv > wep-votes.csv")]
pub(crate) struct Args {
    /// Count over N keys with 16384 packets each, 1 to 1048576
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = within(1..=1_u64 << 20))]
    keys: Option<u64>,
    /// The seed of keys and IVs
    #[arg(long, value_name = "N", default_value = "0", allow_negative_numbers = true,
        requires = "keys", value_parser = within(0..=u64::MAX))]
    seed: u64,
    /// Print comma-separated values for each step of the key schedule
    #[arg(long)]
    csv: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let measured = self.keys.map(|keys| measure(keys, self.seed));
        let rates = measured.as_deref().unwrap_or(recorded());
        if self.csv {
            let mut text = "kind,step,votes,right\n".to_owned();
            for Rate { kind, step, right } in rates {
                let _ = writeln!(text, "\"{kind}\",{step},{},{}", right.trials, right.successes);
            }
            return print(text.as_bytes());
        }
        let mut text = format!(
            "{:<18} {:>18} {:>10} {:>18}\n",
            "vote", "in a million", "right, %", "bits in 10000"
        );
        for Kind { name, votes, right, bits } in by_kind(rates) {
            let (votes, percent, bits) = (1e6 * votes, 100.0 * right, 1e4 * bits);
            let _ = writeln!(text, "{name:<18} {votes:>18.1} {percent:>10.3} {bits:>18.4}");
        }
        print(text.as_bytes())
    }
}

const _: () = assert!(PACKETS_A_KEY == 16384, "the help says so");
