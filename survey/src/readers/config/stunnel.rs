//! stunnel: `ciphers`.

use super::{Includes, Setting, Syntax, cipher_string, file_name, syntax};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "stunnel",
    recognises,
    read,
    includes: Includes { words: &["include"], ..Includes::NONE },
};

fn recognises(path: &str, _: &str) -> bool {
    file_name(path).starts_with("stunnel") || path.contains("stunnel/")
}

fn read(text: &str) -> Vec<Setting> {
    let mut settings = Vec::new();
    for line in syntax::lines(text, &[';', '#'], None) {
        if let Some((name, string)) = syntax::setting(&line.text)
            && name.eq_ignore_ascii_case("ciphers")
        {
            settings.extend(cipher_string(line.number, name, string));
        }
    }
    settings
}

#[cfg(test)]
#[test]
fn settings_that_allow_rc4_are_told() {
    let text = "; ciphers = RC4\n[a]\nciphers = ALL:!ADH:!LOW:!EXP\n[b]\nciphers = HIGH:!aNULL\n";
    assert_eq!(super::found(&SYNTAX, "/etc/stunnel/stunnel.conf", text), [(3, "tls-config")]);
}
