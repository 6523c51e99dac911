//! `openssl.cnf`: the legacy provider, which has RC4, and cipher strings.

use std::collections::HashMap;

use super::{Includes, Setting, Syntax, cipher_string, file_name, is_cipher_string, syntax};
use crate::RuleId;

pub(super) const SYNTAX: Syntax = Syntax {
    name: "openssl.cnf",
    recognises,
    read,
    includes: Includes {
        words: &[".include"],
        in_folder: |name| name.ends_with(".cnf") || name.ends_with(".conf"),
        ..Includes::NONE
    },
};

const LEGACY: RuleId = RuleId::new("openssl-legacy");

fn recognises(path: &str, head: &str) -> bool {
    matches!(file_name(path), "openssl.cnf" | "openssl.conf")
        || path.contains("openssl.cnf.d/")
        || head.lines().any(|line| line.trim_start().starts_with("openssl_conf"))
}

/// Settings of a section, by name, with their lines. The last setting of a name applies.
type Section<'text> = HashMap<&'text str, (usize, &'text str)>;

fn read(text: &str) -> Vec<Setting> {
    // A comment continues on the next line as a setting does.
    let lines = syntax::lines(text, &[], Some('\\'));
    let mut sections: HashMap<&str, Section<'_>> = HashMap::new();
    let mut section = "default";
    for line in &lines {
        let line_text = syntax::without_comment(&line.text);
        if let Some(name) =
            line_text.trim().strip_prefix('[').and_then(|name| name.strip_suffix(']'))
        {
            section = name.trim();
        } else if let Some((name, value)) = syntax::setting(line_text) {
            sections.entry(section).or_default().insert(name, (line.number, value));
        }
    }
    let empty = Section::new();
    let follow = |of: &Section<'_>, name: &str| {
        let to = of.get(name).map(|(_, to)| *to);
        to.and_then(|to| sections.get(to)).unwrap_or(&empty)
    };
    // Follows only the sections that a program reads: from `openssl_conf` on, or from the section
    // that lists programs.
    let start = follow(sections.get("default").unwrap_or(&empty), "openssl_conf");
    let mut settings = Vec::new();
    for (name, (line, to)) in follow(start, "providers") {
        let active = sections.get(to).and_then(|provider| provider.get("activate"));
        let is_active = active.is_some_and(|(_, value)| {
            matches!(value.to_ascii_lowercase().as_str(), "1" | "yes" | "true" | "on")
        });
        let identity = sections
            .get(to)
            .and_then(|provider| provider.get("identity"))
            .map_or(*name, |(_, identity)| *identity);
        if identity == "legacy" && is_active {
            settings.push(Setting {
                rule: LEGACY,
                line: *line,
                evidence: "the legacy provider is active".to_owned(),
            });
        }
    }
    let ssl = follow(start, "ssl_conf");
    for name in ssl.keys() {
        for (command, (line, string)) in follow(ssl, name) {
            // `1.CipherString` is `CipherString` too: a name may stand once in a section.
            let command = command.split_once('.').map_or(*command, |(_, command)| command);
            if is_cipher_string(command) {
                settings.extend(cipher_string(*line, command, string));
            }
        }
    }
    settings.sort_by_key(|setting| setting.line);
    settings
}

#[cfg(test)]
#[test]
fn only_what_is_reached_counts() {
    let text = "openssl_conf = init\n[init]\nproviders = provs\nssl_conf = ssl\n[provs]\ndefault = def\nlegacy = leg\n[def]\nactivate = 1\n\
                [leg]\nactivate = 1\n[ssl]\nsystem_default = sys\n[sys]\nCipherString = ALL:@SECLEVEL=0\n[other]\nCipherString = RC4\n";
    let read = |text: &str| super::found(&SYNTAX, "/etc/ssl/openssl.cnf", text);
    assert_eq!(read(text), [(7, "openssl-legacy"), (15, "tls-config")]);
    assert_eq!(read(&text.replace("[leg]\nactivate", "[leg]\n# activate")), [(15, "tls-config")]);
    assert_eq!(read(&text.replace("SECLEVEL=0", "SECLEVEL=2")), [(7, "openssl-legacy")]);
    assert_eq!(read(&text.replace("openssl_conf =", "# openssl_conf =")), []);
    assert_eq!(read(&text.replace("openssl_conf =", "# Old: \\\nopenssl_conf =")), []);
    let text =
        text.replace("CipherString = ALL", "1.cipherstring = ALL").replace("= 1\n", "= 1 # on\n");
    assert_eq!(read(&text), [(7, "openssl-legacy"), (15, "tls-config")]);
}
