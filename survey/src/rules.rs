//! The rules of `rules.toml`: title, severity, remedy and source of each kind of finding.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

const TEXT: &str = include_str!("../rules.toml");

/// The name of a rule of `rules.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(&'static str);

impl RuleId {
    /// The rule of this name. Write it as a constant (`const KEYTAB: RuleId = RuleId::new("keytab");`): a name that is not
    /// in `rules.toml` then fails the build.
    ///
    /// # Panics
    /// If `rules.toml` has no such rule.
    pub const fn new(name: &'static str) -> Self {
        assert!(is_listed(name.as_bytes()), "rules.toml has no such rule");
        Self(name)
    }

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// Returns the rule.
    pub fn rule(self) -> &'static Rule {
        &rules()[self.0]
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Returns true if a line of the text is `[name]`.
const fn is_listed(name: &[u8]) -> bool {
    let text = TEXT.as_bytes();
    let mut at = 0;
    while at + name.len() + 2 < text.len() {
        if text[at] == b'[' && (at == 0 || text[at - 1] == b'\n') {
            let mut same = 0;
            while same < name.len() && text[at + 1 + same] == name[same] {
                same += 1;
            }
            if same == name.len() && text[at + 1 + same] == b']' {
                return true;
            }
        }
        at += 1;
    }
    false
}

/// The properties of a kind of finding.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The title, for the first column: `PDF, 40-bit key`.
    pub what: String,
    /// The severity.
    pub severity: Severity,
    /// The remedy, in a sentence.
    pub remedy: String,
    /// The command of the remedy, if there is one. `{path}` and the names of facts stand for their
    /// values.
    pub command: Option<String>,
    /// The source: RFC, CVE, page of a vendor.
    pub source: Vec<String>,
    /// Its entry in a cryptographic inventory.
    pub asset: Asset,
}

impl Rule {
    /// Returns the title without the facts of a finding: `PDF, N-bit key`.
    pub(crate) fn title(&self) -> String {
        self.what.replace("{key bits}", "N")
    }
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// RC4 might be used; nothing shows that it is.
    Low,
    /// RC4 is offered or allowed, or protects data at rest.
    Medium,
    /// RC4 is in use, or protects nothing.
    High,
}

impl Severity {
    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// A cryptographic asset of CycloneDX 1.6.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asset {
    /// Key length in bits, if the rule fixes it; otherwise the fact `key bits` has it.
    pub bits: Option<u32>,
    /// The protocol, by its name in CycloneDX (`tls`, `ssh`, `other` …), if the finding is one.
    pub protocol: Option<String>,
}

/// Every rule, by its name.
pub fn rules() -> &'static BTreeMap<String, Rule> {
    static RULES: LazyLock<BTreeMap<String, Rule>> =
        LazyLock::new(|| toml::from_str(TEXT).expect("a test reads rules.toml"));
    &RULES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_whole() {
        for (name, rule) in rules() {
            assert!(is_listed(name.as_bytes()), "{name} is written in another way than [{name}]");
            assert!(!rule.what.is_empty() && rule.remedy.ends_with('.'), "{name}");
            assert!(!rule.source.is_empty(), "{name} has no source");
            assert!(!rule.title().contains(['{', '}']), "{name} has another fact in its title");
            let protocols = ["tls", "ssh", "ipsec", "ike", "sstp", "wpa", "other", "unknown"];
            assert!(
                rule.asset.protocol.as_ref().is_none_or(|p| protocols.contains(&p.as_str())),
                "{name}"
            );
        }
    }

    #[test]
    fn a_name_that_only_begins_a_rule_is_none() {
        assert!(is_listed(b"pdf-40"));
        assert!(!is_listed(b"pdf-4"));
        assert!(!is_listed(b"no-such-rule"));
    }
}
