//! `arcfour attack wep`

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use arcfour_attacks::{
    experiment::{Published, Random},
    wep::{
        KEY_LENGTHS, Method, Packet,
        capture::{self, Bssid, Capture, CaptureError, Network},
        default_beginnings, find_key, packets_for_half,
    },
};
use data_encoding::HEXLOWER;
use serde_json::json;

use super::trials::Trials;
use crate::{
    failure::{Failure, warn},
    input::Input,
    output::Output,
    size::within,
    stream::Sink,
    toolbox::print,
};

/// Recover the key of WEP from packets whose first 22 bytes are known
///
/// Uses the ARP packets of a capture file (pcap or pcapng, of 802.11 frames), which it knows by their length. Without a file, each
/// trial chooses a random key and makes packets with random IVs, as a network does that answers replayed ARP requests. It
/// succeeds if the key is found.
///
/// For your own networks. It captures nothing and sends nothing.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour attack wep --packets 22500 --trials 100
  arcfour attack wep --packets 30000 --seed 7 --write-capture own.pcap
  arcfour attack wep own.pcap

Published: 50 % at 22500 packets, P. Sepehrdad, P. Susil, S. Vaudenay, M. Vuagnoux, Smashing WEP in a Passive \
Attack, FSE 2013.")]
pub(super) struct Args {
    /// A capture file, or - for standard input; packets are simulated without one
    #[arg(value_name = "CAPTURE", conflicts_with_all = ["packets", "trials", "seed", "write_capture"])]
    capture: Option<PathBuf>,
    /// The network to attack in the capture, as 02:00:00:00:00:aa: by default that with the most ARP packets
    #[arg(long, value_name = "ADDRESS", requires = "capture", value_parser = bssid)]
    bssid: Option<Bssid>,
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
    /// Most beginnings of keys of each length that are gone on with, 1 to 100000 [default: 10000, and fewer of more
    /// than 22500 packets, so that it takes no longer]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = within(1..=100_000_u64))]
    beginnings: Option<u64>,
    /// Write the packets of the first trial as a capture file instead, and print the key
    #[arg(long, value_name = "FILE")]
    write_capture: Option<PathBuf>,
    /// Replace that file if it exists
    #[arg(long, requires = "write_capture")]
    force: bool,
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
        if let Some(path) = &self.capture {
            return self.attack(Input::open(path)?);
        }
        if let Some(path) = &self.write_capture {
            return self.write(path);
        }
        let length = self.key_length.unwrap_or(13);
        let (method, name) = self.method.method();
        let (packets, seed) = (self.packets as usize, self.trials.options.seed);
        let most = self.most(packets);
        let published = (length == 13 && packets == 22_500).then_some(Published {
            rate: 0.5,
            source: "Sepehrdad, Susil, Vaudenay & Vuagnoux, FSE 2013, abstract",
        });
        let half = packets_for_half(length);
        let few = if packets < half {
            format!("\nhalf of the keys are found with about {half} packets")
        } else {
            String::new()
        };
        let what = format!(
            "WEP keys of {length} bytes, {packets} packets, votes: {name}, at most {most} beginnings{few}"
        );
        let facts = json!({
            "key_length": length, "packets": packets, "method": name, "beginnings": most,
        });
        self.trials.run("wep", &what, &facts, published, |trial| {
            let (key, packets) = network(length, packets, seed, trial);
            find_key(&packets, &[length], method, most).is_some_and(|found| found.key == key).into()
        })
    }

    /// Most beginnings of keys.
    fn most(&self, packets: usize) -> u64 {
        self.beginnings.unwrap_or_else(|| default_beginnings(packets))
    }

    fn write(&self, path: &Path) -> Result<(), Failure> {
        let length = self.key_length.unwrap_or(13);
        let (key, packets) = network(length, self.packets as usize, self.trials.options.seed, 0);
        let mut output = Output::create(path, self.force, &[])?;
        output.write(&capture::write(&key, &packets))?;
        output.commit()?;
        print(format!("{}\n", HEXLOWER.encode(&key)).as_bytes())
    }

    fn attack(&self, mut input: Input) -> Result<(), Failure> {
        let name = input.name().to_owned();
        let capture = capture::read(&mut input).map_err(|error| match error {
            CaptureError::Read(error) => Failure::read(&name, &error),
            other => Failure::Work(format!("cannot read {name}: {other}")),
        })?;
        if capture.cut {
            warn(
                "arcfour",
                &format!("{name} ends within packet {}, which is left out", capture.packets + 1),
            );
        }
        let network = self.network(&capture, &name)?;
        let packets = &network.packets;
        let (method, _) = self.method.method();
        let start = Instant::now();
        let lengths = self.key_length.map_or(KEY_LENGTHS.to_vec(), |length| vec![length]);
        let most = self.most(packets.len());
        let Some(found) = find_key(packets, &lengths, method, most) else {
            let half = lengths.iter().map(|&length| {
                format!(
                    "half of all keys of {length} bytes are found with about {}",
                    packets_for_half(length)
                )
            });
            return Err(Failure::Work(format!(
                "no key found for {} in {name} from {} ARP packets: {}; more --beginnings find some more",
                network.bssid,
                packets.len(),
                half.collect::<Vec<_>>().join(", ")
            )));
        };
        let key = HEXLOWER.encode(&found.key);
        let (bssid, n) = (network.bssid.to_string(), packets.len());
        let text = match self.trials.options.json {
            true => json!({
                "attack": "wep", "bssid": bssid, "key_number": network.key, "packets": n,
                "key": key, "beginnings": found.beginnings, "seconds": start.elapsed().as_secs_f64(),
            })
            .to_string(),
            false => format!("{bssid}  {n} ARP packets, key {key}"),
        };
        print(format!("{text}\n").as_bytes())
    }

    /// The network to attack.
    fn network<'a>(&self, capture: &'a Capture, name: &str) -> Result<&'a Network, Failure> {
        let Capture { packets, newer, networks, .. } = capture;
        let all = networks.iter();
        let chosen =
            all.clone().find(|network| self.bssid.is_none_or(|bssid| bssid == network.bssid));
        match chosen {
            Some(network) if !network.packets.is_empty() => Ok(network),
            Some(network) => Err(Failure::Work(format!(
                "no ARP packet of {} in {name}: {} WEP packets, none of the length of ARP",
                network.bssid, network.others
            ))),
            None if networks.is_empty() => Err(Failure::Work(format!(
                "no WEP packet in {name}: {packets} packets, {newer} encrypted by TKIP or what came after it"
            ))),
            None => Err(Failure::Work(format!(
                "no WEP packet of that network in {name}; it has {}",
                all.map(|network| network.bssid.to_string()).collect::<Vec<_>>().join(", ")
            ))),
        }
    }
}

/// The key and the packets of a trial.
fn network(length: usize, packets: usize, seed: u64, trial: u64) -> (Vec<u8>, Vec<Packet>) {
    let mut random = Random::new("wep", seed, trial);
    let key = random.bytes(length);
    let packets = Packet::simulate(&key, packets, &mut random);
    (key, packets)
}
