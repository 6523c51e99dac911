//! stunnel: `ciphers`, and `config` with a cipher string.

use super::{Includes, Setting, Syntax, cipher_string, file_name, is_cipher_string, syntax};

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
        let Some((name, value)) = syntax::setting(&line.text) else { continue };
        let (name, string) = match value.split_once(':') {
            _ if name.eq_ignore_ascii_case("ciphers") => (name, value),
            Some((command, string))
                if name.eq_ignore_ascii_case("config") && is_cipher_string(command) =>
            {
                (command, string)
            }
            _ => continue,
        };
        settings.extend(cipher_string(line.number, name, string));
    }
    settings
}

#[cfg(test)]
#[test]
fn settings_that_allow_rc4_are_told() {
    let text = "; ciphers = RC4\n[a]\nciphers = ALL:!ADH:!LOW:!EXP\n[b]\nciphers = HIGH:!aNULL\nconfig = CipherString:HIGH:RC4-SHA\nconfig = Curves:RC4\nCiphers = RC4\n";
    assert_eq!(
        super::found(&SYNTAX, "/etc/stunnel/stunnel.conf", text),
        [3, 6, 8].map(|line| (line, "tls-config"))
    );
}
