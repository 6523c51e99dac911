//! A finding: a place of RC4, its rule and its evidence.

use std::{fmt, path::PathBuf};

use arcfour_formats::text::quoted_path;

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
        text.replace("{path}", &quoted_path(&self.place.path))
    }
}

/// The prefix of a place in an archive.
pub(crate) const MEMBER: &str = "member ";

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
