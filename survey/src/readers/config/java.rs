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
    let mut settings = Vec::new();
    for line in syntax::lines(text, &['#', '!'], Some('\\')) {
        let Some((name, value)) = line.text.split_once(['=', ':']) else { continue };
        let forbids = value
            .split(',')
            .filter_map(|rule| rule.split_whitespace().next())
            .any(|name| name.starts_with("RC4"));
        if name.trim() == PROPERTY && !forbids {
            settings.push(Setting {
                rule: RULE,
                line: line.number,
                evidence: format!("{PROPERTY} does not forbid RC4"),
            });
        }
    }
    // The last of several settings applies.
    settings.split_off(settings.len().saturating_sub(1))
}

#[cfg(test)]
#[test]
fn a_list_without_rc4_is_told() {
    let text = "#jdk.tls.disabledAlgorithms=MD5\njdk.tls.disabledAlgorithms=SSLv3, TLSv1, \\\n   DES, anon\njdk.certpath.disabledAlgorithms=MD2\n";
    assert_eq!(
        super::found(&SYNTAX, "/etc/java-17-openjdk/security/java.security", text),
        [(2, "java-security")]
    );
    let text =
        text.replace("DES", "RC4, DES").replace("#j", "j") + "!jdk.tls.disabledAlgorithms=\n";
    assert_eq!(super::found(&SYNTAX, "java.security", &text), [(1, "java-security")]);
    assert_eq!(super::found(&SYNTAX, "java.security", &text.replace("=MD5", "=RC4")), []);
}
