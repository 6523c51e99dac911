//! `arcfour attack wep`

use arcfour_attacks::{
    experiment::{Published, Random},
    wep::{Method, Packet, find_key},
};
use serde_json::json;

use super::trials::Trials;
use crate::{failure::Failure, size::within};

/// The key of WEP from packets whose first 16 bytes are known
///
/// Each trial chooses a random key and makes packets with random IVs, as a network does that answers replayed ARP
/// requests. It succeeds if the key is found.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  arcfour attack wep --packets 22500 --trials 100

Published: 50 % at 22500 packets, P. Sepehrdad, P. Susil, S. Vaudenay, M. Vuagnoux, Smashing WEP in a Passive
Attack, FSE 2013.")]
pub(super) struct Args {
    /// Packets of each trial, 1 to 10000000
    #[arg(long, value_name = "N", default_value = "22500", allow_negative_numbers = true,
        value_parser = within(1..=10_000_000_u64))]
    packets: u64,
    /// Bytes of the secret key: 5 or 13
    #[arg(long, value_name = "N", default_value = "13", value_parser = ["5", "13"])]
    key_length: String,
    /// The votes that are counted
    #[arg(long, value_name = "METHOD", default_value = "all")]
    method: Votes,
    /// Most beginnings of keys for which votes are counted, 1 to 1000000
    #[arg(long, value_name = "N", default_value = "300", allow_negative_numbers = true,
        value_parser = within(1..=1_000_000_u64))]
    beginnings: u64,
    #[command(flatten)]
    trials: Trials,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Votes {
    /// Fluhrer, Mantin and Shamir, 2001
    Fms,
    /// KoreK, 2004
    Korek,
    /// Klein, 2006, on which PTW builds
    Klein,
    /// All of them
    All,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let (method, name) = match self.method {
            Votes::Fms => (Method::Fms, "fms"),
            Votes::Korek => (Method::Korek, "korek"),
            Votes::Klein => (Method::Klein, "klein"),
            Votes::All => (Method::All, "all"),
        };
        let length = if self.key_length == "5" { 5 } else { 13 };
        let (packets, most, seed) = (self.packets as usize, self.beginnings, self.trials.seed);
        let published = (length == 13 && packets == 22_500).then_some(Published {
            rate: 0.5,
            source: "Sepehrdad, Susil, Vaudenay & Vuagnoux, FSE 2013, abstract",
        });
        let what = format!(
            "WEP keys of {length} bytes, {packets} packets, votes: {name}, at most {most} beginnings"
        );
        let facts = json!({
            "key_length": length, "packets": packets, "method": name, "beginnings": most,
        });
        self.trials.run("wep", &what, &facts, published, |trial| {
            let mut random = Random::new("wep", seed, trial);
            let key = random.bytes(length);
            let packets = Packet::simulate(&key, packets, &mut random);
            find_key(&packets, length, method, most).is_some_and(|found| found.key == key).into()
        })
    }
}
