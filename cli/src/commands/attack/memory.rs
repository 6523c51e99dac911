//! `arcfour attack memory`

use std::{
    collections::{HashMap, HashSet},
    io,
    path::PathBuf,
    time::Instant,
};

use arcfour_attacks::{
    memory::{ELSEWHERE, Opened, Stream, Table, scan},
    state::MAX_LENGTH,
};
use data_encoding::HEXLOWER;
use serde_json::json;

use crate::console::{
    failure::Failure,
    input::Input,
    output::print,
    progress::Waiting,
    say::say,
    size::{self, within},
};

/// Find RC4 states in a memory dump, and their keys
///
/// Reads a core file or any other image of memory once, and looks for tables of 256 different
/// values with RC4's indexes beside them. Rewinds each table to its key schedule and finds the key.
/// A key proves that the table is RC4's. Without a key, a state is reported as likely if its table
/// and indexes are words of 32 or 64 bits, as in OpenSSL. libgcrypt and the Linux kernel keep
/// different values of i at one place. Without a key both readings are printed.
///
/// Entries may be bytes, words of 16, 32 or 64 bits, small integers of V8, or pointers of a CPython
/// list (3.11 and later). Java, C#, JavaScript and Python keep the indexes in another object:
/// --all-indexes tries all 65,536 pairs for such tables. From a state, with or without its key,
/// `arcfour attack decrypt` decrypts the data before and after it.
///
/// For memory of your own, and for forensics with permission.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  gcore -o core 1234; arcfour attack memory core.1234
  arcfour crypt --key-hex 0102030405 captured > plain
  arcfour attack memory ram.img --key-length 16 --rewind 16MiB --json > states
  arcfour attack decrypt --state states captured -o plain --plain '47 45 54 20 2f'

Exit code 0: a state was found. Exit code 1: no state was found, or the work failed.

Sources: E. Biham, Y. Carmeli, FSE 2008; G. Paul, S. Maitra, SAC 2007.")]
pub(super) struct Args {
    /// The dump, or - for standard input
    #[arg(value_name = "DUMP")]
    dump: PathBuf,
    /// Lengths of the keys in bytes, 1 to 32, separated by commas
    #[arg(long, value_name = "N", default_value = "5,13,16", value_delimiter = ',',
        allow_negative_numbers = true, value_parser = within(1..=MAX_LENGTH as u64))]
    key_length: Vec<u64>,
    /// Rewind each table at most SIZE bytes of keystream to its key schedule, up to 1 GiB
    #[arg(long, value_name = "SIZE", alias = "produced", default_value = "1MiB", value_parser = rewind)]
    rewind: u64,
    /// Also try all indexes i and j for a table without indexes beside it. Finds a state if its
    /// stream made at most SIZE bytes before the dump, up to 64 KiB. Takes seconds for each 256
    /// bytes, table and key length
    #[arg(long, value_name = "SIZE", alias = "anywhere", value_parser = rewind_all)]
    all_indexes: Option<u64>,
    /// Test at most N keys for each length and each possible beginning, 1 to 1048576
    #[arg(long, value_name = "N", alias = "tests", default_value = "16384", allow_negative_numbers = true,
        value_parser = within(1..=1_u64 << 20))]
    max_keys: u64,
    /// Print a line of JSON for each state, with its table, and one at the end
    #[arg(long)]
    json: bool,
}

/// Reads a number of bytes of keystream.
pub(super) fn rewind(text: &str) -> Result<u64, String> {
    size::parse(text)
        .and_then(|bytes| (bytes <= 1 << 30).then_some(bytes).ok_or("more than 1 GiB".to_owned()))
}

fn rewind_all(text: &str) -> Result<u64, String> {
    size::parse(text)
        .and_then(|bytes| (bytes <= 1 << 16).then_some(bytes).ok_or("more than 64 KiB".to_owned()))
}

/// Maximum number of remembered tables, so that a dump full of tables does not take all memory.
const TABLES: usize = 1 << 16;
/// Maximum number of index pairs tried with one table. A constant has other bytes beside it at each
/// of its places.
const INDEXES: usize = 8;

/// Returns the failure of the scan, which may be a failure of reading.
enum Stopped {
    Read(io::Error),
    Failed(Failure),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut dump = Input::open(&self.dump)?;
        let name = dump.name().to_owned();
        let start = Instant::now();
        let mut waiting = Waiting::new("reading", dump.size().unwrap_or(0));
        let mut search = Search {
            lengths: self.key_length.iter().map(|&length| length as usize).collect(),
            args: &self,
            tried: HashMap::new(),
            tables: 0,
            elsewhere: HashSet::new(),
            states: 0,
        };
        let found = |table| search.look_at(&table).map_err(Stopped::Failed);
        let size = scan(&mut dump, found, |bytes| {
            waiting.advance(bytes);
            Ok(())
        });
        drop(waiting);
        let size = size.map_err(|stopped| match stopped {
            Stopped::Read(error) => Failure::read(&name, &error),
            Stopped::Failed(failure) => failure,
        })?;
        let (tables, states) = (search.tables, search.states);
        if self.json {
            let seconds = start.elapsed().as_secs_f64();
            let end = json!({
                "event": "end", "bytes": size, "tables": tables, "states": states, "seconds": seconds,
            });
            print(format!("{end}\n").as_bytes())?;
        }
        if states > 0 {
            return Ok(());
        }
        Err(Failure::Work(match tables {
            0 => format!(
                "no RC4 state in {name}: {size} bytes hold no table of 256 different values"
            ),
            _ => format!(
                "no RC4 state in {name}: {tables} different tables of 256 values, and no key of {} bytes, \
                 one of the {} likeliest, gives one of them within {} bytes of keystream{}",
                self.key_length.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
                self.max_keys,
                self.rewind,
                match self.all_indexes {
                    None =>
                        "; --all-indexes tries tables whose indexes are elsewhere, as in Java and Python",
                    Some(_) => "",
                }
            ),
        }))
    }
}

struct Search<'a> {
    lengths: Vec<usize>,
    args: &'a Args,
    /// The indexes tried with each table, because a dump repeats the same constants.
    tried: HashMap<[u8; 256], HashSet<(u8, u8)>>,
    tables: usize,
    /// The tables for which all indexes were tried.
    elsewhere: HashSet<[u8; 256]>,
    states: usize,
}

impl Search<'_> {
    fn look_at(&mut self, table: &Table) -> Result<(), Failure> {
        if self.tried.len() == TABLES {
            self.tried.clear();
        }
        let tried = self.tried.entry(table.s).or_insert_with(|| {
            self.tables += 1;
            HashSet::new()
        });
        let fresh = |stream: &Stream| tried.len() < INDEXES && tried.insert((stream.i, stream.j));
        let streams: Vec<Stream> = table.streams().filter(fresh).collect();
        let mut likely = vec![];
        for stream in streams {
            let found = stream.find_key(&self.lengths, self.args.rewind, self.args.max_keys);
            if let Some(opened) = found {
                return self.report(table, &[stream], Some(opened));
            }
            if stream.is_likely() {
                likely.push(stream);
            }
        }
        // The bytes after a table of Java resemble indexes, so a likely state is no reason to stop.
        if let Some(most) = self.args.all_indexes
            && self.elsewhere.len() < TABLES
            && self.elsewhere.insert(table.s)
            && let Some((stream, opened)) =
                table.find_key_anywhere(&self.lengths, most, self.args.max_keys)
        {
            return self.report(table, &[stream], Some(opened));
        }
        match likely.len() {
            0 => Ok(()),
            _ => self.report(table, &likely, None),
        }
    }

    /// Prints a state with its key, or each likely reading of its indexes.
    fn report(
        &mut self,
        table: &Table,
        readings: &[Stream],
        opened: Option<Opened>,
    ) -> Result<(), Failure> {
        self.states += 1;
        if opened.is_none() && !self.args.json {
            let use_it = match readings.len() {
                1 => "`arcfour attack decrypt` uses it without".to_owned(),
                n => format!(
                    "its indexes have {n} readings, and `arcfour attack decrypt --plain` finds the right one"
                ),
            };
            say(&format!("likely a state, but no key found at {:#x}; {use_it}", table.offset));
        }
        readings.iter().try_for_each(|stream| self.print(table, stream, opened.as_ref()))
    }

    fn print(
        &self,
        table: &Table,
        stream: &Stream,
        opened: Option<&Opened>,
    ) -> Result<(), Failure> {
        let (i, j) = (stream.i, stream.j);
        let layout = match *stream.layout == ELSEWHERE {
            true => format!("{}, {}", table.entry.name(), stream.layout.name),
            false => stream.layout.name.to_owned(),
        };
        let key = opened.map(|opened| HEXLOWER.encode(&opened.key));
        let produced = opened.map(|opened| opened.produced);
        if self.args.json {
            let line = json!({
                "event": "state", "offset": table.offset, "layout": layout, "entry": table.entry.bytes(),
                "stored": table.entry.name(),
                "i": i, "j": j, "table": HEXLOWER.encode(&stream.s), "key": key,
                "produced": produced,
            });
            return print(format!("{line}\n").as_bytes());
        }
        let at = table.offset;
        match (key, produced) {
            (Some(key), Some(produced)) => print(
                format!("{at:#012x}  {layout}, i {i}, j {j}, {produced} bytes made, key {key}\n")
                    .as_bytes(),
            ),
            _ => print(format!("{at:#012x}  {layout}, i {i}, j {j}, no key\n").as_bytes()),
        }
    }
}
