//! `arcfour families`

use arcfour::{MAX_KEY, MIN_KEY};
use clap::ValueEnum;
use serde::Serialize;

use crate::{failure::Failure, family::Family};

/// List the families of ciphers, and what is known against them
#[derive(clap::Args)]
#[command(after_help = "\
Keys have 1 to 256 bytes, and so have IVs where there is one. A fast family has backends of its own \
(`arcfour backends`); the others are computed by their definition, a byte at a time.

Example:
  arcfour families --json | jq -r '.[] | select(.fast) | .name'")]
pub struct Args {
    /// One JSON array, an object per family, instead of a table
    #[arg(long)]
    json: bool,
}

/// How many bytes, least and most.
#[derive(Serialize)]
struct Bytes {
    min: usize,
    max: usize,
}

#[derive(Serialize)]
struct Row {
    name: String,
    paper: &'static str,
    key_bytes: Bytes,
    iv_bytes: Option<Bytes>,
    fast: bool,
    status: &'static str,
    how: &'static str,
    source: &'static str,
}

impl Args {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let rows: Vec<Row> = Family::value_variants().iter().map(|family| row(*family)).collect();
        let text = if self.json {
            serde_json::to_string_pretty(&rows).expect("rows of text are valid JSON") + "\n"
        } else {
            table(&rows)
        };
        super::print(text.as_bytes())
    }
}

fn row(family: Family) -> Row {
    let facts = family.facts();
    let bytes = || Bytes { min: MIN_KEY, max: MAX_KEY };
    Row {
        name: family.name(),
        paper: facts.paper,
        key_bytes: bytes(),
        iv_bytes: facts.iv.then(bytes),
        fast: facts.fast,
        status: facts.status,
        how: facts.how,
        source: facts.source,
    }
}

fn table(rows: &[Row]) -> String {
    let line = |name: &str, paper: &str, iv: &str, fast: &str, status: &str| {
        format!("{name:11}  {paper:29}  {iv:2}  {fast:4}  {status}\n")
    };
    let yes = |is: bool| if is { "yes" } else { "-" };
    let mut text = line("name", "paper", "IV", "fast", "status");
    for row in rows {
        let status = format!("{}: {} ({})", row.status, row.how, row.source);
        let iv = if row.iv_bytes.is_some() { "IV" } else { "-" };
        text += &line(&row.name, row.paper, iv, yes(row.fast), &status);
    }
    text
}
