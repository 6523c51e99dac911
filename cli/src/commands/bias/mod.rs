//! `arcfour bias`

mod compare;
mod counts;
mod merge;
mod shard;
mod show;
mod verify;

use crate::console::failure::Failure;

/// Count keystreams of many keys, and look for the published biases
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour bias shard campaign.toml --index 0 -o 0.cnt
  arcfour bias merge 0.cnt 1.cnt -o all.cnt
  arcfour bias show all.cnt single:2
  arcfour bias show all.cnt single:1-256 --csv > map.csv
  arcfour bias verify all.cnt
  arcfour bias compare all.cnt published.txt")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Shard(shard::Args),
    Merge(merge::Args),
    Show(show::Args),
    Verify(verify::Args),
    Compare(compare::Args),
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Shard(args) => args.run(),
            Command::Merge(args) => args.run(),
            Command::Show(args) => args.run(),
            Command::Verify(args) => args.run(),
            Command::Compare(args) => args.run(),
        }
    }
}
