//! Tests both commands on pipes and terminals: output at once, constant memory, and no message when
//! the reader closes.

mod rc4;

use std::{
    fs,
    io::{Read, Write},
    os::{
        fd::OwnedFd,
        unix::{fs::MetadataExt, net::UnixStream},
    },
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::LazyLock,
    thread,
    time::{Duration, Instant},
};

use arcfour::Rc4;
use rc4::RC4;

const ARCFOUR: &str = env!("CARGO_BIN_EXE_arcfour");
static FILTERS: LazyLock<[Vec<&str>; 2]> =
    LazyLock::new(|| [vec![*RC4, "Quentin"], vec![ARCFOUR, "crypt", "--key", "Quentin"]]);

fn filter(line: &[&str]) -> (Child, ChildStdin, ChildStdout) {
    let mut child = Command::new(line[0])
        .args(&line[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    (child, stdin, stdout)
}

/// Returns the output of `command` on a terminal: standard output and standard error together.
fn on_a_terminal(command: &str) -> (Option<i32>, String) {
    let output = Command::new("script")
        .args(["-q", "-e", "-c", command, "/dev/null"])
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_byte_goes_through_while_the_pipe_is_open() {
    for line in FILTERS.iter() {
        let (mut child, mut stdin, mut stdout) = filter(line);
        let mut rc4 = Rc4::from_key(b"Quentin").unwrap();
        let mut echo = |len: usize| {
            let mut bytes = vec![7; len];
            stdin.write_all(&bytes).unwrap();
            rc4.apply(&mut bytes);
            let mut got = vec![0; len];
            stdout.read_exact(&mut got).unwrap();
            assert!(got == bytes);
        };
        (0..10).for_each(|_| echo(1));
        (0..50).for_each(|_| echo(60_000)); // now the threads are running
        (0..10).for_each(|_| echo(1));
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn memory_stays_below_16_mib() {
    let hex: &[&str] = &[*RC4, "--in-hexa", "--out-hexa", "Quentin"];
    for line in [&FILTERS[0][..], &FILTERS[1], hex] {
        let (mut child, mut stdin, mut stdout) = filter(line);
        let reader = thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
        let block = vec![b'0'; 1 << 20];
        (0..200).for_each(|_| stdin.write_all(&block).unwrap());
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kib: u64 = peak.trim().strip_suffix(" kB").unwrap().trim().parse().unwrap();
        assert!(kib < 16 << 10, "{line:?}: {kib} KiB");
        drop(stdin);
        assert!(child.wait().unwrap().success());
        assert_eq!(reader.join().unwrap().unwrap(), 200 << 20);
    }
}

#[test]
fn a_reader_that_goes_is_no_error() {
    let lines: [&[&str]; 4] = [
        &FILTERS[0],
        &FILTERS[1],
        &[ARCFOUR, "keystream", "--key", "a"],
        &[ARCFOUR, "completions", "zsh"],
    ];
    for line in lines {
        let mut child = Command::new(line[0])
            .args(&line[1..])
            .stdin(fs::File::open("/dev/zero").unwrap())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]), "{line:?}");
    }
}

#[test]
fn a_failing_output_is_reported_while_the_input_waits() {
    let child = Command::new(*RC4)
        .arg("Quentin")
        .stdin(Stdio::piped())
        .stdout(fs::OpenOptions::new().write(true).open("/dev/full").unwrap())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"x").unwrap();
    let status = child.wait().unwrap(); // with stdin still open
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    let line = "rc4: cannot write standard output: No space left on device (os error 28)\n";
    assert_eq!((status.code(), message.as_str()), (Some(1), line));
    drop(stdin);
}

/// Starts `arcfour crypt` for a new file `out`, by the shell after `first`, and waits until the file
/// is under way.
fn unfinished(folder: &Path, first: &str) -> (Child, ChildStdin) {
    let script = format!("{first}; exec '{ARCFOUR}' crypt --key a -o out --force");
    // A shell that starts the tests in the background makes them ignore SIGINT.
    let mut child = Command::new("env")
        .args(["--default-signal", "bash", "-c", &script])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take().unwrap(); // `wait` would close it, and its end may win the race
    let is_new = |target: PathBuf| {
        let name = target.to_string_lossy();
        target.starts_with(folder) && (name.ends_with(" (deleted)") || name.contains("/.arcfour-"))
    };
    wait_until(|| {
        let files = fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten();
        let mut targets = files.filter_map(|file| fs::read_link(file.ok()?.path()).ok());
        targets.any(is_new)
    });
    (child, stdin)
}

fn kill(child: &Child, signal: &str) {
    let kill = format!("kill -{signal} {}", child.id());
    assert!(Command::new("bash").args(["-c", &kill]).status().unwrap().success());
}

/// All signals but SIGSEGV. Rust's handler ignores the first SIGSEGV that is no stack overflow.
#[test]
fn a_signal_leaves_no_file() {
    for signal in [
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "USR1", "USR2", "ALRM", "TERM",
        "STKFLT", "XCPU", "VTALRM", "PROF", "IO", "PWR", "SYS", "RTMIN", "RTMAX",
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("out"), "precious").unwrap();
        let (mut child, stdin) = unfinished(folder.path(), "ulimit -c 0");
        kill(&child, signal);
        let status = child.wait().unwrap();
        assert!(!status.success(), "{signal} must be seen to have ended it");
        if !["STKFLT", "IO", "PWR"].contains(&signal) {
            assert_eq!(status.code(), None, "{signal} must be seen to have ended it");
        }
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(names.len(), 1, "{signal}: {names:?}");
        assert_eq!(fs::read(folder.path().join("out")).unwrap(), b"precious");
        drop(stdin);
    }
}

/// Both a limit on the size of files and another program send this signal. The write fails in the
/// first case only.
#[test]
fn the_signal_of_the_limit_on_files_ends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, mut stdin) = unfinished(folder.path(), ":");
    kill(&child, "XFSZ");
    stdin.write_all(b"text").unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert_eq!(fs::read(folder.path().join("out")).unwrap().len(), 4);
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, stdin) = unfinished(folder.path(), "trap '' HUP");
    kill(&child, "HUP");
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert!(folder.path().join("out").exists());
}

fn wait_until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(30));
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_terminal_gets_no_raw_bytes_by_accident() {
    let (code, text) = on_a_terminal(&format!("{ARCFOUR} crypt --key a < /dev/null"));
    assert_eq!(code, Some(2));
    assert!(text.contains("use -o FILE, --out-hex, or -o - to insist"), "{text}");
    for (command, instead) in [
        ("crypt --openssl -e --key a", "--base64"),
        ("crypt --openssl -d -a --key a", "a pipe"),
        ("seal --passphrase-env HOME", "a pipe"),
    ] {
        let (code, text) = on_a_terminal(&format!("{ARCFOUR} {command} < /dev/null"));
        assert_eq!(code, Some(2));
        assert!(text.contains(&format!("use -o FILE, {instead}, or -o - to insist")), "{text}");
    }
    let (code, text) = on_a_terminal(&format!("{ARCFOUR} keystream --key a"));
    assert_eq!(code, Some(2));
    assert!(text.contains("use a pipe"), "{text}");

    let hex = "echo -n Baptiste | ";
    let (code, text) = on_a_terminal(&format!("{hex}{ARCFOUR} crypt --key Quentin --out-hex"));
    assert_eq!((code, text.as_str()), (Some(0), "b07ce1f8d34cb924\r\n"));
    let rc4 = *RC4;
    let (code, text) = on_a_terminal(&format!("{hex}{rc4} --out-hexa Quentin"));
    assert_eq!((code, text.as_str()), (Some(0), "b07ce1f8d34cb924\r\n"));
    let insist = format!("{hex}{rc4} Quentin | {ARCFOUR} crypt --key Quentin -o -");
    assert_eq!(on_a_terminal(&insist), (Some(0), "Baptiste".into()));
}

#[test]
fn progress_shows_on_a_terminal_for_long_work_and_vanishes() {
    let slow = "(head -c 2000000 /dev/zero; sleep 1; head -c 2000000 /dev/zero) | ";
    let (code, text) = on_a_terminal(&format!("{slow}{ARCFOUR} crypt --key a > /dev/null"));
    assert_eq!(code, Some(0));
    assert!(text.contains("MiB"), "{text:?}");
    assert!(text.ends_with("\r\u{1b}[2K"), "the last thing is to clear the line: {text:?}");

    let short = format!("head -c 100000 /dev/zero | {ARCFOUR} crypt --key a > /dev/null");
    assert_eq!(on_a_terminal(&short), (Some(0), String::new()));
    let piped = format!("{slow}{ARCFOUR} crypt --key a 2>&1 > /dev/null | cat");
    assert_eq!(on_a_terminal(&piped), (Some(0), String::new()));
}

/// A terminal opened by its name counts as a terminal too.
#[test]
fn the_terminal_as_a_file_gets_no_raw_bytes() {
    let (code, text) = on_a_terminal(&format!("{ARCFOUR} crypt --key a -o /dev/tty < /dev/null"));
    assert!(code == Some(2) && text.contains("raw bytes would disturb"), "{text}");
    let hex = format!("echo -n Baptiste | {ARCFOUR} crypt --key Quentin --out-hex -o /dev/tty");
    assert_eq!(on_a_terminal(&hex), (Some(0), "b07ce1f8d34cb924\r\n".into()));
}

/// What a terminal shows of `arcfour crypt`, with this in its environment, interrupted at work.
fn interrupted(environment: &str) -> String {
    let slow = "(head -c 2000000 /dev/zero; sleep 1; head -c 2000000 /dev/zero; sleep 9) | ";
    let command = format!("{ARCFOUR} crypt --key a > /dev/null");
    on_a_terminal(&format!("{slow}{environment} timeout --foreground -s INT 2 {command}")).1
}

#[test]
fn progress_vanishes_when_a_signal_ends_the_program() {
    let text = interrupted("");
    assert!(text.contains("MiB"), "{text:?}");
    let end = text.trim_end_matches("^C").trim_end();
    assert!(end.ends_with("\u{1b}[2K"), "the last thing is to clear the line: {text:?}");
}

/// Such a terminal would show the escape sequence.
#[test]
fn a_terminal_that_cannot_clear_a_line_shows_no_progress() {
    let text = interrupted("TERM=dumb");
    assert!(!text.contains('\u{1b}') && !text.contains("MiB"), "{text:?}");
}

/// Another program may have set the pipe to O_NONBLOCK, which all its holders share.
#[test]
fn pipes_that_do_not_block_are_waited_for() {
    for line in FILTERS.iter() {
        let (ours_in, theirs_in) = UnixStream::pair().unwrap();
        let (ours_out, theirs_out) = UnixStream::pair().unwrap();
        theirs_in.set_nonblocking(true).unwrap();
        theirs_out.set_nonblocking(true).unwrap();
        let mut child = Command::new(line[0])
            .args(&line[1..])
            .stdin(OwnedFd::from(theirs_in))
            .stdout(OwnedFd::from(theirs_out))
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(100)); // it waits for its first byte
        let writer = thread::spawn(move || (&ours_in).write_all(&vec![7; 4_000_000]));
        thread::sleep(Duration::from_millis(100)); // it waits for room
        let mut got = vec![0; 4_000_000];
        (&ours_out).read_exact(&mut got).unwrap();
        writer.join().unwrap().unwrap();
        assert!(child.wait().unwrap().success(), "{line:?}");
        let mut expected = vec![7; 4_000_000];
        Rc4::from_key(b"Quentin").unwrap().apply(&mut expected);
        assert!(got == expected);
    }
}

/// A closed descriptor must be reported: data would be lost without a word.
#[test]
fn a_closed_standard_stream_is_an_error_and_dev_null_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let run = |script: &str| {
        let script = format!("echo hi > in; {script}");
        let mut bash = Command::new("bash");
        bash.args(["-c", &script, ARCFOUR, *RC4]).current_dir(folder.path());
        let output = bash.stdin(Stdio::null()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for (script, line) in [
        ("\"$1\" Key < in >&-", "rc4: cannot write standard output"),
        ("\"$1\" --help >&-", "rc4: cannot write standard output"),
        ("\"$0\" crypt --key k < in >&-", "arcfour: cannot write standard output"),
        ("\"$0\" keystream --key k --bytes 9 >&-", "arcfour: cannot write standard output"),
        ("\"$0\" keygen >&-", "arcfour: cannot write standard output"),
        ("\"$0\" families >&-", "arcfour: cannot write standard output"),
        ("\"$0\" crypt --key k <&-", "arcfour: cannot read standard input"),
        ("\"$0\" seal --passphrase-env HOME -o out <&-", "arcfour: cannot read standard input"),
        ("\"$1\" Key <&-", "rc4: cannot read standard input"),
    ] {
        let (code, text) = run(script);
        assert_eq!((code, text), (Some(1), format!("{line}: Bad file descriptor (os error 9)\n")));
    }
    // As Python's subprocess.DEVNULL opens it.
    assert_eq!(run("\"$0\" crypt --key k 0<> /dev/null 1<> /dev/null"), (Some(0), String::new()));
    assert!(!folder.path().join("out").exists());
}

/// A limit on processes, as a container has it. It does not hold root.
#[test]
fn no_thread_to_be_had_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let set = |path: &Path, mode| {
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    };
    set(path, 0o777);
    // To where an ordinary user can reach it; see files.rs for `cp`.
    assert!(Command::new("cp").arg(ARCFOUR).arg(path).status().unwrap().success());
    fs::write(path.join("in"), vec![7; 4_000_000]).unwrap();
    for command in [
        "crypt --key a in",
        "seal --threads 9 --passphrase-env HOME --chunk-size 64KiB in -o sealed",
        "open --threads 9 --passphrase-env HOME sealed",
    ] {
        let script = format!("ulimit -u 1; exec ./arcfour {command}");
        let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
        let mut line = Command::new(if is_root { "setpriv" } else { "env" });
        if is_root {
            line.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        }
        let output = line.args(["bash", "-c", &script]).current_dir(path).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""), "{command}");
        assert!(command.contains("sealed") || output.stdout.len() == 4_000_000);
        assert!(!command.starts_with("open") || output.stdout == vec![7; 4_000_000]);
    }
}

#[test]
fn progress_does_not_mix_with_what_a_terminal_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let letters = "head -c 3000000 /dev/zero | tr '\\0' a";
    let slow = format!(
        "cd {} && {ARCFOUR} keygen -o key && \
         {letters} | {ARCFOUR} seal --key-file key -o sealed 2> /dev/null && \
         (head -c 2900000 sealed; sleep 1; tail -c +2900001 sealed) | \
         {ARCFOUR} open --key-file key -o -",
        folder.path().display()
    );
    let (code, text) = on_a_terminal(&slow);
    assert_eq!((code, text.len()), (Some(0), 3_000_000));
    assert!(text.bytes().all(|byte| byte == b'a'));
}

#[test]
fn hexadecimal_has_no_line_end_in_a_pipe() {
    for line in
        [&[*RC4, "--out-hexa", "Quentin"][..], &[ARCFOUR, "crypt", "--key", "Quentin", "--out-hex"]]
    {
        let (mut child, mut stdin, mut stdout) = filter(line);
        stdin.write_all(b"Baptiste").unwrap();
        drop(stdin);
        let mut text = String::new();
        stdout.read_to_string(&mut text).unwrap();
        assert_eq!(text, "b07ce1f8d34cb924");
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn the_benchmark_prints_times_and_nothing_else() {
    let output = Command::new(*RC4)
        .args(["--bench=1000", "--bench-loop=100", "--out-hexa", "Key"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let values: Vec<f64> = text
        .lines()
        .zip(["encryption time = ", "throughput      = ", "cycles per byte = "])
        .map(|(line, name)| {
            let value = line.strip_prefix(name).unwrap_or_else(|| panic!("{line}"));
            value.split(' ').next().unwrap().parse().unwrap()
        })
        .collect();
    assert_eq!((text.lines().count(), values.len()), (3, 3));
    // bytes ÷ microseconds are MB/s
    assert!((values[0] * values[1] / 1000.0 - 1.0).abs() < 0.1, "{text}");
    assert!(values[2] > 0.0);
}
