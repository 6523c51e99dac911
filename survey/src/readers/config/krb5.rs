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

/// The lists of encryption types: MIT's, then Heimdal's own.
const LISTS: [&str; 9] = [
    "default_tgs_enctypes",
    "default_tkt_enctypes",
    "permitted_enctypes",
    "supported_enctypes",
    "kdc_supported_enctypes",
    "master_key_type",
    "default_etypes",
    "default_as_etypes",
    "default_tgs_etypes",
];

/// Heimdal's list of the keys that a new principal gets.
const KEYS: &str = "default_keys";
/// Heimdal's block of such lists, each for a pattern of principals.
const KEY_RULES: &str = "default_key_rules";

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
    let mut in_rules = false;
    for line in syntax::lines(text, &['#', ';'], None) {
        in_rules &= !line.text.starts_with('}');
        let Some((name, value)) = syntax::setting(&line.text) else { continue };
        in_rules |= name == KEY_RULES;
        let name = name.trim_end_matches('*');
        let allows = match name {
            "allow_rc4" => matches!(
                value.to_ascii_lowercase().as_str(),
                "true" | "yes" | "y" | "t" | "1" | "on"
            ),
            _ if name == KEYS || in_rules => has_rc4(value) || has_all_keys(value),
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

/// Words of a list. Heimdal takes quotes around each.
fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split([' ', ',', '\t', '"']).filter(|word| !word.is_empty())
}

/// Returns true if a list of Heimdal's keys has a salt without a type, which stands for all types.
fn has_all_keys(list: &str) -> bool {
    words(list).any(|word| matches!(word, "v5" | "pw-salt"))
}

/// Returns true if RC4 is in the list after all its words. Words add types, words with `-` remove
/// them.
fn has_rc4(list: &str) -> bool {
    let (mut strong, mut export) = (false, false);
    for word in words(list) {
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
mod tests {
    use super::{super::found, SYNTAX};

    #[test]
    fn lists_are_evaluated() {
        let text = "[libdefaults]\n# allow_rc4 = true\n allow_rc4 = true\n allow_rc4 = false\n permitted_enctypes = aes256-cts rc4-hmac\n\
                    ; default_tgs_enctypes = rc4\n default_tkt_enctypes = DEFAULT -rc4\n default_tgs_enctypes = rc4 -arcfour-hmac\n\
                    permitted_enctypes = DEFAULT,+rc4\n[realms]\nX = {\n supported_enctypes = aes256-cts:normal arcfour-hmac:normal\n}\n";
        let expected = [3, 5, 9, 12].map(|line| (line, "krb5-conf"));
        assert_eq!(found(&SYNTAX, "/etc/krb5.conf", text), expected);
        assert_eq!(found(&SYNTAX, "copy.txt", text), expected);
    }

    #[test]
    fn heimdals_own_names_are_read() {
        let text = "[libdefaults]\n default_as_etypes = arcfour-hmac-md5\n default_tgs_etypes = aes256-cts \"rc4-hmac\" des3-cbc-sha1\n\
                    default_etypes = \"aes256-cts\" \"arcfour-hmac-md5\"\n default_etypes = aes256-cts\n\
                    [kadmin]\n default_keys = aes256-cts-hmac-sha1-96:pw-salt arcfour-hmac-md5:pw-salt:s\n\
                    default_keys = aes256-cts-hmac-sha1-96:pw-salt\n default_keys = v5\n default_key_rules = {\n\
                    */ppp@* = arcfour-hmac-md5:pw-salt\n */new@* = aes256-cts:pw-salt\n }\n name = rc4-hmac\n";
        let expected = [2, 3, 4, 7, 9, 11].map(|line| (line, "krb5-conf"));
        assert_eq!(found(&SYNTAX, "/etc/krb5.conf", text), expected);
    }
}
