//! The record of a running search, and the file with the record.

use std::{
    ops::{ControlFlow, Range},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use arcfour_attacks::search::{Ended, MAX_MATCHES, Match, Record};
use arcfour_files::stop_on_signal;

use super::{merge, report::Report};
use crate::console::failure::Failure;

/// Time between two writes of the record.
const CHECKPOINT: Duration = Duration::from_secs(30);

/// The options for a record.
#[derive(clap::Args)]
pub(super) struct RecordArgs {
    /// Write to this file which keys were tried and which keys match, twice a minute and at the end
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Continue from the file of --record, if it exists
    #[arg(long, requires = "record", conflicts_with = "estimate")]
    resume: bool,
}

impl RecordArgs {
    /// Returns true if a record is kept.
    pub(super) fn is_kept(&self) -> bool {
        self.record.is_some()
    }

    /// Checks that the record can be a file.
    ///
    /// # Errors
    /// If it is to be standard output.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match self.record.as_deref() == Some(Path::new("-")) {
            true => Err(Failure::Usage(
                "--record - is standard output, which cannot be read again; give a file ('./-' if \
                 its name is -)"
                    .to_owned(),
            )),
            false => Ok(()),
        }
    }
}

/// The part of the keys that is searched, and the handling of matches.
pub(super) struct Goal {
    /// The numbers of the keys.
    pub(super) range: Range<u128>,
    /// True to continue after a match.
    pub(super) all: bool,
}

/// The state of a search beside its record.
pub(super) struct Kept<'a> {
    path: Option<PathBuf>,
    pub(super) goal: Goal,
    pub(super) report: &'a mut Report,
    stopped: Arc<AtomicBool>,
    written: Instant,
    failed: Option<Failure>,
    found: usize,
}

impl<'a> Kept<'a> {
    /// Returns the record so far, or `fresh` without a record, and its file.
    ///
    /// # Errors
    /// If the file cannot be read or written, or must not be used.
    pub(super) fn open(
        fresh: Record,
        args: RecordArgs,
        goal: Goal,
        report: &'a mut Report,
    ) -> Result<(Self, Record), Failure> {
        let mut record = fresh;
        if let Some(path) = &args.record
            && let Some(there) = merge::read_if_any(path)?
        {
            if !args.resume {
                return Err(Failure::Work(format!(
                    "the record '{}' exists; add --resume to go on from it, or choose another",
                    path.display()
                )));
            }
            record.check_search(&there).map_err(|error| merge::refused(path, &error))?;
            record = there;
        }
        let stopped = match args.record {
            Some(_) => stop_on_signal(),
            None => Arc::default(),
        };
        let written = Instant::now();
        let path = args.record;
        let kept = Self { path, goal, report, stopped, written, failed: None, found: 0 };
        kept.write(&record)?; // before the work, to check that the file can be written
        Ok((kept, record))
    }

    fn write(&self, record: &Record) -> Result<(), Failure> {
        self.path.as_ref().map_or(Ok(()), |path| merge::write(path, record, true))
    }

    /// Includes the matches of an earlier run.
    pub(super) fn begin(&mut self, record: &Record) -> ControlFlow<()> {
        let in_range = |(number, _): &&Match| self.goal.range.contains(number);
        let earlier: Vec<Match> = record.matches().iter().filter(in_range).cloned().collect();
        self.watch(record, &earlier)
    }

    /// Prints the matches just added to the record, only the first of all without `--all`, and the
    /// progress. Saves the record. Breaks if the search must stop.
    pub(super) fn watch(&mut self, record: &Record, added: &[Match]) -> ControlFlow<()> {
        if let Err(failure) = self.step(record, added) {
            self.failed = Some(failure);
            return ControlFlow::Break(());
        }
        match (self.found > 0 && !self.goal.all) || self.stopped.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn step(&mut self, record: &Record, added: &[Match]) -> Result<(), Failure> {
        for (number, key) in added {
            if self.found > 0 && !self.goal.all {
                break;
            }
            self.report.found(*number, key)?;
            self.found += 1;
        }
        self.report.progress(record, &self.goal.range)?;
        if self.path.is_some() && self.written.elapsed() >= CHECKPOINT {
            self.write(record)?;
            self.written = Instant::now();
        }
        Ok(())
    }

    /// Ends the search. Returns the number of keys found in the range.
    ///
    /// # Errors
    /// If the record or the output cannot be written, or the search stopped without a result.
    pub(super) fn end(self, record: &Record, ended: Ended) -> Result<usize, Failure> {
        self.write(record)?;
        self.report.end(record, &self.goal.range, ended)?;
        match ended {
            _ if self.failed.is_some() => Err(self.failed.expect("just seen")),
            Ended::TooManyMatches => Err(Failure::Work(format!(
                "more than {MAX_MATCHES} keys match: give more known plaintext"
            ))),
            // A search for one key ends when it has one.
            Ended::Stopped
                if self.stopped.load(Ordering::Relaxed) && (self.goal.all || self.found == 0) =>
            {
                Err(Failure::Work("stopped; --resume goes on".to_owned()))
            }
            _ => Ok(self.found),
        }
    }
}
