//! One finding: where RC4 is, by which rule, and what proves it.

use std::fmt;
use std::path::PathBuf;

use crate::rules::RuleId;

/// RC4 at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that says what this is, how bad it is and what deals with it.
    pub rule: RuleId,
    /// Where it is.
    pub place: Place,
    /// What proves it, for a person to read: `chosen: TLS_RSA_WITH_RC4_128_SHA`, `imports RC4_set_key`.
    pub evidence: String,
    /// How often it was seen at this place: frames, tickets, entries. At least 1.
    pub count: u64,
    /// What programs may want to know by name, in the order in which it is shown: `("key bits", "40")`.
    pub facts: Vec<(&'static str, String)>,
}

impl Finding {
    /// A finding seen once, with no facts.
    pub fn new(rule: RuleId, place: Place, evidence: impl Into<String>) -> Self {
        Self { rule, place, evidence: evidence.into(), count: 1, facts: Vec::new() }
    }

    /// The same finding with one more fact.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.facts.push((name, value.into()));
        self
    }

    /// The same finding, seen `count` times.
    #[must_use]
    pub fn times(mut self, count: u64) -> Self {
        self.count = count;
        self
    }

    /// The fact of this name.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|(named, _)| *named == name).map(|(_, value)| value.as_str())
    }
}

impl Finding {
    /// What it is, with the facts in place: `PDF, 40-bit key`.
    pub fn what(&self) -> String {
        self.filled(&self.rule.rule().what)
    }

    /// The command that deals with it, ready for a shell. A member of an archive is no file yet that a command reads.
    pub fn command(&self) -> Option<String> {
        let is_member = self.place.within.as_ref().is_some_and(|within| within.starts_with(MEMBER));
        self.rule.rule().command.as_ref().filter(|_| !is_member).map(|command| self.filled(command))
    }

    fn filled(&self, text: &str) -> String {
        let facts = self.facts.iter().map(|(name, value)| (*name, value.as_str()));
        let text = facts.fold(text.to_owned(), |text, (name, value)| {
            text.replace(&format!("{{{name}}}"), value)
        });
        text.replace("{path}", &quoted(&self.place.path.to_string_lossy()))
    }
}

/// How a place within an archive begins.
pub(crate) const MEMBER: &str = "member ";

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    // A name that begins with a hyphen is no option.
    let word = if word.starts_with('-') { format!("./{word}") } else { word.to_owned() };
    let plain = |char: char| char.is_alphanumeric() || "/._-+,:@%=".contains(char);
    match !word.is_empty() && word.chars().all(plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// A file, and where in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// Where in the file: `entry 3`, `line 31`, `10.0.0.7:443, frame 17`, `member a/b.doc`.
    pub within: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        self.within.as_ref().map_or(Ok(()), |within| write!(f, ", {within}"))
    }
}
