//! Times whole commands side by side: throughput on a file, peak memory and start-up.

use std::{
    fs::File,
    io::{ErrorKind, Read, Write},
    iter,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use arcfour::families::rc4::State;
use arcfour_measure::{Goal, Meter, Ratio, Sample, Summary};
use rand::RngExt;
use tempfile::NamedTempFile;
use wait4::Wait4;

/// 16 bytes, because `openssl enc -rc4` takes no other length.
const KEY: &str = "Sixteen byte key";

/// A command that reads one file and writes another.
pub struct Filter {
    /// Name in the tables.
    pub name: &'static str,
    program: PathBuf,
    args: Vec<String>,
}

/// The source and the destination of a command's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// From a file in the page cache to `/dev/null`.
    Null,
    /// From such a file to a new file in memory (`/dev/shm`).
    Memory,
    /// From such a file to a new file of the folder for temporary files.
    Disk,
    /// From a pipe that `cat` fills to `/dev/null`.
    Pipe,
}

impl Place {
    /// All places.
    pub const ALL: [Self; 4] = [Self::Null, Self::Memory, Self::Disk, Self::Pipe];

    /// Name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "file to /dev/null",
            Self::Memory => "file to file in memory",
            Self::Disk => "file to file on disk",
            Self::Pipe => "pipe to /dev/null",
        }
    }

    /// The file that the output goes to, if it goes to one.
    fn output(self) -> Result<Option<NamedTempFile>> {
        Ok(match self {
            Self::Null | Self::Pipe => None,
            Self::Memory => Some(NamedTempFile::new_in("/dev/shm")?),
            Self::Disk => Some(NamedTempFile::new()?),
        })
    }
}

/// One run of a command.
pub struct CommandRun {
    /// Wall clock and the core around it.
    pub sample: Sample,
    /// Processor time in user mode.
    pub user: Duration,
    /// Processor time in the kernel.
    pub system: Duration,
    /// True if the core was quiet.
    pub accepted: bool,
}

/// The runs of one command on one size of file.
pub struct CommandTiming {
    pub name: &'static str,
    pub bytes: u64,
    pub runs: Vec<CommandRun>,
    /// Peak resident memory in bytes, in a separate run.
    pub peak: u64,
    /// Returns the median of the accepted runs, or of all runs if too few were accepted.
    pub summary: Summary,
    /// Cost relative to the first of the commands run in turn, from runs of one round.
    pub times_first: Ratio,
}

impl CommandTiming {
    /// Median rate in MB/s (10^6 bytes per second).
    pub fn mb_per_s(&self) -> f64 {
        self.bytes as f64 / self.summary.nanos * 1e3
    }
}

/// Our command that tests randomness, from `folder`.
pub fn ent(folder: &Path) -> Filter {
    Filter::new("arcfour ent", folder.join("arcfour"), &["ent"])
}

/// Our two commands, from `folder`, and OpenSSL's.
pub fn filters(folder: &Path) -> Vec<Filter> {
    let hex: String = KEY.bytes().map(|byte| format!("{byte:02x}")).collect();
    vec![
        Filter::new("rc4", folder.join("rc4"), &[KEY]),
        Filter::new("arcfour crypt", folder.join("arcfour"), &["crypt", "--key", KEY]),
        Filter::new(
            "openssl enc -rc4",
            "openssl".into(),
            &["enc", "-rc4", "-K", &hex, "-provider", "legacy", "-provider", "default"],
        ),
    ]
}

impl Filter {
    pub fn new(name: &'static str, program: PathBuf, args: &[&str]) -> Self {
        Self { name, program, args: args.iter().map(|arg| arg.to_string()).collect() }
    }

    /// The command line, for people: without the folders.
    pub fn line(&self) -> String {
        let name = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.contains(' ') { format!("'{name}'") } else { name.into_owned() }
        };
        let words = iter::once(&*self.program).chain(self.args.iter().map(Path::new)).map(name);
        words.collect::<Vec<_>>().join(" ")
    }

    pub fn command(&self, input: &Path) -> Result<Command> {
        let mut command = Command::new(&self.program);
        let input = File::open(input).with_context(|| input.display().to_string())?;
        command.args(&self.args).stdin(input);
        Ok(command)
    }

    /// Returns the peak resident memory in bytes, measured by GNU time. The kernel counts the
    /// parent's memory as the child's, and time has less memory than any command.
    fn peak(&self, input: &Path) -> Result<u64> {
        let report = NamedTempFile::new()?;
        let mut command = Command::new("time");
        command.args(["--format=%M", "--output"]).arg(report.path()).arg(&self.program);
        command.args(&self.args).stdin(File::open(input)?).stdout(Stdio::null());
        let status = command.status().context("cannot start GNU time (Debian package time)")?;
        ensure!(status.success(), "{}: {status}", self.line());
        let text = std::fs::read_to_string(report.path())?;
        let kib: u64 = text.trim().parse().with_context(|| format!("time reports {text:?}"))?;
        Ok(kib * 1024)
    }

    fn run(&self, meter: &mut Meter, input: &Path, place: Place) -> Result<CommandRun> {
        let mut command = self.command(input)?;
        let output = place.output()?;
        command.stdout(match &output {
            Some(file) => Stdio::from(file.reopen()?),
            None => Stdio::null(),
        });
        let mut cat = None;
        if place == Place::Pipe {
            let mut child = Command::new("cat").arg(input).stdout(Stdio::piped()).spawn()?;
            command.stdin(child.stdout.take().context("stdout is piped")?);
            cat = Some(child);
        }
        let mut usage = None;
        let mut failure = Ok(());
        let sample = meter.sample_timed(1, || {
            let start = Instant::now();
            match command.spawn().and_then(|mut child| child.wait4()) {
                Ok(result) => usage = Some(result),
                Err(error) => failure = Err(error),
            }
            start.elapsed()
        });
        failure.with_context(|| self.line())?;
        let usage = usage.context("a command that ended")?;
        ensure!(usage.status.success(), "{}: {}", self.line(), usage.status);
        cat.map_or(Ok(()), |mut cat| cat.wait().map(drop))?;
        let times = usage.rusage;
        Ok(CommandRun { sample, user: times.utime, system: times.stime, accepted: false })
    }
}

/// A file of random bytes, synced to the disk so that no write follows later.
pub fn input(bytes: u64) -> Result<NamedTempFile> {
    let mut file = NamedTempFile::new()?;
    let mut block = vec![0; 1 << 16];
    let mut left = bytes;
    while left > 0 {
        rand::rng().fill(&mut block[..]);
        let step = left.min(block.len() as u64) as usize;
        file.write_all(&block[..step])?;
        left -= step as u64;
    }
    file.as_file().sync_all()?;
    Ok(file)
}

/// Runs all filters on the file, and compares every byte with the definition.
pub fn verify(filters: &[Filter], input: &Path) -> Result<()> {
    let mut plain = File::open(input)?;
    let mut children = filters
        .iter()
        .map(|filter| {
            let child = filter.command(input)?.stdout(Stdio::piped()).spawn();
            Ok((filter, child.with_context(|| filter.line())?))
        })
        .collect::<Result<Vec<(&Filter, Child)>>>()?;
    let mut state = State::ksa(KEY.as_bytes())?;
    let (mut expected, mut found) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let n = plain.read(&mut expected)?;
        expected[..n].iter_mut().for_each(|byte| *byte ^= state.prga());
        for (filter, child) in &mut children {
            let output = child.stdout.as_mut().context("stdout is piped")?;
            if n == 0 {
                ensure!(output.read(&mut found)? == 0, "{}: more output than input", filter.line());
            } else {
                output.read_exact(&mut found[..n]).with_context(|| filter.line())?;
                ensure!(found[..n] == expected[..n], "{}: wrong output", filter.line());
            }
        }
        if n == 0 {
            break;
        }
    }
    for (filter, mut child) in children {
        ensure!(child.wait()?.success(), "{} failed", filter.line());
    }
    Ok(())
}

/// Returns true if two streams have the same bytes.
pub fn same(mut a: impl Read, mut b: impl Read) -> Result<bool> {
    let (mut from_a, mut from_b) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let n = a.read(&mut from_a)?;
        if n == 0 {
            return Ok(b.read(&mut from_b)? == 0);
        }
        match b.read_exact(&mut from_b[..n]) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
            result => result?,
        }
        if from_a[..n] != from_b[..n] {
            return Ok(false);
        }
    }
}

/// Times the filters on the file, in rounds of one run each.
pub fn measure<'a>(
    meter: &mut Meter,
    filters: impl IntoIterator<Item = &'a Filter>,
    input: &Path,
    place: Place,
    goal: Goal,
) -> Result<Vec<CommandTiming>> {
    let bytes = input.metadata()?.len();
    let filters: Vec<&Filter> = filters.into_iter().collect();
    let mut runs: Vec<Vec<CommandRun>> = filters.iter().map(|_| vec![]).collect();
    while runs.iter().any(|runs| meter.wants_more(&samples(runs), goal)) {
        for (filter, runs) in filters.iter().zip(&mut runs) {
            runs.push(filter.run(meter, input, place)?);
        }
    }
    let first = runs.first().map(|runs| samples(runs)).unwrap_or_default();
    filters
        .iter()
        .zip(runs)
        .map(|(filter, mut runs)| {
            runs.iter_mut().for_each(|run| run.accepted = meter.accepts(&run.sample));
            let summary = meter.summary(&samples(&runs), goal);
            let times_first = meter.ratio(&samples(&runs), &first);
            let (name, peak) = (filter.name, filter.peak(input)?);
            Ok(CommandTiming { name, bytes, runs, peak, summary, times_first })
        })
        .collect()
}

fn samples(runs: &[CommandRun]) -> Vec<Sample> {
    runs.iter().map(|run| run.sample).collect()
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    fn streams_are_the_same_to_their_ends() -> anyhow::Result<()> {
        assert!(same(&b"abc"[..], &b"abc"[..])? && same(&b""[..], &b""[..])?);
        for other in [&b""[..], b"ab", b"abd", b"abcd"] {
            assert!(!same(&b"abc"[..], other)? && !same(other, &b"abc"[..])?);
        }
        Ok(())
    }
}
