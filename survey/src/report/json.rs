//! Writes a line of JSON for each finding, and one at the end.

use serde_json::{Map, Value, json};

use super::{BLIND, uri};
use crate::finding::Finding;
use crate::survey::Outcome;

/// The line of a finding.
pub fn finding(finding: &Finding) -> Value {
    let rule = finding.rule.rule();
    let facts: Map<String, Value> = finding
        .facts
        .iter()
        .map(|(name, value)| (name.replace(' ', "_"), value.clone().into()))
        .collect();
    json!({
        "event": "finding",
        "rule": finding.rule.name(),
        "severity": rule.severity.name(),
        "what": finding.what(),
        "path": finding.place.path.to_string_lossy(),
        "uri": uri(&finding.place.path),
        "within": finding.place.within,
        "evidence": finding.evidence,
        "count": finding.count,
        "facts": facts,
        "remedy": rule.remedy,
        "command": finding.command(),
        "sources": rule.source,
    })
}

/// The last line: numbers of files, unread files, and the limits of the survey.
pub fn summary(outcome: &Outcome) -> Value {
    let unread: Vec<Value> = outcome
        .unread
        .iter()
        .map(|(place, reason)| {
            json!({
                "path": place.path.to_string_lossy(),
                "uri": uri(&place.path),
                "within": place.within,
                "reason": reason,
            })
        })
        .collect();
    json!({
        "event": "end",
        "files": outcome.files,
        "read": outcome.read,
        "findings": outcome.findings.len(),
        "stopped": outcome.stopped,
        "unread": unread,
        "not_seen": BLIND,
    })
}
