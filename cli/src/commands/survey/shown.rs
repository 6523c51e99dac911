//! The findings for people.

use std::{
    env,
    io::{IsTerminal, stdout},
};

use arcfour_formats::text::Escaped;
use arcfour_survey::{Finding, Outcome, Severity, report::BLIND};

use crate::console::{duration::duration, table::table_within};

/// Default width of a table without a terminal, and minimum width.
const WIDTH: u16 = 120;
const LEAST: u16 = 60;

/// Prints the table, the counts, the unread files and the limits of the survey.
pub(super) fn text(outcome: &Outcome) -> String {
    let terminal = stdout().is_terminal();
    let width = terminal.then(|| rustix::termios::tcgetwinsize(stdout()).ok()).flatten();
    let width = width.map_or(WIDTH, |size| size.ws_col).max(LEAST);
    let coloured = terminal && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let mut text = String::new();
    if !outcome.findings.is_empty() {
        let rows = outcome.findings.iter().map(row).collect();
        let table = table_within(
            width,
            &["severity", "what", "where", "evidence", "what to do"],
            &[],
            rows,
        );
        text += &table
            .split_inclusive('\n')
            .map(|line| if coloured { colour(line) } else { line.to_owned() })
            .collect::<String>();
        text.push('\n');
    }
    text += &format!(
        "{} in {}",
        counted(outcome.findings.len(), "finding"),
        counted(outcome.files as usize, "file")
    );
    let of = |severity| {
        outcome.findings.iter().filter(|finding| finding.rule.rule().severity == severity).count()
    };
    if !outcome.findings.is_empty() {
        let (high, medium, low) = (of(Severity::High), of(Severity::Medium), of(Severity::Low));
        text += &format!(": {high} high, {medium} medium, {low} low");
    }
    text += ".\n";
    if !outcome.unread.is_empty() {
        text += &format!("\nNot read to the end, {}:\n", counted(outcome.unread.len(), "place"));
        for (place, reason) in &outcome.unread {
            text += &format!("  {}: {}\n", plain(&place.to_string()), plain(reason));
        }
    }
    text += "\nNot seen here:\n";
    BLIND.iter().for_each(|line| text += &format!("  {line}\n"));
    text
}

fn row(finding: &Finding) -> Vec<String> {
    let rule = finding.rule.rule();
    let seconds = finding.fact("search seconds").and_then(|seconds| seconds.parse().ok());
    let searched =
        seconds.map(|seconds: f64| format!(" (all keys: {} on this machine)", duration(seconds)));
    let remedy = match finding.command() {
        Some(command) => plain(&command) + &searched.unwrap_or_default(),
        None => rule.remedy.clone(),
    };
    let times =
        if finding.count > 1 { format!(", {} times", finding.count) } else { String::new() };
    vec![
        rule.severity.name().to_owned(),
        plain(&finding.what()),
        plain(&finding.place.to_string()),
        plain(&finding.evidence) + &times,
        remedy,
    ]
}

/// Colours the first word of a line, which is the severity where a finding begins.
fn colour(line: &str) -> String {
    for (severity, code) in [(Severity::High, 31), (Severity::Medium, 33), (Severity::Low, 32)] {
        if let Some(rest) = line.strip_prefix(severity.name()) {
            return format!("\x1b[{code}m{}\x1b[0m{rest}", severity.name());
        }
    }
    line.to_owned()
}

/// Writes a number and its unit.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Writes a file's text on one line of a terminal.
fn plain(text: &str) -> String {
    Escaped(text).to_string()
}
