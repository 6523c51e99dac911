//! `arcfour attack`

mod broadcast;
mod cookie;
mod decrypt;
mod families;
mod key;
mod memory;
mod state;
mod trials;
mod variant;
mod votes;
mod weak;
mod wep;

use crate::console::failure::Failure;

/// Attack RC4 on data made from a seed, or on your own captures and dumps
///
/// Each attack makes its data from a seed, attacks it knowing nothing else, and prints how often it succeeded, with
/// Wilson's interval of 95 %, beside the figure of the literature. For teaching, for research, and for your own
/// old data.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour attack broadcast --ciphertexts 16777216
  arcfour attack cookie --requests 1207959552
  arcfour attack families
  arcfour attack key --key-length 5 --trials 1000
  arcfour attack memory core.1234
  arcfour attack decrypt --state states captured -o plain
  arcfour attack state --n 16
  arcfour attack variant c2.bin --key Quentin --plain-text 'GET /'
  arcfour attack weak
  arcfour attack wep --packets 22500
  arcfour attack wep own.pcap
  arcfour attack votes

`arcfour attack NAME --help` says what each one needs.")]
pub struct Args {
    #[command(subcommand)]
    attack: Attack,
}

#[derive(clap::Subcommand)]
enum Attack {
    Broadcast(broadcast::Args),
    Cookie(cookie::Args),
    Decrypt(decrypt::Args),
    Families(families::Args),
    Key(key::Args),
    Memory(memory::Args),
    State(state::Args),
    Variant(variant::Args),
    Votes(votes::Args),
    Weak(weak::Args),
    Wep(wep::Args),
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.attack {
            Attack::Broadcast(args) => args.run(),
            Attack::Cookie(args) => args.run(),
            Attack::Decrypt(args) => args.run(),
            Attack::Families(args) => args.run(),
            Attack::Key(args) => args.run(),
            Attack::Memory(args) => args.run(),
            Attack::State(args) => args.run(),
            Attack::Variant(args) => args.run(),
            Attack::Votes(args) => args.run(),
            Attack::Weak(args) => args.run(),
            Attack::Wep(args) => args.run(),
        }
    }
}
