//! Postfix: cipher grades of `main.cf` and `master.cf`, and the cipher strings of the grades.

use std::collections::HashMap;

use super::{Includes, Setting, Syntax, cipher_string, file_name, syntax};

pub(super) const SYNTAX: Syntax =
    Syntax { name: "Postfix", recognises, read, includes: Includes::NONE };

fn recognises(path: &str, head: &str) -> bool {
    path.contains("postfix/")
        || (matches!(file_name(path), "main.cf" | "master.cf"))
        || (path.ends_with(".cf") && head.contains("smtpd_"))
}

/// The default cipher string of a grade in Postfix 3.7.
const GRADES: [(&str, &str); 5] = [
    ("export", "aNULL:-aNULL:HIGH:MEDIUM:LOW:EXPORT:+RC4:@STRENGTH"),
    ("low", "aNULL:-aNULL:HIGH:MEDIUM:LOW:EXPORT:+RC4:@STRENGTH"),
    ("medium", "aNULL:-aNULL:HIGH:MEDIUM:+RC4:@STRENGTH"),
    ("high", "aNULL:-aNULL:HIGH:@STRENGTH"),
    ("null", "eNULL:!aNULL"),
];

fn read(text: &str) -> Vec<Setting> {
    let lines = logical(text);
    let mut values: HashMap<&str, &str> = HashMap::new();
    let mut grades = Vec::new();
    for (line, text) in &lines {
        // `name = value` in main.cf, `-o name=value` in master.cf
        let text = text.trim().strip_prefix("-o").unwrap_or(text);
        let Some((name, value)) = syntax::setting(text) else { continue };
        values.insert(name, value);
        let of_server =
            name.starts_with("smtpd_") || name.starts_with("smtp_") || name.starts_with("lmtp_");
        if of_server && (name.ends_with("_tls_ciphers") || name.ends_with("_tls_mandatory_ciphers"))
        {
            grades.push((*line, name, value));
        }
    }
    let mut settings = Vec::new();
    for (line, name, grade) in grades {
        if values.get(name) != Some(&grade) {
            continue; // a later line replaces it
        }
        let Some((_, known)) = GRADES.iter().find(|(known, _)| *known == grade) else { continue };
        let string = values.get(format!("tls_{grade}_cipherlist").as_str()).unwrap_or(known);
        let daemon = name.split("_tls_").next().unwrap_or_default();
        let excluded: Vec<&str> = [
            format!("{daemon}_tls_exclude_ciphers"),
            format!("{daemon}_tls_mandatory_exclude_ciphers"),
        ]
        .iter()
        .enumerate()
        .filter(|(at, _)| *at == 0 || name.contains("mandatory"))
        .filter_map(|(_, name)| values.get(name.as_str()))
        .flat_map(|list| list.split([',', ' ', ':', '\t']))
        .filter(|word| !word.is_empty())
        .collect();
        let whole =
            excluded.iter().fold((*string).to_owned(), |string, word| format!("{string}:!{word}"));
        let setting = cipher_string(line, name, &whole).map(|setting| Setting {
            evidence: format!("{name} = {grade}: allows RC4 where the library has it"),
            ..setting
        });
        settings.extend(setting);
    }
    settings
}

/// Joins lines with their continuation lines, which begin with space.
fn logical(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        match lines.last_mut() {
            // In master.cf every option is a continuation line.
            Some((_, last)) if line.starts_with([' ', '\t']) && !trimmed.starts_with("-o") => {
                last.push(' ');
                last.push_str(trimmed);
            }
            _ => lines.push((at + 1, trimmed.to_owned())),
        }
    }
    lines
}

#[cfg(test)]
#[test]
fn grades_are_evaluated() {
    let read = |text: &str| super::found(&SYNTAX, "/etc/postfix/main.cf", text);
    assert_eq!(
        read("# smtpd_tls_ciphers = low\nsmtpd_tls_ciphers = medium\n"),
        [(2, "tls-config")]
    );
    assert_eq!(
        read("smtpd_tls_ciphers = medium\nsmtpd_tls_exclude_ciphers = aNULL,\n   RC4\n"),
        []
    );
    assert_eq!(read("smtpd_tls_ciphers = high\nsmtpd_tls_mandatory_ciphers = high\n"), []);
    assert_eq!(
        read("tls_high_cipherlist = HIGH:RC4-SHA\nsmtp_tls_mandatory_ciphers = high\n"),
        [(2, "tls-config")]
    );
    assert_eq!(
        read("smtpd_tls_ciphers = medium\nsmtpd_tls_mandatory_exclude_ciphers = RC4\n"),
        [(1, "tls-config")]
    );
    assert_eq!(read("smtpd_tls_ciphers = low\nsmtpd_tls_ciphers = high\n"), []);
    let master = "smtps inet n - y - - smtpd\n  -o smtpd_tls_ciphers=low\n";
    assert_eq!(super::found(&SYNTAX, "/etc/postfix/master.cf", master), [(2, "tls-config")]);
}
