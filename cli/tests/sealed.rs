//! Tests `arcfour seal` and `arcfour open` on files, pipes and terminals, and their leftovers.

use std::{
    fs::{self, File, OpenOptions},
    io::{Read, Write},
    os::unix::fs::{FileExt, PermissionsExt},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

const ARCFOUR: &str = env!("CARGO_BIN_EXE_arcfour");
const CHUNK: usize = 1 << 18;
const FRAME: usize = CHUNK + 36;
const LEN: usize = 3_000_000; // 12 chunks

/// A folder with `key`, `in`, and `sealed`, of 3 MB.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in"), plaintext(LEN)).unwrap();
    assert_eq!(verdict(&run(folder.path(), "keygen", &["-o", "key"])), (Some(0), String::new()));
    let sealed = run(folder.path(), "seal", &["--key-file", "key", "in", "-o", "sealed"]);
    assert_eq!(verdict(&sealed), (Some(0), String::new()));
    folder
}

/// Painted modulo 251, so that chunks swapped or lost would show.
fn plaintext(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at % 251) as u8).collect()
}

fn run(folder: &Path, command: &str, args: &[&str]) -> Output {
    let mut line = Command::new(ARCFOUR);
    line.current_dir(folder).arg(command).args(args).stdin(Stdio::null()).output().unwrap()
}

fn bash(folder: &Path, script: &str) -> Output {
    let mut bash = Command::new("bash");
    bash.current_dir(folder).args(["-c", script, ARCFOUR]).stdin(Stdio::null()).output().unwrap()
}

/// The exit code and the first line on standard error.
fn verdict(output: &Output) -> (Option<i32>, String) {
    let stderr = String::from_utf8(output.stderr.clone()).unwrap();
    (output.status.code(), stderr.lines().next().unwrap_or("").to_owned())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn flip(path: &Path, at: usize) {
    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at as u64).unwrap();
    file.write_all_at(&[byte[0] ^ 1], at as u64).unwrap();
}

#[test]
fn there_and_back_by_files_and_pipes() {
    let folder = folder();
    let key = fs::metadata(folder.path().join("key")).unwrap();
    assert_eq!(key.permissions().mode() & 0o777, 0o600);
    let opened = run(folder.path(), "open", &["--key-file", "key", "sealed", "-o", "out"]);
    assert_eq!(verdict(&opened), (Some(0), String::new()));
    assert!(fs::read(folder.path().join("out")).unwrap() == plaintext(LEN));
    for (threads, cipher) in
        [("1", "rc4-drop3072"), ("2", "rc4-drop3072"), ("9", "rc4-drop3072"), ("2", "parc4r")]
    {
        let piped = bash(
            folder.path(),
            &format!(
                "cat in | \"$0\" seal --cipher {cipher} --key-file key --threads {threads} \
                 --chunk-size 64KiB | \"$0\" open --key-file key --threads {threads}"
            ),
        );
        assert!(verdict(&piped) == (Some(0), String::new()) && piped.stdout == plaintext(LEN));
    }
}

#[test]
fn a_passphrase_from_each_source() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("phrase"), "Ångström\r\nnot this\n").unwrap();
    let script = "P='Ångström' \"$0\" seal --passphrase-env P in | \
                  \"$0\" open --passphrase-file phrase";
    let piped = bash(path, script);
    assert!(verdict(&piped) == (Some(0), String::new()) && piped.stdout == plaintext(LEN));
    let wrong =
        bash(path, "P=a \"$0\" seal --passphrase-env P key | P=b \"$0\" open --passphrase-env P");
    let line = "arcfour: cannot open standard input: the key is not the one the file was sealed \
                with, or the header was changed";
    assert_eq!(verdict(&wrong), (Some(1), line.into()));
}

#[test]
fn a_changed_chunk_leaves_no_file_and_a_pipe_is_told_what_it_has() {
    let folder = folder();
    let path = folder.path();
    flip(&path.join("sealed"), 96 + 7 * FRAME + 100);
    fs::write(path.join("precious"), "precious").unwrap();
    let message = "arcfour: cannot open 'sealed': chunk 7 was changed: its tag does not verify";
    for (out, before) in [("out", false), ("precious", true)] {
        let failed = run(path, "open", &["--key-file", "key", "sealed", "-o", out, "--force"]);
        assert_eq!(verdict(&failed), (Some(1), message.into()));
        assert_eq!(path.join(out).exists(), before);
    }
    assert_eq!(fs::read(path.join("precious")).unwrap(), b"precious");
    assert_eq!(names(path), ["in", "key", "precious", "sealed"]);

    let failed = run(path, "open", &["--key-file", "key", "sealed"]);
    let told =
        format!("{message}; the {} bytes of plaintext written until then are verified", 7 * CHUNK);
    assert_eq!(verdict(&failed), (Some(1), told));
    assert!(failed.stdout == plaintext(LEN)[..7 * CHUNK]);
}

#[test]
fn a_range_is_read_from_a_file_alone() {
    let folder = folder();
    let path = folder.path();
    let open = |range: &str| run(path, "open", &["--key-file", "key", "--range", range, "sealed"]);
    for (range, start, len) in [
        ("0:0", 0, 0),
        ("262143:2", 262_143, 2),
        ("1MiB:1MB", 1 << 20, 1_000_000),
        ("2999999:1", 2_999_999, 1),
    ] {
        let output = open(range);
        assert_eq!(verdict(&output), (Some(0), String::new()), "{range}");
        assert!(output.stdout == plaintext(LEN)[start..start + len], "{range}");
    }
    let line = "arcfour: cannot open 'sealed': the range of 2 bytes from 2999999 ends after \
                the end of the plaintext (3000000 bytes)";
    assert_eq!(verdict(&open("2999999:2")), (Some(1), line.into()));
    assert_eq!(open("5").status.code(), Some(2));
    let piped = bash(path, "cat sealed | \"$0\" open --key-file key --range 0:1");
    let line = "arcfour: --range needs a file, since it skips the other chunks; standard input is a \
                pipe or a terminal";
    assert_eq!(verdict(&piped), (Some(2), line.into()));
    let redirected = bash(path, "\"$0\" open --key-file key --range 0:1 < sealed");
    assert_eq!(
        (verdict(&redirected), &redirected.stdout[..]),
        ((Some(0), String::new()), &[0][..])
    );
}

#[test]
fn a_full_disk_leaves_no_file() {
    let folder = folder();
    let path = folder.path();
    for (command, input) in [("seal", "in"), ("open", "sealed")] {
        let full = run(path, command, &["--key-file", "key", input, "-o", "/dev/full"]);
        let line = "arcfour: cannot write '/dev/full': No space left on device (os error 28)";
        assert_eq!(verdict(&full), (Some(1), line.into()));
        // A limit on the size of files takes the place of a small disk.
        for blocks in [64, 2000] {
            let limited = format!(
                "trap '' XFSZ; ulimit -f {blocks}; \"$0\" {command} --key-file key {input} -o out"
            );
            let line = "arcfour: cannot write 'out': File too large (os error 27)";
            assert_eq!(verdict(&bash(path, &limited)), (Some(1), line.into()));
            assert_eq!(names(path), ["in", "key", "sealed"]);
        }
    }
}

#[test]
fn an_unreadable_input_and_an_input_that_is_the_output_are_refused() {
    let folder = folder();
    let path = folder.path();
    for command in ["seal", "open"] {
        let output = run(path, command, &["--key-file", "key", ".", "-o", "out"]);
        assert_eq!(
            verdict(&output),
            (Some(1), "arcfour: cannot read '.': Is a directory (os error 21)".into())
        );
        let output = run(path, command, &["--key-file", "key", "."]);
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(1), &b""[..]));
        let output = run(path, command, &["--key-file", "key", "in", "-o", "in", "--force"]);
        assert_eq!(output.status.code(), Some(2));
    }
    let output = run(path, "open", &["--key-file", "key", "in", "-o", "out"]);
    let line = "arcfour: cannot open 'in': not a sealed file: it does not begin with 'arcfour' and \
                0x1a";
    assert_eq!(verdict(&output), (Some(1), line.into()));
    assert_eq!(names(path), ["in", "key", "sealed"]);
    assert!(fs::read(path.join("in")).unwrap() == plaintext(LEN));
}

/// Replacing the key by the output would lose all that was sealed under it.
#[test]
fn the_key_file_is_never_the_output() {
    let folder = folder();
    let path = folder.path();
    let key = fs::read(path.join("key")).unwrap();
    fs::write(path.join("phrase"), "sesame").unwrap();
    std::os::unix::fs::symlink("key", path.join("link")).unwrap();
    fs::hard_link(path.join("key"), path.join("hard")).unwrap();
    for (option, file, out) in [
        ("--key-file", "key", "key"),
        ("--key-file", "link", "hard"),
        ("--key-file", "/dev/fd/3", "link"),
        ("--passphrase-file", "phrase", "./phrase"),
    ] {
        let script = format!("\"$0\" seal {option} {file} in -o {out} --force 3< key");
        let what = option.trim_start_matches("--").replace("-file", " file");
        let line =
            format!("arcfour: the output '{out}' is the {what} '{file}'; choose another output");
        assert_eq!(verdict(&bash(path, &script)), (Some(2), line));
    }
    let appended = bash(path, "\"$0\" seal --key-file key in >> key");
    assert_eq!(appended.status.code(), Some(2));
    assert_eq!(fs::read(path.join("key")).unwrap(), key);
    assert_eq!(fs::read(path.join("phrase")).unwrap(), b"sesame");
}

#[test]
fn a_key_comes_from_standard_input_unless_the_data_do() {
    let folder = folder();
    let path = folder.path();
    for file in ["-", "/dev/stdin", "/dev/fd/0"] {
        let sealed = bash(path, &format!("cat key | \"$0\" seal --key-file {file} in"));
        assert_eq!(verdict(&sealed), (Some(0), String::new()));
        let refused = bash(path, &format!("cat key | \"$0\" seal --key-file {file} -o out"));
        let line =
            format!("arcfour: the key file '{file}' is standard input, where the data come from");
        assert_eq!(verdict(&refused), (Some(2), line.clone()));
        let refused = bash(path, &format!("cat key | \"$0\" crypt --key-file {file} -o out"));
        assert_eq!(verdict(&refused), (Some(2), line));
    }
    assert_eq!(names(path), ["in", "key", "sealed"]);
}

#[test]
fn a_key_file_is_for_its_owner_alone_and_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let made = bash(path, "umask 0; \"$0\" keygen -o key && \"$0\" keygen -o - | wc -c");
    assert_eq!((verdict(&made), &made.stdout[..]), ((Some(0), String::new()), &b"65\n"[..]));
    assert_eq!(fs::metadata(path.join("key")).unwrap().permissions().mode() & 0o777, 0o600);
    let again = run(path, "keygen", &["-o", "key"]);
    let line = "arcfour: the output 'key' exists; choose another: a key file is never replaced";
    assert_eq!(verdict(&again), (Some(1), line.into()));
    let (_, warning) = verdict(&bash(path, "umask 022; \"$0\" keygen > public"));
    assert!(warning.contains("warning: the key is in a file of mode 644"), "{warning}");
    let quiet = bash(path, "umask 077; \"$0\" keygen > private");
    assert_eq!(verdict(&quiet), (Some(0), String::new()));
    assert_eq!(names(path), ["key", "private", "public"]);
}

/// The program is killed by SIGKILL, after which none of its code runs.
#[test]
fn killed_half_way_it_leaves_the_old_file_under_the_name() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("out"), "precious").unwrap();
    for (command, input) in [("seal", "in"), ("open", "sealed")] {
        let mut child = Command::new(ARCFOUR)
            .current_dir(path)
            .args([command, "--key-file", "key", "-o", "out", "--force"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let bytes = fs::read(path.join(input)).unwrap();
        child.stdin.as_mut().unwrap().write_all(&bytes[..2_800_000]).unwrap();
        let mut unfinished = None;
        wait_until(|| {
            unfinished = new_file(child.id(), path);
            unfinished.as_ref().is_some_and(|file| fs::metadata(file).unwrap().len() > 0)
        });
        let is_unnamed =
            fs::read_link(unfinished.unwrap()).unwrap().to_string_lossy().ends_with(" (deleted)");
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(fs::read(path.join("out")).unwrap(), b"precious");
        assert!(fs::read(path.join(input)).unwrap() == bytes);
        for name in names(path).iter().filter(|name| name.starts_with(".arcfour-")) {
            assert!(!is_unnamed, "{name} is left");
            fs::remove_file(path.join(name)).unwrap();
        }
    }
}

#[test]
fn a_signal_leaves_no_file() {
    let folder = folder();
    let mut child = Command::new(ARCFOUR)
        .current_dir(folder.path())
        .args(["seal", "--key-file", "key", "-o", "out"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let _stdin = child.stdin.take(); // `wait` would close it, and its end may win the race
    wait_until(|| new_file(child.id(), folder.path()).is_some());
    let kill = format!("kill -TERM {}", child.id());
    assert!(Command::new("bash").args(["-c", &kill]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), None);
    assert_eq!(names(folder.path()), ["in", "key", "sealed"]);
}

#[test]
fn memory_stays_below_64_mib_and_a_closed_pipe_is_no_error() {
    let folder = folder();
    for threads in ["1", "2", "64"] {
        let args = ["seal", "--key-file", "key", "--chunk-size", "1MiB", "--threads", threads];
        let mut child = Command::new(ARCFOUR)
            .current_dir(folder.path())
            .args(args)
            .stdin(File::open("/dev/zero").unwrap())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        std::io::copy(&mut (&mut stdout).take(300 << 20), &mut std::io::sink()).unwrap();
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kib: u64 = peak.trim().strip_suffix(" kB").unwrap().trim().parse().unwrap();
        assert!(kib < 64 << 10, "{threads} threads: {kib} KiB");
        drop(stdout);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn a_failing_output_is_reported_while_the_input_waits() {
    let folder = folder();
    let mut child = Command::new(ARCFOUR)
        .current_dir(folder.path())
        .args(["seal", "--key-file", "key", "--threads", "2"])
        .stdin(Stdio::piped())
        .stdout(OpenOptions::new().write(true).open("/dev/full").unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let _ = stdin.write_all(&plaintext(LEN)); // or it has failed by now
    assert_eq!(child.wait().unwrap().code(), Some(1)); // with stdin still open
}

fn wait_until(mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(30));
        thread::sleep(Duration::from_millis(5));
    }
}

/// The file that a program is making in `folder`, with or without a temporary name, as a path that
/// leads to it.
fn new_file(pid: u32, folder: &Path) -> Option<PathBuf> {
    let is_new = |path: &PathBuf| {
        let target = fs::read_link(path).unwrap_or_default();
        let name = target.to_string_lossy();
        target.starts_with(folder) && (name.ends_with(" (deleted)") || name.contains("/.arcfour-"))
    };
    let files = fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
    files.filter_map(|file| Some(file.ok()?.path())).find(is_new)
}
