//! Checks the project's speed targets against one run.

use arcfour_kernels::KernelSpeed;

use crate::{
    attacks::{self, AttackTiming},
    documents::LARGE_DOCUMENT,
    engine::Workload,
    library::OURS,
    run::{COUNTED, Figure, Run},
    search, survey,
};

/// A target and its outcome.
pub struct Target {
    pub what: &'static str,
    pub limit: Limit,
    pub unit: &'static str,
    /// The figure; `None` if the run lacks it.
    pub measured: Option<Figure>,
}

/// The limit of a figure.
#[derive(Clone, Copy)]
pub enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

impl Target {
    /// Returns `met`, `missed`, `not measured`, or `not measurable here` if the machine was not
    /// quiet long enough.
    pub fn verdict(&self) -> &'static str {
        match (self.measured, self.limit) {
            (None, _) => "not measured",
            (Some(figure), _) if !figure.quiet => "not measurable here",
            (Some(figure), Limit::AtMost(limit)) if figure.value <= limit => "met",
            (Some(figure), Limit::AtLeast(limit)) if figure.value >= limit => "met",
            (Some(_), _) => "missed",
        }
    }
}

const MIB: Workload = Workload::Stream(1 << 20);

/// Targets that depend on the processor: cycles per byte or key, OpenSSL's cycles over ours, and
/// million keystreams a second.
struct Goals {
    one_stream: f64,
    openssl: f64,
    openssl_bytes: f64,
    many_streams: f64,
    schedule: f64,
    schedule_many: f64,
    sample: f64,
    rc4a: f64,
    counted: f64,
}

/// AMD family 25: Zen 3 and Zen 4.
const ZEN_4: Goals = Goals {
    one_stream: 2.35,
    openssl: 1.65,
    openssl_bytes: 1.45,
    many_streams: 1.97,
    schedule: 610.0,
    schedule_many: 508.0,
    sample: 1040.0,
    rc4a: 2.15,
    counted: 2.6,
};

/// AMD family 26: Zen 5. Every other processor has the same targets.
const ZEN_5: Goals = Goals {
    one_stream: 2.10,
    openssl: 2.4,
    openssl_bytes: 1.33,
    many_streams: 1.55,
    schedule: 530.0,
    schedule_many: 395.0,
    sample: 820.0,
    rc4a: 1.90,
    counted: 4.0,
};

impl Goals {
    fn of(processor: &str) -> Self {
        if processor.contains("AMD") && processor.contains("family 25") { ZEN_4 } else { ZEN_5 }
    }
}

/// The targets of a run on this kind of processor: all of a `whole` run, and of another run those
/// that it measured.
pub fn of(run: &Run, processor: &str, whole: bool) -> Vec<Target> {
    let targets = all(run, processor).into_iter();
    targets.filter(|target| whole || target.measured.is_some()).collect()
}

fn all(run: &Run, processor: &str) -> Vec<Target> {
    let goals = Goals::of(processor);
    let ours = run.cycles(MIB, OURS);
    let ratio = |peer: &str| run.times_ours(MIB, peer);
    let per_byte =
        |cycles: Option<Figure>, bytes: usize| Some(cycles?.map(|cycles| cycles / bytes as f64));
    let rc4 = |kernel: &KernelSpeed, name: &str| kernel.family == "rc4" && kernel.name == name;
    let cycles = |kernel: &KernelSpeed| Some(kernel.cycles);
    let rate = |command: &str| {
        let row = run.file(command)?;
        Some(Figure { value: row.mb_per_s(), quiet: row.summary.quiet })
    };
    let rate_ratio = |a: &str, b: &str| Some(rate(a)?.over(rate(b)?));
    // Time of another command relative to the first command run in turn with it.
    let times_first = |first: &str, other: &str| {
        let (first, other) = (run.file(first)?, run.file(other)?);
        let quiet = first.summary.quiet && other.summary.quiet;
        Some(Figure { value: other.times_first.median, quiet })
    };
    let peak = |command: &str| {
        let row = run.file(command)?;
        // Noise takes no memory.
        Some(Figure { value: row.peak as f64 / 1024.0 / 1024.0, quiet: true })
    };
    let kernel_rate =
        run.libraries.iter().find(|row| row.work == MIB && row.engine == OURS).map(|row| Figure {
            value: row.summary.mb_per_s(row.work.bytes()),
            quiet: row.summary.quiet,
        });
    let percent =
        |command: Option<Figure>| Some(command?.over(kernel_rate?).map(|share| share * 100.0));
    let search_ratio = |(a, a_cores): (&str, usize), (b, b_cores): (&str, usize)| {
        Some(run.search(a, a_cores)?.over(run.search(b, b_cores)?))
    };
    let target = |what, limit, unit, measured| Target { what, limit, unit, measured };
    use Limit::{AtLeast, AtMost};
    vec![
        target(
            "one stream, 1 MiB, xor in place",
            AtMost(goals.one_stream),
            "cycles/byte",
            per_byte(ours, 1 << 20),
        ),
        target(
            "one stream, OpenSSL as it ships",
            AtLeast(goals.openssl),
            "times ours",
            ratio("openssl"),
        ),
        target(
            "one stream, OpenSSL's byte path forced",
            AtLeast(goals.openssl_bytes),
            "times ours",
            ratio("openssl-bytes"),
        ),
        target("one stream, through the C library", AtMost(1.03), "times ours", ratio("arcfour-c")),
        target(
            "many streams, aggregate",
            AtMost(goals.many_streams),
            "cycles/byte",
            run.best_kernel(|k| rc4(k, "keystream") && k.streams > 1, |k| k.cycles_per_byte),
        ),
        target(
            "key schedule, 4096 keys in turn",
            AtMost(goals.schedule),
            "cycles",
            run.best_kernel(|k| rc4(k, "schedule") && k.streams == 1, cycles),
        ),
        target(
            "key schedule, one key over and over",
            AtMost(530.0),
            "cycles",
            run.best_kernel(|k| rc4(k, "schedule, same key"), cycles),
        ),
        target(
            "key schedule, many keys",
            AtMost(goals.schedule_many),
            "cycles/key",
            run.best_kernel(
                |k| rc4(k, "schedule") && k.streams > 1,
                |k| Some(k.cycles / k.streams as f64),
            ),
        ),
        target(
            "schedule + 256 bytes, many keys",
            AtMost(goals.sample),
            "cycles/key",
            run.best_kernel(
                |k| rc4(k, "schedule + keystream") && k.bytes == 256 * k.streams,
                |k| Some(k.cycles / k.streams as f64),
            ),
        ),
        target(
            "64-byte message, 4096 keys in turn",
            AtMost(12.0),
            "cycles/byte",
            per_byte(run.cycles(Workload::Message(64), OURS), 64),
        ),
        target(
            "64-byte message, one key over and over",
            AtMost(12.0),
            "cycles/byte",
            run.best_kernel(|k| rc4(k, "message, same key"), |k| k.cycles_per_byte),
        ),
        target(
            "RC4A, one stream",
            AtMost(goals.rc4a),
            "cycles/byte",
            run.best_kernel(
                |k| k.family == "rc4a" && k.name == "xor in place",
                |k| k.cycles_per_byte,
            ),
        ),
        target(
            "rc4, file in page cache",
            AtLeast(2.0),
            "times the rate of openssl enc",
            times_first("rc4", "openssl enc -rc4"),
        ),
        target(
            "rc4, file in page cache",
            AtLeast(85.0),
            "% of the kernel's rate",
            percent(rate("rc4")),
        ),
        target(
            "arcfour crypt, file in page cache",
            AtLeast(85.0),
            "% of the kernel's rate",
            percent(rate("arcfour crypt")),
        ),
        target("peak memory, rc4", AtMost(16.0), "MiB", peak("rc4")),
        target(
            "start-up, rc4",
            AtMost(5.0),
            "ms",
            run.start("rc4")
                .map(|row| Figure { value: row.summary.nanos / 1e6, quiet: row.summary.quiet }),
        ),
        target(
            "arcfour seal, two cores, file in page cache",
            AtLeast(3.0),
            "times the rate of openssl enc",
            rate_ratio("arcfour seal", "openssl enc -rc4"),
        ),
        target(
            "arcfour seal, two threads",
            AtLeast(1.8),
            "times the rate of one",
            times_first("arcfour seal", "arcfour seal, one thread"),
        ),
        target("peak memory, arcfour seal", AtMost(64.0), "MiB", peak("arcfour seal")),
        target(
            "authentication, in the time of sealing",
            AtMost(30.0),
            "%",
            run.sealing
                .iter()
                .map(|row| Figure { value: row.authentication_share * 100.0, quiet: row.quiet })
                .max_by(|a, b| a.value.total_cmp(&b.value)),
        ),
        target(
            "single bytes counted, 256 positions",
            AtLeast(goals.counted),
            "million keystreams/s",
            run.counting(COUNTED[0], "arcfour bias"),
        ),
        target(
            "digraphs counted, 512 positions",
            AtLeast(0.8),
            "million keystreams/s",
            run.counting(COUNTED[1], "arcfour bias"),
        ),
        target(
            "key search, 5-byte keys, one core", // 9 million keys/s at 4.2 GHz
            AtMost(467.0),
            "cycles/key",
            run.searches
                .iter()
                .find(|row| row.engine == "arcfour find" && row.cores == 1)
                .map(|row| Figure { value: row.summary.cycles, quiet: row.summary.quiet }),
        ),
        target(
            "the same",
            AtLeast(95.0),
            "% of the rate of the first bytes alone",
            search_ratio(("arcfour find", 1), (search::BOUND, 1))
                .map(|ratio| ratio.map(|share| share * 100.0)),
        ),
        target(
            "the same, two cores",
            AtLeast(1.9),
            "times the rate of one",
            search_ratio(("arcfour find", 2), ("arcfour find", 1)),
        ),
        target(
            "key search, PDF file with R 2, two cores",
            AtLeast(5.0),
            "times hashcat -m 10410",
            search_ratio(("arcfour find --pdf", 2), ("hashcat -m 10410", 2)),
        ),
        target(
            "key search, file of Office 97, two cores",
            AtLeast(3.0),
            "times hashcat -m 9710",
            search_ratio(("arcfour find --office", 2), ("hashcat -m 9710", 2)),
        ),
        target(
            "passwords, PDF file with R 2, two cores",
            AtLeast(3.0),
            "times hashcat -m 10400",
            search_ratio((&search::passwords("PDF R 2"), 2), ("hashcat -m 10400", 2)),
        ),
        target(
            "passwords, PDF file with R 3, two cores",
            AtLeast(3.0),
            "times hashcat -m 10500",
            search_ratio((&search::passwords("PDF R 3"), 2), ("hashcat -m 10500", 2)),
        ),
        target(
            "passwords, file of Office 97, two cores",
            AtLeast(3.0),
            "times hashcat -m 9700",
            search_ratio((&search::passwords("Office 97"), 2), ("hashcat -m 9700", 2)),
        ),
        target(
            "passwords, file of CryptoAPI, 128 bits, two cores",
            AtLeast(3.0),
            "times hashcat -m 9800",
            search_ratio((&search::passwords("CryptoAPI"), 2), ("hashcat -m 9800", 2)),
        ),
        target(
            "arcfour attack broadcast, one core",
            AtLeast(3.5),
            "million ciphertexts/s",
            run.attack(attacks::BROADCAST, AttackTiming::rate),
        ),
        target(
            "arcfour attack wep, 22,500 packets",
            AtMost(5.0),
            "s",
            run.attack(attacks::WEP, AttackTiming::seconds),
        ),
        target(
            "arcfour attack memory, one core",
            AtLeast(1.0),
            "GB/s",
            run.attack(attacks::MEMORY, AttackTiming::rate),
        ),
        target(
            "arcfour pdf decrypt, 100 MB",
            AtLeast(3.0),
            "times the rate of pypdf",
            times_first("arcfour pdf decrypt", "pypdf"),
        ),
        target(
            "arcfour pdf decrypt, 100 MB",
            AtLeast(3.0),
            "times the rate of qpdf",
            times_first("arcfour pdf decrypt", "qpdf --decrypt"),
        ),
        target(
            "peak memory, arcfour pdf decrypt",
            AtMost(64.0),
            "MiB",
            peak("arcfour pdf decrypt"),
        ),
        target("the same, 2 GiB", AtMost(64.0), "MiB", peak(LARGE_DOCUMENT)),
        target(
            "arcfour survey, 100,000 small files",
            AtLeast(5000.0),
            "files/s",
            run.file(survey::TREE).map(|row| Figure {
                value: run.small_files as f64 / row.summary.nanos * 1e9,
                quiet: row.summary.quiet,
            }),
        ),
        target("peak memory, survey of small files", AtMost(64.0), "MiB", peak(survey::TREE)),
        target(
            "arcfour survey, capture of 1 GiB",
            AtLeast(0.5),
            "GB/s",
            rate(survey::CAPTURE).map(|rate| rate.map(|rate| rate / 1e3)),
        ),
        target("peak memory, survey of a capture", AtMost(64.0), "MiB", peak(survey::CAPTURE)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        let verdict = |limit, value: Option<f64>| {
            let measured = value.map(|value| Figure { value, quiet: true });
            Target { what: "", limit, unit: "", measured }.verdict()
        };
        assert_eq!(verdict(Limit::AtMost(2.0), Some(2.0)), "met");
        assert_eq!(verdict(Limit::AtMost(2.0), Some(2.01)), "missed");
        assert_eq!(verdict(Limit::AtLeast(2.0), Some(2.0)), "met");
        assert_eq!(verdict(Limit::AtLeast(2.0), Some(1.99)), "missed");
        assert_eq!(verdict(Limit::AtLeast(2.0), Some(f64::NAN)), "missed");
        assert_eq!(verdict(Limit::AtMost(2.0), None), "not measured");
        let noisy = Figure { value: 1.0, quiet: false };
        let calm = Figure { value: 2.0, quiet: true };
        for measured in [noisy, noisy.over(calm), calm.over(noisy), noisy.map(|x| x * 9.0)] {
            let target =
                Target { what: "", limit: Limit::AtMost(2.0), unit: "", measured: Some(measured) };
            assert_eq!(target.verdict(), "not measurable here");
        }
    }

    #[test]
    fn a_run_without_figures_meets_nothing() {
        let run = Run {
            libraries: vec![],
            kernels: vec![],
            sealing: vec![],
            files: vec![],
            small_files: 0,
            starts: vec![],
            statistics: vec![],
            searches: vec![],
            attacks: vec![],
        };
        let whole = of(&run, "a processor", true);
        assert!(!whole.is_empty() && whole.iter().all(|one| one.verdict() == "not measured"));
        assert!(of(&run, "a processor", false).is_empty());
    }
}
