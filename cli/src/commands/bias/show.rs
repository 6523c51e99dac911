//! `arcfour bias show`

use std::{
    io::{self, BufWriter, Write, stdout},
    path::PathBuf,
};

use arcfour_stats::{
    cells::{CellName, Cells, Group, Selection},
    file::CountsFile,
};
use serde::{Serialize, Serializer};

use super::counts::{json, read, runs};
use crate::console::{failure::Failure, output::print, table::optional};

/// Print the contents of a file of counts
///
/// Each cell comes with its count, probability, bias relative to chance, and z-score. Chance is
/// uniformity for single bytes, and independence of the two bytes for pairs.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour bias show all.cnt single:2
  arcfour bias show all.cnt single:1-256 --csv
  arcfour bias show all.cnt long-term --cell 255,i+2 --json

Cells: single:R is byte R; digraph:R is bytes R and R+1; pair:A,B is bytes A and B; equal:A,B is whether \
they are equal. long-term:I is the digraphs at index i = I; absab:G is a digraph repeated after G bytes. roos, \
roos-output and glimpse compare the key or the table with the output. stats/FORMAT.md has the formulas.")]
pub(super) struct Args {
    /// The file of counts
    file: PathBuf,
    /// Cells: single:R, digraph:R, pair:A,B, equal:A,B, long-term:I, absab:G, roos:Y, roos-output
    /// or glimpse:R. A run is written single:1-256; a name alone, as single, means all its cells
    /// [default: a summary of the file]
    groups: Option<Selection>,
    /// Print only this cell of each group: a byte, or two bytes X,Y of a pair. A byte is a number,
    /// or its distance from i as in i+1. For equalities the cell is 1 (equal) or 0. May be given
    /// several times
    #[arg(long = "cell", value_name = "VALUE", requires = "groups", allow_hyphen_values = true)]
    cells: Vec<CellName>,
    /// Print comma-separated values; x and y are the bytes, y is empty for single bytes
    #[arg(long, requires = "groups")]
    csv: bool,
    /// Print JSON: one object for the summary, or an array with one object for each cell
    #[arg(long, conflicts_with = "csv")]
    json: bool,
}

/// The output for a cell.
#[derive(Serialize)]
struct Cell {
    group: String,
    x: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    y: Option<usize>,
    count: u64,
    trials: u64,
    probability: Option<f64>,
    chance: f64,
    relative_bias: Option<f64>,
    z: Option<f64>,
}

impl Args {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let file = read(&self.file)?;
        let Some(selection) = &self.groups else {
            let summary = Summary::of(&file);
            return match self.json {
                true => json(&summary),
                false => print(summary.text().as_bytes()),
            };
        };
        let groups =
            selection.groups(file.campaign()).map_err(|error| Failure::Usage(error.to_string()))?;
        // All cells of a group are computed before the first is printed.
        for &group in &groups {
            self.numbers(&file, group)?;
        }
        let out = BufWriter::with_capacity(1 << 16, stdout().lock());
        let written = match (self.json, self.csv) {
            (true, _) => self.write_json(&file, &groups, out),
            (_, true) => self.write_csv(&file, &groups, out),
            _ => self.write_text(&file, &groups, out),
        };
        written.map_err(|error| Failure::write("standard output", &error))
    }

    /// Returns the numbers of a group's selected cells.
    fn numbers(&self, file: &CountsFile, group: Group) -> Result<Vec<usize>, Failure> {
        let size = Cells::of(file, group).expect("the campaign counted it").counts.len();
        if self.cells.is_empty() {
            return Ok((0..size).collect());
        }
        let cell = |name: &CellName| name.cell(group, size, file.campaign());
        let cells = self.cells.iter().map(cell).collect::<Result<_, _>>();
        cells.map_err(|error| Failure::Usage(error.to_string()))
    }

    /// Returns the selected cells, group by group.
    fn cells<'a>(
        &'a self,
        file: &'a CountsFile,
        groups: &'a [Group],
    ) -> impl Iterator<Item = Cell> + 'a {
        groups.iter().flat_map(move |&group| {
            let cells = Cells::of(file, group).expect("the campaign counted it");
            let name = group.name(file.campaign());
            let numbers = self.numbers(file, group).expect("they were looked at before");
            numbers.into_iter().map(move |cell| Cell::of(name.clone(), cell, &cells))
        })
    }

    fn write_csv(&self, file: &CountsFile, groups: &[Group], out: impl Write) -> io::Result<()> {
        let mut csv = csv::WriterBuilder::new().has_headers(false).from_writer(out);
        csv.write_record([
            "group",
            "x",
            "y",
            "count",
            "trials",
            "probability",
            "chance",
            "relative_bias",
            "z",
        ])
        .map_err(write_error)?;
        for Cell { group, x, y, count, trials, probability, chance, relative_bias, z } in
            self.cells(file, groups)
        {
            let row = (group, x, y, count, trials, probability, chance, relative_bias, z);
            csv.serialize(row).map_err(write_error)?;
        }
        csv.flush()
    }

    fn write_json(&self, file: &CountsFile, groups: &[Group], out: impl Write) -> io::Result<()> {
        let mut json = serde_json::Serializer::pretty(out);
        json.collect_seq(self.cells(file, groups))?;
        let mut out = json.into_inner();
        out.write_all(b"\n")?;
        out.flush()
    }

    fn write_text(
        &self,
        file: &CountsFile,
        groups: &[Group],
        mut out: impl Write,
    ) -> io::Result<()> {
        // With several groups, each line names its group. The widths of columns are fixed, because
        // there may be millions of lines.
        let several = groups.len() > 1;
        if several {
            write!(out, "group              ")?;
        }
        writeln!(out, "cell              count   probability   relative bias         z")?;
        for cell in self.cells(file, groups) {
            let Cell { group, x, y, count, probability, relative_bias, z, .. } = cell;
            if several {
                write!(out, "{group:17}  ")?;
            }
            let cell = y.map_or_else(|| x.to_string(), |y| format!("{x},{y}"));
            let probability = optional(probability, |value| format!("{value:.9}"));
            let relative_bias = optional(relative_bias, |value| format!("{value:+.6}"));
            let z = optional(z, |value| format!("{value:+.2}"));
            writeln!(out, "{cell:7} {count:>15}   {probability:>11}   {relative_bias:>13} {z:>9}")?;
        }
        out.flush()
    }
}

/// Keeps the kind of an error: `io::Error::from` would hide a closed pipe.
fn write_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        _ => unreachable!("all rows have the columns of the head"),
    }
}

impl Cell {
    fn of(group: String, number: usize, cells: &Cells) -> Self {
        let pair = cells.counts.len() == 1 << 16;
        let proportion = cells.proportion(number);
        Self {
            group,
            x: if pair { number >> 8 } else { number },
            y: pair.then_some(number & 255),
            count: proportion.hits,
            trials: proportion.trials,
            probability: proportion.probability(),
            chance: proportion.chance,
            relative_bias: proportion.relative_bias(),
            z: proportion.z(),
        }
    }
}

/// The contents of a file, as JSON.
#[derive(Serialize)]
struct Summary<'a> {
    campaign: &'a arcfour_stats::campaign::Campaign,
    hash: String,
    shards: String,
    unfinished: bool,
    keystreams: u64,
    tables: Vec<Table>,
}

#[derive(Serialize)]
struct Table {
    kind: &'static str,
    groups: usize,
    cells: usize,
}

impl<'a> Summary<'a> {
    fn of(file: &'a CountsFile) -> Self {
        let table = |section: arcfour_stats::campaign::Section| Table {
            kind: section.kind.name(),
            groups: section.groups,
            cells: section.cells,
        };
        Self {
            campaign: file.campaign(),
            hash: file.campaign().hash(),
            shards: runs(file),
            unfinished: file.unfinished().is_some(),
            keystreams: file.keystreams(),
            tables: file.campaign().sections().into_iter().map(table).collect(),
        }
    }

    fn text(&self) -> String {
        let Self { campaign, hash, shards, keystreams, .. } = self;
        let unfinished = if self.unfinished { " (not complete)" } else { "" };
        let mut text = format!(
            "campaign    {hash}\nshards      {shards}{unfinished} of {}\nkeystreams  {keystreams}\nkey length  {}\n",
            campaign.shards(),
            campaign.key_length(),
        );
        if let Some(pattern) = campaign.key_pattern() {
            text += &format!("key pattern {}\n", pattern.name());
        }
        text += &format!("drop        {}\n", campaign.drop());
        for Table { kind, groups, cells } in &self.tables {
            text += &format!("{kind:11} {groups} groups of {cells} cells\n");
        }
        text
    }
}
