//! `arcfour survey`

mod files;
mod shown;

use std::{
    io::{IsTerminal, stderr},
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    thread,
    time::Duration,
};

use arcfour_files::stop_on_signal;
use arcfour_survey::{Options, Outcome, Watch, estimate, report, survey};
use indicatif::{ProgressBar, ProgressStyle};

use crate::console::{
    failure::Failure,
    output::{despite_closed_pipe, print},
    say::say,
    size,
};

/// Interval of progress updates.
const TICK: Duration = Duration::from_millis(100);

/// Find RC4 in files, captures, keys, logs, configuration and programs
///
/// Examines every file under the given paths, and prints each place of RC4 with its severity and
/// remedy. Links are not followed, and other file systems are not entered. Ctrl-C ends the survey
/// with the findings so far.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour survey /srv/archive capture.pcapng /etc krb5.keytab Security.evtx
  arcfour survey --check --sarif rc4.sarif .
  arcfour survey --cbom rc4.cdx.json --html rc4.html /usr /etc
  arcfour survey --json /srv | jq -r 'select(.severity == \"high\") | .path'

Severity high: RC4 is in use, or protects nothing. Medium: RC4 is offered or allowed, or protects data at rest. Low: \
RC4 may be used.

A capture shows what its hosts did, not what they can do. Each report lists the limits of the survey.

Exit code 0: the survey is complete, with or without findings. Exit code 1: --check found something, a given path \
can't be read, a report can't be written, or the survey was stopped.")]
pub struct Args {
    /// Files and folders
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Exit with 1 if something was found
    #[arg(long)]
    check: bool,
    /// Enter archives in archives, N deep; 0 enters none
    #[arg(long, value_name = "N", alias = "archives", default_value = "1", value_parser = size::within(0..=16_u16), allow_negative_numbers = true)]
    archive_depth: u16,
    /// Enter folders on other file systems too
    #[arg(long)]
    cross_file_systems: bool,
    /// Print lines of JSON: each finding, and the end
    #[arg(long)]
    json: bool,
    /// Write SARIF 2.1.0 to FILE; - is standard output, without the table
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Write a cryptographic bill of materials, CycloneDX 1.6, to FILE; - is standard output, without the table
    #[arg(long, value_name = "FILE")]
    cbom: Option<PathBuf>,
    /// Write one self-contained page to FILE; - is standard output, without the table
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Replace files that exist
    #[arg(short, long)]
    force: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let files = [&self.sarif, &self.cbom, &self.html];
        let to_stdout = files.iter().filter(|path| path.as_deref() == Some(Path::new("-"))).count();
        if to_stdout + usize::from(self.json) > 1 {
            let twice =
                "only one of --json, --sarif -, --cbom - and --html - can be standard output";
            return Err(Failure::Usage(twice.to_owned()));
        }
        for path in &self.paths {
            path.metadata()
                .map_err(|error| Failure::read(format!("'{}'", path.display()), &error))?;
        }
        let files: Vec<&Path> = files.into_iter().flatten().map(PathBuf::as_path).collect();
        files::check(&files, self.force)?;
        let mut outcome = self.survey();
        estimate(&mut outcome.findings);
        let mut done = Vec::new();
        for (path, text) in [
            (&self.sarif, (|outcome| pretty(&report::sarif(outcome))) as fn(&Outcome) -> String),
            (&self.cbom, |outcome| pretty(&report::cyclonedx(outcome))),
            (&self.html, report::html),
        ] {
            if let Some(path) = path {
                done.push(files::write(path, self.force, &text(&outcome)));
            }
        }
        if self.json {
            let findings = outcome.findings.iter().map(report::finding);
            let lines = findings.chain([report::summary(&outcome)]);
            done.push(print(lines.map(|line| format!("{line}\n")).collect::<String>().as_bytes()));
        } else if to_stdout == 0 {
            done.push(print(shown::text(&outcome).as_bytes()));
        }
        // A report that fails does not hide the others. A closed pipe does not hide the verdict.
        let failures = done.into_iter().filter_map(|done| despite_closed_pipe(done).err());
        let mut failures: Vec<_> = failures.chain(self.reasons(&outcome)).collect();
        let last = failures.pop();
        failures.iter().for_each(|failure| say(&failure.to_string()));
        last.map_or(Ok(()), Err)
    }

    /// Returns the reasons for which a survey whose reports are written has exit code 1.
    fn reasons(&self, outcome: &Outcome) -> Vec<Failure> {
        if outcome.stopped {
            return vec![Failure::Work("the survey was stopped before its end".to_owned())];
        }
        let unreadable = outcome.unreadable.iter();
        let mut reasons: Vec<_> = unreadable
            .map(|(path, error)| format!("cannot read '{}': {error}", path.display()))
            .map(Failure::Work)
            .collect();
        if self.check && !outcome.findings.is_empty() {
            let found = shown::counted(outcome.findings.len(), "finding");
            reasons.push(Failure::Work(format!("RC4 was found: {found}")));
        }
        reasons
    }

    /// Surveys the paths, and shows the progress.
    fn survey(&self) -> Outcome {
        let options = Options {
            archives: self.archive_depth.into(),
            cross_file_systems: self.cross_file_systems,
            ..Options::default()
        };
        let watch = Watch { stop: stop_on_signal(), ..Watch::default() };
        let bar =
            if stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        bar.set_style(
            ProgressStyle::with_template("{spinner} {msg}").expect("the template is valid"),
        );
        thread::scope(|scope| {
            let working = scope.spawn(|| survey(&self.paths, &options, &watch));
            while !working.is_finished() {
                let (files, findings) =
                    (watch.files.load(Ordering::Relaxed), watch.findings.load(Ordering::Relaxed));
                bar.set_message(format!("{files} files, {findings} findings"));
                bar.tick();
                thread::park_timeout(if bar.is_hidden() { TICK / 20 } else { TICK });
            }
            bar.finish_and_clear();
            watch.stop.store(true, Ordering::Relaxed); // a signal from now on ends the program
            working.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

fn pretty(value: &serde_json::Value) -> String {
    serde_json::to_string_pretty(value).expect("plain data") + "\n"
}
