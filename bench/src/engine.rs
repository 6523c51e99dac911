//! Runs an engine process and speaks the protocol of bench/engines/README.md with it.

use std::{
    fmt,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result};

/// The work of an engine, with the number of bytes each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Xor in place, continuing one stream.
    Stream(usize),
    /// Key schedules of 16-byte keys.
    Setup,
    /// Key schedule and xor in place, a new 16-byte key each time.
    Message(usize),
}

impl Workload {
    /// Returns the name in the protocol and in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stream(_) => "stream",
            Self::Setup => "setup",
            Self::Message(_) => "message",
        }
    }

    /// Bytes xored each time.
    pub fn bytes(self) -> usize {
        match self {
            Self::Stream(bytes) | Self::Message(bytes) => bytes,
            Self::Setup => 0,
        }
    }
}

/// A running engine process: the RC4s of one language.
pub struct Process {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Name and version of each engine in it.
    pub engines: Vec<(String, String)>,
}

impl Process {
    /// Starts the program, which reads keys and `data_bytes` of data from `data`.
    pub fn start(command: &mut Command, data: &Path, data_bytes: usize) -> Result<Self> {
        let mut child = command
            .arg(data)
            .arg(data_bytes.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| {
                format!("cannot start {command:?}: build it with `make bench-build`")
            })?;
        let requests = child.stdin.take().context("stdin is piped")?;
        let mut answers = BufReader::new(child.stdout.take().context("stdout is piped")?);
        let mut engines = vec![];
        loop {
            let mut line = String::new();
            anyhow::ensure!(answers.read_line(&mut line)? > 0, "{command:?} ended at once");
            let Some((name, version)) = line.trim_end().split_once('\t') else { break };
            engines.push((name.to_string(), version.to_string()));
        }
        Ok(Self { child, requests, answers, engines })
    }

    fn ask(&mut self, request: fmt::Arguments<'_>) -> Result<u64> {
        writeln!(self.requests, "{request}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        line.trim_end().parse().with_context(|| format!("{request}: the engine answered {line:?}"))
    }

    /// Takes the data and the first key again.
    pub fn reset(&mut self) -> Result<()> {
        self.ask(format_args!("reset")).map(drop)
    }

    /// Does the work `iterations` times. Returns the duration by the engine's clock.
    pub fn run(
        &mut self,
        engine: &str,
        work: Workload,
        at: usize,
        iterations: u64,
    ) -> Result<Duration> {
        let (name, bytes) = (work.name(), work.bytes());
        self.ask(format_args!("run {engine} {name} {at} {bytes} {iterations}"))
            .map(Duration::from_nanos)
    }

    /// As [`run`](Self::run), but xors `bytes` bytes after a setup, so that it can be checked.
    pub fn run_checked(
        &mut self,
        engine: &str,
        work: Workload,
        at: usize,
        bytes: usize,
        iterations: u64,
    ) -> Result<Vec<u8>> {
        self.ask(format_args!("run {engine} {} {at} {bytes} {iterations}", work.name()))?;
        writeln!(self.requests, "dump {at} {bytes}")?;
        let mut data = vec![0; bytes];
        self.answers.read_exact(&mut data)?;
        Ok(data)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The run is over, so an engine that does not end does no harm.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
