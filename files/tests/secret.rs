//! Tests secrets from files and the environment: how far a file is read, and what is not there.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{ErrorKind, Write, pipe},
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    thread,
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

/// The memory follows the file, not the limit: no machine has the largest limit.
#[test]
fn a_longer_file_is_read_whole() {
    let text: Vec<u8> = (0..20_000_u32).flat_map(u32::to_le_bytes).collect();
    for len in [4095, 4096, 4097, 8191, 8192, 8193, text.len()] {
        for limit in [len - 1, len, len + 1, usize::MAX] {
            let (end, mut start) = pipe().unwrap();
            let text = text[..len].to_vec();
            let expected = text[..len.min(limit)].to_vec();
            // The reader may close the pipe before its last byte.
            let writer =
                thread::spawn(move || text.chunks(1000).try_for_each(|x| start.write_all(x)));
            let read = SecretFile::from(File::from(OwnedFd::from(end))).read(limit).unwrap();
            assert!(*read == expected, "{len}, {limit}");
            let _ = writer.join().unwrap();
        }
    }
}

#[test]
fn a_variable_that_is_not_set_is_no_secret() {
    let name = OsStr::new("PATH");
    let value = std::env::var_os(name).unwrap();
    assert_eq!(secret_from_environment(name).unwrap()[..], *value.as_bytes());
    assert!(secret_from_environment(OsStr::new("ARCFOUR_NOT_SET")).is_none());
}
