//! Interrupts the decryption of a folder, and continues it. Stops a survey, and a search with a
//! record.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Read},
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant, SystemTime},
};

use rustix::process::{Pid, Signal, kill_process};

// Enough for a second of work, so that no batch ends before the signal.
const FILES: usize = 3000;

/// The program with every signal as at a terminal. A shell that starts the tests in the background
/// makes them ignore SIGINT.
fn arcfour() -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal", env!("CARGO_BIN_EXE_arcfour")]);
    command
}

fn batch(folder: &Path) -> Command {
    let mut command = arcfour();
    command.current_dir(folder).args(["pdf", "decrypt", "in", "--to", "out", "--json"]);
    command
}

/// The names, times and bytes of all files of a folder.
fn contents(folder: &Path) -> BTreeMap<String, (SystemTime, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeMap::new() };
    let file = |entry: fs::DirEntry| {
        let path = entry.path();
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        (entry.file_name().into_string().unwrap(), (time, fs::read(path).unwrap()))
    };
    entries.map(|entry| file(entry.unwrap())).collect()
}

/// Waits until some files are written, and ends the program by a signal.
fn end(mut child: Child, out: &Path, more_than: usize, signal: Signal) {
    let start = Instant::now();
    while fs::read_dir(out).map_or(0, Iterator::count) <= more_than {
        assert!(start.elapsed() < Duration::from_secs(60), "it writes nothing");
        thread::sleep(Duration::from_millis(1));
    }
    kill_process(Pid::from_child(&child), signal).unwrap();
    let ended_by = child.wait().unwrap().signal();
    assert_eq!(ended_by, Some(signal.as_raw()), "the batch came to its end before the signal");
}

/// Returns the table's result for each file, by the file's name.
fn outcomes(json: &[u8]) -> BTreeMap<String, String> {
    let rows: Vec<serde_json::Value> = serde_json::from_slice(json).unwrap();
    let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap().to_owned();
    let row = |row| (text(row, "file").replace("in/", ""), text(row, "outcome"));
    let named: BTreeMap<_, _> = rows.iter().map(row).collect();
    assert_eq!(named.len(), rows.len(), "a file is in the table twice");
    named
}

#[test]
fn a_batch_that_is_ended_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("in")).unwrap();
    let file = fs::read("../vectors/pdf/v1-r2-empty.pdf").unwrap();
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for n in 0..FILES {
        let path = folder.join(format!("in/{n:04}.pdf"));
        fs::write(&path, &file).unwrap();
        fs::File::options().append(true).open(path).unwrap().set_modified(old).unwrap();
    }
    fs::write(folder.join("in/damaged.pdf"), &file[..200]).unwrap();
    let mut whole = arcfour();
    let whole = whole.args(["pdf", "decrypt", "../vectors/pdf/v1-r2-empty.pdf"]).output().unwrap();
    assert!(whole.status.success());

    let out = folder.join("out");
    let mut before = BTreeMap::new();
    for (signal, more) in [(Signal::KILL, 0), (Signal::INT, 10), (Signal::KILL, 10)] {
        let child = batch(folder).stdout(Stdio::null()).spawn().unwrap();
        end(child, &out, before.len() + more, signal);
        let now = contents(&out);
        for (name, content) in &now {
            assert!(*content == (old, whole.stdout.clone()), "{name} is not whole");
        }
        assert!(before.keys().all(|name| now.contains_key(name)));
        assert!(now.len() < FILES);
        before = now;
    }
    // A file that is written again is another file.
    let numbers = |names: &mut dyn Iterator<Item = &String>| -> Vec<u64> {
        let number =
            |name| std::os::unix::fs::MetadataExt::ino(&fs::metadata(out.join(name)).unwrap());
        names.map(number).collect()
    };
    let files = numbers(&mut before.keys());
    let last = batch(folder).output().unwrap();
    assert_eq!(last.status.code(), Some(1));
    let said = String::from_utf8(last.stderr).unwrap();
    assert_eq!(said, format!("arcfour: 1 of {} files refused\n", FILES + 1));
    assert_eq!(files, numbers(&mut before.keys()), "a file is done twice");
    let after = contents(&out);
    assert_eq!(after.len(), FILES);
    assert!(after.values().all(|content| *content == (old, whole.stdout.clone())));
    for (name, outcome) in outcomes(&last.stdout) {
        let expected = match name.as_str() {
            "damaged.pdf" => "refused",
            name if before.contains_key(name) => "already_there",
            _ => "opened",
        };
        assert_eq!(outcome, expected, "{name}");
    }
}

/// Returns true if a signal is in one of the masks of a process: `SigCgt`, signals with a handler; `SigIgn`, ignored signals.
fn is_in(mask: &str, signal: Signal, process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix(mask)).expect("a mask");
    let mask = mask.trim_start_matches(':').trim();
    u64::from_str_radix(mask, 16).unwrap() >> (signal.as_raw() - 1) & 1 == 1
}

/// A stopped survey prints its findings so far, and that it was stopped.
#[test]
fn a_survey_that_is_stopped_reports_what_it_found() {
    const MANY: usize = 20_000;
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first.pdf");
    fs::copy("../vectors/pdf/v2-r3-128.pdf", &first).unwrap();
    for n in 0..MANY {
        fs::hard_link(&first, folder.path().join(format!("{n}.pdf"))).unwrap();
    }
    let child = arcfour()
        .args(["survey", "--json", "."])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    // A handler that was just installed may not be served yet. SIGINT's is served once SIGTERM has one.
    while !is_in("SigCgt", Signal::TERM, child.id()) {
        assert!(start.elapsed() < Duration::from_secs(60), "it begins no survey");
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(
        (done.status.code(), said.as_str()),
        (Some(1), "arcfour: the survey was stopped before its end\n")
    );
    let lines = String::from_utf8(done.stdout).unwrap();
    let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    let files = last["files"].as_u64().unwrap();
    assert!(last["stopped"] == true && files <= MANY as u64, "{last}");
    assert_eq!(last["findings"].as_u64().unwrap() as usize, lines.lines().count() - 1);
}

/// Searches too many keys for its time, stops the search by a signal after the first keys, and
/// returns the record.
fn stopped_search(folder: &Path, signal: Signal, options: &[&str]) -> serde_json::Value {
    let mut child = arcfour()
        .args(["find", "-c", "c", "--key-length", "5", "--threads", "1", "--json"])
        .args(["--record", "record.json"])
        .args(options)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let is_progress = |line: &str| {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        event["event"] == "progress" && event["done"] != "0"
    };
    assert!(lines.any(|line| is_progress(&line.unwrap())), "the search tries no key");
    kill_process(Pid::from_child(&child), signal).unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    lines.for_each(|line| drop(line.unwrap()));
    let end = (child.wait().unwrap().code(), said.as_str());
    assert_eq!(end, (Some(1), "arcfour: stopped; --resume goes on\n"), "{signal:?}");
    serde_json::from_slice(&fs::read(folder.join("record.json")).unwrap()).unwrap()
}

/// A stopped search keeps the keys that it tried, and the keys that it found.
#[test]
fn a_search_that_is_stopped_keeps_its_record() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut text = *b"Attack at dawn";
    arcfour::Rc4::from_key(&[0, 0, 0, 0, 77]).unwrap().apply(&mut text);
    fs::write(folder.join("c"), text).unwrap();
    let plain = ["--plain-text", "Attack at dawn", "--all"];
    let covered = |record: &serde_json::Value| {
        let length =
            |range: &serde_json::Value| range[1].as_u64().unwrap() - range[0].as_u64().unwrap() + 1;
        record["covered"].as_array().unwrap().iter().map(length).sum::<u64>()
    };
    let first = stopped_search(folder, Signal::INT, &plain);
    assert!(covered(&first) > 77, "{first}");
    let second = stopped_search(folder, Signal::TERM, &[&plain[..], &["--resume"]].concat());
    assert!(covered(&second) > covered(&first), "{second}");
    assert!(second.to_string().contains("000000004d"), "{second}");
}

/// On a terminal a survey shows its progress, and clears that line at its end. Elsewhere it shows
/// no progress.
#[test]
fn a_survey_shows_its_progress_on_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..3000 {
        fs::copy("../vectors/pdf/v2-r3-128.pdf", folder.path().join(format!("{n}.pdf"))).unwrap();
    }
    let survey = format!("{} survey . > table", env!("CARGO_BIN_EXE_arcfour"));
    let mut script = Command::new("script");
    let script = script.args(["-qec", &survey, "/dev/null"]).current_dir(folder.path());
    let shown = script.env("TERM", "xterm").stdin(Stdio::null()).output().unwrap();
    assert!(shown.status.success());
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains(" files, ") && shown.contains(" findings"), "{shown:?}");
    assert!(shown.trim_end_matches(['\r', '\n']).ends_with("\u{1b}[2K"), "{shown:?}");
    let mut plain = Command::new("bash");
    let plain = plain.args(["-c", &survey]).current_dir(folder.path()).output().unwrap();
    assert!(plain.status.success() && plain.stderr.is_empty(), "{plain:?}");
}
