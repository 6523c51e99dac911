//! nginx: `ssl_ciphers`, `proxy_ssl_ciphers` and their like, and `ssl_conf_command`.

use super::{
    Includes, Setting, Syntax, cipher_string, file_name, has_line, is_cipher_string, syntax,
};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "nginx",
    recognises,
    read,
    includes: Includes { words: &["include"], braces: true, ..Includes::NONE },
};

fn recognises(path: &str, head: &str) -> bool {
    file_name(path) == "nginx.conf"
        || path.contains("nginx/")
        || has_line(head, &["ssl_ciphers", "proxy_ssl_ciphers"])
}

fn read(text: &str) -> Vec<Setting> {
    let mut settings = Vec::new();
    for statement in syntax::statements(text, false) {
        let (name, string) = match &statement.words[..] {
            [directive, string] if directive.ends_with("ssl_ciphers") => (directive, string),
            [directive, command, string]
                if directive.ends_with("ssl_conf_command") && is_cipher_string(command) =>
            {
                (command, string)
            }
            _ => continue,
        };
        settings.extend(cipher_string(statement.line, name, string));
    }
    settings
}

#[cfg(test)]
#[test]
fn settings_that_allow_rc4_are_told() {
    let text = "http {\n # ssl_ciphers RC4-SHA;\n ssl_ciphers 'HIGH:!aNULL:!RC4';\n server { listen 443; ssl_ciphers\n   \"ALL:!EXP\"; }\n\
                location / { proxy_ssl_ciphers RC4; }\n}\n\
                ssl_conf_command CipherString RC4;\nproxy_ssl_conf_command cipherstring HIGH;\n";
    assert_eq!(
        super::found(&SYNTAX, "/etc/nginx/nginx.conf", text),
        [4, 6, 8].map(|line| (line, "tls-config"))
    );
    assert_eq!(super::found(&SYNTAX, "site.conf", text).len(), 3);
}
