//! Tests of messages, help texts and manual pages.

mod rc4;

use rc4::RC4;
use std::{
    fs::{self, File, OpenOptions},
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Output, Stdio},
};

const ARCFOUR: &str = env!("CARGO_BIN_EXE_arcfour");

fn run(program: &str, args: &[&str], folder: &Path) -> (Option<i32>, String) {
    let output = Command::new(program).args(args).current_dir(folder).output().unwrap();
    verdict(&output)
}

/// The exit code and all of standard error.
fn verdict(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8(output.stderr.clone()).unwrap())
}

#[test]
fn no_byte_of_a_name_or_a_file_is_obeyed_by_the_terminal() {
    const EVIL: &str = "a\u{1b}[31mRED\u{1b}]0;pwned\u{7}\nfake line: all ok";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("esc.toml"), format!("seed = \"{EVIL}")).unwrap();
    fs::write(path.join("key.toml"), format!("{EVIL} = 1")).unwrap();
    for args in [
        &["ent", EVIL][..],
        &["crypt", "--key", "a", EVIL],
        &["crypt", "--key-file", EVIL],
        &["crypt", "--key", "a", "--family", EVIL],
        &["seal", "--passphrase-file", EVIL],
        &["bias", "show", EVIL],
        &["bias", "shard", "esc.toml", "--index", "0", "-o", "out"],
        &["bias", "shard", "key.toml", "--index", "0", "-o", "out"],
        &["man", &format!("/dev/null/{EVIL}")],
        &[EVIL],
    ] {
        let (code, text) = run(ARCFOUR, args, path);
        assert!(matches!(code, Some(1 | 2)), "{args:?}: {text}");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{7}'), "{args:?}: {text}");
        assert!(!text.contains("\nfake line"), "{args:?}: {text}");
    }
}

#[test]
fn no_word_that_may_be_of_a_key_is_repeated() {
    let folder = tempfile::tempdir().unwrap();
    for (program, args) in [
        (*RC4, &["my", "hunter2"][..]),
        (*RC4, &["--hunter2"]),
        (*RC4, &["--hunter2=x", "my"]),
        (ARCFOUR, &["keystream", "--key", "my", "hunter2"]),
        (ARCFOUR, &["crypt", "--key", "my", "in", "hunter2"]),
        (ARCFOUR, &["crypt", "--key", "--hunter2", "no-such-file"]),
        (ARCFOUR, &["crypt", "--key-env", "hunter2"]),
        (ARCFOUR, &["seal", "--passphrase-env", "hunter2"]),
    ] {
        let (code, text) = run(program, args, folder.path());
        assert!(matches!(code, Some(1 | 2)), "{args:?}: {text}");
        assert!(!text.contains("hunter2"), "{args:?}: {text}");
    }
}

#[test]
fn help_and_version_to_a_full_disk_fail() {
    let full = || OpenOptions::new().write(true).open("/dev/full").unwrap();
    for (program, name) in [(*RC4, "rc4"), (ARCFOUR, "arcfour")] {
        for args in [&["--help"][..], &["--version"], &["crypt", "--help"]] {
            if program == *RC4 && args.len() > 1 {
                continue;
            }
            let output = Command::new(program).args(args).stdout(full()).output().unwrap();
            let line = format!(
                "{name}: cannot write standard output: No space left on device (os error 28)\n"
            );
            assert_eq!(verdict(&output), (Some(1), line), "{args:?}");
        }
    }
}

#[test]
fn numbers_out_of_range_name_the_range() {
    let folder = tempfile::tempdir().unwrap();
    let largest = u64::MAX.to_string();
    let index = ["bias", "shard", "c", "-o", "x", "--index"];
    for (args, number, end) in [
        (&["crypt", "--openssl", "-d", "--key", "a", "--iter"][..], "-1", "2147483647"),
        (&["seal", "--key-file", "k", "--threads"], "-1", "256"),
        (&["seal", "--key-file", "k", "--threads"], "257", "256"),
        (&index, "-1", &largest),
        (&index, "18446744073709551616", &largest),
        (&["bench", "seal", "--samples"], "99999999999999999999", "10000"),
    ] {
        let (code, text) = run(ARCFOUR, &[args, &[number]].concat(), folder.path());
        assert_eq!(code, Some(2));
        assert!(text.contains(&format!("invalid value '{number}' for '--")), "{text}");
        assert!(text.contains(" to ") && text.contains(end), "{text}");
    }
}

#[test]
fn every_page_is_whole_and_replaces_none_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("pages");
    let man = |more: &[&str]| run(ARCFOUR, &[&["man", "pages"], more].concat(), folder.path());
    assert_eq!(man(&[]), (Some(0), String::new()));
    let names: Vec<_> = fs::read_dir(&pages).unwrap().map(|entry| entry.unwrap().path()).collect();
    for name in ["rc4.1", "arcfour.1", "arcfour-crypt.1", "arcfour-bias-show.1"] {
        assert!(names.contains(&pages.join(name)), "{names:?}");
    }
    for page in &names {
        let text = fs::read_to_string(page).unwrap();
        assert!(text.is_ascii(), "{page:?}");
        // Name, section, date, and program with version: man-pages(7).
        let name = page.file_stem().unwrap().to_str().unwrap();
        let program = if name == "rc4" { "rc4" } else { "arcfour" };
        let version = env!("CARGO_PKG_VERSION");
        let title = text.lines().find(|line| line.starts_with(".TH")).unwrap();
        let [start, program_and_version, _] = title.split('"').collect::<Vec<_>>()[..] else {
            panic!("{title}");
        };
        let words: Vec<_> = start.split_whitespace().collect();
        assert_eq!(words[..3], [".TH", &*name.to_uppercase(), "1"]);
        assert!(words.len() == 4 && words[3].len() == "2026-11-26".len(), "{title}");
        assert_eq!(program_and_version, format!("{program} {version}"));
        for part in ["RC4 is broken", ".SH SYNOPSIS", ".SH \"EXIT STATUS\"", ".nh"] {
            assert!(text.contains(part), "{page:?} has no {part}");
        }
        assert!(text.contains(".SH EXAMPLES\n.nf\n"), "{page:?}");
        let groff = Command::new("groff").args(["-man", "-ww", "-Tutf8"]).arg(page).output();
        let (code, warnings) = verdict(&groff.unwrap());
        assert_eq!((code, warnings.as_str()), (Some(0), ""), "{page:?}");
    }

    // A help for each page, no wider than 100 columns where no terminal says how wide it is.
    let subcommands =
        names.iter().filter_map(|page| page.file_stem()?.to_str()?.strip_prefix("arcfour"));
    let helps = subcommands.map(|name| {
        name.split('-').filter(|word| !word.is_empty()).chain(["--help"]).collect::<Vec<_>>()
    });
    for args in helps.chain([vec!["families"]]) {
        let output = Command::new(ARCFOUR).args(&args).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let wide =
            text.lines().find(|line| line.chars().count() > 100 && !line.starts_with("Usage:"));
        assert!(output.status.success() && wide.is_none(), "{args:?}: {wide:?}");
    }

    let (code, text) = man(&[]);
    assert!(code == Some(1) && text.contains("add --force to replace it"), "{text}");
    fs::write(pages.join("rc4.1"), "old").unwrap();
    assert_eq!(man(&["--force"]), (Some(0), String::new()));
    assert_ne!(fs::read(pages.join("rc4.1")).unwrap(), b"old");

    let victim = folder.path().join("victim");
    File::create(&victim).unwrap();
    fs::remove_file(pages.join("rc4.1")).unwrap();
    symlink("../victim", pages.join("rc4.1")).unwrap();
    let (code, text) = man(&["--force"]);
    assert!(code == Some(1) && text.contains("'pages/rc4.1' is a symbolic link"), "{text}");
    assert_eq!(fs::metadata(&victim).unwrap().len(), 0);
}

/// A limit on the size of files takes the place of a full disk.
#[test]
fn pages_that_do_not_fit_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let limited = "trap '' XFSZ; ulimit -f 2; exec \"$0\" man pages";
    let mut command = Command::new("bash");
    command.args(["-c", limited, ARCFOUR]).current_dir(folder.path());
    let (code, text) = verdict(&command.output().unwrap());
    assert!(code == Some(1) && text.contains("File too large"), "{text}");
    assert_eq!(fs::read_dir(folder.path().join("pages")).unwrap().count(), 0);
}

/// On pseudo-terminals of several widths: every help is wrapped for it, up to 100 columns.
#[test]
fn help_is_as_wide_as_the_terminal() {
    let on_a_terminal = |columns: usize, command: &str| {
        let command = format!("stty cols {columns} rows 50; {command}");
        let mut script = Command::new("script");
        script.args(["-q", "-e", "-c", &command, "/dev/null"]).stdin(Stdio::null());
        let output = script.output().unwrap();
        assert!(output.status.success(), "{command}");
        let shown = String::from_utf8(output.stdout).unwrap().replace('\r', "");
        // Without the colours of a terminal: ESC [ … m.
        let mut parts = shown.split("\u{1b}[");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, rest)| rest))
    };
    let longest = |text: &str| {
        let paragraphs = text.lines().take_while(|line| !line.starts_with("Example"));
        paragraphs.map(|line| line.chars().count()).max().unwrap()
    };
    for command in ["crypt", "find", "attack wep", "bias compare", "office inspect"] {
        let widths = [60, 80, 140].map(|columns| {
            longest(&on_a_terminal(columns, &format!("{ARCFOUR} {command} --help")))
        });
        // The last word of a line may leave some columns free; the warning alone has 76.
        assert!((45..=60).contains(&widths[0]), "{command}: {widths:?}");
        assert!((65..=80).contains(&widths[1]), "{command}: {widths:?}");
        assert!((76..=100).contains(&widths[2]), "{command}: {widths:?}");
    }
    // The help of `rc4` is the paper's, whose lines are of fixed length.
    for columns in [80, 140] {
        assert!(longest(&on_a_terminal(columns, &format!("{} --help", *RC4))) <= 80);
    }
    assert!(longest(&on_a_terminal(80, &format!("{ARCFOUR} families"))) <= 100);
}
