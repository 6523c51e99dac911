//! A syntax of configuration, and a setting that allows RC4.

use std::path::Path;

use super::{
    super::{ReadError, Reader},
    cipher_string::evaluate,
    include::{Includes, Whole, is_disabled},
};
use crate::{Finding, Input, Place, RuleId};

/// A setting that allows RC4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) rule: RuleId,
    pub(super) line: usize,
    pub(super) evidence: String,
}

/// One syntax.
pub(super) struct Syntax {
    pub(super) name: &'static str,
    /// Returns true if a file has this syntax, by its path in lower case with `/` between the
    /// parts, and by its beginning.
    pub(super) recognises: fn(&str, &str) -> bool,
    pub(super) read: fn(&str) -> Vec<Setting>,
    /// The files whose lines belong here.
    pub(super) includes: Includes,
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
        // Copies that a package manager or an editor keeps beside a file have no effect.
        let kept = [
            ".dpkg-old",
            ".dpkg-dist",
            ".dpkg-new",
            ".rpmsave",
            ".rpmnew",
            ".ucf-old",
            ".ucf-dist",
            ".bak",
            ".old",
            ".orig",
            ".save",
            ".disabled",
            ".off",
            "~",
        ];
        !kept.iter().any(|end| path.ends_with(end))
            && (self.recognises)(&path, &String::from_utf8_lossy(head))
    }

    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError> {
        if input.tree().is_some() && is_disabled(input.path()) {
            return Ok(());
        }
        let whole = Whole::read(&self.includes, input)?;
        for setting in (self.read)(&whole.text) {
            let (file, line) = whole.origins[setting.line - 1];
            let place = match file {
                None => input.at(format!("line {line}")),
                Some(file) => {
                    Place { path: whole.files[file].clone(), within: Some(format!("line {line}")) }
                }
            };
            found(Finding::new(setting.rule, place, setting.evidence));
        }
        whole.finish()
    }
}

/// Returns the name of the file at a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns true if a line of a text that is no comment begins with one of the words.
pub(super) fn has_line(text: &str, words: &[&str]) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start().to_ascii_lowercase();
        words.iter().any(|word| {
            line.strip_prefix(word).is_some_and(|rest| {
                !rest.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_')
            })
        })
    })
}

/// Returns true if a command of OpenSSL's `SSL_CONF_cmd` sets the cipher string.
pub(super) fn is_cipher_string(command: &str) -> bool {
    command.eq_ignore_ascii_case("CipherString")
}

pub(super) const TLS: RuleId = RuleId::new("tls-config");

/// Returns the setting of a cipher string, if it allows RC4.
pub(super) fn cipher_string(line: usize, name: &str, string: &str) -> Option<Setting> {
    let allowed = evaluate(string).rc4();
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
