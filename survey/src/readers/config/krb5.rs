//! Kerberos: encryption types of `krb5.conf` and `kdc.conf`.

use super::{Includes, Setting, Syntax, file_name, syntax};
use crate::RuleId;

pub(super) const SYNTAX: Syntax = Syntax {
    name: "krb5.conf",
    recognises,
    read,
    includes: Includes { words: &["include", "includedir"], in_folder: is_read, ..Includes::NONE },
};

const RULE: RuleId = RuleId::new("krb5-conf");

const LISTS: [&str; 7] = [
    "default_tgs_enctypes",
    "default_tkt_enctypes",
    "permitted_enctypes",
    "supported_enctypes",
    "kdc_supported_enctypes",
    "default_etypes",
    "master_key_type",
];

fn recognises(path: &str, head: &str) -> bool {
    matches!(file_name(path), "krb5.conf" | "kdc.conf" | "krb5.ini")
        || (path.contains("krb5.conf.d/") && is_read(file_name(path)))
        || head.lines().any(|line| line.trim() == "[libdefaults]")
}

/// Whether Kerberos reads a file of this name in a folder that it includes.
fn is_read(name: &str) -> bool {
    name.ends_with(".conf")
        || name.chars().all(|sign| sign.is_ascii_alphanumeric() || "-_".contains(sign))
}

fn read(text: &str) -> Vec<Setting> {
    let mut settings = Vec::new();
    for line in syntax::lines(text, &['#', ';'], None) {
        let Some((name, value)) = syntax::setting(&line.text) else { continue };
        let name = name.trim_end_matches('*');
        let allows = match name {
            "allow_rc4" => matches!(
                value.to_ascii_lowercase().as_str(),
                "true" | "yes" | "y" | "t" | "1" | "on"
            ),
            _ if LISTS.contains(&name) => has_rc4(value),
            _ => false,
        };
        if allows {
            settings.push(Setting {
                rule: RULE,
                line: line.number,
                evidence: format!("{name} = {value}"),
            });
        }
    }
    settings
}

/// Returns true if RC4 is in the list after all its words. Words add types, words with `-` remove
/// them.
fn has_rc4(list: &str) -> bool {
    let (mut strong, mut export) = (false, false);
    for word in list.split([' ', ',', '\t']).filter(|word| !word.is_empty()) {
        let (adds, word) = word.strip_prefix('-').map_or((true, word), |word| (false, word));
        let name = word.split(':').next().unwrap_or(word).to_ascii_lowercase(); // a salt follows
        match name.strip_prefix('+').unwrap_or(&name) {
            "rc4" => (strong, export) = (adds, export && adds),
            "arcfour-hmac" | "rc4-hmac" | "arcfour-hmac-md5" | "23" => strong = adds,
            "arcfour-hmac-exp" | "rc4-hmac-exp" | "arcfour-hmac-md5-exp" | "24" => export = adds,
            _ => {}
        }
    }
    strong || export
}

#[cfg(test)]
#[test]
fn lists_are_evaluated() {
    let text = "[libdefaults]\n# allow_rc4 = true\n allow_rc4 = true\n allow_rc4 = false\n permitted_enctypes = aes256-cts rc4-hmac\n\
                ; default_tgs_enctypes = rc4\n default_tkt_enctypes = DEFAULT -rc4\n default_tgs_enctypes = rc4 -arcfour-hmac\n\
                permitted_enctypes = DEFAULT,+rc4\n[realms]\nX = {\n supported_enctypes = aes256-cts:normal arcfour-hmac:normal\n}\n";
    let expected = [3, 5, 9, 12].map(|line| (line, "krb5-conf"));
    assert_eq!(super::found(&SYNTAX, "/etc/krb5.conf", text), expected);
    assert_eq!(super::found(&SYNTAX, "copy.txt", text), expected);
}
