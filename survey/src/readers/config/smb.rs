//! Samba: encryption types of Kerberos, and Netlogon without AES.

use super::{Includes, Setting, Syntax, file_name, syntax};
use crate::{RuleId, readers::kerberos::RC4_BIT};

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
        || head.lines().any(|line| line.trim().eq_ignore_ascii_case("[global]"))
}

fn read(text: &str) -> Vec<Setting> {
    let mut settings = Vec::new();
    for line in syntax::lines(text, &['#', ';'], Some('\\')) {
        let Some((name, value)) = syntax::setting(&line.text) else { continue };
        // To Samba, `Reject MD5 Clients` and `rejectmd5clients` are the same name.
        let name: String = name.split_whitespace().collect::<String>().to_ascii_lowercase();
        let value = value.to_ascii_lowercase();
        let (yes, no) = (
            matches!(value.as_str(), "yes" | "true" | "on" | "1"),
            matches!(value.as_str(), "no" | "false" | "off" | "0"),
        );
        let allows = match name.as_str() {
            "kerberosencryptiontypes" => value == "legacy",
            "rejectmd5clients" => no,
            "kdcforceenablerc4weaksessionkeys" => yes,
            "kdcdefaultdomainsupportedenctypes" | "kdcsupportedenctypes" => has_rc4(&value),
            _ => {
                // These settings may name one account or domain.
                let of = name.split(':').next();
                matches!(of, Some("serverrejectmd5schannel" | "rejectmd5servers")) && no
            }
        };
        if allows {
            settings.push(Setting { rule: RULE, line: line.number, evidence: line.text.clone() });
        }
    }
    settings
}

/// Returns true if RC4 is in a list of names and of masks, decimal or hexadecimal.
fn has_rc4(list: &str) -> bool {
    list.split([' ', ',', '\t']).any(|word| match word {
        "rc4-hmac" | "arcfour-hmac-md5" => true,
        _ => {
            let mask = word
                .strip_prefix("0x")
                .map_or_else(|| word.parse(), |hexadecimal| u32::from_str_radix(hexadecimal, 16));
            mask.is_ok_and(|mask| mask & RC4_BIT != 0)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{super::found, SYNTAX};

    #[test]
    fn settings_that_allow_rc4_are_told() {
        let text = "[global]\n; reject md5 clients = no\n Reject MD5 Clients = No\n kerberos encryption types = strong\n kerberos encryption types = legacy\n\
                    kdc supported enctypes = aes256-cts-hmac-sha1-96 \\\n rc4-hmac\n kdc force enable rc4 weak session keys = no\n\
                    server reject md5 schannel:OLD$ = no\n reject md5 servers = yes\n";
        let expected = [3, 5, 6, 9].map(|line| (line, "smb-conf"));
        assert_eq!(found(&SYNTAX, "/etc/samba/smb.conf", text), expected);
    }

    #[test]
    fn each_spelling_of_a_value_is_read() {
        let text = "[Global]\nreject md5 clients = off\nReject MD5 servers:OLD = False\nreject md5 clients = On\n\
                    kdc force enable rc4 weak session keys = ON\nkdc default domain supported enctypes = 28\n\
                    kdc supported enctypes = 0x4\nkdc supported enctypes = 0x38\nkdc supported enctypes = 24\n\
                    kdc supported enctypes = aes256-cts, 4\nkdc supported enctypes = 0x\n";
        let expected = [2, 3, 5, 6, 7, 10].map(|line| (line, "smb-conf"));
        assert_eq!(found(&SYNTAX, "copy.txt", text), expected);
    }
}
