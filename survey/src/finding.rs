//! A finding: a place of RC4, its rule and its evidence.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::rules::RuleId;

/// RC4 at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule, which has the description, the severity and the remedy.
    pub rule: RuleId,
    /// The place.
    pub place: Place,
    /// The evidence in words: `chosen: TLS_RSA_WITH_RC4_128_SHA`, `imports RC4_set_key`.
    pub evidence: String,
    /// Number of sightings at this place: frames, tickets, entries. At least 1.
    pub count: u64,
    /// Facts for programs, by name and in display order: `("key bits", "40")`.
    pub facts: Vec<(&'static str, String)>,
}

impl Finding {
    /// Makes a finding with one sighting and without facts.
    pub fn new(rule: RuleId, place: Place, evidence: impl Into<String>) -> Self {
        Self { rule, place, evidence: evidence.into(), count: 1, facts: Vec::new() }
    }

    /// Returns the finding with another fact.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.facts.push((name, value.into()));
        self
    }

    /// Returns the finding with `count` sightings.
    #[must_use]
    pub fn times(mut self, count: u64) -> Self {
        self.count = count;
        self
    }

    /// Returns the fact of this name.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|(named, _)| *named == name).map(|(_, value)| value.as_str())
    }
}

impl Finding {
    /// Returns the title with the facts filled in: `PDF, 40-bit key`.
    pub fn what(&self) -> String {
        self.filled(&self.rule.rule().what)
    }

    /// Returns the command of the remedy, quoted for a shell. There is no command for a member of
    /// an archive, because it is not a file yet.
    pub fn command(&self) -> Option<String> {
        let is_member = self.place.within.as_ref().is_some_and(|within| within.starts_with(MEMBER));
        self.rule.rule().command.as_ref().filter(|_| !is_member).map(|command| self.filled(command))
    }

    fn filled(&self, text: &str) -> String {
        let facts = self.facts.iter().map(|(name, value)| (*name, value.as_str()));
        let text = facts.fold(text.to_owned(), |text, (name, value)| {
            text.replace(&format!("{{{name}}}"), value)
        });
        text.replace("{path}", &quoted(&self.place.path))
    }
}

/// The prefix of a place in an archive.
pub(crate) const MEMBER: &str = "member ";

/// Quotes a file's name for a shell.
///
/// A name may have bytes that are not UTF-8, and characters that a report escapes. Such a name
/// becomes `$'…'` of POSIX (Issue 8, 2.2.4).
fn quoted(path: &Path) -> String {
    // Protects a name that begins with a hyphen from being read as an option.
    let hyphen = path.as_os_str().as_encoded_bytes().starts_with(b"-");
    let path = if hyphen { &Path::new(".").join(path) } else { path };
    let plain = |char: char| char.is_alphanumeric() || "/._-+,:@%=".contains(char);
    match path.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        Some(text) if !text.contains(is_hidden) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => in_escapes(path.as_os_str().as_encoded_bytes()),
    }
}

fn in_escapes(bytes: &[u8]) -> String {
    let mut text = "$'".to_owned();
    for &byte in bytes {
        match byte {
            b'\'' | b'\\' => text.extend(['\\', char::from(byte)]),
            b' '..=b'~' => text.push(char::from(byte)),
            // Three digits always: a digit may follow.
            _ => write!(text, "\\{byte:03o}").expect("a string takes all"),
        }
    }
    text + "'"
}

/// Returns true for a control character, and for one that reorders or hides others.
pub(crate) fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
        )
}

/// A file and a place in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The place in the file: `entry 3`, `line 31`, `10.0.0.7:443, frame 17`, `member a/b.doc`.
    pub within: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        self.within.as_ref().map_or(Ok(()), |within| write!(f, ", {within}"))
    }
}
