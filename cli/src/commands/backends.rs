//! `arcfour backends`

use arcfour::{Backend, Technique};
use arcfour_gpu::{Adapter, adapters};
use arcfour_kernels::{Measured, measured};
use arcfour_measure::processor;
use serde::Serialize;
use serde_json::json;

use crate::console::{failure::Failure, output::print, table::table};

/// List the backends of RC4, whether this machine has them, and their recorded speed
///
/// A build with the feature gpu also lists the adapters that `--device` of `find` and `bias shard` takes. The speed comes from the benchmark's recorded run on the same kind of processor, if there is
/// one. `arcfour bench` measures this machine.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour backends
  arcfour backends --json | jq -r '.[] | select(.default) | .name'")]
pub struct Args {
    /// Print a JSON array, one object per backend and one per adapter, instead of tables
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct BackendFacts {
    name: &'static str,
    about: &'static str,
    needs: &'static str,
    available: bool,
    default: bool,
}

impl Args {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let default = Backend::detect();
        let rows: Vec<BackendFacts> = Technique::all()
            .map(|technique| BackendFacts {
                name: technique.name,
                about: technique.about,
                needs: technique.needs,
                available: technique.backend.is_some(),
                default: technique.backend == Some(default),
            })
            .collect();
        let adapters = adapters();
        let text = if self.json {
            let backends = rows.iter().map(|row| json!(row));
            let all: Vec<_> = backends.chain(adapters.iter().enumerate().map(facts)).collect();
            serde_json::to_string_pretty(&all).expect("rows of text are valid JSON") + "\n"
        } else {
            text(&rows) + "\n" + &figures(&processor(), &measured()) + &adapter_text(&adapters)
        };
        print(text.as_bytes())
    }
}

fn facts((number, adapter): (usize, &Adapter)) -> serde_json::Value {
    json!({
        "adapter": number, "name": adapter.name, "kind": adapter.kind, "driver": adapter.driver,
        "api": adapter.api, "workgroup_memory": adapter.workgroup_memory,
    })
}

/// Returns the table of the adapters; nothing if this build uses none.
fn adapter_text(adapters: &[Adapter]) -> String {
    let head = ["adapter", "name", "kind", "driver", "api", "bytes/group"];
    let cells = |(number, adapter): (usize, &Adapter)| {
        let Adapter { name, kind, driver, api, workgroup_memory, .. } = adapter;
        vec![
            number.to_string(),
            name.clone(),
            (*kind).to_owned(),
            driver.clone(),
            (*api).to_owned(),
            workgroup_memory.to_string(),
        ]
    };
    match adapters {
        [] if arcfour_gpu::BUILT => "\nNo adapter was found.\n".to_owned(),
        [] => String::new(),
        _ => {
            "\n".to_owned()
                + &table(&head, &[0, 5], adapters.iter().enumerate().map(cells).collect())
        }
    }
}

fn text(rows: &[BackendFacts]) -> String {
    let cells = |row: &BackendFacts| {
        let here = match (row.available, row.default) {
            (_, true) => "yes, default",
            (true, _) => "yes",
            (false, _) => "no",
        };
        [row.name, row.about, row.needs, here].map(str::to_owned).to_vec()
    };
    table(&["name", "what it is", "needs", "here"], &[], rows.iter().map(cells).collect())
}

/// Returns the recorded run of this kind of processor, or a line that there is no such run.
fn figures(processor: &str, measured: &[Measured]) -> String {
    let here: Vec<&Measured> = measured.iter().filter(|row| row.processor == processor).collect();
    let Some(first) = here.first() else {
        return format!(
            "Nothing is recorded of this kind of processor ({processor}); `arcfour bench kernels` measures it.\n"
        );
    };
    let cells = here.iter().filter_map(|row| {
        Some(vec![row.what.clone(), format!("{:.2}", row.value?), row.unit.clone()])
    });
    format!("{processor}, recorded in bench/runs/{}:\n\n", first.run)
        + &table(&["what", "measured", "unit"], &[1], cells.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_has_its_own_figures_or_none() {
        let row = |processor: &str, value| Measured {
            processor: processor.to_owned(),
            run: format!("run-of-{processor}"),
            what: "one stream".to_owned(),
            unit: "cycles/byte".to_owned(),
            value,
        };
        let rows = [row("this", Some(2.126)), row("other", Some(3.0)), row("this", None)];
        let text = figures("this", &rows);
        assert!(
            text.contains("run-of-this") && text.contains("2.13") && !text.contains("3.00"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(figures("unknown", &rows).starts_with("Nothing is recorded"));
    }
}
