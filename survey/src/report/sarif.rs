//! SARIF 2.1.0, which code hosts and CI services show.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{BLIND, HOME, VERSION, uri};
use crate::finding::{Finding, Place};
use crate::rules::{RuleId, Severity};
use crate::survey::Outcome;

/// Writes the findings as one run. Each unread file is a notification of the run.
pub fn sarif(outcome: &Outcome) -> Value {
    let used: BTreeSet<RuleId> = outcome.findings.iter().map(|finding| finding.rule).collect();
    let rules: Vec<RuleId> = used.into_iter().collect();
    let results: Vec<Value> =
        outcome.findings.iter().map(|finding| result(finding, &rules)).collect();
    let unread: Vec<Value> = outcome
        .unread
        .iter()
        .map(|(place, reason)| {
            json!({"level": "warning", "message": message(reason), "locations": [location(place)]})
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": HOME,
                "semanticVersion": VERSION,
                "rules": rules.iter().map(|id| rule(*id)).collect::<Vec<_>>(),
            }},
            "invocations": [{
                "executionSuccessful": !outcome.stopped,
                "toolExecutionNotifications": unread,
            }],
            "results": results,
            "properties": {"notSeen": BLIND},
        }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low => "note",
    }
}

/// The number by which GitHub sorts security findings.
fn score(severity: Severity) -> &'static str {
    match severity {
        Severity::High => "8.0",
        Severity::Medium => "5.0",
        Severity::Low => "2.0",
    }
}

fn rule(id: RuleId) -> Value {
    let rule = id.rule();
    let name = rule.title();
    json!({
        "id": id.name(),
        "shortDescription": {"text": name},
        "fullDescription": {"text": format!("{name}. {}", rule.remedy)},
        "help": {"text": format!("{} Sources: {}", rule.remedy, rule.source.join("; "))},
        "defaultConfiguration": {"level": level(rule.severity)},
        "properties": {"tags": ["security", "cryptography", "rc4"], "security-severity": score(rule.severity)},
    })
}

fn result(finding: &Finding, rules: &[RuleId]) -> Value {
    let command =
        finding.command().map(|command| format!(" Command: {command}")).unwrap_or_default();
    let text = format!(
        "{}: {}. {}{command}",
        finding.what(),
        finding.evidence,
        finding.rule.rule().remedy
    );
    json!({
        "ruleId": finding.rule.name(),
        "ruleIndex": rules.binary_search(&finding.rule).ok(),
        "level": level(finding.rule.rule().severity),
        "message": message(&text),
        "occurrenceCount": finding.count,
        "locations": [location(&finding.place)],
    })
}

/// Writes a text that has neither placeholders nor links (3.11.5, 3.11.6).
fn message(text: &str) -> Value {
    let text = text.replace('{', "{{").replace('}', "}}");
    json!({"text": text.replace('[', r"\[").replace(']', r"\]")})
}

fn location(place: &Place) -> Value {
    let mut physical = json!({"artifactLocation": {"uri": uri(&place.path)}});
    let Some(within) = &place.within else { return json!({"physicalLocation": physical}) };
    let line = within
        .strip_prefix("line ")
        .and_then(|line| line.parse::<u32>().ok())
        .filter(|line| *line > 0);
    if let Some(line) = line {
        physical["region"] = json!({"startLine": line});
    }
    json!({"physicalLocation": physical, "logicalLocations": [{"fullyQualifiedName": within}]})
}
