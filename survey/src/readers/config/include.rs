//! Files that a configuration includes: their lines stand where the file is named.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use glob::{MatchOptions, Pattern};

use super::{super::ReadError, syntax};
use crate::Input;

/// What a syntax includes.
pub(super) struct Includes {
    /// The words that stand before the names of files whose lines belong here.
    pub(super) words: &'static [&'static str],
    /// Which files of a folder are included, by their names, if the name of the folder stands there.
    pub(super) in_folder: fn(&str) -> bool,
    /// Whether statements end with `;` and blocks begin with `{`, so that a line may hold several.
    pub(super) braces: bool,
}

impl Includes {
    /// Nothing.
    pub(super) const NONE: Self = Self { words: &[], in_folder: |_| true, braces: false };
}

/// More bytes than any configuration has.
const LIMIT: u64 = 16 << 20;
/// How deep files are included, and how many: more than any server reads.
const DEEPEST: usize = 16;
const MOST: usize = 4096;
/// How many paths the names of one configuration are looked for at: a pattern may fit a whole file system.
const LOOKED_AT: usize = 1 << 18;
/// How many files that are left out a message names.
const NAMED: usize = 3;

/// A configuration with all that it includes.
#[derive(Default)]
pub(super) struct Whole {
    pub(super) text: String,
    /// The file of each line, none for the configuration itself, and the line in it.
    pub(super) origins: Vec<(Option<usize>, usize)>,
    /// The files that are included, by the paths at which the survey comes upon them.
    pub(super) files: Vec<PathBuf>,
    /// What was named and not read, and why.
    left: Vec<String>,
    /// How many paths were looked at.
    looked_at: usize,
}

/// The folder within which files are included.
struct Tree<'a> {
    given: &'a Path,
    real: PathBuf,
}

impl Whole {
    /// The text of `input`, and of the files that it includes from the tree in which the survey came upon it.
    pub(super) fn read(includes: &Includes, input: &mut Input<'_>) -> Result<Self, ReadError> {
        let text = String::from_utf8_lossy(&input.all(LIMIT)?).into_owned();
        let mut whole = Self::default();
        let tree = input.tree().and_then(|given| {
            let given = if given.is_dir() { given } else { given.parent()? };
            let given = if given.as_os_str().is_empty() { Path::new(".") } else { given };
            Some(Tree { given, real: given.canonicalize().ok()? })
        });
        let real = tree.as_ref().and_then(|_| input.path().canonicalize().ok());
        let mut open: Vec<PathBuf> = real.into_iter().collect();
        whole.add(includes, tree.as_ref(), &text, None, &mut open);
        Ok(whole)
    }

    /// Tells what was left out.
    pub(super) fn finish(self) -> Result<(), ReadError> {
        let others = self.left.len().saturating_sub(NAMED);
        let named = self.left[..self.left.len() - others].join("; ");
        match (self.left.is_empty(), others) {
            (true, _) => Ok(()),
            (_, 0) => Err(ReadError::Damaged(named)),
            _ => Err(ReadError::Damaged(format!("{named}; and {others} more"))),
        }
    }

    /// Adds the lines of a file, the last of `open`.
    fn add(
        &mut self,
        includes: &Includes,
        tree: Option<&Tree<'_>>,
        text: &str,
        file: Option<usize>,
        open: &mut Vec<PathBuf>,
    ) {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text); // as Windows' editors save UTF-8
        for (at, line) in text.lines().enumerate() {
            self.text.push_str(line);
            self.text.push('\n');
            self.origins.push((file, at + 1));
            let (Some(tree), Some(here)) = (tree, open.last().cloned()) else { continue };
            for name in named(includes, line) {
                if self.looked_at >= LOOKED_AT {
                    continue;
                }
                let (found, outside) = tree.find(includes, &here, &name, &mut self.looked_at);
                if self.looked_at >= LOOKED_AT {
                    self.left.push(format!(
                        "{name}: it and the names before it were looked for at more than {LOOKED_AT} paths"
                    ));
                }
                if outside > 0 {
                    let files = if outside == 1 { "file" } else { "files" };
                    self.left
                        .push(format!("{name} includes {outside} {files} outside the paths given"));
                }
                for (real, shown) in found {
                    if open.contains(&real) {
                        continue; // a circle adds nothing
                    }
                    if open.len() > DEEPEST
                        || self.files.len() == MOST
                        || self.text.len() as u64 > LIMIT
                    {
                        self.left.push(format!(
                            "{name}: more than {DEEPEST} files deep, {MOST} files or {LIMIT} bytes are included"
                        ));
                        return;
                    }
                    let read = fs::metadata(&real).and_then(|about| match about.len() {
                        0..=LIMIT => fs::read(&real),
                        size => Err(std::io::Error::other(format!("it has {size} bytes"))),
                    });
                    match read {
                        Ok(bytes) => {
                            self.files.push(shown);
                            let file = Some(self.files.len() - 1);
                            open.push(real);
                            self.add(
                                includes,
                                Some(tree),
                                &String::from_utf8_lossy(&bytes),
                                file,
                                open,
                            );
                            open.pop();
                        }
                        Err(error) => self.left.push(format!("{}: {error}", shown.display())),
                    }
                }
            }
        }
    }
}

/// The files that a line names.
fn named(includes: &Includes, line: &str) -> Vec<String> {
    let line = line.trim();
    let pieces: Vec<&str> = match includes.braces {
        true => line.split('#').next().unwrap_or_default().split(['{', ';']).collect(),
        false => vec![line],
    };
    let mut names = Vec::new();
    for piece in pieces {
        let words = syntax::words(piece.trim());
        let Some((first, rest)) = words.split_first() else { continue };
        // `name = value` and `name=value`
        let (word, value) = first.split_once('=').unwrap_or((first, ""));
        if includes.words.iter().any(|known| known.eq_ignore_ascii_case(word)) {
            let values = [value].into_iter().chain(rest.iter().map(String::as_str));
            let values = values.map(|value| value.strip_prefix('=').unwrap_or(value));
            names.extend(values.filter(|value| !value.is_empty()).map(str::to_owned));
        }
    }
    names
}

impl Tree<'_> {
    /// The files that `name` stands for in the file `here`: where they are, and by which path the survey comes upon them.
    /// Also how many there are outside the tree.
    ///
    /// Servers take a name as of their own folder, which is one of those above the file. A tree that is a copy of a system
    /// has its files under its own root. So the nearest folder counts in which the name leads to a file.
    fn find(
        &self,
        includes: &Includes,
        here: &Path,
        name: &str,
        looked_at: &mut usize,
    ) -> (Vec<(PathBuf, PathBuf)>, usize) {
        let relative: PathBuf = Path::new(name)
            .components()
            .filter(|part| !matches!(part, Component::RootDir | Component::Prefix(_)))
            .collect();
        for folder in here.ancestors().skip(1) {
            let found = files(includes, folder, &relative, looked_at);
            if found.is_empty() {
                continue;
            }
            let all = found.len();
            let inside: Vec<_> = found
                .into_iter()
                .filter_map(|real| {
                    let shown = self.given.join(real.strip_prefix(&self.real).ok()?);
                    Some((real, shown))
                })
                .collect();
            let outside = all - inside.len();
            return (inside, outside);
        }
        (Vec::new(), 0)
    }
}

/// The files of a folder that a name stands for, without links in their paths. The name may be a folder or a pattern.
fn files(includes: &Includes, folder: &Path, name: &Path, looked_at: &mut usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in paths(folder, name, looked_at) {
        if path.is_dir() {
            let all = children(&path, &Pattern::new("*").expect("a pattern"), looked_at);
            found.extend(all.into_iter().filter(|path| {
                path.file_name().is_some_and(|name| (includes.in_folder)(&name.to_string_lossy()))
            }));
        } else {
            found.push(path);
        }
    }
    found.retain(|path| path.is_file());
    found.iter().filter_map(|path| path.canonicalize().ok()).collect()
}

/// The paths in a folder that a name stands for. Each part of the name may be a pattern of glob(3), where `**` is as `*`.
///
/// `glob::glob` would walk through all folders for `**`, and panics at a name that is not UTF-8.
fn paths(folder: &Path, name: &Path, looked_at: &mut usize) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for part in name.components() {
        let mut text = part.as_os_str().to_string_lossy().into_owned();
        while text.contains("**") {
            text = text.replace("**", "*");
        }
        let is_pattern = text.contains(['*', '?', '[']);
        match is_pattern.then(|| Pattern::new(&text).ok()).flatten() {
            Some(pattern) => {
                let all = found.iter().flat_map(|folder| children(folder, &pattern, looked_at));
                found = all.take(MOST).collect();
            }
            None => found.iter_mut().for_each(|path| path.push(part)),
        }
    }
    *looked_at += found.len();
    found.retain(|path| path.exists());
    found
}

/// The paths of what a folder has whose names fit a pattern, in order. A name that begins with a dot does not.
fn children(folder: &Path, pattern: &Pattern, looked_at: &mut usize) -> Vec<PathBuf> {
    let options = MatchOptions { require_literal_leading_dot: true, ..MatchOptions::new() };
    let most = LOOKED_AT.saturating_sub(*looked_at);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().take(most).flatten() {
        *looked_at += 1;
        if pattern.matches_with(&entry.file_name().to_string_lossy(), options) {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

/// Whether a file is kept for later: it lies in a folder such as `sites-available`, and nothing in `sites-enabled` leads to it.
pub(super) fn is_disabled(path: &Path) -> bool {
    let enabled = || {
        let folder = path.parent()?;
        let name = folder.file_name()?.to_str()?.strip_suffix("-available")?;
        fs::read_dir(folder.with_file_name(format!("{name}-enabled"))).ok()
    };
    let Some(mut enabled) = enabled() else { return false };
    let Ok(real) = path.canonicalize() else { return false };
    !enabled.any(|entry| {
        entry.is_ok_and(|entry| entry.path().canonicalize().is_ok_and(|path| path == real))
    })
}
