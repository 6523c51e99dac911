//! Java: `jdk.tls.disabledAlgorithms` of `java.security`, if it does not forbid RC4.

use super::{Includes, Setting, Syntax, file_name, syntax};
use crate::RuleId;

pub(super) const SYNTAX: Syntax = Syntax {
    name: "java.security",
    recognises,
    read,
    includes: Includes { words: &["include"], ..Includes::NONE },
};

const RULE: RuleId = RuleId::new("java-security");
const PROPERTY: &str = "jdk.tls.disabledAlgorithms";

fn recognises(path: &str, _: &str) -> bool {
    file_name(path).starts_with("java.security")
}

fn read(text: &str) -> Vec<Setting> {
    let lines = syntax::lines(text, &['#', '!'], Some('\\'));
    // The last of several settings applies.
    let last = lines.iter().rev().find_map(|line| match property(&line.text) {
        (PROPERTY, value) => Some((line.number, value)),
        _ => None,
    });
    let allowed = last.filter(|(_, value)| !forbids_rc4(value));
    let setting = allowed.map(|(line, _)| Setting {
        rule: RULE,
        line,
        evidence: format!("{PROPERTY} does not forbid RC4"),
    });
    setting.into_iter().collect()
}

/// Splits a property at the first `=`, `:` or space, as Java does.
fn property(line: &str) -> (&str, &str) {
    let end = line.find(|sign: char| sign.is_whitespace() || "=:".contains(sign));
    let (name, rest) = line.split_at(end.unwrap_or(line.len()));
    let rest = rest.trim_start();
    (name, syntax::unquoted(rest.strip_prefix(['=', ':']).unwrap_or(rest).trim()))
}

/// Returns true if a list forbids each suite with RC4. Java decomposes a suite into names, and the
/// suites with RC4 have `RC4`, and `RC4_40` or `RC4_128`. A name with a condition forbids no suite.
fn forbids_rc4(list: &str) -> bool {
    let has = |name: &str| list.split(',').any(|entry| entry.trim().eq_ignore_ascii_case(name));
    has("RC4") || (has("RC4_40") && has("RC4_128"))
}

#[cfg(test)]
mod tests {
    use super::{super::found, *};

    #[test]
    fn a_list_without_rc4_is_told() {
        let text = "#jdk.tls.disabledAlgorithms=MD5\njdk.tls.disabledAlgorithms=SSLv3, TLSv1, \\\n   DES, anon\njdk.certpath.disabledAlgorithms=MD2\n";
        assert_eq!(
            found(&SYNTAX, "/etc/java-17-openjdk/security/java.security", text),
            [(2, "java-security")]
        );
        let text =
            text.replace("DES", "RC4, DES").replace("#j", "j") + "!jdk.tls.disabledAlgorithms=\n";
        assert_eq!(found(&SYNTAX, "java.security", &text), []);
        let text = text.replace('!', "");
        assert_eq!(found(&SYNTAX, "java.security", &text), [(5, "java-security")]);
    }

    #[test]
    fn only_the_names_of_all_suites_with_rc4_forbid_it() {
        for (setting, allows) in [
            ("=SSLv3, RC4_40, DES", true),
            ("=RC4_128", true),
            ("=RC4_40, RC4_128", false),
            ("=SSLv3,rc4", false),
            ("=\"SSLv3, RC4\"", false),
            ("=RC4 keySize < 128", true),
            ("=RC4_56", true),
            (" SSLv3", true),
            ("\t: SSLv3, RC4", false),
            ("", true),
        ] {
            let found = found(&SYNTAX, "java.security", &format!("{PROPERTY}{setting}\n"));
            assert_eq!(!found.is_empty(), allows, "{setting}");
        }
    }
}
