//! Attacks: `trials broadcast` of the lab, `arcfour attack wep` and `memory`, on one core.

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use arcfour_attacks::{
    experiment::Random,
    wep::{
        Packet,
        capture::{self, Sender},
    },
};
use arcfour_measure::{Goal, Meter, Sample, Summary};
use tempfile::TempDir;

/// Packets of the capture.
const PACKETS: usize = 22_500;
/// The key of the state in the dump.
const KEY: [u8; 5] = [7, 77, 177, 27, 5];

/// Sizes of the attacked data.
#[derive(Clone, Copy)]
pub struct Sizes {
    /// Ciphertexts that are made and counted.
    pub ciphertexts: u64,
    /// Bytes of the memory dump.
    pub dump: usize,
    /// Number of key prefixes tried with the capture; the command's default if `None`.
    pub beginnings: Option<u64>,
}

/// The samples of one attack. An iteration is one run of the command.
pub struct AttackTiming {
    pub attack: &'static str,
    /// Amount of work of one run.
    pub work: f64,
    /// Unit of the amount.
    pub unit: &'static str,
    /// Every sample, and whether it was accepted.
    pub samples: Vec<(Sample, bool)>,
    pub summary: Summary,
}

impl AttackTiming {
    /// Seconds of one run.
    pub fn seconds(&self) -> f64 {
        self.summary.nanos / 1e9
    }

    /// Work per second.
    pub fn rate(&self) -> f64 {
        self.work / self.seconds()
    }
}

/// A command, and its expected output.
struct Attack {
    name: &'static str,
    work: f64,
    unit: &'static str,
    command: Command,
    works: fn(&Output) -> bool,
}

/// The name of the attack on a plaintext under many keys.
pub const BROADCAST: &str = "broadcast, 256 bytes of each ciphertext";
/// The name of the attack on a capture with a key of 16 bytes. This length is not searched, so the
/// search runs to its end.
pub const WEP: &str = "wep, 22,500 packets, keys of 5 and 13 bytes, none found";
/// The name of the search of a dump.
pub const MEMORY: &str = "memory, our own programs again and again, and a state";

/// Runs each attack once, checks its output, then times it.
pub fn measure(
    meter: &mut Meter,
    programs: &Path,
    sizes: Sizes,
    goal: Goal,
) -> Result<Vec<AttackTiming>> {
    let folder = TempDir::new()?;
    let mut timings = vec![];
    for Attack { name, work, unit, mut command, works } in attacks(programs, folder.path(), sizes)?
    {
        let output = command.output().with_context(|| format!("{command:?}"))?;
        let text = String::from_utf8_lossy(&output.stderr);
        ensure!(works(&output), "{command:?} ends with {}: {text}", output.status);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut samples = vec![];
        while meter.wants_more(&samples, goal) {
            let mut status = Ok(output.status);
            samples.push(meter.sample_timed(1, || timed(&mut command, &mut status)));
            ensure!(status? == output.status, "{command:?} ends in another way");
        }
        let summary = meter.summary(&samples, goal);
        let samples = samples.into_iter().map(|sample| (sample, meter.accepts(&sample))).collect();
        timings.push(AttackTiming { attack: name, work, unit, samples, summary });
    }
    Ok(timings)
}

fn timed(
    command: &mut Command,
    status: &mut std::io::Result<std::process::ExitStatus>,
) -> Duration {
    let start = Instant::now();
    *status = command.status();
    start.elapsed()
}

/// The attacks by `arcfour` and `trials` of `programs`, and their files in `folder`.
fn attacks(programs: &Path, folder: &Path, sizes: Sizes) -> Result<[Attack; 3]> {
    let attack = |args: &[&str]| {
        let mut command = Command::new(programs.join("arcfour"));
        command.arg("attack").args(args);
        command
    };
    let ciphertexts = sizes.ciphertexts.to_string();
    let mut broadcast = Command::new(programs.join("trials"));
    broadcast.args(["broadcast", "--ciphertexts", &ciphertexts, "--trials", "1"]);

    let own = folder.join("own.pcap");
    let mut random = Random::new("benchmark", 1, 0);
    let long = random.bytes(16);
    fs::write(
        &own,
        capture::write(&long, &Packet::simulate(&long, PACKETS, &mut random), Sender::Source),
    )?;
    let mut wep = attack(&["wep"]);
    wep.arg(&own);
    if let Some(beginnings) = sizes.beginnings {
        wep.args(["--max-prefixes", &beginnings.to_string()]);
    }

    let dump = folder.join("dump");
    write_dump(&dump, programs, sizes.dump)?;
    let mut memory = attack(&["memory"]);
    memory.arg(&dump);
    Ok([
        Attack {
            name: BROADCAST,
            work: sizes.ciphertexts as f64 / 1e6,
            unit: "million ciphertexts",
            command: broadcast,
            works: |output| output.status.success(),
        },
        Attack {
            name: WEP,
            work: PACKETS as f64,
            unit: "packets",
            command: wep,
            works: |output| output.status.code() == Some(1) && has(&output.stderr, "no key found"),
        },
        Attack {
            name: MEMORY,
            work: fs::metadata(&dump)?.len() as f64 / 1e9,
            unit: "GB",
            command: memory,
            works: |output| output.status.success() && has(&output.stdout, "key 074db11b05"),
        },
    ])
}

fn has(output: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(output).contains(text)
}

/// A dump of repeated copies of our programs, with a state of [`KEY`] at the end, in OpenSSL's
/// layout.
fn write_dump(path: &Path, programs: &Path, bytes: usize) -> Result<()> {
    let mut ours = vec![];
    for program in ["arcfour", "rc4", "arcfour-bench"] {
        let program = programs.join(program);
        ours.extend(fs::read(&program).with_context(|| program.display().to_string())?);
    }
    ours.resize(ours.len().next_multiple_of(4096), 0);
    let mut dump = File::create(path)?;
    for _ in 0..bytes.div_ceil(ours.len()) {
        dump.write_all(&ours)?;
    }
    let mut rc4 = arcfour::Rc4::from_key(&KEY)?;
    rc4.skip(1000);
    let (s, i, j) = rc4.state().parts();
    let words = [i, j].into_iter().chain(*s).flat_map(|byte| u32::from(byte).to_le_bytes());
    dump.write_all(&words.collect::<Vec<u8>>())?;
    Ok(dump.sync_all()?)
}
