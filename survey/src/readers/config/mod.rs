//! Configuration that offers or allows RC4, one file a syntax. Comments and lines that forbid RC4 are no findings.

mod apache;
mod bind;
mod cipher_string;
mod dovecot;
mod haproxy;
mod java;
mod krb5;
mod nginx;
mod openssl;
mod postfix;
mod smb;
mod ssh;
mod stunnel;
mod syntax;

use std::path::Path;

use super::{ReadError, Reader};
use crate::{Finding, Input, RuleId};

/// A setting that allows RC4.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Setting {
    rule: RuleId,
    line: usize,
    evidence: String,
}

/// One syntax.
struct Syntax {
    name: &'static str,
    /// Whether a file is of this syntax, by its path in lower case with `/` between the parts, and by how it begins.
    recognises: fn(&str, &str) -> bool,
    read: fn(&str) -> Vec<Setting>,
}

const SYNTAXES: [Syntax; 12] = [
    apache::SYNTAX,
    bind::SYNTAX,
    dovecot::SYNTAX,
    haproxy::SYNTAX,
    java::SYNTAX,
    krb5::SYNTAX,
    nginx::SYNTAX,
    openssl::SYNTAX,
    postfix::SYNTAX,
    smb::SYNTAX,
    ssh::SYNTAX,
    stunnel::SYNTAX,
];

/// More than any configuration has.
const LIMIT: u64 = 16 << 20;

/// The readers of this folder.
pub fn readers() -> Vec<Box<dyn Reader>> {
    SYNTAXES.into_iter().map(|syntax| Box::new(syntax) as Box<dyn Reader>).collect()
}

impl Reader for Syntax {
    fn name(&self) -> &'static str {
        self.name
    }

    fn recognises(&self, path: &Path, head: &[u8]) -> bool {
        if head.contains(&0) {
            return false;
        }
        let path = path.to_string_lossy().to_lowercase().replace('\\', "/");
        // What a package manager or an editor keeps beside a file is in force nowhere.
        let kept = [".dpkg-old", ".dpkg-dist", ".rpmsave", ".rpmnew", ".bak", ".orig", "~"];
        !kept.iter().any(|end| path.ends_with(end))
            && (self.recognises)(&path, &String::from_utf8_lossy(head))
    }

    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError> {
        let bytes = input.all(LIMIT)?;
        for setting in (self.read)(&String::from_utf8_lossy(&bytes)) {
            let place = input.at(format!("line {}", setting.line));
            found(Finding::new(setting.rule, place, setting.evidence));
        }
        Ok(())
    }
}

/// The name of the file at a path.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a line of a text that is no comment begins with one of the words.
fn has_line(text: &str, words: &[&str]) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start().to_ascii_lowercase();
        words.iter().any(|word| {
            line.strip_prefix(word).is_some_and(|rest| {
                !rest.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_')
            })
        })
    })
}

const TLS: RuleId = RuleId::new("tls-config");

/// The setting of a cipher string, if it allows RC4.
fn cipher_string(line: usize, name: &str, string: &str) -> Option<Setting> {
    let allowed = cipher_string::evaluate(string).rc4();
    let names = match allowed[..] {
        [] => return None,
        [one] => one.to_owned(),
        [first, .., last] => format!("{first} to {last}, {} suites", allowed.len()),
    };
    Some(Setting {
        rule: TLS,
        line,
        evidence: format!("{name} {string}: allows {names} where the library has RC4"),
    })
}

#[cfg(test)]
fn found(syntax: &Syntax, path: &str, text: &str) -> Vec<(usize, &'static str)> {
    assert!(syntax.recognises(Path::new(path), text.as_bytes()), "{path}");
    let own: Vec<&str> = SYNTAXES
        .iter()
        .filter(|other| other.recognises(Path::new(path), text.as_bytes()))
        .map(|one| one.name)
        .collect();
    assert_eq!(own, [syntax.name], "{path} is of one syntax");
    (syntax.read)(text).into_iter().map(|setting| (setting.line, setting.rule.name())).collect()
}
