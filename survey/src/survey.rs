//! The survey: reads every file under several paths by every reader that recognises it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::iter::{ParallelBridge, ParallelIterator};
use walkdir::WalkDir;

use crate::archive::{self, Seen};
use crate::finding::{Finding, MEMBER, Place};
use crate::input::Input;
use crate::packing;
use crate::readers::{self, HEAD, Reader};

/// Options of a survey.
#[derive(Clone, Debug)]
pub struct Options {
    /// Depth of archives: 0 enters no archive, 2 enters an archive in an archive.
    pub archives: u32,
    /// The maximum number of bytes unpacked from one archive, because a small file may expand without end.
    pub unpacked: u64,
    /// True if folders on other file systems than the path given are entered.
    pub cross_file_systems: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { archives: 1, unpacked: 4 << 30, cross_file_systems: false }
    }
}

/// The result of a survey.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The findings, sorted by severity, then by place.
    pub findings: Vec<Finding>,
    /// Number of files examined. A file counts again for each given path that leads to it.
    pub files: u64,
    /// Number of files and members of archives that each reader read, by its name.
    pub read: BTreeMap<&'static str, u64>,
    /// Files that could not be read to their end, with the reason.
    pub unread: Vec<(Place, String)>,
    /// Given paths that cannot be read, with the reason. They are in `unread` too.
    pub unreadable: Vec<(PathBuf, String)>,
    /// True if the survey was stopped before its end.
    pub stopped: bool,
}

/// Shows the progress of a survey, and stops it.
#[derive(Debug, Default)]
pub struct Watch {
    /// Number of files examined so far.
    pub files: AtomicU64,
    /// Number of findings so far.
    pub findings: AtomicU64,
    /// Set it to stop the survey with the findings so far.
    pub stop: Arc<AtomicBool>,
}

/// Examines every file under `paths`. Links within a folder are not followed.
pub fn survey(paths: &[PathBuf], options: &Options, watch: &Watch) -> Outcome {
    let survey = Survey { readers: readers::all(), options, watch, outcome: Mutex::default() };
    let stopped = || watch.stop.load(Ordering::Relaxed);
    let cross = options.cross_file_systems;
    let walk = |path: &PathBuf| {
        let root = path.clone();
        WalkDir::new(path)
            .same_file_system(!cross)
            .into_iter()
            .map(move |entry| (root.clone(), entry))
    };
    // The walk waits for the readers, so that file names do not fill the memory.
    paths.iter().flat_map(walk).take_while(|_| !stopped()).par_bridge().for_each(
        |(root, entry)| match entry {
            _ if stopped() => {}
            Ok(entry) => {
                let is_root = entry.depth() == 0;
                let is_file =
                    if is_root { entry.path().is_file() } else { entry.file_type().is_file() };
                if is_file {
                    survey.file(&root, entry.path());
                } else if is_root && !entry.path().is_dir() {
                    survey.failed(&root, &root, "it is neither a file nor a folder".to_owned());
                }
            }
            Err(error) => {
                let path = error.path().unwrap_or(&root);
                let reason =
                    error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                survey.failed(&root, path, reason);
            }
        },
    );
    let mut outcome = survey.outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome.files = watch.files.load(Ordering::Relaxed);
    outcome.stopped = stopped();
    outcome.findings.sort_by(|one, other| {
        let severity = |finding: &Finding| std::cmp::Reverse(finding.rule.rule().severity);
        (severity(one), &one.place, one.rule, &one.evidence).cmp(&(
            severity(other),
            &other.place,
            other.rule,
            &other.evidence,
        ))
    });
    // Paths may overlap, and be spelled in different ways.
    let real = |place: &Place| {
        let several = paths.len() > 1;
        let path = several.then(|| place.path.canonicalize().ok()).flatten();
        Place { path: path.unwrap_or_else(|| place.path.clone()), within: place.within.clone() }
    };
    let mut before = BTreeSet::new();
    outcome.findings.retain(|finding| {
        before.insert((finding.rule, real(&finding.place), finding.evidence.clone()))
    });
    outcome.unread.sort();
    let mut before = BTreeSet::new();
    outcome.unread.retain(|(place, reason)| before.insert((real(place), reason.clone())));
    outcome.unreadable.sort();
    outcome.unreadable.dedup();
    outcome
}

struct Survey<'a> {
    readers: Vec<Box<dyn Reader>>,
    options: &'a Options,
    watch: &'a Watch,
    outcome: Mutex<Outcome>,
}

impl Survey<'_> {
    fn outcome(&self) -> MutexGuard<'_, Outcome> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unread(&self, place: Place, reason: String) {
        self.outcome().unread.push((place, reason));
    }

    /// Notes a file or folder under the given path `tree` that cannot be read.
    fn failed(&self, tree: &Path, path: &Path, reason: String) {
        if path == tree {
            self.outcome().unreadable.push((path.to_owned(), reason.clone()));
        }
        self.unread(Place { path: path.to_owned(), within: None }, reason);
    }

    fn file(&self, tree: &Path, path: &Path) {
        let look = || -> io::Result<()> {
            let mut file = File::open(path)?;
            self.watch.files.fetch_add(1, Ordering::Relaxed);
            let input = Input::of_file(path, &mut file)?;
            let mut input = input.under(tree).until(&self.watch.stop);
            self.look(path, &mut input, self.options.archives)
        };
        if let Err(error) = look() {
            self.failed(tree, path, error.to_string());
        }
    }

    /// Runs every reader that recognises `input` by its `name`. Then enters it, if it is an
    /// archive.
    fn look(&self, name: &Path, input: &mut Input<'_>, archives: u32) -> io::Result<()> {
        let mut head = Vec::with_capacity(HEAD);
        Read::take(&mut *input, HEAD as u64).read_to_end(&mut head)?;
        for reader in self.readers.iter().filter(|reader| reader.recognises(name, &head)) {
            input.rewind()?;
            let mut found = Vec::new();
            // A reader that panics is a bug, but must not lose the findings of other readers.
            let read = catch_unwind(AssertUnwindSafe(|| {
                reader.read(input, &mut |finding| found.push(finding))
            }));
            self.watch.findings.fetch_add(found.len() as u64, Ordering::Relaxed);
            {
                let mut outcome = self.outcome();
                outcome.findings.append(&mut found);
                *outcome.read.entry(reader.name()).or_default() += 1;
            }
            match read {
                Ok(Ok(())) => {}
                Ok(Err(error)) => self.unread(input.place(), format!("{}: {error}", reader.name())),
                Err(_) => self.unread(
                    input.place(),
                    format!("{}: internal error in this reader; please report it", reader.name()),
                ),
            }
        }
        if archives > 0 {
            let at_end = |input| packing::ends_as_zip(input).then_some(packing::Kind::Zip);
            if let Some(kind) = packing::kind(&head).or_else(|| at_end(input)) {
                self.enter(kind, name, input, archives - 1);
            }
        }
        Ok(())
    }

    fn enter(&self, kind: packing::Kind, name: &Path, input: &mut Input<'_>, archives: u32) {
        let (place, path) = (input.place(), input.path());
        let within = |name: &Path| match &place.within {
            Some(outer) => format!("{outer}/{}", name.display()),
            None => format!("{MEMBER}{}", name.display()),
        };
        let unread = |name: &Path, reason: String| {
            self.unread(Place { path: path.to_owned(), within: Some(within(name)) }, reason);
        };
        let wanted = |name: &Path, head: &[u8]| {
            if self.watch.stop.load(Ordering::Relaxed) {
                return false;
            }
            let is_packed = packing::kind(head).is_some();
            if is_packed && archives == 0 {
                let depth = self.options.archives;
                unread(name, format!("it is an archive beyond --archive-depth {depth}"));
            }
            is_packed && archives > 0
                || self.readers.iter().any(|reader| reader.recognises(name, head))
        };
        let read =
            archive::members(kind, name, input, self.options.unpacked, &wanted, &mut |seen| {
                match seen {
                    Seen::Member(mut member) => {
                        let looked = Input::member(path, within(&member.name), &mut member.bytes)
                            .map(|input| input.until(&self.watch.stop))
                            .and_then(|mut input| self.look(&member.name, &mut input, archives));
                        if let Err(error) = looked {
                            unread(&member.name, error.to_string());
                        }
                    }
                    Seen::Unread(name, error) => unread(&name, error.to_string()),
                }
            });
        if let Err(error) = read {
            self.unread(place, format!("archive: {error}"));
        }
    }
}

/// Examines one input as a survey does that has no other file. Readers recognise it by `name` and first bytes.
pub fn look(name: &Path, mut input: Input<'_>, options: &Options) -> Outcome {
    let watch = Watch::default();
    let survey =
        Survey { readers: readers::all(), options, watch: &watch, outcome: Mutex::default() };
    if let Err(error) = survey.look(name, &mut input, options.archives) {
        survey.unread(input.place(), error.to_string());
    }
    survey.outcome.into_inner().unwrap_or_else(PoisonError::into_inner)
}
