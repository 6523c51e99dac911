//! BIND: `ciphers` of a `tls` block.

use super::{Includes, Setting, Syntax, cipher_string, file_name, syntax};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "BIND",
    recognises,
    read,
    includes: Includes { words: &["include"], braces: true, ..Includes::NONE },
};

fn recognises(path: &str, _: &str) -> bool {
    file_name(path).starts_with("named.conf")
        || (path.contains("/bind/") && path.ends_with(".conf"))
}

fn read(text: &str) -> Vec<Setting> {
    let mut settings = Vec::new();
    for statement in syntax::statements(text, true) {
        if let [directive, string] = &statement.words[..]
            && directive.eq_ignore_ascii_case("ciphers")
        {
            settings.extend(cipher_string(statement.line, directive, string));
        }
    }
    settings
}

#[cfg(test)]
#[test]
fn settings_that_allow_rc4_are_told() {
    let text = "// ciphers \"RC4\";\ntls local {\n  ciphers \"HIGH:RC4-SHA\"; /* ciphers \"ALL\"; */\n};\ntls third { Ciphers \"RC4\"; };\ntls other { ciphers \"HIGH:!RC4\"; };\n";
    assert_eq!(
        super::found(&SYNTAX, "/etc/bind/named.conf.options", text),
        [(3, "tls-config"), (5, "tls-config")]
    );
}
