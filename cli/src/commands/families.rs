//! `arcfour families`

use std::ops::RangeInclusive;

use arcfour::Family;
use serde::Serialize;

use crate::console::{failure::Failure, output::print, table::table};

/// List the families of ciphers, and what is known against them
#[derive(clap::Args)]
#[command(after_help = "\
Keys have 1 to 256 bytes, and so have IVs where there is one. A fast family has backends of its \
own (`arcfour backends`); the others are computed by their definition, a byte at a time.

Examples:
  arcfour families
  arcfour families --json | jq -r '.[] | select(.fast) | .name'")]
pub struct Args {
    /// Print a JSON array, one object per family, instead of a table
    #[arg(long)]
    json: bool,
}

/// The least and the most bytes a key or an IV may have.
#[derive(Serialize)]
struct Bytes {
    min: usize,
    max: usize,
}

impl From<RangeInclusive<usize>> for Bytes {
    fn from(range: RangeInclusive<usize>) -> Self {
        Self { min: *range.start(), max: *range.end() }
    }
}

#[derive(Serialize)]
struct FamilyFacts {
    name: &'static str,
    paper: &'static str,
    key_bytes: Bytes,
    iv_bytes: Option<Bytes>,
    fast: bool,
    status: &'static str,
    how: &'static str,
    source: &'static str,
}

impl Args {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let rows: Vec<FamilyFacts> = Family::ALL.iter().map(|family| row(*family)).collect();
        let text = if self.json {
            serde_json::to_string_pretty(&rows).expect("rows of text are valid JSON") + "\n"
        } else {
            text(&rows)
        };
        print(text.as_bytes())
    }
}

fn row(family: Family) -> FamilyFacts {
    let facts = family.facts();
    FamilyFacts {
        name: family.name(),
        paper: facts.paper,
        key_bytes: facts.key_bytes.into(),
        iv_bytes: facts.iv_bytes.map(Bytes::from),
        fast: facts.fast,
        status: facts.status.name(),
        how: facts.attack,
        source: facts.source,
    }
}

fn text(rows: &[FamilyFacts]) -> String {
    let cells = |row: &FamilyFacts| {
        let iv = if row.iv_bytes.is_some() { "IV" } else { "-" };
        let fast = if row.fast { "yes" } else { "-" };
        // A no-break space, so that no line ends before a percent sign.
        let against = format!("{} ({})", row.how, row.source).replace(" %", "\u{a0}%");
        [row.name, row.paper, iv, fast, row.status, &against].map(str::to_owned).to_vec()
    };
    let head = ["name", "paper", "IV", "fast", "status", "what is known against it"];
    table(&head, &[], rows.iter().map(cells).collect())
}
