//! `arcfour families`

use std::ops::RangeInclusive;

use arcfour::Family;
use serde::Serialize;

use crate::console::{failure::Failure, output::print, table::table};

/// List the families of ciphers, with the known attacks
#[derive(clap::Args)]
#[command(after_help = "\
Keys and IVs have 1 to 256 bytes. A fast family has separate backends (`arcfour backends`). The other families are \
computed by their definition, one byte at a time.

`crypt`, `keystream` and `find` take changed RC4s: `--variant 'NAME=VALUE, ...'`. The values in brackets are RC4's.

  size            i and j count modulo N, 2 to 4096 [256]
  table           entries of the table T, N to 4096; the key schedule uses all [N]
  fill            entry i before the key schedule [i]
  passes          number of passes of the key schedule over the table, 1 to 64 [1]
  schedule        the next j of the key schedule [j+T[i]+K[i]]
  schedule-swap   swap; none; half: only T[i] = T[j]; xor: zero if i = j [swap]
  start-i start-j i and j before the first byte [0]
  step-i step-j   the next i, then the next j [i+1] [j+T[i]]
  swap            as schedule-swap, for each byte [swap]
  output          the byte of keystream, k [T[(T[i]+T[j])%N]]
  apply           the byte written for the byte x that is read [x^k]

Expressions have the operators | ^ & << >> + - * % ~ of C, and numbers such as 10 or 0x0a. The variables are i, j, \
n (bytes made before), L (length of the key), N, the table T and the key K. `rc4` is RC4. `arcfour attack variant` \
finds the changes.

Examples:
  arcfour families
  arcfour crypt --variant 'size=128, output=T[(T[i]+T[j])%N]^0x55' --key Quentin c2.bin
  arcfour families --json | jq -r '.[] | select(.fast) | .name'")]
pub struct Args {
    /// Print a JSON array, one object per family, instead of a table
    #[arg(long)]
    json: bool,
}

/// The range of the length of a key or an IV, in bytes.
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
