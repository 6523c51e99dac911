//! `arcfour attack wep`

mod attack;
mod simulate;

use std::path::PathBuf;

use arcfour_attacks::wep::{KEY_LENGTHS, Method, capture::Bssid, default_beginnings};

use super::trials::Trials;
use crate::console::{failure::Failure, input::Input, size::within};

/// Recover the WEP key of a capture, and decrypt the capture
///
/// Reads pcap and pcapng files of 802.11 frames, with radiotap, Prism, AVS or PPI headers, and .ivs files of airodump-ng. Uses ARP
/// packets best; takes other packets for IPv4. Accepts a key if it makes the checksums (ICV) of packets right; an .ivs file has none,
/// so the known keystream is compared.
///
/// Without a file, each trial chooses a random key and makes ARP packets with random IVs. A trial succeeds if the key is found.
///
/// For your own networks. Captures nothing and sends nothing.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour attack wep --packets 22500 --trials 100
  arcfour attack wep --packets 30000 --seed 7 --write-capture own.pcap
  arcfour attack wep own.pcap
  arcfour attack wep own.pcap --decrypt plain.pcap

Published: 50 % of keys of 13 bytes at 22500 packets, P. Sepehrdad, P. Susil, S. Vaudenay, M. Vuagnoux, \
Smashing WEP in a Passive Attack, FSE 2013.")]
pub(super) struct Args {
    /// A capture file, or - for standard input; packets are simulated without one
    #[arg(value_name = "CAPTURE", conflicts_with_all = ["packets", "trials", "seed", "write_capture"])]
    capture: Option<PathBuf>,
    /// The network to attack in the capture, as 02:00:00:00:00:aa [default: the network with the most packets]
    #[arg(long, value_name = "ADDRESS", requires = "capture", value_parser = bssid)]
    bssid: Option<Bssid>,
    /// Write the packets that the key opens to this pcap file, as Ethernet frames
    #[arg(long, value_name = "FILE", requires = "capture", conflicts_with = "write_capture")]
    decrypt: Option<PathBuf>,
    /// Packets of each trial, 1 to 10000000
    #[arg(long, value_name = "N", default_value = "22500", allow_negative_numbers = true,
        value_parser = within(1..=10_000_000_u64))]
    packets: u64,
    /// Bytes of the secret key: 5 or 13; by default 13, and both of a capture
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = key_length)]
    key_length: Option<usize>,
    /// The votes that are counted
    #[arg(long, value_name = "METHOD", default_value = "all")]
    method: Votes,
    /// Most prefixes of keys that each search extends, 1 to 100000 [default: 10000, and fewer for more
    /// than 22500 packets, so that a search takes no longer]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = within(1..=100_000_u64))]
    beginnings: Option<u64>,
    /// Write the packets of the first trial as a capture file instead, and print the key
    #[arg(long, value_name = "FILE")]
    write_capture: Option<PathBuf>,
    /// Replace the file of --decrypt or --write-capture if it exists
    #[arg(long)]
    force: bool,
    /// The sender that simulated ARP packets name
    #[arg(long, value_name = "STATION", default_value = "source", conflicts_with = "capture")]
    sender: simulate::Sender,
    #[command(flatten)]
    trials: Trials,
}

fn key_length(text: &str) -> Result<usize, String> {
    let length = text.parse().ok().filter(|length| KEY_LENGTHS.contains(length));
    length.ok_or_else(|| "not 5 (WEP of 64 bits) or 13 (128 bits)".to_owned())
}

fn bssid(text: &str) -> Result<Bssid, String> {
    let bytes = text.split(':').map(|part| match part.len() {
        2 => u8::from_str_radix(part, 16).ok().filter(|_| !part.starts_with('+')),
        _ => None,
    });
    let bytes = bytes.collect::<Option<Vec<u8>>>().and_then(|bytes| bytes.try_into().ok());
    bytes
        .map(Bssid)
        .ok_or_else(|| "not six bytes in hexadecimal with colons between them".to_owned())
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

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        match &self.capture {
            Some(path) => attack::run(&self, path, Input::open(path)?),
            None => simulate::run(&self),
        }
    }

    /// Most prefixes of keys that a search extends.
    fn most(&self, packets: usize) -> u64 {
        self.beginnings.unwrap_or_else(|| default_beginnings(packets))
    }
}
