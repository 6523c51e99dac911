//! The folder a run leaves: how it was made, every sample, the tables, the picture.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use arcfour_measure::Sample;
use serde::Serialize;

use crate::{commands::CommandTiming, library, machine::Fact, plot, run::Run};

/// A new folder in `runs`, named by the day and the processor.
pub fn folder(runs: &Path, day: &str, processor: &str) -> Result<PathBuf> {
    let words =
        processor.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-").to_lowercase();
    fs::create_dir_all(runs).with_context(|| runs.display().to_string())?;
    for n in 1.. {
        let suffix = if n == 1 { String::new() } else { format!("-run-{n}") };
        let path = runs.join(format!("{day}-{slug}{suffix}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        }
    }
    unreachable!("some number is free")
}

/// A file of a run.
struct Part {
    name: &'static str,
    /// The number of measured rows. A part without rows is not written.
    rows: fn(&Run) -> usize,
    write: fn(&Run, &Path) -> Result<()>,
}

impl Part {
    const fn new(
        name: &'static str,
        rows: fn(&Run) -> usize,
        write: fn(&Run, &Path) -> Result<()>,
    ) -> Self {
        Self { name, rows, write }
    }
}

/// `bench/README.md` says what each part holds.
const PARTS: [Part; 9] = [
    Part::new("summary.csv", |run| run.libraries.len(), summary),
    Part::new("raw.csv", |run| run.libraries.len(), raw),
    Part::new("commands.csv", |run| commands(run).count(), runs),
    Part::new("statistics.csv", |run| run.statistics.len(), statistics),
    Part::new("search.csv", |run| run.searches.len(), searches),
    Part::new("attacks.csv", |run| run.attacks.len(), attacks),
    Part::new("kernels.json", |run| run.kernels.len(), |run, path| json(&run.kernels, path)),
    Part::new("sealing.json", |run| run.sealing.len(), |run, path| json(&run.sealing, path)),
    Part::new("plot.svg", |run| run.libraries.len(), plot::draw),
];

/// Writes the files of a run. A section that was not measured has none.
pub fn write(folder: &Path, title: &str, facts: &[Fact], tables: &str, run: &Run) -> Result<()> {
    fs::write(folder.join("summary.md"), format!("# {title}\n\n{tables}"))?;
    for part in PARTS.iter().filter(|part| (part.rows)(run) > 0) {
        (part.write)(run, &folder.join(part.name))?;
    }
    let picture = if run.libraries.is_empty() { "" } else { "\n![cycles per byte](plot.svg)\n" };
    let readme = format!("# {title}\n\n{METHOD}\n\n{}{picture}", list(facts));
    Ok(fs::write(folder.join("README.md"), readme)?)
}

const METHOD: &str =
    "[The tables](summary.md); [method and files](../../README.md#how-to-read-a-run).";

fn commands(run: &Run) -> impl Iterator<Item = &CommandTiming> {
    run.files.iter().chain(&run.starts)
}

/// Writes the page of a run of the commands at growing sizes.
pub fn sizes(folder: &Path, title: &str, facts: &[Fact], tables: &str) -> Result<()> {
    let readme = format!(
        "# {title}: whole commands as their file grows\n\n\
         [The method](../../README.md#method); the figures as a table: [sizes.csv](sizes.csv).\n\n\
         {}\n![time and memory against size](sizes.svg)\n\n{tables}",
        list(facts)
    );
    Ok(fs::write(folder.join("README.md"), readme)?)
}

fn list(facts: &[Fact]) -> String {
    let rows = facts
        .iter()
        .map(|(name, value)| format!("| {name} | {} |\n", value.replace('|', "\\|")))
        .collect::<String>();
    format!("| what | value |\n|---|---|\n{rows}")
}

fn json(rows: &impl Serialize, path: &Path) -> Result<()> {
    Ok(fs::write(path, serde_json::to_string_pretty(rows)? + "\n")?)
}

/// The further columns of every table of samples: the core on both sides of the sample.
const PROBES: [&str; 7] = [
    "ghz_before",
    "ghz_after",
    "fill_cycles_before",
    "fill_cycles_after",
    "walk_cycles_before",
    "walk_cycles_after",
    "accepted",
];

fn head(csv: &mut csv::Writer<fs::File>, columns: &[&str]) -> csv::Result<()> {
    csv.write_record(columns.iter().chain(&PROBES))
}

fn probes(sample: &Sample, accepted: bool) -> [String; 7] {
    let Sample { before, after, .. } = sample;
    [
        format!("{:.4}", before.ghz),
        format!("{:.4}", after.ghz),
        format!("{:.3}", before.fill),
        format!("{:.3}", after.fill),
        format!("{:.3}", before.walk),
        format!("{:.3}", after.walk),
        accepted.to_string(),
    ]
}

fn raw(run: &Run, path: &Path) -> Result<()> {
    let labels = |row: &library::KernelTiming| {
        vec![row.work.name().to_string(), row.work.bytes().to_string(), row.engine.clone()]
    };
    let rows = run.libraries.iter().map(|timing| (labels(timing), &timing.samples));
    samples(path, &["work", "bytes", "engine"], ["iterations", "cycles_per_iteration"], rows)
}

fn searches(run: &Run, path: &Path) -> Result<()> {
    let rows = run.searches.iter();
    let rows = rows.map(|row| (vec![row.engine.clone(), row.cores.to_string()], &row.samples));
    samples(path, &["engine", "cores"], ["keys", "cycles_per_key"], rows)
}

fn attacks(run: &Run, path: &Path) -> Result<()> {
    let rows = run.attacks.iter().map(|row| (vec![row.attack.to_owned()], &row.samples));
    samples(path, &["attack"], ["runs", "cycles_per_run"], rows)
}

fn statistics(run: &Run, path: &Path) -> Result<()> {
    let rows = run.statistics.iter();
    let rows = rows.map(|row| (vec![row.counted.name(), row.engine.to_string()], &row.samples));
    samples(path, &["counted", "engine"], ["keystreams", "cycles_per_keystream"], rows)
}

/// Writes a line for each sample: the labels, the number of iterations and the cycles of one, named
/// by `iteration`.
fn samples<'a>(
    path: &Path,
    labels: &[&str],
    iteration: [&str; 2],
    rows: impl Iterator<Item = (Vec<String>, &'a Vec<(Sample, bool)>)>,
) -> Result<()> {
    let mut csv = csv::Writer::from_path(path)?;
    let [iterations, cycles] = iteration;
    head(&mut csv, &[labels, &["sample", iterations, "nanoseconds", cycles]].concat())?;
    for (cells, samples) in rows {
        for (n, (sample, accepted)) in samples.iter().enumerate() {
            let figures = [
                n.to_string(),
                sample.iterations.to_string(),
                format!("{:.0}", sample.nanos),
                format!("{:.2}", sample.cycles()),
            ];
            let cells = cells.iter().cloned().chain(figures);
            csv.write_record(cells.chain(probes(sample, *accepted)))?;
        }
    }
    Ok(csv.flush()?)
}

fn summary(run: &Run, path: &Path) -> Result<()> {
    let mut csv = csv::Writer::from_path(path)?;
    csv.write_record([
        "work",
        "bytes",
        "engine",
        "cycles",
        "least",
        "lower_quartile",
        "upper_quartile",
        "mad",
        "nanoseconds",
        "cycles_per_byte",
        "mb_per_s",
        "ghz",
        "accepted",
        "rejected",
        "quiet",
        "times_ours",
        "times_ours_low",
        "times_ours_high",
        "pairs",
    ])?;
    for row in &run.libraries {
        let (summary, bytes) = (&row.summary, row.work.bytes());
        let per_byte = |value: f64| if bytes == 0 { String::new() } else { format!("{value:.3}") };
        csv.write_record([
            row.work.name().to_string(),
            bytes.to_string(),
            row.engine.clone(),
            format!("{:.2}", summary.cycles),
            format!("{:.2}", summary.least),
            format!("{:.2}", summary.lower),
            format!("{:.2}", summary.upper),
            format!("{:.2}", summary.mad),
            format!("{:.2}", summary.nanos),
            per_byte(summary.cycles_per_byte(bytes)),
            per_byte(summary.mb_per_s(bytes)),
            format!("{:.4}", summary.ghz),
            summary.accepted.to_string(),
            summary.rejected.to_string(),
            summary.quiet.to_string(),
            format!("{:.4}", row.times_ours.median),
            format!("{:.4}", row.times_ours.low),
            format!("{:.4}", row.times_ours.high),
            row.times_ours.pairs.to_string(),
        ])?;
    }
    Ok(csv.flush()?)
}

fn runs(run: &Run, path: &Path) -> Result<()> {
    let mut csv = csv::Writer::from_path(path)?;
    head(&mut csv, &["command", "bytes", "run", "wall_seconds", "user_seconds", "system_seconds"])?;
    for row in commands(run) {
        for (n, once) in row.runs.iter().enumerate() {
            let cells = [
                row.name.to_string(),
                row.bytes.to_string(),
                n.to_string(),
                format!("{:.6}", once.sample.nanos / 1e9),
                format!("{:.6}", once.user.as_secs_f64()),
                format!("{:.6}", once.system.as_secs_f64()),
            ];
            csv.write_record(cells.into_iter().chain(probes(&once.sample, once.accepted)))?;
        }
    }
    Ok(csv.flush()?)
}

#[cfg(test)]
mod tests {
    use arcfour_kernels::{KernelSpeed, SealingSpeed};

    use super::*;

    /// Old runs are read by the same reader as new runs.
    #[test]
    fn recorded_runs_are_read() -> Result<()> {
        let runs = Path::new(env!("CARGO_MANIFEST_DIR")).join("runs");
        let mut read = 0;
        for run in fs::read_dir(runs)? {
            let run = run?.path();
            if !run.is_dir() {
                continue;
            }
            let text = |name| fs::read(run.join(name));
            // A run of some sections may have no kernels.
            let Ok(kernels) = text("kernels.json") else { continue };
            let kernels: Vec<KernelSpeed> = serde_json::from_slice(&kernels)?;
            assert!(kernels.len() > 12 && kernels.iter().all(|kernel| kernel.verified));
            // Such a run may have no sealing either.
            let Ok(sealing) = text("sealing.json") else { continue };
            let sealing: Vec<SealingSpeed> = serde_json::from_slice(&sealing)?;
            assert!(sealing.len() == 2 && sealing.iter().all(|sealing| sealing.verified));
            read += 1;
        }
        assert!(read > 1);
        Ok(())
    }

    #[test]
    fn a_section_that_was_not_measured_has_no_file() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let facts = [("command line".to_owned(), "`a | b`".to_owned())];
        write(folder.path(), "A run", &facts, "", &Run::default())?;
        let readme = fs::read_to_string(folder.path().join("README.md"))?;
        assert!(readme.contains("\n| command line | `a \\| b` |\n"), "{readme}");
        let mut names: Vec<_> = fs::read_dir(folder.path())?
            .map(|entry| Ok(entry?.file_name()))
            .collect::<Result<_>>()?;
        names.sort();
        assert_eq!(names, ["README.md", "summary.md"]);
        Ok(())
    }

    #[test]
    fn old_runs_stay() -> Result<()> {
        let runs = tempfile::tempdir()?;
        let new = || folder(runs.path(), "2026-01-31", "AMD EPYC (tm), family 26, model 2");
        assert!(new()?.ends_with("2026-01-31-amd-epyc-tm-family-26-model-2"));
        assert!(new()?.ends_with("2026-01-31-amd-epyc-tm-family-26-model-2-run-2"));
        Ok(())
    }
}
