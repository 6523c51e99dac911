//! Samba: encryption types of Kerberos, and Netlogon without AES.

use super::{Includes, Setting, Syntax, file_name, syntax};
use crate::RuleId;

pub(super) const SYNTAX: Syntax = Syntax {
    name: "smb.conf",
    recognises,
    read,
    includes: Includes { words: &["include"], ..Includes::NONE },
};

const RULE: RuleId = RuleId::new("smb-conf");

fn recognises(path: &str, head: &str) -> bool {
    file_name(path) == "smb.conf"
        || path.contains("samba/")
        || head.lines().any(|line| line.trim() == "[global]")
}

fn read(text: &str) -> Vec<Setting> {
    let mut settings = Vec::new();
    for line in syntax::lines(text, &['#', ';'], Some('\\')) {
        let Some((name, value)) = syntax::setting(&line.text) else { continue };
        // To Samba, `Reject MD5 Clients` and `rejectmd5clients` are the same name.
        let name: String = name.split_whitespace().collect::<String>().to_ascii_lowercase();
        let value = value.to_ascii_lowercase();
        let (yes, no) = (
            matches!(value.as_str(), "yes" | "true" | "1"),
            matches!(value.as_str(), "no" | "false" | "0"),
        );
        let has_rc4 = || {
            value
                .split([' ', ',', '\t'])
                .any(|word| matches!(word, "rc4" | "rc4-hmac" | "arcfour-hmac-md5"))
        };
        let allows = match name.as_str() {
            "kerberosencryptiontypes" => value == "legacy",
            "rejectmd5clients" | "rejectmd5servers" => no,
            "kdcforceenablerc4weaksessionkeys" => yes,
            "kdcdefaultdomainsupportedenctypes" | "kdcsupportedenctypes" => has_rc4(),
            _ => name.starts_with("serverrejectmd5schannel:") && no,
        };
        if allows {
            settings.push(Setting { rule: RULE, line: line.number, evidence: line.text.clone() });
        }
    }
    settings
}

#[cfg(test)]
#[test]
fn settings_that_allow_rc4_are_told() {
    let text = "[global]\n; reject md5 clients = no\n Reject MD5 Clients = No\n kerberos encryption types = strong\n kerberos encryption types = legacy\n\
                kdc supported enctypes = aes256-cts-hmac-sha1-96 \\\n rc4-hmac\n kdc force enable rc4 weak session keys = no\n\
                server reject md5 schannel:OLD$ = no\n reject md5 servers = yes\n";
    let expected = [3, 5, 6, 9].map(|line| (line, "smb-conf"));
    assert_eq!(super::found(&SYNTAX, "/etc/samba/smb.conf", text), expected);
}
