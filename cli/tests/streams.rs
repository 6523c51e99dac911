//! Both commands on pipes and terminals: at once, in constant memory, quiet when the reader goes.

use std::{
    fs,
    io::{Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use arcfour::Rc4;

const RC4: &str = env!("CARGO_BIN_EXE_rc4");
const ARCFOUR: &str = env!("CARGO_BIN_EXE_arcfour");
const FILTERS: [&[&str]; 2] = [&[RC4, "Quentin"], &[ARCFOUR, "crypt", "--key", "Quentin"]];

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

/// What `command` shows on a terminal: standard output and standard error together.
fn on_a_terminal(command: &str) -> (Option<i32>, String) {
    let output = Command::new("script")
        .args(["-q", "-e", "-c", command, "/dev/null"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_byte_goes_through_while_the_pipe_is_open() {
    for line in FILTERS {
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
    let hex: &[&str] = &[RC4, "--in-hexa", "--out-hexa", "Quentin"];
    for line in [FILTERS[0], FILTERS[1], hex] {
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
        FILTERS[0],
        FILTERS[1],
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
    let child = Command::new(RC4)
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

#[test]
fn a_signal_leaves_no_file() {
    for signal in ["INT", "TERM", "HUP"] {
        let folder = tempfile::tempdir().unwrap();
        // A shell that starts the tests in the background has them ignore SIGINT.
        let mut child = Command::new("env")
            .args(["--default-signal", ARCFOUR, "crypt", "--key", "a", "-o", "out"])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take(); // `wait` would close it, and the end of the input may win the race
        let files = || fs::read_dir(folder.path()).unwrap().count();
        wait_until(|| files() == 1);
        let kill = format!("kill -{signal} {}", child.id());
        assert!(Command::new("bash").args(["-c", &kill]).status().unwrap().success());
        let status = child.wait().unwrap();
        assert_eq!(status.code(), None, "{signal} must be seen to have ended it");
        assert_eq!(files(), 0, "{signal}");
        drop(stdin);
    }
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let ignoring = format!("trap '' HUP; exec '{ARCFOUR}' crypt --key a -o out");
    let mut child = Command::new("bash")
        .args(["-c", &ignoring])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until(|| fs::read_dir(folder.path()).unwrap().count() == 1);
    let kill = format!("kill -HUP {}", child.id());
    assert!(Command::new("bash").args(["-c", &kill]).status().unwrap().success());
    drop(child.stdin.take());
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
    let (code, text) = on_a_terminal(&format!("{hex}{RC4} --out-hexa Quentin"));
    assert_eq!((code, text.as_str()), (Some(0), "b07ce1f8d34cb924\r\n"));
    let insist = format!("{hex}{RC4} Quentin | {ARCFOUR} crypt --key Quentin -o -");
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

#[test]
fn progress_does_not_mix_with_what_a_terminal_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let letters = "head -c 3000000 /dev/zero | tr '\\0' a";
    let slow = format!(
        "cd {} && {ARCFOUR} keygen -o key && {letters} | {ARCFOUR} seal --key-file key -o sealed && \
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
        [&[RC4, "--out-hexa", "Quentin"][..], &[ARCFOUR, "crypt", "--key", "Quentin", "--out-hex"]]
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
    let output = Command::new(RC4)
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
