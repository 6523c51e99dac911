//! Key search: `arcfour find` on one core and on two, what the key schedule allows, and hashcat.

use std::{
    env,
    hint::black_box,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use arcfour::{Rc4, families::rc4::State, rekey_many};
use arcfour_measure::{Goal, Meter, Sample, Summary};
use rand::RngExt;
use tempfile::NamedTempFile;

/// Bytes of a key that are searched, after one that is known: 2^32 keys.
const UNKNOWN: &str = "01 ?? ?? ?? ??";
/// What is known of the plaintext in a search that is timed.
const KNOWN: &str = "41 42 43";
/// Streams scheduled by one call: a multiple of what every backend interleaves.
const STREAMS: usize = 40;
/// hashcat's modes for 40-bit keys of RC4: a PDF file of version 1.3, an Office file of 97 to 2003.
const MODES: [&str; 2] = ["10410", "9710"];

/// An engine on some cores.
pub struct SearchTiming {
    pub engine: String,
    pub cores: usize,
    /// Every sample, and whether it was accepted. An iteration is a key.
    pub samples: Vec<(Sample, bool)>,
    pub summary: Summary,
}

impl SearchTiming {
    /// Keys per second, in millions.
    pub fn rate(&self) -> f64 {
        1e3 / self.summary.nanos
    }
}

/// `arcfour find` in `folder`, kept on processors by `taskset`.
pub struct Search {
    arcfour: PathBuf,
    ciphertext: NamedTempFile,
    processors: [usize; 2],
}

impl Search {
    /// A search of a ciphertext whose key is planted, and the check that the command finds it.
    pub fn new(folder: &Path, processors: [usize; 2]) -> Result<Self> {
        let key: [u8; 5] = rand::rng().random();
        let mut cipher = State::ksa(&key)?;
        let text = b"ABCDEFGHIJKLMNOP".map(|byte| byte ^ cipher.prga());
        let mut ciphertext = NamedTempFile::new()?;
        ciphertext.write_all(&text)?;
        let search = Self { arcfour: folder.join("arcfour"), ciphertext, processors };
        let [a, b, c, ..] = key;
        let mut command = search.find(2, &format!("{a:02x} {b:02x} {c:02x} ?? ??"));
        let found = command.args(["--plain-text", "ABCDEFGH"]).stderr(Stdio::null()).output()?;
        let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        let right = found.stdout == format!("{digits}\n").as_bytes();
        ensure!(right, "{command:?} does not find the key {digits}");
        Ok(search)
    }

    fn find(&self, threads: usize, mask: &str) -> Command {
        let mut command = Command::new("taskset");
        let processors = self.processors[2 - threads..].iter().map(usize::to_string);
        command.args(["--cpu-list", &processors.collect::<Vec<_>>().join(",")]);
        command.arg(&self.arcfour).args(["find", "--threads", &threads.to_string()]);
        command.arg("--ciphertext").arg(self.ciphertext.path()).args(["--key-mask", mask]);
        command
    }

    /// One shard of `shards`, for its time.
    fn shard(&self, threads: usize, index: u64, shards: u64) -> Result<Duration> {
        let mut command = self.find(threads, UNKNOWN);
        command.args(["--all", "--plain", KNOWN, "--shard", &format!("{index}/{shards}")]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let start = Instant::now();
        let status = command.status().with_context(|| format!("{command:?}"))?;
        ensure!(status.success(), "{command:?}: {status}");
        Ok(start.elapsed())
    }

    /// Times the command on one core and on two, a shard of `shards` a sample, and in turn the key
    /// schedule of keys that lie ready, with the first byte of each.
    pub fn measure(&self, meter: &mut Meter, shards: u64, goal: Goal) -> Result<Vec<SearchTiming>> {
        let mut samples: [Vec<Sample>; 3] = Default::default();
        let keys = (1u64 << 32) / shards;
        let mut ready = Ready::random();
        let mut index = 0;
        while samples.iter().any(|samples| meter.wants_more(samples, goal)) {
            index = index % shards + 1;
            for threads in [1, 2] {
                let mut time = Ok(Duration::ZERO);
                let sample = meter.sample_timed(keys, || {
                    time = self.shard(threads, index, shards);
                    *time.as_ref().unwrap_or(&Duration::ZERO)
                });
                time?;
                samples[threads - 1].push(sample);
            }
            let calls = keys / STREAMS as u64;
            let sample = meter.sample(calls, || ready.schedule());
            samples[2].push(Sample { iterations: calls * STREAMS as u64, ..sample });
        }
        let [one, two, bound] = samples.map(|samples| (meter.summary(&samples, goal), samples));
        let rows = [("arcfour find", 1, one), ("arcfour find", 2, two), (BOUND, 1, bound)];
        Ok(rows.map(|(name, cores, figures)| row(meter, name.to_owned(), cores, figures)).into())
    }
}

/// The name of what no search can be faster than.
pub const BOUND: &str = "schedule, many keys, and one byte";

/// hashcat's own benchmark on both processors, if it is installed.
pub fn hashcat(meter: &mut Meter, processors: [usize; 2], goal: Goal) -> Result<Vec<SearchTiming>> {
    let mut rows = vec![];
    for mode in MODES {
        let mut samples = vec![];
        while meter.wants_more(&samples, goal) {
            let mut speed = Ok(None);
            let sample = meter.sample_timed(1, || {
                speed = benchmark(mode, processors);
                Duration::from_secs(1)
            });
            let Some(speed) = speed? else { return Ok(vec![]) };
            samples.push(Sample { iterations: speed, ..sample });
        }
        let figures = (meter.summary(&samples, goal), samples);
        rows.push(row(meter, format!("hashcat -m {mode}"), processors.len(), figures));
    }
    Ok(rows)
}

/// Keys per second by hashcat's own account; none if it is not installed.
fn benchmark(mode: &str, processors: [usize; 2]) -> Result<Option<u64>> {
    let installed = env::split_paths(&env::var_os("PATH").unwrap_or_default())
        .any(|folder| folder.join("hashcat").exists());
    if !installed {
        return Ok(None);
    }
    let processors = processors.map(|processor| processor.to_string()).join(",");
    let mut command = Command::new("taskset");
    command.args(["--cpu-list", &processors, "hashcat", "--benchmark", "--hash-type", mode]);
    command.args(["--force", "--machine-readable"]);
    let output = command.output().with_context(|| format!("{command:?}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    speed(&text, mode).map(Some).with_context(|| format!("{command:?} printed {text:?}"))
}

/// The last field of the line of the first device.
fn speed(text: &str, mode: &str) -> Result<u64> {
    let start = format!("1:{mode}:");
    let line = text.lines().find(|line| line.starts_with(&start));
    let field =
        line.and_then(|line| line.rsplit(':').next()).context("no line of the first device")?;
    Ok(field.trim().parse()?)
}

fn row(
    meter: &Meter,
    engine: String,
    cores: usize,
    (summary, samples): (Summary, Vec<Sample>),
) -> SearchTiming {
    let accepted = |sample: Sample| (sample, meter.accepts(&sample));
    SearchTiming { engine, cores, samples: samples.into_iter().map(accepted).collect(), summary }
}

/// Keys that lie ready, and streams to schedule.
struct Ready {
    streams: Vec<Rc4>,
    keys: Vec<[u8; 5]>,
    next: usize,
}

impl Ready {
    fn random() -> Self {
        let keys = (0..100 * STREAMS).map(|_| rand::rng().random()).collect();
        Self { streams: vec![Rc4::from_key(&[0]).expect("one byte"); STREAMS], keys, next: 0 }
    }

    fn schedule(&mut self) {
        let keys = &self.keys[self.next..][..STREAMS];
        self.next = (self.next + STREAMS) % self.keys.len();
        let keys: [&[u8]; STREAMS] = std::array::from_fn(|n| &keys[n][..]);
        rekey_many(&mut self.streams, &keys).expect("five bytes");
        for stream in &mut self.streams {
            let mut byte = [0];
            stream.fill(&mut byte);
            black_box(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_of_the_first_device_is_read() -> Result<()> {
        let text = "1:9710:0:0:3.10:77\n1:10410:0:0:41.03:2289874\n2:10410:0:0:1.00:5\n";
        assert_eq!(speed(text, "10410")?, 2_289_874);
        assert!(speed(text, "500").is_err() && speed("1:500:0:0:1.0:H/s", "500").is_err());
        Ok(())
    }
}
