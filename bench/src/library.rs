//! Libraries side by side: the same work, the engines in turn, each checked before it is timed.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use arcfour_measure::{Goal, Meter, Ratio, Sample, Summary};

use crate::{
    data::{Cipher, Data, checked_bytes},
    engine::{Process, Workload},
};

/// Bit 20 of the first word of OpenSSL's view of CPUID makes its RC4 use the table of bytes. A
/// plain number replaces the whole word (`~` could only clear bits). RC4 reads only one other bit
/// of the word, bit 30, which is clear here as on every AMD processor.
const OPENSSL_BYTE_PATH: (&str, &str) = ("OPENSSL_ia32cap", "0x100000");

/// The engine that all others are compared with.
pub const OURS: &str = "arcfour";

/// A cipher, in the process that has it.
struct Engine {
    /// Name in the tables.
    label: String,
    version: String,
    process: usize,
    /// Name in the protocol.
    name: String,
    cipher: Cipher,
}

impl Engine {
    /// The modern replacements of RC4 are measured on long messages only. On short messages the key
    /// set-up and nonce of each message cannot be compared.
    fn does(&self, work: Workload) -> bool {
        self.cipher == Cipher::Rc4 || matches!(work, Workload::Stream(_))
    }
}

/// One cell of the tables: the samples of a work by an engine.
pub struct KernelTiming {
    pub work: Workload,
    pub engine: String,
    /// Every sample, and whether it was accepted.
    pub samples: Vec<(Sample, bool)>,
    pub summary: Summary,
    /// Cost relative to ours, from samples of one round.
    pub times_ours: Ratio,
}

/// All engines of this machine.
pub struct Library {
    data: Data,
    processes: Vec<Process>,
    engines: Vec<Engine>,
}

impl Library {
    /// Starts the programs in `engines`, and ours in `ours`, for work of up to `bytes` bytes.
    pub fn start(engines: &Path, ours: &Path, bytes: usize) -> Result<Self> {
        let data = Data::random(bytes)?;
        let mut library = Self { data, processes: vec![], engines: vec![] };
        let program = |name: &str| Command::new(engines.join(name));
        library.add(&mut Command::new(ours.join("engine-rust")), |_, _| true, "")?;
        library.add(
            &mut program("native/release/engine-rust"),
            |name, _| name.starts_with("rustcrypto"),
            "-native",
        )?;
        library.add(&mut program("engine-arcfour-c"), |_, _| true, "")?;
        library.add(&mut program("engine-c"), |_, _| true, "")?;
        if cfg!(target_arch = "x86_64") {
            let (name, mask) = OPENSSL_BYTE_PATH;
            let forced =
                |name: &str, version: &str| name == "openssl" && version.contains("rc4(8x,char)");
            library.add(program("engine-c").env(name, mask), forced, "-bytes")?;
        }
        library.add(&mut program("engine-go"), |_, _| true, "")?;
        let mut java = Command::new("java");
        library.add(java.arg("-cp").arg(engines).arg("Engine"), |_, _| true, "")?;
        if engines.join("engine-botan").exists() {
            library.add(&mut program("engine-botan"), |_, _| true, "")?;
        }
        Ok(library)
    }

    /// Adds those engines of a program that `wanted` takes by name and version.
    fn add(
        &mut self,
        program: &mut Command,
        wanted: impl Fn(&str, &str) -> bool,
        suffix: &str,
    ) -> Result<()> {
        let process = Process::start(program, self.data.path(), self.data.bytes())?;
        let found = process.engines.iter().filter(|(name, version)| wanted(name, version));
        let before = self.engines.len();
        self.engines.extend(found.map(|(name, version)| Engine {
            label: format!("{name}{suffix}"),
            version: version.clone(),
            process: self.processes.len(),
            name: name.clone(),
            cipher: Cipher::of(name),
        }));
        ensure!(
            self.engines.len() > before,
            "no engine wanted in {program:?}: {:?}",
            process.engines
        );
        self.processes.push(process);
        Ok(())
    }

    /// Name and version of every engine.
    pub fn versions(&self) -> impl Iterator<Item = (&str, &str)> {
        self.engines.iter().map(|engine| (&*engine.label, &*engine.version))
    }

    /// Checks all engines that do `work`, then measures them in rounds of one sample each. Ends
    /// when every engine has the accepted samples that `goal` asks for.
    pub fn measure(
        &mut self,
        meter: &mut Meter,
        work: Workload,
        goal: Goal,
    ) -> Result<Vec<KernelTiming>> {
        self.verify(work)?;
        let engines: Vec<&Engine> = self.engines.iter().filter(|each| each.does(work)).collect();
        let mut iterations = vec![];
        for engine in &engines {
            let process = &mut self.processes[engine.process];
            let mut failure = None;
            iterations.push(Meter::iterations(|n| {
                process.run(&engine.name, work, 0, n).unwrap_or_else(|error| {
                    failure = Some(error);
                    std::time::Duration::MAX
                })
            }));
            failure.map_or(Ok(()), Err)?;
        }
        let mut samples = vec![vec![]; engines.len()];
        while samples.iter().any(|samples| meter.wants_more(samples, goal)) {
            for ((engine, samples), &n) in engines.iter().zip(&mut samples).zip(&iterations) {
                let process = &mut self.processes[engine.process];
                let mut time = Ok(Default::default());
                let sample = meter.sample_timed(n, || {
                    time = process.run(&engine.name, work, Data::offset(), n);
                    *time.as_ref().unwrap_or(&Default::default())
                });
                time?;
                samples.push(sample);
            }
        }
        let ours = engines.iter().position(|engine| engine.label == OURS);
        let ours = samples[ours.context("our engine is one of them")?].clone();
        Ok(engines
            .iter()
            .zip(samples)
            .map(|(engine, samples)| KernelTiming {
                work,
                engine: engine.label.clone(),
                summary: meter.summary(&samples, goal),
                times_ours: meter.ratio(&samples, &ours),
                samples: samples.into_iter().map(|s| (s, meter.accepts(&s))).collect(),
            })
            .collect())
    }

    /// Compares every engine with the definition at `work`, by the timed code.
    fn verify(&mut self, work: Workload) -> Result<()> {
        let (at, bytes) = (Data::offset(), checked_bytes(work));
        let iterations = if bytes > 1 << 20 { 1 } else { 3 };
        for engine in self.engines.iter().filter(|engine| engine.does(work)) {
            let expected = self.data.expected(engine.cipher, work, at, iterations)?;
            let process = &mut self.processes[engine.process];
            process.reset()?;
            let found = process
                .run_checked(&engine.name, work, at, bytes, iterations as u64)
                .with_context(|| engine.label.clone())?;
            let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
            ensure!(
                differs.is_none(),
                "{}: wrong output at {work:?}, byte {differs:?}",
                engine.label
            );
        }
        Ok(())
    }
}
