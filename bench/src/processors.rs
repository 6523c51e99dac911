//! The figures of all kinds of processors beside each other: the newest run of each has a column.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use arcfour_kernels::Measured;

use crate::{tables::table, targets::Target};

/// Replaces the figures of the former run on the same kind of processor by this run's: in the table
/// at `path` and on the page of `runs`.
pub fn update(
    path: &Path,
    runs: &Path,
    processor: &str,
    run: &str,
    targets: &[Target],
) -> Result<()> {
    let mut reader = csv::Reader::from_path(path).with_context(|| path.display().to_string())?;
    let mut rows: Vec<Measured> = reader.deserialize().collect::<Result<_, _>>()?;
    rows.retain(|row| row.processor != processor);
    rows.extend(targets.iter().map(|target| Measured {
        processor: processor.to_string(),
        run: run.to_string(),
        what: target.what.to_string(),
        unit: target.unit.to_string(),
        value: target.measured.filter(|figure| figure.quiet).map(|figure| rounded(figure.value)),
    }));
    let mut writer = csv::Writer::from_path(path)?;
    rows.iter().try_for_each(|row| writer.serialize(row))?;
    writer.flush()?;
    let readme = runs.join("README.md");
    fs::write(&readme, page(&rows)).with_context(|| readme.display().to_string())
}

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// The table as a page: a row for each figure, a column for each kind of processor.
fn page(rows: &[Measured]) -> String {
    let mut processors: Vec<(&str, &str)> = vec![];
    let mut figures: Vec<(&str, &str)> = vec![];
    for row in rows {
        if !processors.iter().any(|(processor, _)| *processor == row.processor) {
            processors.push((&row.processor, &row.run));
        }
        if !figures.contains(&(&row.what, &row.unit)) {
            figures.push((&row.what, &row.unit));
        }
    }
    let head = processors.iter().map(|(processor, run)| format!("[{processor}]({run}/summary.md)"));
    let head: Vec<String> = ["what", "unit"].map(String::from).into_iter().chain(head).collect();
    let cell = |processor: &str, (what, unit): (&str, &str)| {
        let same =
            |row: &&Measured| row.processor == processor && row.what == what && row.unit == unit;
        let value = rows.iter().find(same).and_then(|row| row.value);
        value.map_or_else(|| "–".to_string(), |value| format!("{value:.2}"))
    };
    let rows = figures.iter().map(|&(what, unit)| {
        let cells = processors.iter().map(|(processor, _)| cell(processor, (what, unit)));
        [what, unit].map(String::from).into_iter().chain(cells).collect()
    });
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    format!(
        "# Runs of the benchmark, by processor\n\n\
         The newest run of each kind of processor ([method](../README.md)). A dash: not measured, or \
         the\nmachine was not quiet long enough.\n\n{}",
        table(&head, 2, rows.collect())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_page_is_that_of_the_committed_figures() -> Result<()> {
        let rows = arcfour_kernels::measured();
        let runs = Path::new(env!("CARGO_MANIFEST_DIR")).join("runs");
        assert_eq!(fs::read_to_string(runs.join("README.md"))?, page(&rows));
        assert!(rows.iter().all(|row| runs.join(&row.run).join("summary.md").exists()));
        Ok(())
    }

    #[test]
    fn a_new_run_replaces_that_of_its_processor_alone() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("measured.csv");
        fs::write(
            &path,
            "processor,run,what,unit,value\nold,a,speed,cycles,3\nnew,b,speed,cycles,2\n",
        )?;
        let figure = |value| crate::run::Figure { value, quiet: true };
        let target = |value| Target {
            what: "speed",
            limit: crate::targets::Limit::AtMost(1.0),
            unit: "cycles",
            measured: Some(figure(value)),
        };
        update(&path, folder.path(), "new", "c", &[target(1.5)])?;
        assert_eq!(
            fs::read_to_string(&path)?,
            "processor,run,what,unit,value\nold,a,speed,cycles,3.0\nnew,c,speed,cycles,1.5\n"
        );
        let page = fs::read_to_string(folder.path().join("README.md"))?;
        assert!(page.contains("[old](a/summary.md)") && page.contains(" 3.00 |"), "{page}");
        Ok(())
    }
}
