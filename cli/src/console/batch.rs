//! Many documents at once, in a folder of outputs, with a table of results; and many passwords.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use arcfour_files::{CreateError, SecretFile};
use arcfour_formats::text::Escaped;
use serde::Serialize;
use zeroize::Zeroizing;

use super::{
    compared::Compared,
    failure::Failure,
    identity::{Guard, Identity},
    input::Input,
    output::print,
    output::{Output, Shown},
    password::Opens,
    secret::{open_file, without_mark},
    stream::Sink,
    table::table,
};

/// Maximum size of a list of passwords, in bytes.
const MOST_PASSWORDS: usize = 1 << 26;
/// The name of the list in messages.
const WHAT: &str = "list of passwords";
const HEADING: &str = "Many files, many passwords";

/// The options for several files and a folder of outputs, and for a list of passwords.
#[derive(clap::Args)]
pub struct BatchArgs {
    /// More files to read, or folders, which are read recursively
    #[arg(value_name = "MORE", requires = "to", conflicts_with = "output", help_heading = HEADING)]
    more: Vec<PathBuf>,
    /// Write each file into this folder under its own name, with its modification time. A missing
    /// folder is made. A file that fails does not end the command. An existing output with the same
    /// contents stays; one with other contents is replaced only with --force
    #[arg(long, value_name = "DIR", conflicts_with = "output", help_heading = HEADING)]
    to: Option<PathBuf>,
    /// Try each line of this file as a password, after the empty password and the given one
    #[arg(long, value_name = "PATH", help_heading = HEADING)]
    passwords: Option<PathBuf>,
    /// Print a JSON array in place of the table
    #[arg(long, requires = "to", conflicts_with = "output", help_heading = HEADING)]
    json: bool,
}

/// The open list of passwords, and the guard that refuses the list as output.
pub type List = (SecretFile, Guard);

/// Writes a decrypted document.
type Writer = Box<dyn FnOnce(&mut dyn Sink) -> Result<(), Failure>>;

/// A document that can be decrypted.
pub struct Plain {
    /// Writes the document.
    pub write: Writer,
    /// The message about it.
    pub notes: Vec<String>,
}

/// The reason for which a document was not decrypted.
pub enum Refused {
    /// The document is not encrypted.
    NotEncrypted,
    /// Another reason.
    Because(String),
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self::Because(failure.to_string())
    }
}

/// The result for a file.
#[derive(Serialize)]
struct Row {
    file: String,
    outcome: Outcome,
    #[serde(skip_serializing_if = "String::is_empty")]
    why: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Opened,
    AlreadyThere,
    NotEncrypted,
    Refused,
}

impl Outcome {
    const ALL: [Self; 4] = [Self::Opened, Self::AlreadyThere, Self::NotEncrypted, Self::Refused];

    fn name(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::AlreadyThere => "already there",
            Self::NotEncrypted => "not encrypted",
            Self::Refused => "refused",
        }
    }
}

impl BatchArgs {
    /// Returns the folder of outputs, if there are many files.
    pub fn folder(&self) -> Option<&Path> {
        self.to.as_deref()
    }

    /// Opens the list of passwords, if there is one; `stdin_is_data` says that standard input cannot
    /// be it.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn list(&self, stdin_is_data: bool) -> Result<Option<List>, Failure> {
        let open = |path| open_file(path, WHAT, stdin_is_data);
        self.passwords.as_deref().map(open).transpose()
    }

    /// Returns what is tried: the given password or key alone for one file without a list. Otherwise
    /// the empty password, the given one, and the list.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn candidates(&self, given: Opens, list: Option<List>) -> Result<Vec<Opens>, Failure> {
        if self.to.is_none() && list.is_none() {
            return Ok(vec![given]);
        }
        let mut candidates = vec![Opens::Password(Zeroizing::default())];
        if !matches!(&given, Opens::Password(password) if password.is_empty()) {
            candidates.push(given);
        }
        candidates.extend(list.map(read_passwords).transpose()?.unwrap_or_default());
        Ok(candidates)
    }

    /// Decrypts `first` and all other files by `decrypt`. No output may be the file of a guard.
    ///
    /// # Errors
    /// If a file is refused, after all are done. If the folder cannot be used.
    pub fn run(
        &self,
        first: &Path,
        force: bool,
        guards: &[Option<&Guard>],
        decrypt: impl Fn(Input) -> Result<Plain, Refused>,
    ) -> Result<(), Failure> {
        let folder = self.folder().expect("clap requires it");
        // A missing folder is made when the first file is written.
        if folder.exists() && !folder.is_dir() {
            return Err(Failure::Work(format!("'{}' is not a folder", folder.display())));
        }
        let mut rows = vec![];
        let mut targets = HashSet::new();
        for path in [first].into_iter().chain(self.more.iter().map(PathBuf::as_path)) {
            for (file, name) in files(path) {
                let done = name.and_then(|name| {
                    let target = folder.join(name);
                    if !targets.insert(target.clone()) {
                        return Err("another file of this name came before it".to_owned());
                    }
                    one(&file, &target, force, guards, &decrypt)
                });
                let (outcome, why) = done.unwrap_or_else(|why| (Outcome::Refused, why));
                rows.push(Row { file: file.display().to_string(), outcome, why });
            }
        }
        self.show(&rows)?;
        let refused = rows.iter().filter(|row| row.outcome == Outcome::Refused).count();
        match refused {
            0 => Ok(()),
            _ => Err(Failure::Work(format!("{refused} of {} files refused", rows.len()))),
        }
    }

    fn show(&self, rows: &[Row]) -> Result<(), Failure> {
        if self.json {
            let text = serde_json::to_string_pretty(rows).expect("plain data") + "\n";
            return print(text.as_bytes());
        }
        let cells = rows.iter().map(|row| {
            let (file, why) = (Escaped(&row.file).to_string(), Escaped(&row.why).to_string());
            vec![file, row.outcome.name().to_owned(), why]
        });
        let counts = Outcome::ALL.map(|outcome| {
            let count = rows.iter().filter(|row| row.outcome == outcome).count();
            format!("{count} {}", outcome.name())
        });
        let mut text = table(&["file", "outcome", "why"], &[], cells.collect());
        text += &format!("{}\n", counts.join(", "));
        print(text.as_bytes())
    }
}

fn read_passwords((file, _): List) -> Result<Vec<Opens>, Failure> {
    let text = file.read(MOST_PASSWORDS + 1);
    let text = text.map_err(|error| Failure::read(format_args!("the {WHAT}"), &error))?;
    if text.len() > MOST_PASSWORDS {
        let most = MOST_PASSWORDS;
        return Err(Failure::Work(format!("cannot use the {WHAT}: more than {most} bytes")));
    }
    let text = without_mark(&text, &format!("the {WHAT}"))?;
    let lines = text.split(|byte| *byte == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let password = |line: &[u8]| Opens::Password(Zeroizing::new(line.to_vec()));
    Ok(lines.filter(|line| !line.is_empty()).map(password).collect())
}

/// Opens a document with the first of the candidates that is not another document's, as an error
/// may say. One candidate alone has its own error, several have `none`.
///
/// # Errors
/// If no candidate opens the document.
pub fn open_with<K, E>(
    candidates: &[Opens],
    open: impl Fn(&Opens) -> Result<K, E>,
    is_of_another: impl Fn(&E) -> bool,
    none: E,
) -> Result<K, E> {
    if let [only] = candidates {
        return open(only);
    }
    let mut opened = candidates.iter().map(open);
    opened.find(|opened| !opened.as_ref().is_err_and(&is_of_another)).unwrap_or(Err(none))
}

/// Decrypts one file. The error is the reason for a refusal.
fn one(
    path: &Path,
    target: &Path,
    force: bool,
    guards: &[Option<&Guard>],
    decrypt: impl FnOnce(Input) -> Result<Plain, Refused>,
) -> Result<(Outcome, String), String> {
    let time = modified(path).map_err(|error| error.to_string())?;
    if Identity::at(path) == Identity::at(target) {
        return Err("--to names the folder of this file; choose another folder".to_owned());
    }
    let input = Input::open(path).map_err(|failure| failure.to_string())?;
    let source = input.guard();
    let plain = match decrypt(input) {
        Ok(plain) => plain,
        Err(Refused::NotEncrypted) => return Ok((Outcome::NotEncrypted, String::new())),
        Err(Refused::Because(why)) => return Err(why),
    };
    if !force && target.is_file() {
        let compared = Compared::with(target).and_then(|mut compared| {
            (plain.write)(&mut compared)?;
            compared.is_equal()
        });
        return match compared.map_err(|failure| failure.to_string())? {
            true => Ok((Outcome::AlreadyThere, String::new())),
            false => Err(Failure::create(shown(target), CreateError::Exists).to_string()),
        };
    }
    let write = || {
        let parent = target.parent().expect("a file has a folder");
        let made = fs::create_dir_all(parent);
        made.map_err(|error| Failure::write(shown(parent), &error))?;
        let guards = [&[Some(&source)], guards].concat();
        let mut output = Output::open(Some(target), force, Shown::Raw("a pipe"), &guards)?;
        (plain.write)(&mut output)?;
        output.set_modified(time)?;
        output.commit()
    };
    write().map_err(|failure| failure.to_string())?;
    Ok((Outcome::Opened, plain.notes.join("; ")))
}

fn shown(path: &Path) -> String {
    format!("'{}'", path.display())
}

fn modified(path: &Path) -> std::io::Result<SystemTime> {
    fs::metadata(path)?.modified()
}

/// Returns the files of an argument, each with its name in the folder of outputs, or the reason for
/// which it has none. Links to folders are not followed.
fn files(path: &Path) -> Vec<(PathBuf, Result<PathBuf, String>)> {
    if !path.is_dir() {
        let name = path.file_name().filter(|name| *name != "-").map(PathBuf::from);
        let name = name.ok_or_else(|| "it has no name to be written under".to_owned());
        return vec![(path.to_owned(), name)];
    }
    let mut files = vec![];
    let mut open = vec![path.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                files.push((folder, Err(error.to_string())));
                continue;
            }
        };
        for entry in entries {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(path);
            } else if path.is_file() {
                files.push((path, Ok(())));
            }
        }
    }
    files.sort();
    let inside = |file: &Path| file.strip_prefix(path).expect("it is inside").to_owned();
    files.into_iter().map(|(file, done)| (file.clone(), done.map(|()| inside(&file)))).collect()
}
