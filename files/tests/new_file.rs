//! Tests new files in the file system: names, permissions, owners, links and leftovers.

use std::{
    error::Error,
    fmt, fs,
    io::{self, ErrorKind, Write},
    os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime},
};

use arcfour_files::{CreateError, NewFile};
use tempfile::{TempDir, tempdir};

fn write(path: &Path, replace: bool) -> Result<(), CreateError> {
    let mut file = NewFile::options().replace(replace).create(path)?;
    file.write_all(b"new")?;
    Ok(file.commit()?)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// A folder with a file `old` of these permissions.
fn folder(mode: u32) -> (TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let old = folder.path().join("old");
    fs::write(&old, "old").unwrap();
    fs::set_permissions(&old, PermissionsExt::from_mode(mode)).unwrap();
    (folder, old)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_nine_permission_bits_of_a_replaced_file_are_kept_and_no_other() {
    for bits in (0..0o1000).step_by(13).chain([0o666, 0o664, 0o777, 0o4755, 0o2775, 0o1777, 0o7777])
    {
        let (folder, old) = folder(bits);
        write(&old, true).unwrap();
        assert_eq!(mode(&old), bits & 0o777, "{bits:o}");
        fs::set_permissions(&old, PermissionsExt::from_mode(0o600)).unwrap();
        assert_eq!(fs::read(&old).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["old"]);
    }
}

/// /dev/stdout of a program whose output a shell has redirected is such a path.
#[cfg(target_os = "linux")]
#[test]
fn a_path_to_an_open_file_is_refused_with_its_descriptor() {
    use std::os::fd::AsRawFd;
    let (folder, old) = folder(0o644);
    let file = fs::File::open(&old).unwrap();
    let number = file.as_raw_fd();
    let link = folder.path().join("link");
    symlink(format!("/dev/fd/{number}"), &link).unwrap();
    let paths = [format!("/dev/fd/{number}"), format!("/proc/{}/fd/{number}", std::process::id())];
    for path in paths.iter().map(Path::new).chain([&*link]) {
        for replace in [false, true] {
            match write(path, replace) {
                Err(CreateError::Open { descriptor }) => assert_eq!(descriptor, number as u32),
                other => panic!("{path:?}: {other:?}"),
            }
        }
    }
    assert_eq!(fs::read(&old).unwrap(), b"old");
}

/// The umask belongs to the process, so this test runs in a separate process.
#[test]
fn the_umask_is_for_new_files_alone() {
    let folder = tempdir().unwrap();
    let program = std::env::current_exe().unwrap();
    for (umask, bits) in [("000", 0o666), ("022", 0o644), ("077", 0o600)] {
        let script = format!("umask {umask}; exec \"$0\" --exact --ignored in_a_folder");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).arg(&program).current_dir(folder.path());
        assert!(shell.output().unwrap().status.success());
        assert_eq!(mode(&folder.path().join("new")), bits, "umask {umask}");
        assert_eq!(mode(&folder.path().join("private")), 0o600, "umask {umask}");
        for bits in [0o666, 0o664, 0o777, 0o444] {
            assert_eq!(mode(&folder.path().join(format!("{bits:o}"))), bits, "umask {umask}");
        }
        fs::remove_file(folder.path().join("new")).unwrap();
        fs::remove_file(folder.path().join("private")).unwrap();
    }
}

#[test]
#[ignore = "the_umask_is_for_new_files_alone runs it, in a folder and under an umask of its own"]
fn in_a_folder() {
    write(Path::new("new"), false).unwrap();
    let private = NewFile::options().mode(0o600).create(Path::new("private")).unwrap();
    private.commit().unwrap();
    for bits in [0o666, 0o664, 0o777, 0o444] {
        let name = format!("{bits:o}");
        fs::write(&name, "").unwrap();
        fs::set_permissions(&name, PermissionsExt::from_mode(bits)).unwrap();
        write(Path::new(&name), true).unwrap();
    }
}

/// Root keeps the old owner, so that the new file never becomes a set-user-ID file of root.
#[test]
fn the_owner_is_kept_where_the_system_allows() {
    let (_folder, old) = folder(0o4755);
    if chown(&old, Some(65534), Some(65534)).is_err() {
        eprintln!("not as root: nothing to see");
        return;
    }
    fs::set_permissions(&old, PermissionsExt::from_mode(0o4750)).unwrap();
    write(&old, true).unwrap();
    let new = fs::metadata(&old).unwrap();
    assert_eq!((new.uid(), new.gid(), mode(&old)), (65534, 65534, 0o750));
}

/// Permissions, and what is left of them if the group cannot be kept.
const SHRUNK: [(u32, u32); 7] = [
    (0o640, 0o600),
    (0o664, 0o644),
    (0o646, 0o646),
    (0o676, 0o666),
    (0o757, 0o757),
    (0o070, 0o000),
    (0o407, 0o407),
];

/// The copy of this program stands where an ordinary user can reach it.
#[test]
fn members_of_a_group_that_cannot_be_kept_get_no_more_than_all_others() {
    let folder = tempdir().unwrap();
    if chown(folder.path(), Some(65534), Some(65534)).is_err() {
        eprintln!("not as root: nothing to see");
        return;
    }
    for (old, _) in SHRUNK {
        let path = folder.path().join(format!("{old:o}"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(old)).unwrap();
        chown(&path, Some(65534), Some(0)).unwrap();
    }
    let program = folder.path().join("program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    chown(&program, Some(65534), None).unwrap(); // under umask 077 it runs for its owner alone
    let mut run = Command::new("setpriv");
    run.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
    run.args(["--exact", "--ignored", "of_another_group"]).current_dir(folder.path());
    let output = run.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    for (old, new) in SHRUNK {
        let path = folder.path().join(format!("{old:o}"));
        assert_eq!((mode(&path), fs::metadata(&path).unwrap().gid()), (new, 65534), "{old:o}");
    }
}

#[test]
#[ignore = "members_of_a_group_that_cannot_be_kept_get_no_more_than_all_others runs it"]
fn of_another_group() {
    SHRUNK.iter().for_each(|(old, _)| write(Path::new(&format!("{old:o}")), true).unwrap());
}

/// A file that is mounted as by `docker run -v FILE:FILE`.
#[test]
#[cfg(target_os = "linux")]
fn a_file_that_is_mounted_cannot_be_replaced() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("host"), "old").unwrap();
    fs::write(folder.path().join("inside"), "").unwrap();
    let script = "mount --bind host inside || exit 99; exec \"$0\" --exact --ignored over_a_mount";
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .current_dir(folder.path())
        .output()
        .expect("unshare is in util-linux");
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    if output.status.code() == Some(99) || said.contains("unshare") {
        eprintln!("SKIPPED: this system lets no user mount: {said}");
        return;
    }
    assert!(output.status.success(), "{output:?}");
    assert_eq!(fs::read(folder.path().join("host")).unwrap(), b"old");
}

#[test]
#[ignore = "a_file_that_is_mounted_cannot_be_replaced runs it"]
fn over_a_mount() {
    let refused = NewFile::options().replace(true).create(Path::new("inside"));
    assert!(matches!(refused, Err(CreateError::MountPoint)), "{refused:?}");
}

#[test]
fn links_are_followed_and_those_to_nothing_refused() {
    let (folder, old) = folder(0o644);
    let link = folder.path().join("link");
    symlink("old", &link).unwrap();
    assert!(matches!(write(&link, false), Err(CreateError::Exists)));
    write(&link, true).unwrap();
    assert!(link.is_symlink());
    assert_eq!(fs::read(&old).unwrap(), b"new");

    let dangling = folder.path().join("dangling");
    symlink("nothing", &dangling).unwrap();
    let looping = folder.path().join("looping");
    symlink("looping", &looping).unwrap();
    for replace in [false, true] {
        match write(&dangling, replace) {
            Err(CreateError::DanglingLink { target }) => assert_eq!(target, Path::new("nothing")),
            other => panic!("{other:?}"),
        }
        assert!(matches!(write(&looping, replace), Err(CreateError::Io(_))));
    }
    assert_eq!(names(folder.path()), ["dangling", "link", "looping", "old"]);
}

#[test]
fn what_cannot_be_is_refused_at_the_beginning() {
    let (folder, old) = folder(0o644);
    let create = |name: &str, replace: bool| {
        NewFile::options().replace(replace).create(&folder.path().join(name)).err().unwrap()
    };
    let long = "x".repeat(300);
    for replace in [false, true] {
        for (name, kind) in [
            ("no/such/folder", ErrorKind::NotFound),
            ("newdir/", ErrorKind::NotFound),
            ("newdir/.", ErrorKind::NotFound),
            ("old/", ErrorKind::NotADirectory),
            (&long, ErrorKind::InvalidFilename),
        ] {
            match create(name, replace) {
                CreateError::Io(error) => assert_eq!(error.kind(), kind, "{name}"),
                other => panic!("{name}: {other}"),
            }
        }
        assert!(matches!(create(".", replace), CreateError::NotRegular));
        let null = NewFile::options().replace(replace).create(Path::new("/dev/null"));
        assert!(matches!(null, Err(CreateError::NotRegular)));
        match NewFile::options().replace(replace).create(Path::new("")) {
            Err(CreateError::Io(error)) => assert_eq!(error.kind(), ErrorKind::NotFound),
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(create("old", false), CreateError::Exists));
    assert_eq!(fs::read(&old).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["old"]);
    write(&folder.path().join("x".repeat(255)), false).unwrap();
}

#[test]
fn what_is_dropped_leaves_nothing() {
    let (folder, old) = folder(0o644);
    for (name, replace) in [("new", false), ("old", true)] {
        let path = folder.path().join(name);
        let mut file = NewFile::options().replace(replace).create(&path).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(names(folder.path()), ["old"]);
    }
    assert_eq!(fs::read(&old).unwrap(), b"old");
}

#[test]
#[cfg(target_os = "linux")]
fn an_unfinished_file_has_no_name_where_the_file_system_allows_it() {
    use rustix::fs::{Mode, OFlags, open};
    let folder = tempdir().unwrap();
    if let Err(error) = open(folder.path(), OFlags::TMPFILE | OFlags::RDWR, Mode::RUSR) {
        eprintln!("SKIPPED: this file system has no unnamed files: {error}");
        return;
    }
    let mut file = NewFile::options().create(&folder.path().join("new")).unwrap();
    file.write_all(b"half").unwrap();
    assert!(names(folder.path()).is_empty());
    file.commit().unwrap();
    assert_eq!(names(folder.path()), ["new"]);
}

#[test]
fn the_time_of_the_last_change_can_be_set() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("new");
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let mut file = NewFile::options().create(&path).unwrap();
    file.write_all(b"new").unwrap();
    file.set_modified(time).unwrap();
    file.commit().unwrap();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), time);
}

#[test]
fn the_debug_form_shows_the_name_and_no_more() {
    let folder = tempdir().unwrap();
    let file = NewFile::options().create(&folder.path().join("new")).unwrap();
    assert_eq!(format!("{file:?}"), "NewFile { name: \"new\", .. }");
}

#[test]
fn a_file_that_appears_meanwhile_is_replaced_only_if_asked() {
    for replace in [false, true] {
        let folder = tempdir().unwrap();
        let path = folder.path().join("new");
        let mut file = NewFile::options().replace(replace).create(&path).unwrap();
        file.write_all(b"ours").unwrap();
        fs::write(&path, "theirs").unwrap();
        let error = file.commit().err().map(|error| error.kind());
        assert_eq!(error, if replace { None } else { Some(ErrorKind::AlreadyExists) });
        assert_eq!(fs::read(&path).unwrap(), if replace { &b"ours"[..] } else { b"theirs" });
        assert_eq!(names(folder.path()), ["new"]);
    }
}

#[test]
fn a_renamed_folder_still_gets_the_file_and_a_removed_one_nothing() {
    let folder = tempdir().unwrap();
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    fs::create_dir(&a).unwrap();
    let file = NewFile::options().create(&a.join("new")).unwrap();
    fs::rename(&a, &b).unwrap();
    file.commit().unwrap();
    assert_eq!(names(&b), ["new"]);

    fs::create_dir(&a).unwrap();
    let file = NewFile::options().create(&a.join("new")).unwrap();
    let Ok(()) = fs::remove_dir(&a) else { return }; // where the file has a temporary name in it
    assert_eq!(file.commit().unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_path_in_the_working_folder_has_no_slash() {
    let folder = tempdir().unwrap();
    let program = std::env::current_exe().unwrap();
    let mut run = Command::new(program);
    run.args(["--exact", "--ignored", "in_a_folder"]).current_dir(folder.path());
    assert!(run.output().unwrap().status.success());
    assert_eq!(names(folder.path()), ["444", "664", "666", "777", "new", "private"]);
}

#[test]
fn a_refusal_names_its_reason_once() {
    let says = |error: CreateError| error.to_string();
    assert_eq!(says(CreateError::Exists), "the file exists");
    assert_eq!(says(CreateError::NotRegular), "not a regular file");
    let link = CreateError::DanglingLink { target: "no/such".into() };
    assert_eq!(says(link), "a symbolic link to 'no/such', which does not exist");
    assert!(says(CreateError::MountPoint).starts_with("another file is mounted there"));
    assert!(CreateError::Exists.source().is_none());

    // A printed chain of sources has the message of the system's error once.
    let error = CreateError::from(io::Error::other(Caused(io::Error::other("a cause"))));
    assert_eq!(error.to_string(), "an error");
    assert_eq!(error.source().unwrap().to_string(), "a cause");
}

/// An error with a source.
#[derive(Debug)]
struct Caused(io::Error);

impl fmt::Display for Caused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an error")
    }
}

impl Error for Caused {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}
