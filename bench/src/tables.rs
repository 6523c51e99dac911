//! The tables, as Markdown: the same on the terminal and in `summary.md`.

use arcfour_kernels::{KernelSpeed, SealingSpeed};
use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};

use crate::{
    commands,
    engine::Workload,
    run::Run,
    targets::{Limit, Target},
};

/// Marks figures of a machine that was not quiet long enough.
const NOISY: &str = " (noisy)";

/// A table whose columns are numbers, but for the first `texts`. It is an empty text if there are no
/// rows.
pub fn table(head: &[&str], texts: usize, rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut table = Table::new();
    table.load_preset(ASCII_MARKDOWN).set_header(head).add_rows(rows);
    for column in table.column_iter_mut().skip(texts) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n")
}

/// A dash where a run has no such figure.
fn optional(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".to_string())
}

/// The mark after a figure of a machine that was not quiet long enough.
pub fn noise(quiet: bool) -> &'static str {
    if quiet { "" } else { NOISY }
}

/// Lays out the tables of a run, and its targets. A section that was not measured is left out.
pub fn all(run: &Run, targets: &[Target]) -> String {
    let sections = [
        ("Long messages: xor in place, one stream", streams(run)),
        ("Key set-up (16-byte keys) and small messages with set-up", small(run)),
        ("Kernels of arcfour (`arcfour bench kernels`)", kernels(&run.kernels)),
        ("Whole commands", commands(run)),
        ("Sealing from memory to memory (`arcfour bench seal`)", sealing(&run.sealing)),
        ("Keystream statistics, counting included (16-byte keys, one core)", statistics(run)),
        ("Key search, 5-byte keys, 3 bytes of plaintext known", searches(run)),
        ("Attacks, whole commands on one core", attacks(run)),
        ("Targets", verdicts(targets)),
    ];
    let measured = sections.into_iter().filter(|(_, table)| !table.is_empty());
    measured.map(|(title, table)| format!("## {title}\n\n{table}")).collect::<Vec<_>>().join("\n")
}

fn engines(run: &Run) -> Vec<&str> {
    let mut names: Vec<&str> = vec![];
    for row in &run.libraries {
        if !names.contains(&&*row.engine) {
            names.push(&row.engine);
        }
    }
    names
}

fn streams(run: &Run) -> String {
    let mut rows: Vec<_> =
        run.libraries.iter().filter(|row| matches!(row.work, Workload::Stream(_))).collect();
    rows.sort_by(|a, b| {
        a.work.bytes().cmp(&b.work.bytes()).then(a.summary.cycles.total_cmp(&b.summary.cycles))
    });
    let head = [
        "engine",
        "bytes",
        "cycles/byte",
        "least",
        "quartiles",
        "MB/s",
        "GHz",
        "accepted",
        "rejected",
        "times ours",
        "interval",
    ];
    let rows = rows.iter().map(|row| {
        let (summary, bytes) = (&row.summary, row.work.bytes());
        let per_byte = |cycles: f64| cycles / bytes as f64;
        let ratio = row.times_ours;
        vec![
            row.engine.clone(),
            size(bytes as u64),
            format!("{:.2}{}", per_byte(summary.cycles), noise(summary.quiet)),
            format!("{:.2}", per_byte(summary.least)),
            format!("{:.2}–{:.2}", per_byte(summary.lower), per_byte(summary.upper)),
            format!("{:.0}", summary.mb_per_s(bytes)),
            format!("{:.2}", summary.ghz),
            summary.accepted.to_string(),
            summary.rejected.to_string(),
            format!("{:.2}", ratio.median),
            format!("{:.2}–{:.2}", ratio.low, ratio.high),
        ]
    });
    table(&head, 2, rows.collect())
}

fn small(run: &Run) -> String {
    let mut works: Vec<Workload> = vec![];
    for row in &run.libraries {
        if !matches!(row.work, Workload::Stream(_)) && !works.contains(&row.work) {
            works.push(row.work);
        }
    }
    let mut head = vec!["engine".to_string()];
    head.extend(works.iter().map(|work| match work {
        Workload::Message(bytes) => format!("{} (cycles/byte)", size(*bytes as u64)),
        _ => "set-up (cycles)".to_string(),
    }));
    let cell = |engine: &str, work: Workload| {
        let row = run.libraries.iter().find(|row| row.work == work && row.engine == engine)?;
        let per = row.summary.cycles / work.bytes().max(1) as f64;
        let decimals = if work == Workload::Setup { 0 } else { 1 };
        Some(format!("{per:.decimals$}{}", noise(row.summary.quiet)))
    };
    let rows = engines(run).into_iter().map(|engine| {
        let cells = works.iter().map(|&work| cell(engine, work).unwrap_or_default());
        std::iter::once(engine.to_string()).chain(cells).collect()
    });
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    table(&head, 1, rows.collect())
}

fn kernels(kernels: &[KernelSpeed]) -> String {
    let head = [
        "kernel",
        "family",
        "backend",
        "streams",
        "bytes",
        "cycles",
        "least",
        "quartiles",
        "cycles/byte",
        "MB/s",
        "accepted",
        "rejected",
    ];
    let rows = kernels.iter().map(|kernel| {
        vec![
            kernel.name.clone(),
            kernel.family.clone(),
            kernel.backend.clone(),
            kernel.streams.to_string(),
            size(kernel.bytes as u64),
            format!("{:.0}{}", kernel.cycles, noise(kernel.quiet)),
            optional(kernel.least_cycles.map(|value| format!("{value:.0}"))),
            format!("{:.0}–{:.0}", kernel.lower_quartile, kernel.upper_quartile),
            optional(kernel.cycles_per_byte.map(|value| format!("{value:.2}"))),
            optional(kernel.mb_per_s.map(|value| format!("{value:.0}"))),
            kernel.accepted.to_string(),
            kernel.rejected.to_string(),
        ]
    });
    table(&head, 3, rows.collect())
}

fn sealing(rows: &[SealingSpeed]) -> String {
    let head = [
        "family",
        "bytes",
        "chunks",
        "cycles/byte",
        "quartiles",
        "MB/s",
        "authentication alone",
        "share",
        "accepted",
        "rejected",
    ];
    let rows = rows.iter().map(|row| {
        vec![
            row.family.clone(),
            size(row.bytes as u64),
            size(row.chunk_bytes as u64),
            format!("{:.2}{}", row.cycles_per_byte, noise(row.quiet)),
            optional(row.quartiles.map(|[low, high]| format!("{low:.2}–{high:.2}"))),
            format!("{:.0}", row.mb_per_s),
            format!("{:.2}", row.authentication_cycles_per_byte),
            format!("{:.1} %", row.authentication_share * 100.0),
            row.accepted.to_string(),
            row.rejected.to_string(),
        ]
    });
    table(&head, 1, rows.collect())
}

fn commands(run: &Run) -> String {
    let head = [
        "command",
        "input",
        "seconds",
        "least",
        "quartiles",
        "MB/s",
        "user s",
        "system s",
        "peak MiB",
        "accepted",
        "runs",
    ];
    let seconds = |row: &commands::CommandTiming,
                   of: fn(&commands::CommandRun) -> std::time::Duration| {
        let total: std::time::Duration = row.runs.iter().map(of).sum();
        total.as_secs_f64() / row.runs.len() as f64
    };
    let rows = run.files.iter().chain(&run.starts).map(|row| {
        let rate =
            if row.bytes == 0 { "–".to_string() } else { format!("{:.0}", row.mb_per_s()) };
        let [least, lower, upper] = row.summary.nanos_spread;
        vec![
            row.name.to_string(),
            if row.bytes == 0 { "empty".to_string() } else { size(row.bytes) },
            format!("{:.4}{}", row.summary.nanos / 1e9, noise(row.summary.quiet)),
            format!("{:.4}", least / 1e9),
            format!("{:.4}–{:.4}", lower / 1e9, upper / 1e9),
            rate,
            format!("{:.4}", seconds(row, |run| run.user)),
            format!("{:.4}", seconds(row, |run| run.system)),
            format!("{:.1}", row.peak as f64 / 1024.0 / 1024.0),
            row.summary.accepted.to_string(),
            row.runs.len().to_string(),
        ]
    });
    table(&head, 2, rows.collect())
}

fn statistics(run: &Run) -> String {
    let head = [
        "counted",
        "engine",
        "million keystreams/s",
        "cycles/keystream",
        "least",
        "quartiles",
        "GHz",
        "accepted",
        "rejected",
        "times slower",
    ];
    let rows = run.statistics.iter().map(|row| {
        let summary = &row.summary;
        let ours = run.counting(row.counted, "arcfour bias").map_or(f64::NAN, |ours| ours.value);
        vec![
            row.counted.name(),
            row.engine.to_string(),
            format!("{:.3}{}", row.rate(), noise(summary.quiet)),
            format!("{:.0}", summary.cycles),
            format!("{:.0}", summary.least),
            format!("{:.0}–{:.0}", summary.lower, summary.upper),
            format!("{:.2}", summary.ghz),
            summary.accepted.to_string(),
            summary.rejected.to_string(),
            format!("{:.2}", ours / row.rate()),
        ]
    });
    table(&head, 2, rows.collect())
}

fn searches(run: &Run) -> String {
    let head = [
        "engine",
        "cores",
        "million keys/s",
        "cycles/key, one core",
        "quartiles",
        "GHz",
        "accepted",
        "rejected",
    ];
    let rows = run.searches.iter().map(|row| {
        let summary = &row.summary;
        let per_core = |cycles: f64| cycles * row.cores as f64;
        vec![
            row.engine.clone(),
            row.cores.to_string(),
            format!("{:.2}{}", row.rate(), noise(summary.quiet)),
            format!("{:.0}", per_core(summary.cycles)),
            format!("{:.0}–{:.0}", per_core(summary.lower), per_core(summary.upper)),
            format!("{:.2}", summary.ghz),
            summary.accepted.to_string(),
            summary.rejected.to_string(),
        ]
    });
    table(&head, 1, rows.collect())
}

fn attacks(run: &Run) -> String {
    let head = ["attack", "seconds", "per second", "quartiles, s", "GHz", "accepted", "rejected"];
    let rows = run.attacks.iter().map(|row| {
        let summary = &row.summary;
        let seconds = |cycles: f64| cycles / summary.ghz / 1e9;
        vec![
            row.attack.to_string(),
            format!("{:.3}{}", row.seconds(), noise(summary.quiet)),
            format!("{:.3} {}", row.rate(), row.unit),
            format!("{:.3}–{:.3}", seconds(summary.lower), seconds(summary.upper)),
            format!("{:.2}", summary.ghz),
            summary.accepted.to_string(),
            summary.rejected.to_string(),
        ]
    });
    table(&head, 1, rows.collect())
}

fn verdicts(targets: &[Target]) -> String {
    let rows = targets.iter().map(|target| {
        let limit = match target.limit {
            Limit::AtMost(limit) => format!("≤ {limit} {}", target.unit),
            Limit::AtLeast(limit) => format!("≥ {limit} {}", target.unit),
        };
        // Figures of a noisy machine do not go into the headline.
        let measured = match target.measured {
            Some(figure) if figure.quiet => format!("{:.2}", figure.value),
            _ => "–".to_string(),
        };
        vec![target.what.to_string(), limit, measured, target.verdict().to_string()]
    });
    table(&["what", "target", "measured", "verdict"], 2, rows.collect())
}

/// A number of bytes, in the largest unit that divides it.
pub fn size(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match units.iter().find(|(_, bits)| bytes > 0 && bytes.trailing_zeros() >= *bits) {
        Some((unit, bits)) => format!("{} {unit}", bytes >> bits),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_without_rows_is_left_out() {
        let target = Target { what: "speed", limit: Limit::AtMost(1.0), unit: "s", measured: None };
        let text = all(&Run::default(), &[target]);
        assert!(text.starts_with("## Targets\n") && text.matches("## ").count() == 1, "{text}");
        assert_eq!(all(&Run::default(), &[]), "");
    }

    #[test]
    fn sizes_lose_nothing() {
        let sizes = [0, 64, 1023, 1 << 10, 1536, 64 << 20, 1 << 30].map(size);
        assert_eq!(sizes, ["0 B", "64 B", "1023 B", "1 KiB", "1536 B", "64 MiB", "1 GiB"]);
    }
}
