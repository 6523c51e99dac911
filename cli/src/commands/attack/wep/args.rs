//! The command line of `arcfour attack wep`.

use std::path::PathBuf;

use arcfour_attacks::wep::{KEY_LENGTHS, Method, capture::Bssid, default_max_prefixes};

use crate::console::size::within;

/// Recover the WEP key of a capture, and decrypt the capture
///
/// Reads pcap and pcapng files of 802.11 frames, with radiotap, Prism, AVS or PPI headers, and .ivs
/// files of airodump-ng. ARP packets give the most; IPv4, IPv6 and other packets are used too. Accepts a key if it
/// makes the checksums (ICV) of packets right. An .ivs file has no checksums, so the known
/// keystream is compared.
///
/// For your own networks. Captures nothing and sends nothing.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour attack wep own.pcap
  arcfour attack wep own.pcap --decrypt plain.pcap

The lab's `trials wep` simulates packets and measures success rates.")]
pub(in crate::commands::attack) struct Args {
    /// A capture file, or - for standard input
    #[arg(value_name = "CAPTURE")]
    pub(super) capture: PathBuf,
    /// The network to attack in the capture, as 02:00:00:00:00:aa [default: the network with the most packets]
    #[arg(long, value_name = "ADDRESS", value_parser = bssid)]
    pub(super) bssid: Option<Bssid>,
    /// Write the decrypted packets to this pcap file, as Ethernet frames
    #[arg(long, value_name = "FILE")]
    pub(super) decrypt: Option<PathBuf>,
    /// Bytes of the secret key: 5 or 13 [default: both]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = key_length)]
    pub(super) key_length: Option<usize>,
    /// The kinds of votes to count
    #[arg(long, value_name = "METHOD", default_value = "all")]
    pub(super) method: Votes,
    /// Extend at most N key prefixes a search, 1 to 100000 [default: 10000; fewer above
    /// 22500 packets, so that a search takes no longer]
    #[arg(long, value_name = "N", alias = "beginnings", allow_negative_numbers = true, value_parser = within(1..=100_000_u64))]
    pub(super) max_prefixes: Option<u64>,
    /// Replace the file of --decrypt if it exists
    #[arg(long, requires = "decrypt")]
    pub(super) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
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
pub(super) enum Votes {
    /// Fluhrer, Mantin and Shamir, 2001
    Fms,
    /// KoreK, 2004
    Korek,
    /// Klein, announced in 2006, printed in 2008; the base of PTW
    Klein,
    /// All votes
    All,
}

impl Votes {
    pub(super) fn method(self) -> Method {
        match self {
            Self::Fms => Method::Fms,
            Self::Korek => Method::Korek,
            Self::Klein => Method::Klein,
            Self::All => Method::All,
        }
    }
}

impl Args {
    /// Maximum number of key prefixes that a search extends.
    pub(super) fn most(&self, packets: usize) -> u64 {
        self.max_prefixes.unwrap_or_else(|| default_max_prefixes(packets))
    }
}
