//! Apache: `SSLCipherSuite`, `SSLProxyCipherSuite` and `SSLOpenSSLConfCmd` of mod_ssl.

use super::{Includes, Setting, Syntax, cipher_string, has_line, is_cipher_string, syntax};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "Apache",
    recognises,
    read,
    includes: Includes { words: &["Include", "IncludeOptional"], ..Includes::NONE },
};

const DIRECTIVES: [&str; 2] = ["sslciphersuite", "sslproxyciphersuite"];
const COMMAND: &str = "sslopensslconfcmd";

fn recognises(path: &str, head: &str) -> bool {
    path.contains("apache2/")
        || path.contains("httpd/")
        || path.ends_with("httpd.conf")
        || has_line(head, &DIRECTIVES)
        || has_line(head, &["<virtualhost", "sslengine"])
}

fn read(text: &str) -> Vec<Setting> {
    let mut settings = Vec::new();
    // A comment continues on the next line as a directive does, and has no words.
    for line in syntax::lines(text, &[], Some('\\')) {
        let words = syntax::words(&line.text);
        let [directive, values @ ..] = &words[..] else { continue };
        let lower = directive.to_ascii_lowercase();
        let (name, string) = match values {
            [command, string] if lower == COMMAND && is_cipher_string(command) => (command, string),
            _ if !DIRECTIVES.contains(&lower.as_str()) => continue,
            [protocol, _] if protocol == "TLSv1.3" => continue,
            [string] | [_, string] => (directive, string),
            _ => continue,
        };
        settings.extend(cipher_string(line.number, name, string));
    }
    settings
}

#[cfg(test)]
#[test]
fn settings_that_allow_rc4_are_told() {
    let text = "# SSLCipherSuite RC4-SHA\n<VirtualHost *:443>\n  SSLCipherSuite HIGH:!aNULL\n  SSLCipherSuite SSL \"HIGH:MEDIUM\"\n\
                sslproxyciphersuite ALL:!RC4\n SSLCipherSuite TLSv1.3 TLS_AES_128_GCM_SHA256\nSSLCipherSuite ALL:\\\n RC4-SHA\n</VirtualHost>\n\
                SSLOpenSSLConfCmd CipherString RC4-SHA\nSSLOpenSSLConfCmd Ciphersuites RC4-SHA\n\
                # Old: \\\nSSLCipherSuite RC4-SHA\n";
    assert_eq!(
        super::found(&SYNTAX, "/etc/apache2/sites-enabled/a.conf", text),
        [4, 7, 10].map(|line| (line, "tls-config"))
    );
    assert_eq!(super::found(&SYNTAX, "a.conf", text).len(), 3);
}
