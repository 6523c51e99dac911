//! Dovecot: `ssl_cipher_list`.

use super::{Includes, Setting, Syntax, cipher_string, file_name, has_line, syntax};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "Dovecot",
    recognises,
    read,
    includes: Includes { words: &["!include", "!include_try"], ..Includes::NONE },
};

fn recognises(path: &str, head: &str) -> bool {
    path.contains("dovecot/")
        || file_name(path) == "dovecot.conf"
        || has_line(head, &["ssl_cipher_list"])
}

fn read(text: &str) -> Vec<Setting> {
    let mut settings = Vec::new();
    let text: Vec<&str> = text.lines().map(syntax::without_comment).collect();
    for line in syntax::lines(&text.join("\n"), &[], Some('\\')) {
        if let Some(("ssl_cipher_list", string)) = syntax::setting(&line.text) {
            settings.extend(cipher_string(line.number, "ssl_cipher_list", string));
        }
    }
    settings
}

#[cfg(test)]
#[test]
fn settings_that_allow_rc4_are_told() {
    let text = "#ssl_cipher_list = ALL\nssl_cipher_list = ALL:!LOW:!SSLv2:!EXP:!aNULL\nssl_cipher_list = HIGH:!RC4\n\
                ssl_cipher_list = HIGH:!aNULL # no RC4 any more\nssl_cipher_list = ALL # without !RC4\n\
                ssl_cipher_list = ALL#:!RC4\nssl_cipher_list = \"HIGH\" # ALL\nssl_cipher_list = HIGH: \\ # no !RC4\n  RC4-SHA\n";
    let expected = [2, 5, 6, 8].map(|line| (line, "tls-config"));
    assert_eq!(super::found(&SYNTAX, "/etc/dovecot/conf.d/10-ssl.conf", text), expected);
}
