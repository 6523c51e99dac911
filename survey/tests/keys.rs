//! Keytabs: those that MIT's ktutil writes, compared with its own list, and the newest of several keys.

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

/// The findings in a keytab, with the numbers of the entries.
fn found(path: &Path) -> Vec<(&'static str, String)> {
    let mut file = File::open(path).unwrap();
    let mut input = Input::new(path, &mut file).unwrap();
    let mut found = vec![];
    let all = readers::all();
    let reader = all.iter().find(|reader| reader.name() == "keytab").unwrap();
    reader
        .read(&mut input, &mut |one| found.push((one.rule.name(), one.place.within.unwrap())))
        .unwrap();
    found
}

#[test]
fn a_principal_without_a_stronger_key_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.keytab");
    write(&path, &ENTRIES);
    assert_eq!(
        found(&path),
        [("keytab-rc4", "entry 2".to_owned()), ("keytab-rc4-only", "entry 3".to_owned())]
    );
}

/// A keytab of one principal, by the time, the version and the cipher of each entry.
fn keytab(entries: &[(u32, u32, i16)]) -> Vec<u8> {
    let mut file = vec![5, 2];
    for (time, version, etype) in entries {
        let mut entry = b"\0\x01\0\x01R\0\x04HTTP\0\0\0\x01".to_vec();
        entry.extend(time.to_be_bytes());
        entry.push(*version as u8);
        entry.extend(etype.to_be_bytes());
        entry.extend(b"\0\x04\x01\x02\x03\x04");
        if *version > 255 {
            entry.extend(version.to_be_bytes());
        }
        file.extend((entry.len() as u32).to_be_bytes());
        file.extend(entry);
    }
    file
}

#[test]
fn only_an_aes_entry_of_the_newest_key_is_stronger() {
    const AES: i16 = 18;
    const RC4: i16 = 23;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.keytab");
    for (entries, rule) in [
        ([(1, 1, AES), (2, 2, RC4)], "keytab-rc4-only"),
        ([(1, 2, AES), (1, 1, RC4)], "keytab-rc4"),
        ([(2, 2, RC4), (1, 1, AES)], "keytab-rc4-only"),
        // A version of 8 bits wraps; the same versions were not wrapped if the large one is later.
        ([(1, 255, AES), (2, 1, RC4)], "keytab-rc4-only"),
        ([(1, 255, RC4), (2, 1, AES)], "keytab-rc4"),
        ([(2, 255, AES), (1, 1, RC4)], "keytab-rc4"),
        // A version of 32 bits stands at the end of an entry. The low 8 bits of 513 are 1.
        ([(1, 2, AES), (2, 513, RC4)], "keytab-rc4-only"),
        ([(1, 513, AES), (1, 513, RC4)], "keytab-rc4"),
        ([(1, 1, -133), (1, 0, 1)], "keytab-rc4-only"),
        ([(1, 1, AES), (1, 1, -128)], "keytab-rc4"),
    ] {
        std::fs::write(&path, keytab(&entries)).unwrap();
        let found: Vec<&str> = found(&path).into_iter().map(|(rule, _)| rule).collect();
        assert_eq!(found, [rule], "{entries:?}");
    }
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
