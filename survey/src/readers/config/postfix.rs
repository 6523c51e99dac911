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

/// A parameter with its line.
struct Parameter {
    line: usize,
    name: String,
    value: String,
}

fn read(text: &str) -> Vec<Setting> {
    let (mut main, mut settings) = (Vec::new(), Vec::new());
    for parts in logical(text) {
        match parameter(&parts) {
            Some(parameter) => main.push(parameter), // of main.cf
            None => settings.extend(allowing(&options(&parts))), // of a service in master.cf
        }
    }
    settings.extend(allowing(&main));
    settings.sort_by_key(|setting| setting.line);
    settings
}

/// Returns the grades that allow RC4 among parameters that apply together. The last of several of
/// one name applies.
fn allowing(parameters: &[Parameter]) -> Vec<Setting> {
    let last: HashMap<&str, &Parameter> =
        parameters.iter().map(|parameter| (parameter.name.as_str(), parameter)).collect();
    let mut settings = Vec::new();
    for (name, parameter) in &last {
        let of_server = ["smtpd_", "smtp_", "lmtp_"].iter().any(|start| name.starts_with(start));
        let mandatory = name.ends_with("_tls_mandatory_ciphers");
        if !of_server || !(mandatory || name.ends_with("_tls_ciphers")) {
            continue;
        }
        let grade = followed(&parameter.value, &last).to_ascii_lowercase();
        let Some((_, known)) = GRADES.iter().find(|(known, _)| *known == grade) else { continue };
        let own = last.get(format!("tls_{grade}_cipherlist").as_str());
        let mut string = own.map_or(*known, |own| followed(&own.value, &last)).to_owned();
        let daemon = name.split("_tls_").next().unwrap_or_default();
        let lists = ["exclude_ciphers", "mandatory_exclude_ciphers"];
        for list in &lists[..=usize::from(mandatory)] {
            let excluded = last.get(format!("{daemon}_tls_{list}").as_str());
            for word in excluded.into_iter().flat_map(|excluded| words(&excluded.value)) {
                for word in words(followed(word, &last)) {
                    string += &format!(":!{word}");
                }
            }
        }
        let setting = cipher_string(parameter.line, name, &string).map(|setting| Setting {
            evidence: format!("{name} = {grade}: allows RC4 where the library has it"),
            ..setting
        });
        settings.extend(setting);
    }
    settings
}

/// Words of a list of ciphers.
fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split([',', ' ', ':', '\t']).filter(|word| !word.is_empty())
}

/// Follows a value that is the name of another parameter: `$name`, `${name}` or `$(name)`.
fn followed<'a>(mut value: &'a str, last: &HashMap<&str, &'a Parameter>) -> &'a str {
    for _ in 0..DEEPEST {
        let Some(name) = value.strip_prefix('$') else { break };
        let name = name.trim_matches(['{', '}', '(', ')']);
        value = last.get(name).map_or("", |parameter| &parameter.value);
    }
    value
}

/// How many names are followed, so that a circle ends.
const DEEPEST: usize = 16;

/// The lines that belong together, with their numbers: each that begins with space continues the
/// one before.
fn logical(text: &str) -> Vec<Vec<(usize, &str)>> {
    let mut lines: Vec<Vec<(usize, &str)>> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        match lines.last_mut() {
            Some(last) if line.starts_with([' ', '\t']) => last.push((at + 1, trimmed)),
            _ => lines.push(vec![(at + 1, trimmed)]),
        }
    }
    lines
}

/// Returns the parameter of a line of main.cf: `name = value`.
fn parameter(parts: &[(usize, &str)]) -> Option<Parameter> {
    let (line, _) = *parts.first()?;
    let text: Vec<&str> = parts.iter().map(|(_, text)| *text).collect();
    let text = text.join(" ");
    let (name, value) = syntax::setting(&text)?;
    let is_name = name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_');
    is_name.then(|| Parameter { line, name: name.to_owned(), value: value.to_owned() })
}

/// Returns the parameters of a service in master.cf: `-o name=value` or `-o { name = value }`.
fn options(parts: &[(usize, &str)]) -> Vec<Parameter> {
    let mut words: Vec<(usize, String)> = Vec::new();
    let (mut goes_on, mut depth) = (false, 0_usize);
    for (line, text) in parts {
        for sign in text.chars().chain([' ']) {
            match sign {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if sign.is_whitespace() && depth == 0 {
                goes_on = false;
            } else if goes_on {
                words.last_mut().expect("a word has begun").1.push(sign);
            } else {
                words.push((*line, sign.to_string()));
                goes_on = true;
            }
        }
    }
    let mut found = Vec::new();
    let mut words = words.into_iter();
    while let Some((line, word)) = words.next() {
        let Some(option) = word.strip_prefix("-o") else { continue };
        let option = if option.is_empty() { words.next() } else { Some((line, option.to_owned())) };
        let Some((line, option)) = option else { continue };
        let braced = option.strip_prefix('{').and_then(|option| option.strip_suffix('}'));
        if let Some((name, value)) = syntax::setting(braced.unwrap_or(&option)) {
            found.push(Parameter { line, name: name.to_owned(), value: value.to_owned() });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{super::found, SYNTAX};

    #[test]
    fn grades_are_evaluated() {
        let read = |text: &str| found(&SYNTAX, "/etc/postfix/main.cf", text);
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
        assert_eq!(
            read("smtpd_tls_ciphers = Medium\nsmtpd_tls_ciphers = MEDIUM\n"),
            [(2, "tls-config")]
        );
        let master = "smtps inet n - y - - smtpd\n  -o smtpd_tls_ciphers=low\n";
        assert_eq!(found(&SYNTAX, "/etc/postfix/master.cf", master), [(2, "tls-config")]);
    }

    #[test]
    fn names_of_other_parameters_are_followed() {
        let read = |text: &str| found(&SYNTAX, "/etc/postfix/main.cf", text);
        assert_eq!(
            read("grade = low\nsmtp_tls_ciphers=${grade}\nlmtp_tls_ciphers = $none\n"),
            [(2, "tls-config")]
        );
        assert_eq!(
            read(
                "mine = MD5, RC4\nsmtpd_tls_exclude_ciphers = $mine, aNULL\nsmtpd_tls_ciphers = low\n"
            ),
            []
        );
        assert_eq!(
            read("mine = HIGH:RC4-SHA\ntls_high_cipherlist = $(mine)\nsmtpd_tls_ciphers = high\n"),
            [(3, "tls-config")]
        );
        assert_eq!(read("a = $b\nb = $a\nsmtpd_tls_ciphers = $a\n"), []);
    }

    #[test]
    fn each_service_has_its_own_options() {
        let read = |text: &str| found(&SYNTAX, "/etc/postfix/master.cf", text);
        let text = "a inet n - y - - smtpd -o smtpd_tls_ciphers=low -o smtpd_tls_auth_only=yes\n\
                    b inet n - y - - smtpd\n  -o smtpd_tls_ciphers=high\n\
                    c inet n - y - - smtpd\n  -o smtpd_tls_security_level=may -o { smtpd_tls_ciphers = low }\n\
                    #  -o smtpd_tls_exclude_ciphers=RC4\n\
                    d inet n - y - - smtpd\n  -osmtpd_tls_ciphers=low\n\
                    e inet n - y - - smtpd\n  -o smtpd_tls_ciphers=low\n  -o { smtpd_tls_exclude_ciphers = MD5,\n    RC4 }\n";
        assert_eq!(read(text), [1, 5, 8].map(|line| (line, "tls-config")));
    }
}
