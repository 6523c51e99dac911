//! Key search: `arcfour find` on one core and on two, the bound by the first bytes of keystream, and
//! hashcat.

use std::{
    ffi::OsString,
    hint::black_box,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use arcfour::{FirstBytes, families::rc4::State};
use arcfour_measure::{Goal, Meter, Sample, Summary};
use rand::RngExt;
use tempfile::NamedTempFile;

use crate::machine::installed;

/// Number of searched bytes of a key, after one known byte: 2^32 keys.
const UNKNOWN: &str = "01 ?? ?? ?? ??";
/// The known plaintext in a timed search.
const KNOWN: &str = "41 42 43";
/// Keys of one call: a multiple of the keys that [`FirstBytes`] takes at a time.
const BATCH: usize = 160;
/// Documents with keys of 40 bits: the option that takes the file, the file, its key, and all of that but two bytes.
const DOCUMENTS: [(&str, &str, &str, &str); 2] = [
    ("--pdf", "../vectors/pdf/v1-r2.pdf", "9009fda08b", "90 09 fd ?? ??"),
    ("--office", "../vectors/office/office97.doc", "960af82bef", "96 0a f8 ?? ??"),
];
/// hashcat's modes. The first two search 40-bit RC4 keys of a PDF file of version 1.3 and of an
/// Office file of 97 to 2003. The others search the passwords of [`LOST`], in its order.
const MODES: [&str; 6] = ["10410", "9710", "10400", "10500", "9700", "9800"];
/// Documents whose password is lost: the name of the scheme, the options, and the password,
/// complete and without two letters. Then the mask of a timed search, its number of passwords, and
/// roughly the time of a password in times of a key. For a PDF file, hashcat's modes try the user's
/// password alone.
const LOST: [Lost; 4] = [
    Lost {
        scheme: "PDF R 2",
        options: &["--password-of", "user", "--pdf", "../vectors/pdf/v1-r2.pdf"],
        password: ("user", "us?l?l"),
        mask: ("p?b?b?b?b", 1 << 32),
        slower: 1,
    },
    Lost {
        scheme: "PDF R 3",
        options: &["--password-of", "user", "--pdf", "../vectors/pdf/v2-r3-128.pdf"],
        password: ("user", "us?l?l"),
        mask: ("p?b?b?b?b", 1 << 32),
        slower: 16,
    },
    Lost {
        scheme: "Office 97",
        options: &["--office", "../vectors/office/office97.doc"],
        password: ("Quentin", "Quent?l?l"),
        mask: ("pass?a?a?a?a?a", 95 * 95 * 95 * 95 * 95),
        slower: 2,
    },
    Lost {
        scheme: "CryptoAPI",
        options: &["--office", "../vectors/office/cryptoapi-128.doc"],
        password: ("Quentin", "Quent?l?l"),
        mask: ("pass?a?a?a?a?a", 95 * 95 * 95 * 95 * 95),
        slower: 2,
    },
];

struct Lost {
    scheme: &'static str,
    options: &'static [&'static str],
    password: (&'static str, &'static str),
    mask: (&'static str, u64),
    slower: u64,
}

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
    processors: [usize; 2],
    texts: Vec<Text>,
    _ciphertext: NamedTempFile,
}

/// A target of a key search.
struct Text {
    /// Name of the engine.
    name: String,
    /// The options that name it.
    options: Vec<OsString>,
    /// The known plaintext in a timed search, for targets without a test of their key.
    known: &'static [&'static str],
    /// The option for the keys or passwords of that search, its value, and their number.
    tried: (&'static str, &'static str, u64),
    /// Approximate time of each, in times of a key.
    slower: u64,
}

/// The keys of a search that is timed.
const KEYS: (&str, &str, u64) = ("--key-mask", UNKNOWN, 1 << 32);

impl Text {
    /// Shards of a search that is timed, where 2^32 keys have `shards`.
    fn shards(&self, shards: u64) -> u64 {
        let (_, _, size) = self.tried;
        (size / ((1 << 32) / shards / self.slower).max(1)).max(1)
    }

    /// Keys or passwords in a shard, but for one.
    fn in_shard(&self, shards: u64) -> u64 {
        let (_, _, size) = self.tried;
        size / self.shards(shards)
    }
}

impl Search {
    /// The search of a ciphertext whose key is planted, and of documents; and the check that the command finds
    /// their keys.
    pub fn new(folder: &Path, processors: [usize; 2]) -> Result<Self> {
        let key: [u8; 5] = rand::rng().random();
        let mut cipher = State::ksa(&key)?;
        let text = b"ABCDEFGHIJKLMNOP".map(|byte| byte ^ cipher.prga());
        let mut ciphertext = NamedTempFile::new()?;
        ciphertext.write_all(&text)?;
        let [a, b, c, ..] = key;
        let planted = Text {
            name: "arcfour find".to_owned(),
            options: vec!["--ciphertext".into(), ciphertext.path().into()],
            known: &["--plain", KNOWN],
            tried: KEYS,
            slower: 1,
        };
        let arcfour = folder.join("arcfour");
        let mut search = Self { arcfour, processors, texts: vec![], _ciphertext: ciphertext };
        let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        let mask = format!("{a:02x} {b:02x} {c:02x} ?? ??");
        search.add(planted, &["--plain-text", "ABCDEFGH"], &mask, &digits)?;
        for (option, file, key, mask) in DOCUMENTS {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
            let name = format!("arcfour find {option}");
            let options = vec![option.into(), file.into()];
            let text = Text { name, options, known: &[], tried: KEYS, slower: 1 };
            search.add(text, &[], mask, key)?;
        }
        for lost in LOST {
            let (file, options) = lost.options.split_last().context("a file")?;
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
            let text = Text {
                name: passwords(lost.scheme),
                options: options.iter().map(Into::into).chain([file.into()]).collect(),
                known: &[],
                tried: ("--password-mask", lost.mask.0, lost.mask.1),
                slower: lost.slower,
            };
            search.add(text, &[], lost.password.1, lost.password.0)?;
        }
        Ok(search)
    }

    /// Adds a target, if its key is found.
    fn add(&mut self, text: Text, known: &[&str], mask: &str, key: &str) -> Result<()> {
        let mut command = self.find(&text, 2, mask);
        let found = command.args(known).stderr(Stdio::null()).output()?;
        let right = found.stdout == format!("{key}\n").as_bytes();
        ensure!(right, "{command:?} does not find the key {key}");
        self.texts.push(text);
        Ok(())
    }

    fn find(&self, text: &Text, threads: usize, mask: &str) -> Command {
        let mut command = Command::new("taskset");
        let processors = self.processors[2 - threads..].iter().map(usize::to_string);
        command.args(["--cpu-list", &processors.collect::<Vec<_>>().join(",")]);
        command.arg(&self.arcfour).args(["find", "--threads", &threads.to_string()]);
        command.args(&text.options).args([text.tried.0, mask]);
        command
    }

    /// One shard, where 2^32 keys have `shards`, for its time.
    fn shard(&self, text: &Text, threads: usize, index: u64, shards: u64) -> Result<Duration> {
        let mut command = self.find(text, threads, text.tried.1);
        let shards = text.shards(shards);
        let index = (index - 1) % shards + 1;
        command.args(text.known).args(["--all", "--shard", &format!("{index}/{shards}")]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let start = Instant::now();
        let status = command.status().with_context(|| format!("{command:?}"))?;
        ensure!(status.success(), "{command:?}: {status}");
        Ok(start.elapsed())
    }

    /// Times the command on one core and on two, 2^32 keys in `shards` samples. In turn, times the
    /// first bytes of keystream of prepared keys.
    pub fn measure(&self, meter: &mut Meter, shards: u64, goal: Goal) -> Result<Vec<SearchTiming>> {
        let searches = || {
            let one = self.texts.first().map(|text| (text, 1));
            one.into_iter().chain(self.texts.iter().map(|text| (text, 2)))
        };
        let mut samples: Vec<Vec<Sample>> = searches().map(|_| vec![]).collect();
        let mut bound = vec![];
        let keys = (1u64 << 32) / shards;
        let mut ready = Ready::random();
        let mut index = 0;
        while samples.iter().chain([&bound]).any(|samples| meter.wants_more(samples, goal)) {
            index = index % shards + 1;
            for ((text, threads), samples) in searches().zip(&mut samples) {
                let mut time = Ok(Duration::ZERO);
                let sample = meter.sample_timed(text.in_shard(shards), || {
                    time = self.shard(text, threads, index, shards);
                    *time.as_ref().unwrap_or(&Duration::ZERO)
                });
                time?;
                samples.push(sample);
            }
            let calls = keys / BATCH as u64;
            let sample = meter.sample(calls, || ready.first_bytes());
            bound.push(Sample { iterations: calls * BATCH as u64, ..sample });
        }
        let mut rows = vec![];
        for ((text, threads), samples) in searches().zip(samples) {
            let figures = (meter.summary(&samples, goal), samples);
            rows.push(row(meter, text.name.clone(), threads, figures));
        }
        rows.push(row(meter, BOUND.to_owned(), 1, (meter.summary(&bound, goal), bound)));
        Ok(rows)
    }
}

/// The engine's name of a search of passwords.
pub fn passwords(scheme: &str) -> String {
    format!("arcfour find, passwords, {scheme}")
}

/// The name of the upper bound of all searches.
pub const BOUND: &str = "first bytes, many keys";

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

/// Keys per second as hashcat reports them; `None` if it is not installed.
fn benchmark(mode: &str, processors: [usize; 2]) -> Result<Option<u64>> {
    if !installed("hashcat") {
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

/// Keys that lie ready.
struct Ready {
    first_bytes: FirstBytes,
    keys: Vec<[u8; 5]>,
    next: usize,
}

impl Ready {
    fn random() -> Self {
        let keys = (0..25 * BATCH).map(|_| rand::rng().random()).collect();
        Self { first_bytes: FirstBytes::new(), keys, next: 0 }
    }

    fn first_bytes(&mut self) {
        let keys = &self.keys[self.next..][..BATCH];
        self.next = (self.next + BATCH) % self.keys.len();
        let keys: [&[u8]; BATCH] = std::array::from_fn(|n| &keys[n][..]);
        let mut firsts = [0; BATCH];
        self.first_bytes.fill(&keys, &mut firsts).expect("five bytes");
        black_box(firsts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_test_has_more_shards() {
        let text = |tried, slower| Text {
            name: String::new(),
            options: vec![],
            known: &[],
            tried,
            slower,
        };
        let keys = text(KEYS, 1);
        assert_eq!((keys.shards(256), keys.in_shard(256)), (256, 1 << 24));
        let passwords = text(("--password-mask", "?d?d?d?d?d?d?d?d", 100_000_000), 16);
        assert_eq!((passwords.shards(256), passwords.in_shard(256)), (95, 1_052_631));
    }

    #[test]
    fn the_speed_of_the_first_device_is_read() -> Result<()> {
        // Output of hashcat 6.2.6 on an EPYC of two cores, with a second device added.
        let text = "# version: v6.2.6\n\
            You have enabled --force to bypass dangerous warnings and errors!\n\
            This can hide serious problems and should only be done when debugging.\n\
            Do not report hashcat issues encountered when using --force.\n\n\
            # option: --force\n\
            # option: --optimized-kernel-enable\n\
            1:10410:4294967295:4294967295:143.80:1771865\n\
            2:10410:4294967295:4294967295:143.80:5\n\
            Started: Sun Nov 22 10:25:47 2026\n\
            Stopped: Sun Nov 22 10:25:56 2026\n";
        assert_eq!(speed(text, "10410")?, 1_771_865);
        assert!(speed(text, "500").is_err() && speed("1:500:0:0:1.0:H/s", "500").is_err());
        Ok(())
    }
}
