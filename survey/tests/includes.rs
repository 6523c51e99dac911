//! Configuration in several files, as servers have it. Only the settings in force are found, each with its place.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use arcfour_survey::{Options, Outcome, Watch, survey};

/// Files of a system under `root`, by path and text; a text that begins with `-> ` is a link. One that begins with `@` comes after
/// so long a comment that nothing but an include leads to it.
fn put(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match text.strip_prefix("-> ") {
            Some(to) => symlink(to, path).unwrap(),
            None => {
                let text = text.replacen('@', &format!("# {}\n", "-".repeat(5000)), 1);
                fs::write(path, text).unwrap();
            }
        }
    }
}

fn surveyed(path: &Path) -> Outcome {
    survey(&[path.to_owned()], &Options::default(), &Watch::default())
}

fn places(root: &Path, outcome: &Outcome) -> BTreeSet<String> {
    let root = format!("{}/", root.display());
    outcome.findings.iter().map(|found| found.place.to_string().replace(&root, "")).collect()
}

fn expected(places: &[&str]) -> BTreeSet<String> {
    places.iter().map(|place| (*place).to_owned()).collect()
}

const SYSTEM: &[(&str, &str)] = &[
    // A folder, by a path of the system that this is a copy of; one file in it is not read by Kerberos.
    (
        "etc/krb5.conf",
        "includedir /etc/krb5.d/\ninclude /etc/more\n[libdefaults]\n dns_lookup_kdc = true\n",
    ),
    ("etc/krb5.d/old", "[libdefaults]\n allow_rc4 = true\n"),
    ("etc/krb5.d/new.conf", "# allow_rc4 = true\n"),
    ("etc/krb5.d/old.conf.kept", " allow_rc4 = true\n"),
    (
        "etc/more",
        "[realms]\nX = {\n supported_enctypes = aes256-cts:normal arcfour-hmac:normal\n}\n",
    ),
    // A pattern in the folder of the file, two on a line, and a circle.
    (
        "etc/ssh/sshd_config",
        "#Include other/*\nInclude extra/*.part \"more/one\"\nCiphers aes256-ctr\n",
    ),
    ("etc/ssh/extra/a.part", "Ciphers +arcfour\n"),
    ("etc/ssh/extra/b.txt", "Ciphers +arcfour\n"),
    ("etc/ssh/more/one", "Include sshd_config\n\nCiphers arcfour256\n"),
    ("etc/ssh/other/no", "Ciphers arcfour128\n"),
    // nginx: a block on one line; a site that is enabled, and one that is not.
    (
        "etc/nginx/nginx.conf",
        "http { include /etc/tls.part; include sites-enabled/*; } # include /etc/mistake;\n",
    ),
    ("etc/tls.part", "ssl_prefer_server_ciphers on;\ngrpc_ssl_ciphers ALL:!EXP;\n"),
    ("etc/mistake", "grpc_ssl_ciphers RC4;\n"),
    ("etc/nginx/sites-available/on", "server {\n ssl_ciphers 'RC4-SHA:HIGH';\n}\n"),
    ("etc/nginx/sites-available/off", "server {\n ssl_ciphers RC4-MD5;\n}\n"),
    ("etc/nginx/sites-enabled/on", "-> ../sites-available/on"),
    // Apache's root is above the folder of its configuration.
    (
        "etc/www/conf/httpd.conf",
        "ServerRoot \"/etc/www\"\nIncludeOptional conf.extra/*.load\nInclude conf.more\n",
    ),
    ("etc/www/conf.extra/tls.load", "@SSLCipherSuite MEDIUM\n"),
    ("etc/www/conf.more/part", "@SSLProxyCipherSuite RC4\n"),
    // Sections of OpenSSL that are whole only together, in a folder where one kind of file is read.
    (
        "etc/ssl/openssl.cnf",
        "openssl_conf = init\n.include /etc/ssl/parts\n[provs]\nlegacy = leg\n[leg]\nactivate = 1\n",
    ),
    (
        "etc/ssl/parts/init.cnf",
        "[init]\nproviders = provs\nssl_conf = ssl\n[ssl]\nsystem_default = sys\n",
    ),
    ("etc/ssl/parts/sys.conf", "[sys]\nCipherString = ALL:@SECLEVEL=0\n"),
    ("etc/ssl/parts/sys.text", "[sys]\nCipherString = RC4\n"),
    ("etc/samba/smb.conf", "[global]\ninclude = /etc/shares.part\n"),
    ("etc/shares.part", "; reject md5 clients = no\nreject md5 clients = no\n"),
    ("etc/dovecot/dovecot.conf", "!include_try /etc/mail.part\n"),
    ("etc/mail.part", "@ssl_cipher_list = RC4\n"),
    ("etc/bind/named.conf", "include \"/etc/keys.part\";\n"),
    ("etc/keys.part", "tls x { ciphers \"RC4\"; };\n"),
    ("etc/stunnel/stunnel.conf", "include = /etc/services\n[a]\nciphers = HIGH\n"),
    ("etc/services/b", "[b]\nciphers = RC4-SHA\n"),
    ("etc/services/c", "\u{feff}ciphers = RC4-SHA\n"), // a byte order mark
    // Names that editors and package managers keep.
    ("etc/ssh/sshd_config.dpkg-old", "Ciphers arcfour\n"),
    ("etc/nginx/conf.d/old.conf.disabled", "ssl_ciphers RC4;\n"),
];

#[test]
fn what_is_included_is_found_where_it_stands_and_nothing_else() {
    let root = tempfile::tempdir().unwrap();
    put(root.path(), SYSTEM);
    let outcome = surveyed(root.path());
    let rows = expected(&[
        "etc/krb5.d/old, line 2",
        "etc/more, line 3",
        "etc/ssh/extra/a.part, line 1",
        "etc/ssh/more/one, line 3",
        "etc/tls.part, line 2",
        "etc/nginx/sites-available/on, line 2",
        "etc/www/conf.extra/tls.load, line 2",
        "etc/www/conf.more/part, line 2",
        "etc/ssl/openssl.cnf, line 4",
        "etc/ssl/parts/sys.conf, line 2",
        "etc/shares.part, line 2",
        "etc/mail.part, line 2",
        "etc/keys.part, line 1",
        "etc/services/b, line 2",
        "etc/services/c, line 1",
    ]);
    assert_eq!(places(root.path(), &outcome), rows);
    assert_eq!(outcome.findings.len(), rows.len(), "nothing twice: {:#?}", outcome.findings);
    assert_eq!(outcome.unread, []);
}

/// The tree of a file given alone is its folder. A file included from elsewhere is named, and not read.
#[test]
fn nothing_is_included_from_outside_the_paths_given() {
    let root = tempfile::tempdir().unwrap();
    put(root.path(), SYSTEM);
    let outcome = surveyed(&root.path().join("etc/ssh/sshd_config"));
    let rows = expected(&["etc/ssh/extra/a.part, line 1", "etc/ssh/more/one, line 3"]);
    assert_eq!(places(root.path(), &outcome), rows);
    assert_eq!(outcome.unread, []);

    let outcome = surveyed(&root.path().join("etc/samba"));
    assert_eq!(outcome.findings, []);
    let [(place, reason)] = &outcome.unread[..] else { panic!("{:?}", outcome.unread) };
    assert_eq!(place.path, root.path().join("etc/samba/smb.conf"));
    assert_eq!(reason, "smb.conf: /etc/shares.part includes 1 file outside the paths given");

    // A link within the tree that leads out of it.
    put(
        root.path(),
        &[("etc/samba/out", "-> ../shares.part"), ("etc/samba/smb.conf", "include = out\n")],
    );
    let outcome = surveyed(&root.path().join("etc/samba"));
    assert_eq!((outcome.findings.len(), outcome.unread.len()), (0, 1));
}

/// A pattern meets names of any bytes, and its folder may have such a name. A folder without rights to read, such as
/// another user's, is passed by.
#[test]
fn names_that_are_not_utf_8_are_met() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join(OsStr::from_bytes(b"caf\xe9"));
    let text = "ssl_ciphers RC4-SHA;\ninclude conf.d/*.conf;\n";
    fs::create_dir_all(folder.join("conf.d")).unwrap();
    fs::write(folder.join("nginx.conf"), text).unwrap();
    fs::write(folder.join("conf.d/b.conf"), "ssl_ciphers RC4-MD5;\n").unwrap();
    fs::write(folder.join(OsStr::from_bytes(b"conf.d/\xe9.txt")), "no configuration\n").unwrap();
    fs::write(folder.join(OsStr::from_bytes(b"conf.d/\xe9.conf")), "ssl_ciphers RC4;\n").unwrap();
    let outcome = surveyed(root.path());
    assert_eq!((outcome.findings.len(), outcome.unread.len()), (3, 0), "{outcome:?}");
}

/// `**` is `*`, as for glob(3): no pattern walks through all folders below the one above.
#[test]
fn a_pattern_goes_no_deeper_than_its_parts() {
    let root = tempfile::tempdir().unwrap();
    put(
        root.path(),
        &[
            ("nginx.conf", "include **/tls.part;\n"),
            ("a/tls.part", "@ssl_ciphers RC4-SHA;\n"),
            ("a/b/tls.part", "@ssl_ciphers RC4-SHA;\n"),
            ("ssh/sshd_config", "Include a***z\n"),
            ("ssh/abcz", "@Ciphers arcfour\n"),
        ],
    );
    let outcome = surveyed(root.path());
    assert_eq!(
        places(root.path(), &outcome),
        expected(&["a/tls.part, line 2", "ssh/abcz, line 2"])
    );
}

/// Links that lead back make a folder as deep as a pattern likes.
#[test]
fn patterns_end() {
    let root = tempfile::tempdir().unwrap();
    let pattern = format!("include {}x;\n", "*/".repeat(1000)).repeat(9);
    put(root.path(), &[("nginx.conf", &format!("{pattern}ssl_ciphers RC4-SHA;\n"))]);
    for name in ["a", "b", "c"] {
        symlink(".", root.path().join(name)).unwrap();
    }
    let outcome = surveyed(root.path());
    assert_eq!(places(root.path(), &outcome), expected(&["nginx.conf, line 10"]));
    let [(_, reason)] = &outcome.unread[..] else { panic!("{:?}", outcome.unread) };
    assert!(reason.ends_with("were looked for at more than 262144 paths"), "{reason}");
}

/// Crafted files: circles, and each file with the next one twice.
#[test]
fn files_that_include_each_other_end() {
    let root = tempfile::tempdir().unwrap();
    put(
        root.path(),
        &[
            ("sshd_config", "Include sshd_config a\n"),
            ("a", "Include sshd_config a\nCiphers arcfour\n"),
        ],
    );
    let outcome = surveyed(root.path());
    assert_eq!(places(root.path(), &outcome), expected(&["a, line 2"]));
    let text = |n: usize| format!("Include {0} {0}\nInclude {0} {0}\n", n + 1);
    for n in 0..40 {
        fs::write(root.path().join(n.to_string()), text(n)).unwrap();
    }
    fs::write(root.path().join("sshd_config"), text(0)).unwrap();
    let outcome = surveyed(root.path());
    let [(place, reason)] = &outcome.unread[..] else { panic!("{:?}", outcome.unread) };
    assert_eq!(place.path, root.path().join("sshd_config"));
    assert!(reason.contains("more than 16 files deep, 4096 files or 16777216 bytes"), "{reason}");
}
