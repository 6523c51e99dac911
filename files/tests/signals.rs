//! Tests a program that handles signals: a fatal signal runs the actions and ends the program, and
//! an ignored signal stays ignored. Tests a program that stops at the first signal.

use std::{
    fs,
    io::ErrorKind,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Command, ExitStatus},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use arcfour_files::{handle_signals, on_signal, stop_on_signal};
use signal_hook::consts::{SIGTERM, SIGUSR1};

/// Resets signals that the parent of the tests may ignore, then runs a program: nohup ignores SIGHUP,
/// and a shell ignores SIGINT and SIGQUIT for a program in the background. No shell can reset them.
const RESET: &str = "$SIG{$_} = 'DEFAULT' for qw(HUP INT QUIT); exec @ARGV";

/// Runs an ignored test of this file in a separate process, because signals belong to the process.
fn run(test: &str, before: &str, folder: &Path) -> ExitStatus {
    let script = format!("{before} exec \"$0\" --exact --ignored {test}");
    let mut perl = Command::new("perl");
    perl.args(["-e", RESET, "sh", "-c", &script]).arg(std::env::current_exe().unwrap());
    perl.current_dir(folder).output().unwrap().status
}

/// Sends a signal to this program.
fn send(signal: &str) {
    let script = format!("kill -{signal} $PPID");
    assert!(Command::new("sh").args(["-c", &script]).status().unwrap().success());
}

/// Sends signals to this program. If no signal ends the program, the caller sees that it succeeds.
fn end_by(signals: &[&str]) {
    signals.iter().for_each(|signal| send(signal));
    thread::sleep(Duration::from_secs(30));
}

fn wait_for(stop: &AtomicBool) {
    let start = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        assert!(start.elapsed() < Duration::from_secs(30), "the signal sets no flag");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn the_actions_that_are_left_run_before_the_signal_ends_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let status = run("with_actions", "", folder.path());
    assert_eq!(status.signal(), Some(SIGTERM));
    let exists = |name: &str| folder.path().join(name).exists();
    assert_eq!(["first", "dropped", "last"].map(exists), [true, false, true]);
}

#[test]
#[ignore = "the_actions_that_are_left_run_before_the_signal_ends_the_program runs it"]
fn with_actions() {
    handle_signals();
    let action = |name: &'static str| on_signal(move || fs::write(name, "").unwrap());
    let (_first, dropped, _last) = (action("first"), action("dropped"), action("last"));
    drop(dropped);
    end_by(&["TERM"]);
}

#[test]
fn a_signal_that_was_ignored_at_the_start_stays_ignored() {
    let folder = tempfile::tempdir().unwrap();
    for (before, signal) in [("trap '' USR1;", SIGTERM), ("trap '' USR2;", SIGUSR1)] {
        let status = run("by_two_signals", before, folder.path());
        assert_eq!(status.signal(), Some(signal), "{before}");
    }
}

#[test]
#[ignore = "a_signal_that_was_ignored_at_the_start_stays_ignored runs it"]
fn by_two_signals() {
    handle_signals();
    end_by(&["USR1", "TERM"]);
}

#[test]
fn a_write_past_the_limit_of_a_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    assert!(run("write_too_much", "ulimit -f 1;", folder.path()).success());
}

#[test]
#[ignore = "a_write_past_the_limit_of_a_file_is_an_error runs it"]
fn write_too_much() {
    handle_signals();
    assert_eq!(fs::write("big", [0; 4096]).unwrap_err().kind(), ErrorKind::FileTooLarge);
}

/// SIGSTKFLT and SIGPWR are not in the table of signal-hook, so the program ends by itself, with the
/// status that a shell gives a signal.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_of_linux_alone_runs_the_actions_and_ends_the_program() {
    let folder = tempfile::tempdir().unwrap();
    for (test, status) in [("by_signal_16", 128 + 16), ("by_signal_30", 128 + 30)] {
        assert_eq!(run(test, "", folder.path()).code(), Some(status), "{test}");
        fs::remove_file(folder.path().join("ended")).unwrap();
    }
}

#[test]
#[ignore = "a_signal_of_linux_alone_runs_the_actions_and_ends_the_program runs it"]
fn by_signal_16() {
    handle_signals();
    let _ended = on_signal(|| fs::write("ended", "").unwrap());
    end_by(&["16"]);
}

#[test]
#[ignore = "a_signal_of_linux_alone_runs_the_actions_and_ends_the_program runs it"]
fn by_signal_30() {
    handle_signals();
    let _ended = on_signal(|| fs::write("ended", "").unwrap());
    end_by(&["30"]);
}

#[test]
fn the_first_signal_sets_the_flag_and_the_second_ends_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let status = run("stopped_twice", "", folder.path());
    assert_eq!(status.signal(), Some(SIGTERM));
    assert!(["stopped", "ended"].iter().all(|name| folder.path().join(name).exists()));
}

#[test]
#[ignore = "the_first_signal_sets_the_flag_and_the_second_ends_the_program runs it"]
fn stopped_twice() {
    let stop = stop_on_signal();
    let _ended = on_signal(|| fs::write("ended", "").unwrap());
    send("INT");
    wait_for(&stop);
    assert!(!fs::exists("ended").unwrap());
    fs::write("stopped", "").unwrap();
    end_by(&["TERM"]);
}

/// A program that stops at the first signal may also write new files, whose handler ends a program.
#[test]
fn the_first_signal_stops_a_program_that_handles_all_signals() {
    let folder = tempfile::tempdir().unwrap();
    for (test, second) in [("stopped_then_handled", SIGTERM), ("handled_then_stopped", SIGUSR1)] {
        assert_eq!(run(test, "", folder.path()).signal(), Some(second), "{test}");
        fs::remove_file(folder.path().join("stopped")).unwrap();
    }
}

/// Stops at `first`. The other handler gets a moment to end the program by mistake.
fn stop_at(first: &str, stop: &AtomicBool) {
    send(first);
    wait_for(stop);
    thread::sleep(Duration::from_millis(200));
    fs::write("stopped", "").unwrap();
}

#[test]
#[ignore = "the_first_signal_stops_a_program_that_handles_all_signals runs it"]
fn stopped_then_handled() {
    let stop = stop_on_signal();
    handle_signals();
    stop_at("INT", &stop);
    end_by(&["TERM"]);
}

/// A signal that asks for no stop ends the program at once.
#[test]
#[ignore = "the_first_signal_stops_a_program_that_handles_all_signals runs it"]
fn handled_then_stopped() {
    handle_signals();
    let stop = stop_on_signal();
    stop_at("HUP", &stop);
    end_by(&["USR1"]);
}

/// If the hang-up counted, the next signal would end the program.
#[test]
fn a_program_under_nohup_is_not_stopped_by_a_hang_up() {
    let folder = tempfile::tempdir().unwrap();
    assert!(run("hung_up", "trap '' HUP;", folder.path()).success());
}

#[test]
#[ignore = "a_program_under_nohup_is_not_stopped_by_a_hang_up runs it"]
fn hung_up() {
    let stop = stop_on_signal();
    send("HUP");
    send("TERM");
    wait_for(&stop);
}
