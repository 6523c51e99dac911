//! `arcfour inspect`

mod kind;
mod known;
mod sealed;

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use arcfour_formats::text::quoted_path;
use serde::Serialize;
use zeroize::Zeroizing;

use self::known::{Known, NotKnown};
use crate::console::{
    document::bare_hash, failure::Failure, input::Input, output::print, say::say, table::named,
};

/// Identify files, and print the command that reads them
///
/// Recognises sealed files, files of `openssl enc`, and PDF, Word, Excel, PowerPoint and Access
/// files. Recognises captures, memory dumps and the states found in dumps, counts, campaigns,
/// records of searches, tables of published counts, and keys of `arcfour keygen`. Also
/// recognises, by the first bytes, each kind of file that `arcfour survey` reads, and archives. Shows
/// the header of a sealed file, and the protection of a document.
///
/// Raw RC4 data has no signature, so it is not recognised. Nothing is verified.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour inspect old.pdf letter.doc capture.pcap
  arcfour inspect backup.sealed
  arcfour inspect --json backup.sealed | jq .lengths.plaintext_bytes
  arcfour inspect --hash *.doc *.pdf > hashes.txt

Exit code 1 if a file is not recognised, cannot be read, or with --hash has no hash. All other \
            files are shown nevertheless.")]
pub struct Args {
    /// The files; - is standard input
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    files: Vec<PathBuf>,
    /// Print a JSON object for each file
    #[arg(long)]
    json: bool,
    /// Print only the hash of each document's password, as hashcat and john take it
    #[arg(long, conflicts_with = "json")]
    hash: bool,
}

#[derive(Serialize)]
struct Facts<'a> {
    file: &'a str,
    kind: &'static str,
    /// The command that reads it.
    next: String,
    #[serde(flatten)]
    known: Option<Known>,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let mut last = None;
        for (at, path) in self.files.iter().enumerate() {
            match self.show(path, at) {
                Ok(()) => {}
                Err(Failure::Work(message)) if self.files.len() > 1 => {
                    say(&message);
                    last = Some(());
                }
                Err(failure) => return Err(failure),
            }
        }
        let n = self.files.len();
        last.map_or(Ok(()), |()| Err(Failure::Work(format!("not all of the {n} files are shown"))))
    }

    fn show(&self, path: &Path, at: usize) -> Result<(), Failure> {
        let mut input = Input::open(path)?;
        let name = input.name().to_owned();
        // The content may be a key, so it is not shown.
        let mut start = Zeroizing::new(Vec::with_capacity(kind::START));
        let read = input.by_ref().take(kind::START as u64).read_to_end(&mut start);
        read.map_err(|error| Failure::read(&name, &error))?;
        let failed = |reason: String| Failure::Work(format!("cannot inspect {name}: {reason}"));
        let (kind, next) = kind::of(&start).ok_or_else(|| {
            failed(
                "its kind is not known. Raw RC4 data has no signature; with the key, `arcfour crypt` decrypts it"
                    .to_owned(),
            )
        })?;
        let known = Known::read(kind, &start, input).map_err(|error| match error {
            NotKnown::Wrong(reason) => failed(reason),
            NotKnown::Failed(failure) => failure,
        })?;
        if self.hash {
            let hash = known.as_ref().and_then(Known::hash);
            return print(bare_hash(&name, hash)?.as_bytes());
        }
        let shown = path.to_string_lossy();
        let next = known.as_ref().and_then(Known::next).unwrap_or(next);
        // A survey reads no pipe, so the file has still to be named.
        let is_pipe = path == Path::new("-") && next == kind::SURVEY;
        let next = match is_pipe {
            true => next.to_owned(),
            false => next.replace("FILE", &quoted_path(path)),
        };
        let facts = Facts { file: &shown, kind, next, known };
        let mut text = match self.json {
            true => serde_json::to_string_pretty(&facts).expect("plain data") + "\n",
            false => facts.text(self.files.len() > 1),
        };
        if at > 0 && !self.json {
            text.insert(0, '\n');
        }
        print(text.as_bytes())
    }
}

impl Facts<'_> {
    fn text(&self, named_file: bool) -> String {
        let mut rows = vec![];
        if named_file {
            rows.push(("file", self.file.to_owned()));
        }
        rows.push(("kind", self.kind.to_owned()));
        rows.extend(self.known.iter().flat_map(Known::rows));
        let end = self.known.as_ref().map(Known::end).unwrap_or_default();
        // A command is not wrapped, so that it can be copied.
        named(rows) + &end + "next: " + &self.next + "\n"
    }
}
