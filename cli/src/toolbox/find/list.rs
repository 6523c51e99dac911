//! Keys from a list.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read, stdin},
    num::NonZero,
    path::{Path, PathBuf},
    thread,
};

use arcfour::MAX_KEY;
use arcfour_attacks::search::KeyTest;
use arcfour_formats::text::decode_hex;
use clap::ValueEnum;

use super::report::Report;
use crate::failure::Failure;

/// Keys tested at a time, over all threads.
const BATCH: usize = 1 << 16;
/// Longest line: a key as hexadecimal digits, and a line end.
const MAX_LINE: u64 = 2 * MAX_KEY as u64 + 2;

/// Where the keys come from, if they are listed.
#[derive(clap::Args)]
pub(super) struct ListArgs {
    /// Try the lines of this file; - is standard input
    #[arg(long, value_name = "FILE", help_heading = "Key (one of mask, length, list)")]
    keys: Option<PathBuf>,
    /// What a line of the list is
    #[arg(
        long,
        value_enum,
        value_name = "KIND",
        default_value = "text",
        requires = "keys",
        help_heading = "Key (one of mask, length, list)"
    )]
    keys_are: Lines,
}

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Lines {
    /// The bytes of the key, without the line end
    Text,
    /// The key as hexadecimal digits
    Hex,
}

/// An open list.
pub(super) struct List {
    lines: Box<dyn BufRead>,
    are: Lines,
    name: String,
    number: u64,
}

impl ListArgs {
    /// Whether the keys come from standard input.
    pub(super) fn is_stdin(&self) -> bool {
        self.keys.as_deref() == Some(Path::new("-"))
    }

    /// The list, if there is one.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(super) fn open(self) -> Result<Option<List>, Failure> {
        let Some(path) = self.keys else { return Ok(None) };
        let (lines, name): (Box<dyn BufRead>, _) = if path == Path::new("-") {
            (Box::new(stdin().lock()), "standard input".to_owned())
        } else {
            let name = format!("'{}'", path.display());
            let file = File::open(&path).map_err(|error| Failure::read(&name, &error))?;
            (Box::new(BufReader::with_capacity(1 << 20, file)), name)
        };
        Ok(Some(List { lines, are: self.keys_are, name, number: 0 }))
    }
}

impl List {
    /// The next key; none at the end of the list. Empty lines are passed over.
    fn next(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        loop {
            let mut line = vec![];
            let read = (&mut self.lines).take(MAX_LINE + 1).read_until(b'\n', &mut line);
            if read.map_err(|error| Failure::read(&self.name, &error))? == 0 {
                return Ok(None);
            }
            self.number += 1;
            let end = line.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n'));
            line.truncate(end.map_or(0, |last| last + 1));
            let at = || format!("line {} of {}", self.number, self.name);
            let key = match self.are {
                Lines::Text => line,
                Lines::Hex => decode_hex(&line)
                    .map_err(|error| Failure::Work(format!("{}: {error}", at())))?,
            };
            if key.len() > MAX_KEY {
                return Err(Failure::Work(format!(
                    "{} is a key of more than {MAX_KEY} bytes",
                    at()
                )));
            }
            if !key.is_empty() {
                return Ok(Some(key));
            }
        }
    }

    /// Tests every key of the list.
    ///
    /// # Errors
    /// If the list cannot be read, or no key matches.
    pub(super) fn search(
        mut self,
        test: &KeyTest,
        threads: NonZero<usize>,
        all: bool,
        report: &mut Report,
    ) -> Result<(), Failure> {
        let (mut tried, mut found) = (0u64, 0u64);
        loop {
            let mut keys = Vec::with_capacity(BATCH);
            while keys.len() < BATCH
                && let Some(key) = self.next()?
            {
                keys.push(key);
            }
            let passes = |key: &Vec<u8>| test.passes(key).expect("its length was checked");
            let share = keys.len().div_ceil(threads.get()).max(1);
            let work = |keys: &[Vec<u8>]| {
                keys.iter().filter(|key| passes(key)).cloned().collect::<Vec<_>>()
            };
            let work = &work;
            let passed: Vec<Vec<u8>> = thread::scope(|scope| {
                let spawn = |keys| {
                    let spawned = thread::Builder::new().spawn_scoped(scope, move || work(keys));
                    spawned.map_err(|_| keys)
                };
                let spawned: Vec<_> = keys.chunks(share).map(spawn).collect();
                // Where the system gives no thread, this one does the work.
                let results = spawned.into_iter().map(|spawned| match spawned {
                    Ok(thread) => thread.join().expect("a test does not panic"),
                    Err(keys) => work(keys),
                });
                results.flatten().collect()
            });
            for key in passed {
                report.found(u128::from(tried), &key)?;
                found += 1;
                if !all {
                    return Ok(());
                }
            }
            tried += keys.len() as u64;
            if keys.len() < BATCH {
                break;
            }
        }
        match found {
            0 => Err(Failure::Work(format!("no key matches: {tried} of {} were tried", self.name))),
            _ => Ok(()),
        }
    }
}
