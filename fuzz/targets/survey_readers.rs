//! The survey's readers of keys, logs, configuration and programs: each reads any bytes under each name that it takes.

#![no_main]

use std::{io::Cursor, path::Path};

use arcfour_survey::{Input, readers};

const NAMES: [&str; 18] = [
    "krb5.keytab",
    "krb5cc_0",
    "Security.evtx",
    "export.ldif",
    "export.csv",
    "krb5.conf",
    "smb.conf",
    "openssl.cnf",
    "sshd_config",
    "nginx.conf",
    "httpd.conf",
    "haproxy.cfg",
    "postfix/main.cf",
    "dovecot.conf",
    "stunnel.conf",
    "java.security",
    "named.conf",
    "program",
];
const READERS: [&str; 17] = [
    "keytab",
    "credential cache",
    "event log",
    "directory export",
    "krb5.conf",
    "smb.conf",
    "openssl.cnf",
    "SSH",
    "nginx",
    "Apache",
    "HAProxy",
    "Postfix",
    "Dovecot",
    "stunnel",
    "java.security",
    "BIND",
    "program",
];

arcfour_fuzz::target!(|data: &[u8]| {
    let head = &data[..data.len().min(readers::HEAD)];
    for reader in readers::all().iter().filter(|reader| READERS.contains(&reader.name())) {
        for path in NAMES.iter().map(Path::new).filter(|path| reader.recognises(path, head)) {
            let mut source = Cursor::new(data);
            let mut input = Input::new(path, &mut source).expect("memory has a size");
            let _ = reader.read(&mut input, &mut |finding| assert!(finding.count > 0 && !finding.evidence.is_empty()));
        }
    }
});
