//! `arcfour bias show`

use std::{
    io::{BufWriter, Write, stdout},
    path::PathBuf,
};

use arcfour_stats::{
    file::CountsFile,
    measure::{CellName, Cells, Group, Measure, Selection},
};
use serde::Serialize;

use super::{read, runs};
use crate::failure::Failure;

/// Print what a file of counts holds
///
/// Each cell with its count, probability, bias relative to chance, and z-score. Chance is
/// uniformity for single bytes, and independence of the two bytes for pairs.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour bias show all.cnt single:2
  arcfour bias show all.cnt single:1-256 --csv
  arcfour bias show all.cnt long-term --cell 255,i+2 --json")]
pub(super) struct Args {
    /// The file of counts
    file: PathBuf,
    /// Which cells: single:R, digraph:R, pair:A,B, equal:A,B, long-term:I, absab:G, roos:Y,
    /// roos-output or glimpse:R; a run as in single:1-256; all as in single [default: a summary of
    /// the file]
    groups: Option<Selection>,
    /// Only this cell of each group: a byte, or two bytes X,Y of a pair, each a number or as far
    /// from i as in i+1; of equalities 1 (equal) or 0. May be given several times
    #[arg(long = "cell", value_name = "VALUE", requires = "groups", allow_hyphen_values = true)]
    cells: Vec<CellName>,
    /// Comma-separated values; x and y are the bytes, y is empty where there is one
    #[arg(long, requires = "groups")]
    csv: bool,
    /// JSON: one object for the summary, or an array with one object for each cell
    #[arg(long, conflicts_with = "csv")]
    json: bool,
}

/// A cell, as it is printed.
#[derive(Serialize)]
struct Row {
    group: String,
    x: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    y: Option<usize>,
    count: u64,
    trials: u64,
    probability: f64,
    chance: f64,
    relative_bias: f64,
    z: f64,
}

/// How rows are written.
trait Form {
    fn head(&self) -> &'static str;
    fn row(&self, first: bool, row: &Row) -> String;
    fn end(&self) -> &'static str;
}

struct Text {
    /// Several groups: each row says which.
    named: bool,
}

struct Csv;

struct Json;

impl Form for Text {
    fn head(&self) -> &'static str {
        if self.named {
            "group              cell              count   probability   relative bias         z\n"
        } else {
            "cell              count   probability   relative bias         z\n"
        }
    }

    fn row(&self, _: bool, row: &Row) -> String {
        let Row { group, x, count, probability, relative_bias, z, .. } = row;
        let cell = row.y.map_or_else(|| x.to_string(), |y| format!("{x},{y}"));
        let group = if self.named { format!("{group:17}  ") } else { String::new() };
        format!(
            "{group}{cell:7} {count:>15}   {probability:.9}   {relative_bias:>+13.6} {z:>+9.2}\n"
        )
    }

    fn end(&self) -> &'static str {
        ""
    }
}

impl Form for Csv {
    fn head(&self) -> &'static str {
        "group,x,y,count,trials,probability,chance,relative_bias,z\n"
    }

    fn row(&self, _: bool, row: &Row) -> String {
        let Row { group, x, count, trials, probability, chance, relative_bias, z, .. } = row;
        let quote = if group.contains(',') { "\"" } else { "" };
        let y = row.y.map_or_else(String::new, |y| y.to_string());
        format!(
            "{quote}{group}{quote},{x},{y},{count},{trials},{probability},{chance},{relative_bias},{z}\n"
        )
    }

    fn end(&self) -> &'static str {
        ""
    }
}

impl Form for Json {
    fn head(&self) -> &'static str {
        "["
    }

    fn row(&self, first: bool, row: &Row) -> String {
        let row = serde_json::to_string(row).expect("it is valid JSON");
        format!("{}\n  {row}", if first { "" } else { "," })
    }

    fn end(&self) -> &'static str {
        "\n]\n"
    }
}

impl Args {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let file = read(&self.file)?;
        let Some(selection) = &self.groups else {
            let summary = Summary::of(&file);
            return match self.json {
                true => super::json(&summary),
                false => super::super::print(summary.text().as_bytes()),
            };
        };
        let groups = selection.groups(&file.campaign).map_err(Failure::Usage)?;
        let form: &dyn Form = match (self.json, self.csv) {
            (true, _) => &Json,
            (_, true) => &Csv,
            _ => &Text { named: groups.len() > 1 },
        };
        let mut out = BufWriter::with_capacity(1 << 16, stdout().lock());
        self.print(&file, &groups, form, &mut out)
    }

    fn print(
        &self,
        file: &CountsFile,
        groups: &[Group],
        form: &dyn Form,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let mut write = |text: &str| {
            let written = out.write_all(text.as_bytes());
            written.map_err(|error| Failure::write("standard output", &error))
        };
        let mut first = true;
        for &group in groups {
            let cells = Cells::of(file, group).expect("the campaign counted it");
            let size = cells.counts.len();
            let named = self.cells.iter().map(|name| name.cell(group, size, &file.campaign));
            let named = named.collect::<Result<Vec<_>, _>>().map_err(Failure::Usage)?;
            let all = if named.is_empty() { 0..size } else { 0..0 };
            for cell in all.chain(named) {
                if first {
                    write(form.head())?;
                }
                write(&form.row(first, &row(file, group, cell, size, cells.measure(cell))))?;
                first = false;
            }
        }
        write(form.end())?;
        out.flush().map_err(|error| Failure::write("standard output", &error))
    }
}

fn row(file: &CountsFile, group: Group, cell: usize, size: usize, measure: Measure) -> Row {
    let pair = size == 1 << 16;
    Row {
        group: group.name(&file.campaign),
        x: if pair { cell >> 8 } else { cell },
        y: pair.then_some(cell & 255),
        count: measure.hits,
        trials: measure.trials,
        probability: measure.probability(),
        chance: measure.chance,
        relative_bias: measure.relative_bias(),
        z: measure.z(),
    }
}

/// What a file is of.
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
            campaign: &file.campaign,
            hash: file.campaign.hash(),
            shards: runs(file),
            unfinished: file.unfinished.is_some(),
            keystreams: file.keystreams(),
            tables: file.campaign.sections().into_iter().map(table).collect(),
        }
    }

    fn text(&self) -> String {
        let Self { campaign, hash, shards, keystreams, .. } = self;
        let unfinished = if self.unfinished { " (not complete)" } else { "" };
        let mut text = format!(
            "campaign    {hash}\nshards      {shards}{unfinished} of {}\nkeystreams  {keystreams}\nkey length  {}\ndrop        {}\n",
            campaign.shards, campaign.key_length, campaign.drop,
        );
        for Table { kind, groups, cells } in &self.tables {
            text += &format!("{kind:10}  {groups} groups of {cells} cells\n");
        }
        text
    }
}
