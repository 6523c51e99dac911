//! A self-contained page without scripts, fonts and pictures.

use std::collections::BTreeMap;
use std::fmt::Write;

use arcfour_formats::text::Escaped;

use super::{BLIND, VERSION};
use crate::finding::Finding;
use crate::rules::Severity;
use crate::survey::Outcome;

const STYLE: &str = include_str!("page.css");
/// Maximum number of unread files that the page lists by name.
const UNREAD: usize = 1000;

/// Writes the findings as a page: first steps, counts by kind, and every finding.
pub fn html(outcome: &Outcome) -> String {
    let mut page = String::new();
    let findings = &outcome.findings;
    let mut write = |text: &str| page.push_str(text);
    write("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    write("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    write("<title>The RC4 that is still there</title>\n<style>\n");
    write(STYLE);
    write("</style>\n</head>\n<body>\n<h1>The RC4 that is still there</h1>\n");
    write(&format!(
        "<p>{} in {}.{}</p>\n",
        counted(findings.len() as u64, "finding"),
        counted(outcome.files, "file"),
        if outcome.stopped { " The survey was stopped before its end." } else { "" }
    ));
    let kinds = kinds(findings);
    write(&first(&kinds));
    write(&by_kind(&kinds));
    write(&all(findings));
    write(&unread(outcome));
    write("<h2>What is not seen here</h2>\n<ul>\n");
    BLIND.iter().for_each(|line| write(&format!("<li>{}</li>\n", escaped(line))));
    write(&format!(
        "</ul>\n<footer>arcfour survey {VERSION}. RC4 is broken (RFC 7465).</footer>\n</body>\n</html>\n"
    ));
    page
}

/// A kind of finding: its severity, title and remedy, and its findings.
type Kinds<'a> = Vec<((Severity, String, &'static str), Vec<&'a Finding>)>;

/// Returns the kinds, sorted by severity, then by number of findings.
fn kinds(findings: &[Finding]) -> Kinds<'_> {
    let mut kinds: BTreeMap<_, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        let rule = finding.rule.rule();
        kinds
            .entry((rule.severity, finding.what(), rule.remedy.as_str()))
            .or_default()
            .push(finding);
    }
    let mut kinds: Kinds<'_> = kinds.into_iter().collect();
    kinds.sort_by_key(|((severity, ..), findings)| std::cmp::Reverse((*severity, findings.len())));
    kinds
}

fn first(kinds: &Kinds<'_>) -> String {
    let mut text = String::from("<h2>What to do first</h2>\n");
    if kinds.is_empty() {
        return text + "<p>No RC4 was found.</p>\n";
    }
    text.push_str("<ol>\n");
    for ((severity, what, remedy), findings) in kinds.iter().take(5) {
        let count = counted(findings.len() as u64, "place");
        let (what, remedy) = (escaped(what), escaped(remedy));
        let _ = writeln!(text, "<li>{} <b>{what}</b>, {count}: {remedy}</li>", badge(*severity));
    }
    text + "</ol>\n"
}

fn by_kind(kinds: &Kinds<'_>) -> String {
    let mut text = String::from(
        "<h2>Counts by kind</h2>\n<table>\n<thead><tr><th>severity<th>what<th class=\"n\">places<th class=\"n\">seen</tr></thead>\n<tbody>\n",
    );
    for ((severity, what, _), findings) in kinds {
        let seen: u64 = findings.iter().map(|finding| finding.count).sum();
        let _ = writeln!(
            text,
            "<tr><td>{}<td>{}<td class=\"n\">{}<td class=\"n\">{seen}</tr>",
            badge(*severity),
            escaped(what),
            findings.len()
        );
    }
    text + "</tbody>\n</table>\n"
}

fn all(findings: &[Finding]) -> String {
    let mut text = String::from(
        "<h2>Findings</h2>\n<table>\n<thead><tr><th>severity<th>what<th>where<th>evidence<th>what to do</tr></thead>\n<tbody>\n",
    );
    for finding in findings {
        let rule = finding.rule.rule();
        let command =
            finding.command().map(|command| format!("<br><code>{}</code>", escaped(&command)));
        let hours = finding.fact("search seconds").and_then(|seconds| seconds.parse::<f64>().ok());
        let hours = hours
            .map(|seconds| format!(" (all keys: {:.1} hours on this machine)", seconds / 3600.0));
        let times =
            if finding.count > 1 { format!(" ({} times)", finding.count) } else { String::new() };
        let _ = writeln!(
            text,
            "<tr><td>{}<td>{}<td>{}<td>{}{times}<td>{}{}{}<br><small>{}</small></tr>",
            badge(rule.severity),
            escaped(&finding.what()),
            escaped(&finding.place.to_string()),
            escaped(&finding.evidence),
            escaped(&rule.remedy),
            command.unwrap_or_default(),
            hours.unwrap_or_default(),
            escaped(&rule.source.join("; ")),
        );
    }
    text + "</tbody>\n</table>\n"
}

fn unread(outcome: &Outcome) -> String {
    if outcome.unread.is_empty() {
        return String::new();
    }
    let count = counted(outcome.unread.len() as u64, "place");
    let mut text =
        format!("<h2>Not read</h2>\n<p>{count} could not be read to the end.</p>\n<ul>\n");
    for (place, reason) in outcome.unread.iter().take(UNREAD) {
        let _ = writeln!(text, "<li>{}: {}</li>", escaped(&place.to_string()), escaped(reason));
    }
    text.push_str("</ul>\n");
    if let more @ 1.. = outcome.unread.len().saturating_sub(UNREAD) {
        let _ = writeln!(
            text,
            "<p>{more} more are not listed here. <code>arcfour survey --json</code> lists all.</p>"
        );
    }
    text
}

fn badge(severity: Severity) -> String {
    format!("<span class=\"{0}\">{0}</span>", severity.name())
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Escapes text for the page, so that data from files never become markup.
fn escaped(text: &str) -> String {
    let escape = |char: char| match char {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\'' => "&#39;".to_owned(),
        char => char.to_string(),
    };
    Escaped(text).to_string().chars().map(escape).collect()
}
