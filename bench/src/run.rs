//! The results of one run.

use arcfour_kernels::{KernelSpeed, SealingSpeed};

use crate::{
    attacks::{self, AttackTiming},
    commands,
    engine::Workload,
    library::{self, OURS},
    search,
    statistics::{self, Counted},
};

/// The tables of counts at which `arcfour bias` is timed.
pub const COUNTED: [Counted; 2] = [Counted::Single(256), Counted::Digraphs(512)];

/// Sizes of a run.
pub struct Plan {
    pub streams: &'static [usize],
    pub messages: &'static [usize],
    /// Accepted samples of each engine at each work.
    pub samples: usize,
    /// Bytes of the file the commands read.
    pub file: u64,
    pub file_runs: usize,
    pub starts: usize,
    /// Bytes of the PDF file that is decrypted, and of the one whose peak memory is taken.
    pub document: u64,
    pub large_document: u64,
    /// Number of small files that are surveyed, bytes of the capture, and runs of each survey.
    pub small_files: u64,
    pub capture: u64,
    pub surveys: usize,
    /// Keystreams counted in a sample of the statistics, and how many samples.
    pub keystreams: u64,
    pub counts: usize,
    /// A sample of the key search is one of `search_shards` shards of 2^32 keys. `searches` and
    /// `hashcats` count the samples of ours and of hashcat.
    pub search_shards: u64,
    pub searches: usize,
    pub hashcats: usize,
    /// The attacked data, and the number of samples of each attack.
    pub attacked: attacks::Sizes,
    pub attacks: usize,
}

/// The plan of `make bench`.
pub const FULL: Plan = Plan {
    streams: &[1 << 20, 64 << 20],
    messages: &[16, 64, 256, 1024, 4096],
    samples: 31,
    file: 1 << 30,
    file_runs: 7,
    starts: 201,
    document: 100_000_000,
    large_document: 1 << 31,
    small_files: 100_000,
    capture: 1 << 30,
    surveys: 3,
    keystreams: 1 << 20,
    counts: 7,
    search_shards: 1 << 8,
    searches: 7,
    hashcats: 1,
    attacked: attacks::Sizes { ciphertexts: 1 << 23, dump: 1 << 30, beginnings: None },
    attacks: 3,
};

/// A smoke run of all code paths. Its figures are not worth keeping.
pub const QUICK: Plan = Plan {
    streams: &[1 << 20],
    messages: &[16, 4096],
    samples: 3,
    file: 16 << 20,
    file_runs: 3,
    starts: 11,
    document: 1_000_000,
    large_document: 10_000_000,
    small_files: 1000,
    capture: 8 << 20,
    surveys: 1,
    keystreams: 1 << 14,
    counts: 1,
    search_shards: 1 << 14,
    searches: 1,
    hashcats: 0,
    attacked: attacks::Sizes { ciphertexts: 1 << 14, dump: 1 << 24, beginnings: Some(64) },
    attacks: 1,
};

/// The figures.
#[derive(Default)]
pub struct Run {
    pub libraries: Vec<library::KernelTiming>,
    pub kernels: Vec<KernelSpeed>,
    /// Sealing from memory to memory.
    pub sealing: Vec<SealingSpeed>,
    /// The commands on a file.
    pub files: Vec<commands::CommandTiming>,
    /// Number of small files that were surveyed.
    pub small_files: u64,
    /// The commands on an empty input.
    pub starts: Vec<commands::CommandTiming>,
    pub statistics: Vec<statistics::CountTiming>,
    pub searches: Vec<search::SearchTiming>,
    pub attacks: Vec<AttackTiming>,
}

/// A figure. `quiet` is true if enough of its samples were quiet.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    pub value: f64,
    pub quiet: bool,
}

impl Figure {
    /// Derives another figure from this one.
    pub fn map(self, of: impl FnOnce(f64) -> f64) -> Self {
        Self { value: of(self.value), ..self }
    }

    /// The ratio of two figures.
    pub fn over(self, other: Self) -> Self {
        Self { value: self.value / other.value, quiet: self.quiet && other.quiet }
    }
}

impl Run {
    /// Median cycles of an engine for `work` done once.
    pub fn cycles(&self, work: Workload, engine: &str) -> Option<Figure> {
        let row = self.libraries.iter().find(|row| row.work == work && row.engine == engine)?;
        Some(Figure { value: row.summary.cycles, quiet: row.summary.quiet })
    }

    /// Cost of an engine at `work` relative to ours.
    pub fn times_ours(&self, work: Workload, engine: &str) -> Option<Figure> {
        let row =
            |name: &str| self.libraries.iter().find(|row| row.work == work && row.engine == name);
        let (theirs, ours) = (row(engine)?, row(OURS)?);
        let quiet = theirs.summary.quiet && ours.summary.quiet;
        Some(Figure { value: theirs.times_ours.median, quiet })
    }

    /// The fastest of the kernels that `wanted` takes, by `of`.
    pub fn best_kernel(
        &self,
        wanted: impl Fn(&KernelSpeed) -> bool,
        of: impl Fn(&KernelSpeed) -> Option<f64>,
    ) -> Option<Figure> {
        let figures = self
            .kernels
            .iter()
            .filter(|kernel| wanted(kernel))
            .filter_map(|kernel| of(kernel).map(|value| Figure { value, quiet: kernel.quiet }));
        figures.min_by(|a, b| a.value.total_cmp(&b.value))
    }

    /// Million keystreams per second and core, counted.
    pub fn counting(&self, counted: Counted, engine: &str) -> Option<Figure> {
        let row = |row: &&statistics::CountTiming| row.counted == counted && row.engine == engine;
        let row = self.statistics.iter().find(row)?;
        Some(Figure { value: row.rate(), quiet: row.summary.quiet })
    }

    /// Key search on `cores` cores.
    pub fn search(&self, engine: &str, cores: usize) -> Option<Figure> {
        let row = self.searches.iter().find(|row| row.engine == engine && row.cores == cores)?;
        Some(Figure { value: row.rate(), quiet: row.summary.quiet })
    }

    /// An attack, by what `of` takes of it.
    pub fn attack(&self, name: &str, of: impl Fn(&AttackTiming) -> f64) -> Option<Figure> {
        let row = self.attacks.iter().find(|row| row.attack == name)?;
        Some(Figure { value: of(row), quiet: row.summary.quiet })
    }

    /// A command's runs on the file.
    pub fn file(&self, name: &str) -> Option<&commands::CommandTiming> {
        self.files.iter().find(|row| row.name == name)
    }

    /// A command's runs on an empty input.
    pub fn start(&self, name: &str) -> Option<&commands::CommandTiming> {
        self.starts.iter().find(|row| row.name == name)
    }
}
