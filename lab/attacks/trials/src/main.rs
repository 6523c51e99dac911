//! `trials`: measures how often each attack succeeds on data made from a seed. `arcfour attack`
//! works on a user's data.

mod broadcast;
mod cookie;
mod families;
mod key;
mod state;
mod trials;
mod votes;
mod weak;
mod wep;

use std::process::ExitCode;

use arcfour_console::failure::{self, Failure};
use clap::Parser;

/// Trials of the attacks on RC4, on data made from a seed
///
/// Each attack makes its data from a seed, and attacks them without further knowledge. It prints
/// the success rate with Wilson's 95 % interval, beside the published figure. The same seed gives
/// the same successes on any machine.
#[derive(Parser)]
#[command(
    name = "trials",
    max_term_width = 100,
    after_help = "\
Examples:
  trials broadcast --ciphertexts 16777216
  trials cookie --requests 1207959552
  trials families
  trials key --key-length 5 --trials 1000
  trials state --n 16
  trials weak
  trials wep --packets 22500
  trials votes

Your own captures and memory dumps: `arcfour attack`.

Exit codes: 0 done (or the pipe was closed), 1 the work failed, 2 wrong usage."
)]
enum Attack {
    Broadcast(broadcast::Args),
    Cookie(cookie::Args),
    Families(families::Args),
    Key(key::Args),
    State(state::Args),
    Votes(votes::Args),
    Weak(weak::Args),
    Wep(wep::Args),
}

impl Attack {
    fn run(self) -> Result<(), Failure> {
        match self {
            Self::Broadcast(args) => args.run(),
            Self::Cookie(args) => args.run(),
            Self::Families(args) => args.run(),
            Self::Key(args) => args.run(),
            Self::State(args) => args.run(),
            Self::Votes(args) => args.run(),
            Self::Weak(args) => args.run(),
            Self::Wep(args) => args.run(),
        }
    }
}

fn main() -> ExitCode {
    let usage = "\nFor more information, try '--help'.\n";
    failure::finish("trials", usage, Attack::parse().run())
}
