//! Tries keys or passwords from a list, numbered by their lines.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Cursor, Read, stdin},
    mem,
    num::NonZero,
    ops::{ControlFlow, Range},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use arcfour::MAX_KEY;
use arcfour_attacks::search::{Ended, KeyTest, MAX_MATCHES, Match, Record};
use arcfour_formats::text::decode_hex;
use clap::ValueEnum;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::{
    kept::{Goal, Kept, RecordArgs},
    left_out::LeftOut,
    report::Report,
};
use crate::console::{failure::Failure, secret::without_mark};

/// First and maximum number of lines of a batch, for all threads. The number is doubled while a
/// batch takes little time.
const BATCH: Range<u64> = 1 << 10..1 << 16;
/// Approximate duration of a batch, and interval of progress and signal checks.
const LONG_ENOUGH: Duration = Duration::from_millis(100);
/// Maximum length of a line: a key as hexadecimal digits in `$HEX[]`, and a line end.
const MAX_LINE: u64 = 2 * MAX_KEY as u64 + 8;

/// The options for a list of keys.
#[derive(clap::Args)]
pub(super) struct ListArgs {
    /// Try the lines of this file as keys; - is standard input. Lines that cannot be keys are
    /// skipped
    #[arg(long, value_name = "FILE", help_heading = "Key (one of mask, length, list)")]
    keys: Option<PathBuf>,
    /// The form of the list's lines
    #[arg(
        long,
        alias = "keys-are",
        value_enum,
        value_name = "KIND",
        default_value = "text",
        requires = "keys",
        conflicts_with_all = ["key_mask", "key_length", "keys_in", "passwords", "password_mask", "estimate", "shard", "device"],
        help_heading = "Key (one of mask, length, list)"
    )]
    keys_format: Lines,
    /// Try the lines of this file as passwords of the document; - is standard input
    ///
    /// A line is text without the line end; `$HEX[41ff]` stands for bytes. Empty lines, and lines
    /// of more than 256 bytes, are skipped; for Office files also lines that are not UTF-8.
    #[arg(
        long,
        value_name = "FILE",
        requires = "document",
        help_heading = "Password (of --pdf or --office)"
    )]
    passwords: Option<PathBuf>,
}

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Lines {
    /// The bytes of the key, without the line end; `$HEX[41ff]` stands for bytes, as for hashcat and john
    Text,
    /// The key as hexadecimal digits
    Hex,
    /// As Text, a password
    #[value(skip)]
    Password,
    /// A password that has to be UTF-8
    #[value(skip)]
    Utf8Password,
}

/// An open list.
pub(super) struct List {
    lines: Box<dyn BufRead>,
    are: Lines,
    name: String,
    /// Lines read.
    read: u64,
    /// The result of a first pass over a list that can be read twice.
    whole: Option<Whole>,
    left_out: LeftOut,
}

/// The totals of a list.
struct Whole {
    lines: u64,
    sum: [u8; 32],
}

impl ListArgs {
    fn path(&self) -> Option<&Path> {
        self.keys.as_deref().or(self.passwords.as_deref())
    }

    /// Returns true if the keys come from standard input.
    pub(super) fn is_stdin(&self) -> bool {
        self.path() == Some(Path::new("-"))
    }

    /// Returns true if the lines are passwords.
    pub(super) fn is_of_passwords(&self) -> bool {
        self.passwords.is_some()
    }

    /// Opens the list, if there is one. A file is first read once to count its lines.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn open(self, utf8_passwords: bool) -> Result<Option<List>, Failure> {
        let are = match (&self.passwords, utf8_passwords) {
            (None, _) => self.keys_format,
            (Some(_), false) => Lines::Password,
            (Some(_), true) => Lines::Utf8Password,
        };
        let Some(path) = self.path() else { return Ok(None) };
        let buffered = |file| BufReader::with_capacity(1 << 20, file);
        let mut whole = None;
        let (lines, name): (Box<dyn BufRead>, _) = if self.is_stdin() {
            (Box::new(stdin().lock()), "standard input".to_owned())
        } else {
            let name = format!("'{}'", path.display());
            let failed = |error| Failure::read(&name, &error);
            let file = File::open(path).map_err(failed)?;
            // A pipe can be read only once.
            if file.metadata().map_err(failed)?.is_file() {
                let first = File::open(path).map_err(failed)?;
                whole = Some(Whole::read(buffered(first)).map_err(failed)?);
            }
            (Box::new(buffered(file)), name)
        };
        let left_out = LeftOut::default();
        Ok(Some(List { lines, are, name, read: 0, whole, left_out }))
    }
}

impl Whole {
    fn read(mut from: impl BufRead) -> io::Result<Self> {
        let (mut lines, mut sum, mut last) = (0, Sha256::new(), b'\n');
        loop {
            let bytes = from.fill_buf()?;
            let Some(&end) = bytes.last() else { break };
            lines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
            sum.update(bytes);
            last = end;
            let len = bytes.len();
            from.consume(len);
        }
        // The last line may lack a line end.
        Ok(Self { lines: lines + u64::from(last != b'\n'), sum: sum.finalize().into() })
    }
}

impl List {
    /// Leaves out a byte order mark.
    ///
    /// # Errors
    /// If the list cannot be read, or its first line is no text.
    fn begin(&mut self) -> Result<(), Failure> {
        let mut first = vec![];
        let read = (&mut self.lines).take(MAX_LINE + 1).read_until(b'\n', &mut first);
        read.map_err(|error| Failure::read(&self.name, &error))?;
        let first = without_mark(&first, &self.name)?.to_vec();
        let rest = mem::replace(&mut self.lines, Box::new(io::empty()));
        self.lines = Box::new(Cursor::new(first).chain(rest));
        Ok(())
    }

    /// Returns the keys in the next lines, at most `count`, by number from 0. Counts lines that
    /// cannot be keys.
    fn batch(&mut self, count: u64) -> Result<Vec<Match>, Failure> {
        let mut keys = vec![];
        for _ in 0..count {
            let mut line = vec![];
            let failed = |error| Failure::read(&self.name, &error);
            let mut start = (&mut self.lines).take(MAX_LINE + 1);
            if start.read_until(b'\n', &mut line).map_err(failed)? == 0 {
                break;
            }
            if line.len() as u64 > MAX_LINE && line.last() != Some(&b'\n') {
                self.lines.skip_until(b'\n').map_err(failed)?;
            }
            self.read += 1;
            let end = line.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n'));
            line.truncate(end.map_or(0, |last| last + 1));
            match self.are.key(line) {
                Ok(key) => keys.push((u128::from(self.read - 1), key)),
                Err(why) => self.left_out.count(why, self.read),
            }
        }
        Ok(keys)
    }

    /// Makes the record of a search that has not begun.
    fn record(&self, test: &KeyTest) -> Record {
        let (lines, sum) = match &self.whole {
            Some(whole) => (whole.lines.max(1), HEXLOWER.encode(&whole.sum)),
            None => (u64::MAX, String::new()),
        };
        let are = match self.are {
            Lines::Text => "text",
            Lines::Hex => "hex",
            Lines::Password | Lines::Utf8Password => "passwords",
        };
        Record::of_list(test, &format!("list of {are} {sum}"), lines)
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
        record: RecordArgs,
        report: &mut Report,
    ) -> Result<(), Failure> {
        if record.is_kept() && self.whole.is_none() {
            return Err(Failure::Usage(format!(
                "--record needs a list that can be read again; {} can be read only once",
                self.name
            )));
        }
        self.begin()?;
        report.begin_list(&self.name, self.whole.as_ref().map(|whole| whole.lines), test)?;
        let fresh = self.record(test);
        let range = 0..fresh.keys();
        let (mut kept, mut record) = Kept::open(fresh, record, Goal { range, all }, report)?;
        let ended = match kept.begin(&record) {
            ControlFlow::Continue(()) => self.search_from(test, threads, &mut kept, &mut record),
            ControlFlow::Break(()) => Ok(Ended::Stopped),
        };
        // After any failure the record of tested keys is saved.
        let said = kept.report.left_out(&self.left_out, &self.name);
        let found = kept.end(&record, ended.as_ref().map_or(Ended::Stopped, |ended| *ended));
        ended.and(said)?;
        match found? {
            0 => {
                let tried = self.read - self.left_out.lines();
                let none = match test.is_of_passwords() {
                    true => "no password opens it",
                    false => "no key matches",
                };
                Err(Failure::Work(format!("{none}: {tried} of {} were tried", self.name)))
            }
            _ => Ok(()),
        }
    }

    /// Tests the keys that the record does not cover yet.
    fn search_from(
        &mut self,
        test: &KeyTest,
        threads: NonZero<usize>,
        kept: &mut Kept,
        record: &mut Record,
    ) -> Result<Ended, Failure> {
        let mut size = BATCH.start;
        loop {
            let first = self.read;
            let mut keys = self.batch(size)?;
            let whole = self.whole.as_ref().map(|whole| whole.lines);
            let at_end = self.read == first;
            if whole.is_some_and(|lines| self.read > lines || (at_end && self.read < lines)) {
                return Err(Failure::Work(format!("{} changed while it was read", self.name)));
            }
            if at_end {
                return Ok(Ended::Complete);
            }
            let lines = u128::from(first)..u128::from(self.read);
            let mut missing = record.missing(lines.clone());
            keys.retain(|(line, _)| missing.iter().any(|part| part.contains(line)));
            let start = Instant::now();
            let mut passed = passing(&keys, test, threads);
            if start.elapsed() < LONG_ENOUGH {
                size = (2 * size).min(BATCH.end);
            } else {
                size = (size / 2).max(threads.get() as u64);
            }
            if let (false, Some((line, _))) = (kept.goal.all, passed.first()) {
                // The first key is enough, so the keys after it count as not tried.
                missing = record.missing(lines.start..line + 1);
                passed.truncate(1);
            }
            for part in missing {
                let passed = passed.iter().filter(|(line, _)| part.contains(line)).cloned();
                record.add(part.clone(), passed).expect("it was missing");
            }
            if kept.watch(record, &passed).is_break() {
                return Ok(Ended::Stopped);
            }
            if record.matches().len() > MAX_MATCHES {
                return Ok(Ended::TooManyMatches);
            }
        }
    }
}

impl Lines {
    /// Returns the key in a line, or the reason for which it has no key.
    fn key(self, line: Vec<u8>) -> Result<Vec<u8>, String> {
        let key = match self {
            Self::Text | Self::Password | Self::Utf8Password => bytes_of_text(line),
            Self::Hex => {
                decode_hex(&line).map_err(|error| format!("not hexadecimal digits ({error})"))?
            }
        };
        match key.len() {
            0 => Err("empty".to_owned()),
            _ if self == Self::Utf8Password && str::from_utf8(&key).is_err() => {
                Err("not UTF-8".to_owned())
            }
            1..=MAX_KEY => Ok(key),
            _ if self == Self::Text || self == Self::Hex => {
                Err(format!("a key of more than {MAX_KEY} bytes"))
            }
            _ => Err(format!("a password of more than {MAX_KEY} bytes")),
        }
    }
}

/// Returns the text, or the bytes of `$HEX[...]` if its contents are hexadecimal digits.
fn bytes_of_text(line: Vec<u8>) -> Vec<u8> {
    let digits = line.strip_prefix(b"$HEX[").and_then(|rest| rest.strip_suffix(b"]"));
    digits.and_then(|digits| data_encoding::HEXLOWER_PERMISSIVE.decode(digits).ok()).unwrap_or(line)
}

/// Returns the keys that pass, in order.
fn passing(keys: &[Match], test: &KeyTest, threads: NonZero<usize>) -> Vec<Match> {
    let work = |keys: &[Match]| {
        let bytes: Vec<&[u8]> = keys.iter().map(|(_, key)| &key[..]).collect();
        let passed = test.passing(&bytes).expect("its length was checked when it was read");
        passed.into_iter().map(|n| keys[n].clone()).collect::<Vec<_>>()
    };
    let work = &work;
    let share = keys.len().div_ceil(threads.get()).max(1);
    thread::scope(|scope| {
        let spawn = |keys| {
            let spawned = thread::Builder::new().spawn_scoped(scope, move || work(keys));
            spawned.map_err(|_| keys)
        };
        let spawned: Vec<_> = keys.chunks(share).map(spawn).collect();
        // If the system refuses a thread, the calling thread does the work.
        let results = spawned.into_iter().map(|spawned| match spawned {
            Ok(thread) => thread.join().expect("a test does not panic"),
            Err(keys) => work(keys),
        });
        results.flatten().collect()
    })
}
