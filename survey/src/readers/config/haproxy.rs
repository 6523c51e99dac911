//! HAProxy: default cipher strings, and `ciphers` of `bind`, `server` and `ssl-f-use` lines.

use super::{Includes, Setting, Syntax, cipher_string, file_name, has_line, syntax};

pub(super) const SYNTAX: Syntax =
    Syntax { name: "HAProxy", recognises, read, includes: Includes::NONE };

const DEFAULTS: [&str; 2] = ["ssl-default-bind-ciphers", "ssl-default-server-ciphers"];

fn recognises(path: &str, head: &str) -> bool {
    file_name(path) == "haproxy.cfg" || path.contains("haproxy/") || has_line(head, &DEFAULTS)
}

fn read(text: &str) -> Vec<Setting> {
    let mut settings = Vec::new();
    for line in syntax::lines(text, &['#'], None) {
        let words = syntax::words(syntax::without_comment(&line.text));
        let at = match words.first().map(String::as_str) {
            Some(word) if DEFAULTS.contains(&word) => Some(0),
            Some("bind" | "default-bind" | "server" | "default-server" | "ssl-f-use") => {
                words.iter().position(|word| word == "ciphers")
            }
            _ => None,
        };
        if let Some([name, string]) = at.and_then(|at| words.get(at..at + 2)) {
            settings.extend(cipher_string(line.number, name, string));
        }
    }
    settings
}

#[cfg(test)]
#[test]
fn settings_that_allow_rc4_are_told() {
    let text = "global\n ssl-default-bind-ciphers HIGH:RC4-SHA\n # ssl-default-bind-ciphers ALL\nfrontend a\n bind :443 ssl crt /c ciphers ALL:!EXP\n\
                bind :444 ssl ciphers ECDHE+AESGCM\nbackend b\n server s 10.0.0.1:443 ssl ciphers RC4-SHA verify none\n\
                frontend c\n bind :445 ssl ciphers HIGH#:RC4-SHA\n bind :446 ssl ciphers RC4-SHA#:!RC4\n ssl-f-use crt a ciphers RC4-SHA\n\
                peers d\n default-bind ssl ciphers \"RC4-SHA\" # HIGH\n";
    let expected = [2, 5, 8, 11, 12, 14].map(|line| (line, "tls-config"));
    assert_eq!(super::found(&SYNTAX, "/etc/haproxy/haproxy.cfg", text), expected);
}
