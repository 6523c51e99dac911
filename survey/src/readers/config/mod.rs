//! Configuration that offers or allows RC4, one module for each syntax. Comments and lines that
//! forbid RC4 are no findings.

mod apache;
mod bind;
mod cipher_string;
mod dovecot;
mod haproxy;
mod include;
mod java;
mod krb5;
mod nginx;
mod openssl;
mod postfix;
mod setting;
mod smb;
mod ssh;
mod stunnel;
mod syntax;

use self::include::Includes;
use self::setting::{Setting, Syntax, cipher_string, file_name, has_line, is_cipher_string};
use super::Reader;

const SYNTAXES: [Syntax; 12] = [
    apache::SYNTAX,
    bind::SYNTAX,
    dovecot::SYNTAX,
    haproxy::SYNTAX,
    java::SYNTAX,
    krb5::SYNTAX,
    nginx::SYNTAX,
    openssl::SYNTAX,
    postfix::SYNTAX,
    smb::SYNTAX,
    ssh::SYNTAX,
    stunnel::SYNTAX,
];

/// The readers of this folder.
pub fn readers() -> Vec<Box<dyn Reader>> {
    SYNTAXES.into_iter().map(|syntax| Box::new(syntax) as Box<dyn Reader>).collect()
}

#[cfg(test)]
fn found(syntax: &Syntax, path: &str, text: &str) -> Vec<(usize, &'static str)> {
    assert!(syntax.recognises(std::path::Path::new(path), text.as_bytes()), "{path}");
    let own: Vec<&str> = SYNTAXES
        .iter()
        .filter(|other| other.recognises(std::path::Path::new(path), text.as_bytes()))
        .map(|one| one.name)
        .collect();
    assert_eq!(own, [syntax.name], "{path} is of one syntax");
    (syntax.read)(text).into_iter().map(|setting| (setting.line, setting.rule.name())).collect()
}
