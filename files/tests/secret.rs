//! Tests secrets from files and the environment: how far a file is read, and what is not there.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::ErrorKind,
    os::unix::ffi::OsStrExt,
};

use arcfour_files::{SecretFile, secret_from_environment};

#[test]
fn a_file_is_read_up_to_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    fs::write(&path, b"secret").unwrap();
    for (limit, start) in [(0, &b""[..]), (5, b"secre"), (6, b"secret"), (7, b"secret")] {
        let opened = SecretFile::open(&path).unwrap().read(limit).unwrap();
        let given = SecretFile::from(File::open(&path).unwrap()).read(limit).unwrap();
        assert_eq!((&opened[..], &given[..]), (start, start), "{limit}");
    }
    let missing = SecretFile::open(&folder.path().join("none")).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
}

#[test]
fn a_variable_that_is_not_set_is_no_secret() {
    let name = OsStr::new("PATH");
    let value = std::env::var_os(name).unwrap();
    assert_eq!(secret_from_environment(name).unwrap()[..], *value.as_bytes());
    assert!(secret_from_environment(OsStr::new("ARCFOUR_NOT_SET")).is_none());
}
