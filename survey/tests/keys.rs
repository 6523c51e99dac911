//! Compares keytabs that MIT's ktutil writes with its own list of their entries.

use std::{
    fs::File,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use arcfour_survey::{Input, readers, readers::keytab};

/// Makes a keytab with these entries: principal and cipher.
fn write(file: &Path, entries: &[(&str, &str)]) {
    let mut script = String::new();
    for (principal, etype) in entries {
        script += &format!("addent -password -p {principal} -k 7 -e {etype}\nsecret\n");
    }
    script += &format!("wkt {}\nq\n", file.display());
    let mut tool = Command::new("ktutil")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .env("KRB5_CONFIG", "/dev/null")
        .spawn()
        .expect("ktutil of krb5-user; make setup installs it");
    tool.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    assert!(tool.wait().unwrap().success());
}

const ENTRIES: [(&str, &str); 4] = [
    ("HTTP/web.example@EXAMPLE", "aes256-cts-hmac-sha1-96"),
    ("HTTP/web.example@EXAMPLE", "arcfour-hmac"),
    ("old@EXAMPLE", "arcfour-hmac"),
    ("new@EXAMPLE", "aes128-cts-hmac-sha1-96"),
];

#[test]
fn keytabs_are_read_as_klist_lists_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.keytab");
    write(&path, &ENTRIES);
    let (entries, fault) = keytab::read(File::open(&path).unwrap());
    assert!(fault.is_none());
    let listed = Command::new("klist").arg("-ke").arg(&path).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let listed: Vec<&str> = listed.lines().skip(3).map(str::trim).collect();
    assert_eq!(listed.len(), ENTRIES.len());
    for (entry, line) in entries.iter().zip(listed) {
        let name =
            line.split_once('(').unwrap().1.trim_end_matches(')').trim_start_matches("DEPRECATED:");
        assert!(
            line.contains(&entry.principal) && line.starts_with(&entry.version.to_string()),
            "{line}"
        );
        assert_eq!(entry.etype.to_string(), name);
    }
}

#[test]
fn a_principal_without_a_stronger_key_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.keytab");
    write(&path, &ENTRIES);
    let mut file = File::open(&path).unwrap();
    let mut input = Input::new(&path, &mut file).unwrap();
    let mut found = vec![];
    let all = readers::all();
    let reader = all.iter().find(|reader| reader.name() == "keytab").unwrap();
    reader
        .read(&mut input, &mut |one| found.push((one.rule.name(), one.place.within.unwrap())))
        .unwrap();
    assert_eq!(
        found,
        [("keytab-rc4", "entry 2".to_owned()), ("keytab-rc4-only", "entry 3".to_owned())]
    );
}

#[test]
fn a_keytab_that_ends_early_keeps_what_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.keytab");
    write(&path, &ENTRIES);
    let whole = std::fs::read(&path).unwrap();
    let (entries, fault) = keytab::read(&whole[..whole.len() - 3]);
    assert_eq!(entries.len(), 3);
    assert_eq!(fault.unwrap().to_string(), "the file ends within entry 4");
    for end in 0..whole.len() {
        let (entries, _) = keytab::read(&whole[..end]);
        assert!(entries.len() < 4);
    }
}
