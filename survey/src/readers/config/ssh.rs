//! OpenSSH: `Ciphers` of `sshd_config` and `ssh_config`.

use super::{Includes, Setting, Syntax, file_name, syntax};
use crate::RuleId;

pub(super) const SYNTAX: Syntax = Syntax {
    name: "SSH",
    recognises,
    read,
    includes: Includes { words: &["Include"], ..Includes::NONE },
};

const RULE: RuleId = RuleId::new("ssh-config");
const CIPHERS: [&str; 3] = ["arcfour", "arcfour128", "arcfour256"];

fn recognises(path: &str, _: &str) -> bool {
    let name = file_name(path);
    name.starts_with("sshd_config")
        || name.starts_with("ssh_config")
        || path.contains("sshd_config.d/")
        || path.contains("ssh_config.d/")
        || path.ends_with(".ssh/config")
}

fn read(text: &str) -> Vec<Setting> {
    let mut settings = Vec::new();
    for line in syntax::lines(text, &['#'], None) {
        let Some((keyword, value)) =
            line.text.split_once(|sign: char| sign.is_whitespace() || sign == '=')
        else {
            continue;
        };
        if !keyword.eq_ignore_ascii_case("ciphers") {
            continue;
        }
        let words = syntax::words(
            value.trim_start_matches(|sign: char| sign.is_whitespace() || sign == '='),
        );
        let Some(list) = words.first() else { continue };
        if list.starts_with('-') {
            continue; // removes ciphers
        }
        let offered: Vec<&str> = list
            .trim_start_matches(['+', '^'])
            .split(',')
            .filter(|name| CIPHERS.iter().any(|cipher| matches(name.trim(), cipher)))
            .collect();
        if !offered.is_empty() {
            settings.push(Setting {
                rule: RULE,
                line: line.number,
                evidence: format!("Ciphers: {} offered", offered.join(", ")),
            });
        }
    }
    settings
}

/// Returns true if a name with `*` at its end matches another name.
fn matches(pattern: &str, name: &str) -> bool {
    pattern
        .strip_suffix('*')
        .map_or(pattern == name, |start| start.starts_with("arc") && name.starts_with(start))
}

#[cfg(test)]
#[test]
fn settings_that_offer_rc4_are_told() {
    let text = "#Ciphers arcfour\nCiphers aes128-ctr,arcfour256\nMatch User old\n  ciphers=+arcfour\nCiphers -arcfour*\nCiphers ^\"arcfour128\"\nCiphers aes256-ctr # arcfour\n";
    let expected = [2, 4, 6].map(|line| (line, "ssh-config"));
    assert_eq!(super::found(&SYNTAX, "/etc/ssh/sshd_config", text), expected);
}
