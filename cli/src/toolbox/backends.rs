//! `arcfour backends`

use arcfour::{Backend, Technique};
use serde::Serialize;

use super::{print, table::table};
use crate::failure::Failure;

/// List the ways to compute RC4, and which this machine has
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour backends
  arcfour backends --json | jq -r '.[] | select(.default) | .name'")]
pub struct Args {
    /// One JSON array, an object per backend, instead of a table
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
    pub(super) fn run(&self) -> Result<(), Failure> {
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
        let text = if self.json {
            serde_json::to_string_pretty(&rows).expect("rows of text are valid JSON") + "\n"
        } else {
            text(&rows)
        };
        print(text.as_bytes())
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

/// The backend called `name`, for `--backend`.
pub fn parse_backend(name: &str) -> Result<Backend, String> {
    Backend::named(name).ok_or_else(|| {
        let names: Vec<_> = Backend::available().map(Backend::name).collect();
        let have = names.join(", ");
        match Technique::all().find(|technique| technique.name == name) {
            Some(technique) => {
                format!("this machine lacks what it needs ({}); it has: {have}", technique.needs)
            }
            None => format!("no such backend; this machine has: {have}"),
        }
    })
}
