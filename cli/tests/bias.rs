//! Tests `arcfour bias` on the file system: with shards that are killed, repeated, damaged or mixed
//! up.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
    thread,
    time::Duration,
};

use arcfour_stats::file::CountsFile;
use tempfile::TempDir;

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arcfour"));
    command.current_dir(folder).arg("bias").args(args).stdin(Stdio::null());
    command
}

fn bias(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

/// The exit code and the first line on standard error.
fn verdict(output: &Output) -> (Option<i32>, &str) {
    let stderr = std::str::from_utf8(&output.stderr).unwrap();
    (output.status.code(), stderr.lines().next().unwrap_or(""))
}

fn good(folder: &Path, args: &[&str]) {
    assert_eq!(verdict(&bias(folder, args)), (Some(0), ""), "{args:?}");
}

/// A folder with `c.toml` of three shards, and `other.toml`, which has another seed.
fn folder(keystreams: u64, count: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, seed) in [("c.toml", "0f"), ("other.toml", "f0")] {
        let text = format!(
            "seed = '{}'\nshards = 3\nkeystreams = {keystreams}\nkey-length = 16\n[count]\n{count}\n",
            seed.repeat(32)
        );
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn a_killed_shard_goes_on_to_the_same_bytes() {
    let folder = folder(700_000, "single = 256\nabsab = [100, 3]");
    let path = folder.path();
    good(path, &["shard", "c.toml", "--index", "1", "--out", "whole.cnt"]);
    let args = ["shard", "c.toml", "--index", "1", "--out", "1.cnt", "--checkpoint", "0"];
    let mut kills = 0;
    while kills < 3 {
        let mut shard = command(path, &args).spawn().unwrap();
        let before = fs::read(path.join("1.cnt.part")).ok();
        while shard.try_wait().unwrap().is_none() {
            if fs::read(path.join("1.cnt.part")).ok() != before {
                shard.kill().unwrap(); // SIGKILL: nothing can be tidied up
                kills += 1;
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
        shard.wait().unwrap();
        assert!(!path.join("1.cnt").exists(), "killed before its end");
    }
    let part = bias(path, &["show", "1.cnt.part"]);
    assert!(String::from_utf8(part.stdout).unwrap().contains("1 (not complete) of 3"));
    let refused = bias(path, &["merge", "1.cnt.part", "--out", "all.cnt"]);
    assert!(verdict(&refused).1.contains("'1.cnt.part': shard 1 is not complete"));
    good(path, &args);
    assert!(fs::read(path.join("1.cnt")).unwrap() == fs::read(path.join("whole.cnt")).unwrap());
    assert!(!path.join("1.cnt.part").exists());
}

/// Ends a shard repeatedly while checkpoints are written as fast as possible. Only OUT.part is
/// left, and finally it is removed.
#[test]
fn a_shard_that_is_ended_leaves_no_temporary_file() {
    let folder = folder(700_000, "single = 256\nabsab = [100, 3]");
    let path = folder.path();
    let args = ["shard", "c.toml", "--index", "1", "--out", "1.cnt", "--checkpoint", "0"];
    for signal in ["TERM", "INT", "HUP", "QUIT", "KILL", "TERM"] {
        let mut line = Command::new("env");
        line.args(["--default-signal", env!("CARGO_BIN_EXE_arcfour"), "bias"]).args(args);
        let mut shard = line.current_dir(path).spawn().unwrap();
        thread::sleep(Duration::from_millis(150));
        let kill = format!("kill -{signal} {}", shard.id());
        Command::new("bash").args(["-c", &kill]).output().unwrap(); // or the process has ended
        shard.wait().unwrap();
        for entry in fs::read_dir(path).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(!name.starts_with('.'), "{name} after {signal}");
        }
    }
    good(path, &args);
    assert!(path.join("1.cnt").exists() && !path.join("1.cnt.part").exists());
}

#[test]
fn a_stale_part_goes_and_a_missing_folder_is_said_before_counting() {
    let folder = folder(1000, "single = 3");
    let path = folder.path();
    let args = ["shard", "c.toml", "--index", "0", "--out", "0.cnt"];
    good(path, &args);
    fs::copy(path.join("0.cnt"), path.join("0.cnt.part")).unwrap();
    good(path, &args);
    assert!(!path.join("0.cnt.part").exists());

    let piped = bias(path, &["shard", "c.toml", "--index", "0", "--out", "-"]);
    assert_eq!(verdict(&piped), (Some(0), ""));
    assert!(piped.stdout == fs::read(path.join("0.cnt")).unwrap());
    let merged = bias(path, &["merge", "0.cnt", "--out", "-"]);
    assert!(verdict(&merged) == (Some(0), "") && merged.stdout == piped.stdout);
    assert!(!path.join("-").exists());

    let text = fs::read_to_string(path.join("c.toml")).unwrap();
    fs::write(path.join("years.toml"), text.replace("= 1000\n", "= 1000000000000\n")).unwrap();
    let lost = bias(path, &["shard", "years.toml", "--index", "0", "--out", "nodir/x"]);
    let line = "arcfour: cannot write 'nodir/x': No such file or directory (os error 2)";
    assert_eq!(verdict(&lost), (Some(1), line));
}

#[test]
fn a_shard_is_counted_once_and_only_over_its_own_file() {
    let folder = folder(1000, "single = 3");
    let path = folder.path();
    let args = ["shard", "c.toml", "--index", "0", "--out", "0.cnt"];
    good(path, &args);
    let time = || fs::metadata(path.join("0.cnt")).unwrap().modified().unwrap();
    let first = time();
    good(path, &args);
    assert_eq!(time(), first, "not written again");
    for (args, message) in [
        (["c.toml", "--index", "2"], "arcfour: '0.cnt' holds other counts"),
        (["other.toml", "--index", "0"], "arcfour: '0.cnt' holds other counts"),
    ] {
        let output = bias(path, &[&["shard"][..], &args, &["--out", "0.cnt"]].concat());
        let (code, line) = verdict(&output);
        assert!(code == Some(1) && line.starts_with(message), "{line}");
    }
    let range = bias(path, &["shard", "c.toml", "--index", "3", "--out", "3.cnt"]);
    assert_eq!(
        verdict(&range),
        (Some(2), "arcfour: --index is 3; the campaign's shards are 0 to 2")
    );
    fs::write(path.join("1.cnt.part"), "rubbish").unwrap();
    let damaged = bias(path, &["shard", "c.toml", "--index", "1", "--out", "1.cnt"]);
    assert!(verdict(&damaged).1.starts_with("arcfour: '1.cnt.part': not a file of counts"));
}

#[test]
fn a_merge_names_what_it_refuses() {
    let folder = folder(1000, "single = 3");
    let path = folder.path();
    for index in ["0", "1", "2"] {
        good(path, &["shard", "c.toml", "--index", index, "--out", &format!("{index}.cnt")]);
    }
    good(path, &["shard", "other.toml", "--index", "1", "--out", "foreign.cnt"]);
    let mut bytes = fs::read(path.join("1.cnt")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(path.join("damaged.cnt"), bytes).unwrap();
    good(path, &["merge", "2.cnt", "0.cnt", "--out", "02.cnt"]);
    for (files, message) in [
        (["02.cnt", "0.cnt"], "arcfour: '0.cnt': shard 0 is counted already"),
        (["1.cnt", "1.cnt"], "arcfour: '1.cnt': shard 1 is counted already"),
        (["0.cnt", "foreign.cnt"], "arcfour: 'foreign.cnt': it belongs to another campaign: "),
        (["0.cnt", "damaged.cnt"], "arcfour: 'damaged.cnt': damaged: "),
        (["0.cnt", "c.toml"], "arcfour: 'c.toml': not a file of counts: "),
        (["0.cnt", "nowhere"], "arcfour: cannot read 'nowhere': "),
    ] {
        let output = bias(path, &["merge", files[0], files[1], "--out", "bad.cnt"]);
        let (code, line) = verdict(&output);
        assert!(code == Some(1) && line.starts_with(message), "{line}");
        assert!(!path.join("bad.cnt").exists());
    }
    good(path, &["merge", "02.cnt", "1.cnt", "--out", "a.cnt"]);
    good(path, &["merge", "1.cnt", "0.cnt", "2.cnt", "--out", "b.cnt"]);
    assert_eq!(fs::read(path.join("a.cnt")).unwrap(), fs::read(path.join("b.cnt")).unwrap());
    let again = bias(path, &["merge", "1.cnt", "--out", "a.cnt"]);
    assert!(verdict(&again).1.contains("add --force to replace it"));
}

#[test]
fn verify_sees_the_known_biases_and_misses_those_of_other_keys() {
    let folder = folder(1 << 21, "single = 64\nequal = [[1, 2]]");
    let path = folder.path();
    good(path, &["shard", "c.toml", "--index", "0", "--out", "0.cnt"]);
    let seen = bias(path, &["verify", "0.cnt"]);
    let text = String::from_utf8(seen.stdout).unwrap();
    let line = text.lines().find(|line| line.starts_with("Z2 = 0 ")).unwrap();
    assert!(seen.status.success() && line.ends_with(" seen"), "{text}");

    // The same counts at every position: what position 3 has, the others lack.
    let file = CountsFile::parse(&fs::read(path.join("0.cnt")).unwrap()).unwrap();
    let mut tables = file.tables().to_vec();
    let third = tables[0][2 << 8..3 << 8].to_vec();
    tables[0].chunks_mut(256).for_each(|position| position.copy_from_slice(&third));
    let file = CountsFile::new(file.campaign().clone(), vec![(0, 0)], None, tables).unwrap();
    fs::write(path.join("made-up.cnt"), file.to_bytes()).unwrap();
    let missing = bias(path, &["verify", "made-up.cnt"]);
    let text = String::from_utf8(missing.stdout.clone()).unwrap();
    let line = text.lines().find(|line| line.starts_with("Z2 = 0 ")).unwrap();
    assert!(line.ends_with(" MISSING"), "{text}");
    let (code, line) = verdict(&missing);
    assert!(code == Some(1) && line.contains("that the sample must show are missing"), "{line}");

    // Each value 0 of the table counts for 1, so each position differs. The reader of either
    // command has gone.
    let position = |p: usize| (0..256).map(move |v| format!("{p} {v} {}\n", (v << 12) + 1));
    fs::write(path.join("table"), (1..=64).flat_map(position).collect::<String>()).unwrap();
    for args in [
        &["verify", "made-up.cnt"][..],
        &["verify", "made-up.cnt", "--json"],
        &["compare", "0.cnt", "table"],
        &["compare", "0.cnt", "table", "--json"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let closed = command(path, args).stdout(writer).output().unwrap();
        let (code, line) = verdict(&closed);
        assert!(code == Some(1) && line.starts_with("arcfour: '"), "{args:?}: {line}");
    }
}

/// A bias that no sample of that size can show is never called missing.
#[test]
fn verify_asks_nothing_of_small_samples() {
    for keystreams in [1, 2, 10, 1000] {
        let folder = folder(keystreams, "single = 257\ndigraphs = 1\nequal = [[1, 2]]");
        let path = folder.path();
        good(path, &["shard", "c.toml", "--index", "0", "--out", "0.cnt"]);
        let output = bias(path, &["verify", "0.cnt"]);
        assert_eq!(verdict(&output), (Some(0), ""));
        let text = String::from_utf8(output.stdout).unwrap();
        for word in ["MISSING", "NaN", "inf", "are not uniform"] {
            assert!(!text.contains(word), "{keystreams} keystreams, {word}: {text}");
        }
        let json = bias(path, &["verify", "0.cnt", "--json"]);
        assert!(String::from_utf8(json.stdout).unwrap().contains("\"too few samples\""));
    }
}

/// Endless files and files of gigabytes are refused quickly and in little memory. A device is not
/// read to check for an earlier result.
#[test]
fn files_without_end_are_refused_at_once() {
    let folder = folder(10, "single = 1");
    let path = folder.path();
    let sparse = fs::File::create(path.join("sparse")).unwrap();
    sparse.set_len(4 << 30).unwrap();
    good(path, &["shard", "c.toml", "--index", "0", "--out", "0.cnt"]);
    for (args, message) in [
        (&["show", "/dev/zero"][..], "arcfour: '/dev/zero': not a file of counts"),
        (&["show", "sparse"], "arcfour: 'sparse': not a file of counts"),
        (
            &["verify", "--table", "/dev/zero"],
            "arcfour: '/dev/zero': line 1 has more than 4096 bytes",
        ),
        (&["compare", "0.cnt", "sparse"], "arcfour: 'sparse': line 1 has more than 4096 bytes"),
        (&["merge", "0.cnt", "sparse", "--out", "m"], "arcfour: 'sparse': not a file of counts"),
        (
            &["shard", "/dev/zero", "--index", "0", "--out", "q"],
            "arcfour: '/dev/zero': it is longer than the 4194304 bytes",
        ),
        (
            &["shard", "c.toml", "--index", "0", "--out", "/dev/zero"],
            "arcfour: '/dev/zero': not a regular file",
        ),
        (
            &["shard", "c.toml", "--index", "0", "--out", "sparse"],
            "arcfour: 'sparse': not a file of counts",
        ),
    ] {
        // With 128 MiB of memory, a reader without a limit would fail.
        let output = Command::new("bash")
            .args([
                "-c",
                "ulimit -v 131072; exec \"$@\"",
                "bash",
                env!("CARGO_BIN_EXE_arcfour"),
                "bias",
            ])
            .args(args)
            .current_dir(path)
            .output()
            .unwrap();
        let (code, line) = verdict(&output);
        assert!(code == Some(1) && line.starts_with(message), "{args:?}: {line}");
    }
}

/// Each form is longer than a pipe holds, so a command that no one reads must fail to write.
#[test]
fn show_takes_a_closed_pipe_for_no_error() {
    let folder = folder(10, "single = 256");
    let path = folder.path();
    good(path, &["shard", "c.toml", "--index", "0", "--output", "0.cnt"]);
    for form in [&[][..], &["--csv"], &["--json"]] {
        let mut show = command(path, &[&["show", "0.cnt", "single"], form].concat());
        let mut child = show.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(verdict(&child.wait_with_output().unwrap()), (Some(0), ""), "{form:?}");
    }
}

#[test]
fn no_message_carries_control_characters_of_a_file() {
    let folder = folder(10, "single = 1");
    let path = folder.path();
    good(path, &["shard", "c.toml", "--index", "0", "--out", "0.cnt"]);
    fs::write(path.join("table"), "1 \u{1b}]0;pwned\u{7} 2\n").unwrap();
    fs::write(path.join("seed.toml"), "seed = \"\u{1b}]0;pwned\u{7}\"").unwrap();
    fs::write(path.join("key.toml"), "\"\u{1b}]0;pwned\u{7}\" = 1").unwrap();
    fs::write(path.join("escaped.toml"), "\"\\u001b]0;pwned\\u0007\" = 1").unwrap();
    for args in [
        &["compare", "0.cnt", "table"][..],
        &["shard", "seed.toml", "--index", "0", "--out", "q"],
        &["shard", "key.toml", "--index", "0", "--out", "q"],
        &["shard", "escaped.toml", "--index", "0", "--out", "q"],
    ] {
        let output = bias(path, args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let control = |&&byte: &&u8| byte < b' ' && byte != b'\n';
        assert_eq!(output.stderr.iter().find(control), None, "{args:?}");
    }
}

/// Equal seeds make equal campaigns, with digits in upper or lower case.
#[test]
fn the_case_of_a_seed_means_nothing() {
    let folder = folder(10, "single = 1");
    let path = folder.path();
    let text = fs::read_to_string(path.join("c.toml")).unwrap();
    fs::write(path.join("upper.toml"), text.replace("0f", "0F")).unwrap();
    good(path, &["shard", "c.toml", "--index", "0", "--out", "0.cnt"]);
    good(path, &["shard", "upper.toml", "--index", "1", "--out", "1.cnt"]);
    good(path, &["merge", "0.cnt", "1.cnt", "--out", "all.cnt"]);
}
