//! `trials wep`: trials on simulated packets, and captures made from a seed.

use std::path::{Path, PathBuf};

use arcfour_attacks::{
    experiment::{Published, Random},
    wep::{
        CERTAIN, Check, KEY_LENGTHS, KNOWN, Method, Packet, capture, default_max_prefixes,
        find_key, packets_for_half,
    },
};
use data_encoding::HEXLOWER;
use serde_json::json;

use super::trials::Trials;
use arcfour_console::{
    failure::Failure, output::Output, output::print, size::within, stream::Sink,
};

/// Recover WEP keys from simulated packets
///
/// Each trial chooses a random key and makes ARP packets with random IVs. A trial succeeds if the key is found.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  trials wep --packets 22500 --trials 100
  trials wep --packets 30000 --seed 7 --write-capture own.pcap

Published: 50 % of keys of 13 bytes at 22500 packets. Source: P. Sepehrdad, P. Susil, S. Vaudenay, M. Vuagnoux, \
Smashing WEP in a Passive Attack, FSE 2013.")]
pub(crate) struct Args {
    /// Packets of each trial, 1 to 10000000
    #[arg(long, value_name = "N", default_value = "22500", allow_negative_numbers = true,
        value_parser = within(1..=10_000_000_u64))]
    packets: u64,
    /// Bytes of the secret key: 5 or 13
    #[arg(long, value_name = "N", default_value = "13", allow_negative_numbers = true, value_parser = key_length)]
    key_length: usize,
    /// The kinds of votes to count
    #[arg(long, value_name = "METHOD", default_value = "all")]
    method: Votes,
    /// Maximum number of key prefixes of a search, 1 to 100000 [default: 10000; fewer above 22500
    /// packets, so that a search takes no longer]
    #[arg(long, value_name = "N", alias = "beginnings", allow_negative_numbers = true, value_parser = within(1..=100_000_u64))]
    max_prefixes: Option<u64>,
    /// Write the packets of the first trial as a capture file instead, and print the key
    #[arg(long, value_name = "FILE")]
    write_capture: Option<PathBuf>,
    /// Replace the file of --write-capture if it exists
    #[arg(long, requires = "write_capture")]
    force: bool,
    /// The sender that the ARP packets name
    #[arg(long, value_name = "STATION", default_value = "source")]
    sender: Sender,
    #[command(flatten)]
    trials: Trials,
}

fn key_length(text: &str) -> Result<usize, String> {
    let length = text.parse().ok().filter(|length| KEY_LENGTHS.contains(length));
    length.ok_or_else(|| "not 5 (WEP of 64 bits) or 13 (128 bits)".to_owned())
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Votes {
    /// Fluhrer, Mantin and Shamir, 2001
    Fms,
    /// KoreK, 2004
    Korek,
    /// Klein, 2006, the base of PTW
    Klein,
    /// All votes
    All,
}

impl Votes {
    fn method(self) -> (Method, &'static str) {
        match self {
            Self::Fms => (Method::Fms, "fms"),
            Self::Korek => (Method::Korek, "korek"),
            Self::Klein => (Method::Klein, "klein"),
            Self::All => (Method::All, "all"),
        }
    }
}

/// The sender that ARP names, beside the frame's source address.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Sender {
    /// The frame's source, so that 22 bytes are known
    Source,
    /// Another station, as in replayed packets, so that 16 bytes are known
    Other,
    /// The source in every second packet, and another station in the rest
    Mixed,
}

impl Sender {
    fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Other => "other",
            Self::Mixed => "mixed",
        }
    }
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        run(&self)
    }
}

fn run(args: &Args) -> Result<(), Failure> {
    if let Some(path) = &args.write_capture {
        return write(args, path);
    }
    let length = args.key_length;
    let (method, name) = args.method.method();
    let (packets, seed) = (args.packets as usize, args.trials.options.seed);
    let most = args.max_prefixes.unwrap_or_else(|| default_max_prefixes(packets));
    // The published and recorded figures are for packets with 22 known bytes and all votes.
    let as_published = args.sender == Sender::Source && matches!(method, Method::All);
    let published = (as_published && length == 13 && packets == 22_500).then_some(Published {
        rate: 0.5,
        source: "Sepehrdad, Susil, Vaudenay & Vuagnoux, FSE 2013, abstract",
    });
    let half = packets_for_half(length);
    let few = if packets < half {
        format!(
            "\nhalf of the keys are found with about {half} simulated packets, all votes, sender: source"
        )
    } else {
        String::new()
    };
    let sender = args.sender.name();
    let what = format!(
        "WEP keys of {length} bytes, {packets} simulated packets, votes: {name}, sender: {sender}, at most {most} prefixes{few}"
    );
    let facts = json!({
        "key_length": length, "packets": packets, "method": name, "max_prefixes": most, "sender": sender,
    });
    args.trials.run("wep", &what, &facts, published, |trial| {
        let (key, packets) = network(length, packets, args.sender, seed, trial);
        let found = find_key(&[&packets], &Check::Keystream, &[length], method, most);
        found.is_some_and(|found| found.key == key).into()
    })
}

fn write(args: &Args, path: &Path) -> Result<(), Failure> {
    let length = args.key_length;
    let sender = match args.sender {
        Sender::Source => capture::Sender::Source,
        Sender::Other => capture::Sender::Other,
        Sender::Mixed => {
            let message = "--sender mixed is for trials; a capture has source or other";
            return Err(Failure::Usage(message.to_owned()));
        }
    };
    let (key, packets) =
        network(length, args.packets as usize, args.sender, args.trials.options.seed, 0);
    let mut output = Output::create(path, args.force, &[])?;
    output.write(&capture::write(&key, &packets, sender))?;
    output.commit()?;
    print(format!("{}\n", HEXLOWER.encode(&key)).as_bytes())
}

/// The key and the packets of a trial.
fn network(
    length: usize,
    packets: usize,
    sender: Sender,
    seed: u64,
    trial: u64,
) -> (Vec<u8>, Vec<Packet>) {
    let mut random = Random::new("wep", seed, trial);
    let key = random.bytes(length);
    let mut packets = Packet::simulate(&key, packets, &mut random);
    // The attack's keystream is right for the true and for the guessed address.
    let every = match sender {
        Sender::Source => return (key, packets),
        Sender::Other => 1,
        Sender::Mixed => 2,
    };
    let difference = random.bytes(KNOWN - CERTAIN);
    for packet in packets.iter_mut().step_by(every) {
        for (z, difference) in packet.keystream[CERTAIN..].iter_mut().zip(&difference) {
            *z ^= difference;
        }
    }
    (key, packets)
}
