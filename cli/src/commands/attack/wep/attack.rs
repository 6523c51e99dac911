//! Attacks a capture.

use std::{
    io::{self, Write},
    path::Path,
    time::Instant,
};

use arcfour_attacks::wep::{
    FoundKey, KEY_LENGTHS, Packet,
    capture::{self, Capture, CaptureError, Decrypted, Network},
    find_key, packets_for_half,
};
use data_encoding::HEXLOWER;
use serde_json::{Value, json};

use super::args::Args;
use crate::console::{
    failure::Failure,
    input::Input,
    output::print,
    output::{Output, Shown},
    say::say,
    stream::Sink,
    table::named,
};

impl Args {
    pub(in crate::commands::attack) fn run(self) -> Result<(), Failure> {
        attack(&self, &self.capture, Input::open(&self.capture)?)
    }
}

fn attack(args: &Args, path: &Path, mut input: Input) -> Result<(), Failure> {
    let name = input.name().to_owned();
    if args.decrypt.is_some() && path == Path::new("-") {
        return Err(Failure::Usage("--decrypt reads the capture twice; give a file".to_owned()));
    }
    let guard = input.guard();
    // The output is opened before the search, so that no search is lost.
    let output = args
        .decrypt
        .as_deref()
        .map(|path| Output::open(Some(path), args.force, Shown::Raw("FILE"), &[Some(&guard)]))
        .transpose()?;
    let capture = capture::read(&mut input).map_err(|error| failed(&name, error))?;
    if capture.cut {
        let next = capture.packets + 1;
        say(&format!("{name} ends within packet {next}, which is left out"));
    }
    if capture.other_links > 0 {
        let n = capture.other_links;
        say(&format!("{n} packets of {name} are no 802.11 frames and left out"));
    }
    if capture.broken > 0 {
        let n = capture.broken;
        say(&format!("{n} packets of {name} have a wrong FCS or a broken header and are left out"));
    }
    let network = choose(args, &capture, &name)?;
    let start = Instant::now();
    let readings = network.readings();
    let readings: Vec<&[Packet]> = readings.iter().map(Vec::as_slice).collect();
    let lengths = args.key_length.map_or(KEY_LENGTHS.to_vec(), |length| vec![length]);
    let method = args.method.method();
    let most = args.most(network.total());
    let Some(found) = find_key(&readings, &network.check(), &lengths, method, most) else {
        return Err(not_found(&name, network, &lengths));
    };
    let seconds = start.elapsed().as_secs_f64();
    let decrypted =
        output.map(|output| decrypt(path, &name, network, &found, output)).transpose()?;
    let text = match args.json {
        true => json_line(network, &found, decrypted, seconds).to_string() + "\n",
        false => report(network, &found, decrypted),
    };
    print(text.as_bytes())
}

fn failed(name: &str, error: CaptureError) -> Failure {
    match error {
        CaptureError::Read(error) => Failure::read(name, &error),
        other => Failure::Work(format!("cannot read {name}: {other}")),
    }
}

/// Chooses the network to attack.
fn choose<'a>(args: &Args, capture: &'a Capture, name: &str) -> Result<&'a Network, Failure> {
    let Capture { packets, newer, networks, .. } = capture;
    let wanted = |network: &&Network| args.bssid.is_none_or(|bssid| bssid == network.bssid);
    match networks.iter().find(wanted) {
        Some(network) if network.total() > 0 => Ok(network),
        Some(network) => Err(Failure::Work(format!(
            "no packet of {} in {name} has known plaintext: {} WEP frames are later fragments or cut",
            network.bssid, network.unknown
        ))),
        None if networks.is_empty() => Err(Failure::Work(format!(
            "no WEP packet in {name}: {packets} packets, {newer} encrypted by TKIP or a later protocol"
        ))),
        None => {
            let mut all: Vec<_> =
                networks.iter().map(|network| network.bssid.to_string()).collect();
            all.dedup();
            Err(Failure::Work(format!(
                "no WEP packet of that network in {name}; it has {}",
                all.join(", ")
            )))
        }
    }
}

fn not_found(name: &str, network: &Network, lengths: &[usize]) -> Failure {
    let half = lengths.iter().map(|&length| {
        format!("{} ARP packets for a key of {length} bytes", packets_for_half(length))
    });
    Failure::Work(format!(
        "no key found for {} in {name}: {}{}; on simulated packets, whose ARP names the frame's source, half of all keys are found with about {}; \
         a greater --max-prefixes finds some more",
        network.bssid,
        kinds(network),
        left_out(network).map_or(String::new(), |text| format!("; {text}")),
        half.collect::<Vec<_>>().join(", "),
    ))
}

/// Describes the packets by kind.
fn kinds(network: &Network) -> String {
    let kinds = network.packets.iter();
    let kinds = kinds.map(|(kind, packets)| format!("{} {}", packets.len(), kind.name()));
    kinds.collect::<Vec<_>>().join(", ")
}

/// Describes the unused frames, with the reason.
fn left_out(network: &Network) -> Option<String> {
    let mut parts = vec![];
    if network.repeated > 0 {
        parts.push(format!("{} with an IV used before", network.repeated));
    }
    if network.unknown > 0 {
        parts.push(format!("{} later fragments or cut frames", network.unknown));
    }
    let left = (!parts.is_empty()).then(|| format!("left out: {}", parts.join(", ")));
    let wrong = (network.contradicting > 0).then(|| {
        format!(
            "{} frames contradict another frame with the same IV, so one was taken for the wrong kind",
            network.contradicting
        )
    });
    match (left, wrong) {
        (Some(left), Some(wrong)) => Some(format!("{left}; {wrong}")),
        (left, wrong) => left.or(wrong),
    }
}

/// Number of packets with guessed bytes (the sender's address), and of packets whose guess is right
/// for the key.
fn senders(network: &Network, key: &[u8]) -> (usize, usize) {
    let packets = network.packets.values().flatten().filter(|packet| packet.guessed.count() > 0);
    packets.fold((0, 0), |(right, all), packet| {
        let whole = Packet { known: packet.guessed, ..*packet };
        (right + usize::from(whole.fits(key)), all + 1)
    })
}

fn report(network: &Network, found: &FoundKey, decrypted: Option<Decrypted>) -> String {
    let mut rows = vec![
        ("network", format!("{}, key number {}", network.bssid, network.key)),
        ("key", HEXLOWER.encode(&found.key)),
        ("packets", kinds(network)),
    ];
    if let Some(text) = left_out(network) {
        rows.push(("", text));
    }
    let (right, all) = senders(network, &found.key);
    if all > 0 {
        let text = format!("the frame's source in {right} of {all} ARP packets");
        let replayed = if right < all { "; the others were replayed" } else { "" };
        rows.push(("ARP sender", text + replayed));
    }
    if let Some(Decrypted { written, refused, cut, fragments }) = decrypted {
        rows.push(("decrypted", format!("{written} packets")));
        let left = [
            (refused, "have a wrong checksum"),
            (cut, "were cut by the capture"),
            (fragments, "are fragments of incomplete packets"),
        ];
        let left = left.into_iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} {why}"));
        let left = left.collect::<Vec<_>>().join(", ");
        if !left.is_empty() {
            rows.push(("left out", left));
        }
    }
    named(rows)
}

fn json_line(
    network: &Network,
    found: &FoundKey,
    decrypted: Option<Decrypted>,
    seconds: f64,
) -> Value {
    let (right, all) = senders(network, &found.key);
    let kinds = network.packets.iter();
    let kinds: serde_json::Map<_, _> =
        kinds.map(|(kind, packets)| (kind.name().to_owned(), packets.len().into())).collect();
    let mut line = json!({
        "attack": "wep", "bssid": network.bssid.to_string(), "key_number": network.key,
        "packets": network.total(), "kinds": kinds, "repeated": network.repeated, "unknown": network.unknown,
        "contradicting": network.contradicting, "sender_is_source": right, "sender_packets": all,
        "key": HEXLOWER.encode(&found.key), "prefixes": found.prefixes, "seconds": seconds,
    });
    if let Some(Decrypted { written, refused, cut, fragments }) = decrypted {
        line["decrypted"] = json!({
            "written": written, "wrong_checksum": refused, "cut": cut, "incomplete_fragments": fragments,
        });
    }
    line
}

/// Writes the packets that the key opens.
fn decrypt(
    path: &Path,
    name: &str,
    network: &Network,
    found: &FoundKey,
    mut output: Output,
) -> Result<Decrypted, Failure> {
    let input = Input::open(path)?;
    let mut to = Writer { output: &mut output, failure: None };
    let buffered = io::BufWriter::with_capacity(1 << 16, &mut to);
    let done = capture::decrypt(input, network.bssid, &found.key, buffered);
    if let Some(failure) = to.failure {
        return Err(failure);
    }
    let done = done.map_err(|error| failed(name, error))?;
    output.commit()?;
    Ok(done)
}

/// Keeps the failure of an output, which is more precise than an error of writing.
struct Writer<'a> {
    output: &'a mut Output,
    failure: Option<Failure>,
}

impl Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.output.write(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(failure) => {
                self.failure = Some(failure);
                Err(io::Error::other("the output failed"))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
