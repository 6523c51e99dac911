//! Tests of the checks before the work: refusals that cost nothing, and messages without secrets.

use std::{
    fs::{self, File},
    path::Path,
    process::{Command, Output, Stdio},
};

use arcfour_cli::dispatch::Cli;
use clap::{
    Arg, ArgAction, CommandFactory, Error,
    error::{ContextKind, ContextValue, ErrorKind},
};
use wait4::Wait4;

const ARCFOUR: &str = env!("CARGO_BIN_EXE_arcfour");

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A password after an option that asks for it: the message names the option and the other ways.
#[test]
fn a_password_on_the_command_line_is_not_shown_and_the_other_ways_are() {
    for (command, option) in [
        (&["pdf", "decrypt"][..], "--password"),
        (&["pdf", "encrypt", "--i-know-rc4-is-broken"], "--password"),
        (&["office", "decrypt"], "--password"),
        (&["seal"], "--passphrase"),
        (&["open"], "--passphrase"),
    ] {
        let joined = format!("{option}=hunter2");
        for words in [
            &[option, "hunter2", "file"][..],
            &["file", &joined],
            &["file", option, "hunter2"],
            &[option, "hunter2"],
            &[option, "hunter2", "-o", "new"],
        ] {
            let output = Command::new(ARCFOUR)
                .args(command)
                .args(words)
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let said = said(&output);
            assert_eq!(output.status.code(), Some(2), "{command:?} {words:?}: {said}");
            for part in
                ["takes no value", &format!("{option}-file PATH"), &format!("{option}-env NAME")]
            {
                assert!(said.contains(part), "{command:?} {words:?}: {said}");
            }
            assert!(!said.contains("hunter2"), "{command:?} {words:?}: {said}");
        }
    }
}

/// Other mistakes in a command line with a password option are named correctly.
#[test]
fn an_unknown_option_beside_a_password_is_named() {
    let line = ["pdf", "decrypt", "--password", "file", "--recursive-typo"];
    let output = Command::new(ARCFOUR).args(line).stdin(Stdio::null()).output().unwrap();
    let said = said(&output);
    assert!(said.contains("unexpected argument '--recursive-typo' found"), "{said}");
}

/// A file that is too long and an endless device are refused without being read.
#[test]
fn what_cannot_be_a_document_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let sparse = folder.path().join("sparse");
    File::create(&sparse).unwrap().set_len(1 << 32).unwrap();
    for (path, line) in [
        (&*sparse, "it has 4294967296 bytes; a document has at most 2147483647"),
        (Path::new("/dev/zero"), "cannot "),
    ] {
        for kind in ["pdf", "office"] {
            let mut command = Command::new(ARCFOUR);
            command.args([kind, "inspect"]).arg(path).stdout(Stdio::null()).stderr(Stdio::piped());
            let child = command.spawn().unwrap();
            let (mut child, mut text) = (child, String::new());
            std::io::Read::read_to_string(child.stderr.as_mut().unwrap(), &mut text).unwrap();
            let ended = child.wait4().unwrap();
            assert_eq!(ended.status.code(), Some(1), "{kind} {path:?}: {text}");
            assert!(text.contains(line) && text.lines().count() == 1, "{kind} {path:?}: {text}");
            let mib = ended.rusage.maxrss >> 20;
            assert!(mib < 64, "{kind} {path:?} takes {mib} MiB");
        }
    }
}

/// A file mounted as by `docker run -v FILE:FILE` cannot be replaced, and the message comes before
/// the work.
#[test]
#[cfg(target_os = "linux")]
fn a_file_that_is_mounted_is_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("host", "old"), ("inside", "")] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    // The work would wait for its input for ever, so an early message shows that the check came
    // first.
    let script = "mount --bind host inside || exit 99; mkfifo pipe; exec 3<>pipe; \
                  timeout 20 \"$0\" crypt --key Quentin -o inside --force < pipe";
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "bash", "-c", script, ARCFOUR])
        .current_dir(folder.path())
        .output()
        .expect("unshare is in util-linux");
    let said = said(&output);
    if output.status.code() == Some(99) || said.contains("unshare") {
        eprintln!("SKIPPED: this system lets nobody mount: {said}");
        return;
    }
    let line = "arcfour: cannot write 'inside': another file is mounted there, which cannot be replaced; write beside it and copy\n";
    assert_eq!((output.status.code(), &*said), (Some(1), line));
    assert_eq!(fs::read(folder.path().join("host")).unwrap(), b"old");
}

/// Some value of each kind that an option takes.
const VALUES: [&str; 14] = [
    "1",
    "5",
    "00",
    "0102030405060708",
    "1/2",
    "1:2",
    "?d",
    "single",
    "12:34:56:78:9a:bc",
    "64KiB",
    "portable",
    "size=128",
    "sha256",
    "sha1-40",
];

fn refused(command: &clap::Command, line: &[&str]) -> Option<Error> {
    command.clone().no_binary_name(true).try_get_matches_from(line).err()
}

/// The word that gives an option or an argument.
fn word(command: &clap::Command, arg: &Arg) -> String {
    let option = arg.get_long().map(|long| format!("--{long}"));
    if !arg.get_action().takes_values() || arg.is_require_equals_set() {
        return option.expect("only an option is without a value");
    }
    let possible = arg.get_possible_values();
    let values = possible.iter().map(|value| value.get_name()).chain(VALUES);
    let mut words =
        values.map(|value| option.as_ref().map_or(value.into(), |name| format!("{name}={value}")));
    let word = words.find(|word| {
        let kind = refused(command, &[word]).map(|error| error.kind());
        !matches!(kind, Some(ErrorKind::InvalidValue | ErrorKind::ValueValidation))
    });
    word.unwrap_or_else(|| panic!("no value fits {} of {}", arg.get_id(), command.get_name()))
}

/// What an error says is missing.
fn missing(error: Option<Error>) -> Vec<String> {
    match error.as_ref().and_then(|error| error.get(ContextKind::InvalidArg)) {
        Some(ContextValue::Strings(names)) => names.clone(),
        _ => vec![],
    }
}

/// Lines that a command takes and that have no word too many: of two words at most.
fn shortest<'a>(command: &clap::Command, words: &[&'a str]) -> Vec<Vec<&'a str>> {
    if refused(command, &[]).is_none() {
        return vec![vec![]];
    }
    let (one, more): (Vec<&str>, Vec<&str>) =
        words.iter().partition(|word| refused(command, &[word]).is_none());
    let pairs = more.iter().enumerate().flat_map(|(at, first)| {
        more[at + 1..].iter().map(|second| vec![*first, *second]).collect::<Vec<_>>()
    });
    let pairs = pairs.filter(|pair| refused(command, pair).is_none());
    one.iter().map(|word| vec![*word]).chain(pairs).collect()
}

/// clap forgives that an argument is missing if a given one excludes the argument. The option that
/// requires the argument would be ignored without a message.
#[test]
fn no_option_is_ignored_since_another_excludes_what_the_option_requires() {
    let mut commands = vec![Cli::command()];
    commands[0].build();
    let mut ignored = vec![];
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands().cloned());
        let own = command.get_arguments().filter(|arg| {
            !matches!(arg.get_action(), ArgAction::Help | ArgAction::HelpLong | ArgAction::Version)
        });
        let words: Vec<String> = own.map(|arg| word(&command, arg)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let lines = shortest(&command, &words);
        // An error does not name an argument beside the required group that the argument is in.
        let groups: Vec<_> = command.get_groups().map(|group| group.get_id().clone()).collect();
        let lenient = groups.into_iter().fold(command.clone(), |command, group| {
            command.mut_group(group, |group| group.required(false))
        });
        let always = missing(refused(&lenient, &[]));
        for option in &words {
            let mut required = missing(refused(&lenient, &[option]));
            required.retain(|name| !always.contains(name));
            for other in words.iter().filter(|_| !required.is_empty()) {
                for line in &lines {
                    let line = [&line[..], &[option, other]].concat();
                    let gives = |name: &String| {
                        let mut parts = name.split(['<', '>', '|', ' ', '[', '=']);
                        parts.any(|part| {
                            line.iter().any(|word| word.split('=').next() == Some(part))
                        })
                    };
                    if !required.iter().all(gives) && refused(&command, &line).is_none() {
                        ignored.push(format!("{} {}", command.get_name(), line.join(" ")));
                    }
                }
            }
        }
    }
    assert!(ignored.is_empty(), "{}", ignored.join("\n"));
}
