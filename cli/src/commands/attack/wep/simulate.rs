//! Trials on simulated packets, and captures made from a seed.

use std::path::Path;

use arcfour_attacks::{
    experiment::{Published, Random},
    wep::{CERTAIN, Check, KNOWN, Method, Packet, capture, find_key, packets_for_half},
};
use data_encoding::HEXLOWER;
use serde_json::json;

use super::Args;
use crate::console::{failure::Failure, output::Output, output::print, stream::Sink};

/// The sender that ARP names, beside the frame's source address.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Sender {
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

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(path) = &args.write_capture {
        return write(args, path);
    }
    if args.force {
        return Err(Failure::Usage("--force is for --decrypt or --write-capture".to_owned()));
    }
    let length = args.key_length.unwrap_or(13);
    let (method, name) = args.method.method();
    let (packets, seed) = (args.packets as usize, args.trials.options.seed);
    let most = args.most(packets);
    // What is published, and what is on record of half the keys, is for packets with 22 known bytes and all votes.
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
        "key_length": length, "packets": packets, "method": name, "beginnings": most, "sender": sender,
    });
    args.trials.run("wep", &what, &facts, published, |trial| {
        let (key, packets) = network(length, packets, args.sender, seed, trial);
        let found = find_key(&[&packets], &Check::Keystream, &[length], method, most);
        found.is_some_and(|found| found.key == key).into()
    })
}

fn write(args: &Args, path: &Path) -> Result<(), Failure> {
    let length = args.key_length.unwrap_or(13);
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
    // What the attack takes for keystream is the keystream, the right address and the guessed one.
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
