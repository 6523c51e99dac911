//! `arcfour attack`: attacks on a user's captures and dumps. The lab's program `trials` measures
//! success rates.

mod decrypt;
mod memory;
mod variant;
mod wep;

use crate::console::failure::Failure;

/// Recover keys from your own captures and memory dumps
///
/// For teaching, for forensics with permission, and for your own old data. The program `trials` of
/// the lab measures success rates on data made from a seed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour attack wep own.pcap
  arcfour attack memory core.1234
  arcfour attack decrypt --state states captured -o plain
  arcfour attack variant c2.bin --key Quentin --plain-text 'GET /'

`arcfour attack NAME --help` describes the input of each attack.")]
pub struct Args {
    #[command(subcommand)]
    attack: Attack,
}

#[derive(clap::Subcommand)]
enum Attack {
    Decrypt(decrypt::Args),
    Memory(memory::Args),
    Variant(Box<variant::Args>),
    Wep(wep::Args),
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.attack {
            Attack::Decrypt(args) => args.run(),
            Attack::Memory(args) => args.run(),
            Attack::Variant(args) => args.run(),
            Attack::Wep(args) => args.run(),
        }
    }
}
