//! Tests `arcfour crypt` on the file system: outputs, refusals and leftovers.

mod rc4;

use std::{
    fs::{self, File},
    io::Read,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::Path,
    process::{Command, Output, Stdio},
};

use arcfour::Rc4;
use rc4::RC4;
use tempfile::TempDir;

const ARCFOUR: &str = env!("CARGO_BIN_EXE_arcfour");

/// A folder with a file `in` of `len` bytes.
fn folder(len: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in"), plaintext(len)).unwrap();
    folder
}

/// Painted modulo 251, so that blocks swapped or lost would show.
fn plaintext(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at % 251) as u8).collect()
}

fn encrypted(len: usize) -> Vec<u8> {
    let mut text = plaintext(len);
    Rc4::from_key(b"Quentin").unwrap().apply(&mut text);
    text
}

fn crypt(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(ARCFOUR);
    command.current_dir(folder).args(["crypt", "--key", "Quentin"]).args(args);
    command.stdin(Stdio::null()).output().unwrap()
}

/// The exit code and the first line on standard error.
fn verdict(output: &Output) -> (Option<i32>, &str) {
    let stderr = std::str::from_utf8(&output.stderr).unwrap();
    (output.status.code(), stderr.lines().next().unwrap_or(""))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn any_length_there_and_back() {
    for len in [0, 1, 255, 524_287, 524_288, 524_289, 1 << 20, (1 << 20) + 1, 5_000_000] {
        let folder = folder(len);
        let there = crypt(folder.path(), &["in", "-o", "out"]);
        assert_eq!(verdict(&there), (Some(0), ""), "{len} bytes");
        assert!(fs::read(folder.path().join("out")).unwrap() == encrypted(len), "{len} bytes");
        let back = crypt(folder.path(), &["out"]);
        assert!(back.stdout == plaintext(len), "{len} bytes");
        assert_eq!(names(folder.path()), ["in", "out"]);
    }
}

#[test]
fn hexadecimal_of_any_length_there_and_back() {
    for len in [0, 1, 524_289, 3_000_000] {
        let folder = folder(len);
        crypt(folder.path(), &["in", "--out-hex", "-o", "hex"]);
        let digits = fs::read(folder.path().join("hex")).unwrap();
        assert_eq!(digits.len(), 2 * len);
        assert!(digits.iter().all(|digit| b"0123456789abcdef".contains(digit)));
        let back = crypt(folder.path(), &["--in-hex", "hex"]);
        assert!(back.stdout == plaintext(len), "{len} bytes");
    }
}

#[test]
fn a_new_file_has_the_permissions_of_the_umask_and_a_replaced_one_keeps_its_own() {
    let folder = folder(10);
    let mode = |name| fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
    crypt(folder.path(), &["in", "-o", "out"]);
    assert_eq!(mode("out"), mode("in"));
    fs::set_permissions(folder.path().join("out"), PermissionsExt::from_mode(0o640)).unwrap();
    let again = crypt(folder.path(), &["in", "-o", "out", "--force", "--drop", "3"]);
    assert_eq!(verdict(&again), (Some(0), ""));
    assert_eq!(mode("out"), 0o640);
    assert_ne!(fs::read(folder.path().join("out")).unwrap(), encrypted(10));
}

/// Tests modes that a umask would change.
#[test]
fn force_keeps_the_permissions_under_any_umask() {
    let folder = folder(10);
    let out = folder.path().join("out");
    for umask in ["000", "022", "077"] {
        for bits in [0o666, 0o664, 0o644, 0o777, 0o444] {
            fs::write(&out, "old").unwrap();
            fs::set_permissions(&out, PermissionsExt::from_mode(0o4000 | bits)).unwrap();
            let script =
                format!("umask {umask}; exec '{ARCFOUR}' crypt --key Quentin in -o out --force");
            let mut bash = Command::new("bash");
            let output = bash.args(["-c", &script]).current_dir(folder.path()).output().unwrap();
            assert_eq!(verdict(&output), (Some(0), ""));
            let mode = fs::metadata(&out).unwrap().permissions().mode() & 0o7777;
            assert_eq!(mode, bits, "{mode:o}, not {bits:o}, under {umask}");
            assert_eq!(fs::read(&out).unwrap(), encrypted(10));
            fs::remove_file(&out).unwrap();
        }
    }
}

/// The shell's own file gets the output: a new file in its place would lose what `>>` keeps.
#[test]
fn a_file_that_the_shell_opened_is_written_to_or_named() {
    let folder = folder(10);
    let run = |script: &str| {
        let mut bash = Command::new("bash");
        bash.args(["-c", script, ARCFOUR]).current_dir(folder.path()).output().unwrap()
    };
    let out = folder.path().join("out");
    for (force, path) in [("", "/dev/stdout"), ("--force", "/dev/stdout"), ("", "/proc/self/fd/1")]
    {
        fs::write(&out, "kept").unwrap();
        let inode = fs::metadata(&out).unwrap().ino();
        let output = run(&format!("\"$0\" crypt --key Quentin in -o {path} {force} >> out"));
        assert_eq!(verdict(&output), (Some(0), ""));
        assert_eq!(fs::read(&out).unwrap(), [b"kept", &encrypted(10)[..]].concat());
        assert_eq!(fs::metadata(&out).unwrap().ino(), inode);
    }
    for force in ["", "--force"] {
        let output = run(&format!("\"$0\" crypt --key Quentin in -o /dev/fd/3 {force} 3> out"));
        let line =
            "arcfour: the output '/dev/fd/3' is a file that is open already; for it, use -o - >&3";
        assert_eq!(verdict(&output), (Some(2), line));
    }
    let output = run("\"$0\" crypt --key Quentin in -o - 3> out >&3");
    assert_eq!((verdict(&output), fs::read(&out).unwrap()), ((Some(0), ""), encrypted(10)));
}

/// Obstacles that can be known are reported before the work, and no message names a temporary file.
#[test]
fn an_output_that_cannot_be_is_refused_at_the_beginning() {
    let folder = folder(10);
    symlink("nothing", folder.path().join("dangling")).unwrap();
    symlink("looping", folder.path().join("looping")).unwrap();
    let long = "x".repeat(300);
    for (out, line) in [
        ("dangling", "a symbolic link to 'nothing', which does not exist"),
        ("looping", "Too many levels of symbolic links (os error 40)"),
        ("newdir/", "no such folder"),
        ("nodir/x", "No such file or directory (os error 2)"),
        (&long, "File name too long (os error 36)"),
    ] {
        for force in [&[][..], &["--force"]] {
            // The input never comes, so an error after the work would never come either.
            let mut child = Command::new(ARCFOUR)
                .args(["crypt", "--key", "Quentin", "-o", out])
                .args(force)
                .current_dir(folder.path())
                .stdin(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let stdin = child.stdin.take();
            let output = child.wait_with_output().unwrap();
            let line = format!("arcfour: cannot write '{out}': {line}");
            assert_eq!(verdict(&output), (Some(1), line.as_str()));
            drop(stdin);
        }
    }
    assert_eq!(names(folder.path()), ["dangling", "in", "looping"]);
}

/// Opening a FIFO for reading, even to compare it with the input, would wait for a writer.
#[test]
fn a_named_pipe_is_written_to() {
    let folder = folder(2_000_000);
    for input in ["in", "-"] {
        let script = format!(
            "mkfifo pipe; cat pipe > got & timeout 20 '{ARCFOUR}' crypt --key Quentin {input} \
             -o pipe < in || exit 1; wait; rm pipe"
        );
        let mut bash = Command::new("bash");
        let output = bash.args(["-c", &script]).current_dir(folder.path()).output().unwrap();
        assert_eq!(verdict(&output), (Some(0), ""));
        assert!(fs::read(folder.path().join("got")).unwrap() == encrypted(2_000_000));
    }
}

#[test]
fn the_key_file_is_never_the_output() {
    let folder = folder(10);
    fs::write(folder.path().join("key"), "secret").unwrap();
    symlink("key", folder.path().join("link")).unwrap();
    for args in [&[][..], &["--openssl", "-e"]] {
        let mut line = Command::new(ARCFOUR);
        line.args(["crypt", "--key-file", "key", "in", "-o", "link", "--force"]).args(args);
        let output = line.current_dir(folder.path()).output().unwrap();
        let line = "arcfour: the output 'link' is the key file 'key'; choose another output";
        assert_eq!(verdict(&output), (Some(2), line));
    }
    let mut bash = Command::new("bash");
    bash.args(["-c", "\"$0\" keystream --key-file key --bytes 9 >> key", ARCFOUR]);
    assert_eq!(bash.current_dir(folder.path()).output().unwrap().status.code(), Some(2));
    assert_eq!(fs::read(folder.path().join("key")).unwrap(), b"secret");
}

#[test]
fn an_input_that_is_cut_while_it_is_read_is_an_error() {
    let folder = folder(8_000_000);
    let mut child = Command::new(ARCFOUR)
        .args(["crypt", "--key", "Quentin", "in"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut byte = [0];
    child.stdout.as_mut().unwrap().read_exact(&mut byte).unwrap(); // and now the pipe is full
    File::options().write(true).open(folder.path().join("in")).unwrap().set_len(100).unwrap();
    let output = child.wait_with_output().unwrap();
    let line = "arcfour: cannot read 'in': the file was cut short while it was read";
    assert_eq!(verdict(&output), (Some(1), line));
}

/// A failed allocation ends a program on the spot.
#[test]
fn too_little_memory_leaves_no_file() {
    let folder = folder(4_000_000);
    let mut ended = 0;
    for kib in (6000..40_000).step_by(2000) {
        let script =
            format!("ulimit -v {kib}; ulimit -c 0; exec '{ARCFOUR}' crypt --key Quentin in -o out");
        let mut bash = Command::new("bash");
        // Rust's own library waits for itself, without an end, if memory is short while it prints a
        // backtrace.
        let bash = bash.env_remove("RUST_BACKTRACE");
        let output = bash.args(["-c", &script]).current_dir(folder.path()).output().unwrap();
        if output.status.success() {
            fs::remove_file(folder.path().join("out")).unwrap();
        } else {
            ended += 1;
        }
        assert_eq!(names(folder.path()), ["in"], "{kib} KiB: {output:?}");
    }
    assert!(ended > 0, "memory was never short");
}

#[test]
fn a_file_is_replaced_only_by_force() {
    let folder = folder(10);
    fs::write(folder.path().join("out"), "precious").unwrap();
    let refused = crypt(folder.path(), &["in", "-o", "out"]);
    assert_eq!(
        verdict(&refused),
        (Some(1), "arcfour: the output 'out' exists; choose another, or add --force to replace it")
    );
    assert_eq!(fs::read(folder.path().join("out")).unwrap(), b"precious");
    symlink("out", folder.path().join("link")).unwrap();
    crypt(folder.path(), &["in", "-o", "link", "--force"]);
    assert_eq!(fs::read(folder.path().join("out")).unwrap(), encrypted(10));
    assert!(folder.path().join("link").is_symlink());
    assert_eq!(names(folder.path()), ["in", "link", "out"]);
}

#[test]
fn the_input_is_never_the_output() {
    let folder = folder(10);
    symlink("in", folder.path().join("symbolic")).unwrap();
    fs::hard_link(folder.path().join("in"), folder.path().join("hard")).unwrap();
    for name in ["in", "./in", "symbolic", "hard"] {
        let refused = crypt(folder.path(), &["in", "-o", name, "--force"]);
        let message =
            format!("arcfour: the output '{name}' is the input 'in'; choose another output");
        assert_eq!(verdict(&refused), (Some(2), message.as_str()));
    }
    for command in [
        "exec \"$0\" crypt --key Quentin < in -o in --force",
        "exec \"$0\" crypt --key Quentin in >> in",
        "exec \"$0\" crypt --key Quentin < in 1<> in",
        "exec \"$1\" Quentin < in >> in",
    ] {
        let refused = Command::new("bash")
            .args(["-c", command, ARCFOUR, *RC4])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let (code, line) = verdict(&refused);
        assert!(code == Some(2) && line.contains(" is the input "), "{command}: {line}");
    }
    assert_eq!(fs::read(folder.path().join("in")).unwrap(), plaintext(10));
    assert_eq!(names(folder.path()), ["hard", "in", "symbolic"]);
}

#[test]
fn a_failure_leaves_no_file() {
    let folder = folder(0);
    fs::write(folder.path().join("in"), "00".repeat(2_000_000) + "xx").unwrap();
    let failed = crypt(folder.path(), &["--in-hex", "in", "-o", "out"]);
    let line = "arcfour: cannot decode the input: offset 4000000: 'x' is not a hexadecimal digit; \
                allowed are 0-9, a-f and A-F";
    assert_eq!(verdict(&failed), (Some(1), line));
    assert_eq!(names(folder.path()), ["in"]);

    for (args, start) in [
        (["in", "-o", "no/such/folder/out"], "arcfour: cannot write 'no/such/folder/out': No such"),
        (["in", "-o", "."], "arcfour: cannot write '.': Is a directory"),
        (["no-such-file", "-o", "out"], "arcfour: cannot read 'no-such-file': No such file"),
        ([".", "-o", "out"], "arcfour: cannot read '.': Is a directory"),
    ] {
        let failed = crypt(folder.path(), &args);
        let (code, line) = verdict(&failed);
        assert!(code == Some(1) && line.starts_with(start), "{line}");
        assert_eq!(names(folder.path()), ["in"]);
    }
}

#[test]
fn an_unreadable_file_is_named() {
    let folder = folder(10);
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    fs::set_permissions(folder.path().join("in"), PermissionsExt::from_mode(0o000)).unwrap();
    let program = folder.path().join("arcfour");
    // To where an ordinary user can reach it. A program that this process writes may be open for writing
    // in the child of another test, and then it does not run.
    assert!(Command::new("cp").arg(ARCFOUR).arg(&program).status().unwrap().success());
    let mut command = if File::open(folder.path().join("in")).is_ok() {
        // Root reads everything, so the program runs as user 65534.
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    command.current_dir(folder.path()).args(["crypt", "--key", "a", "in"]);
    let output = command.output().unwrap();
    let line = "arcfour: cannot read 'in': Permission denied (os error 13)";
    assert_eq!(verdict(&output), (Some(1), line));
}

#[test]
fn a_full_disk_is_named_and_leaves_no_file() {
    let folder = folder(4_000_000);
    let full = crypt(folder.path(), &["in", "-o", "/dev/full"]);
    let line = "arcfour: cannot write '/dev/full': No space left on device (os error 28)";
    assert_eq!(verdict(&full), (Some(1), line));

    // A limit on the size of files takes the place of a small disk. Its signal is not fatal.
    for (first, blocks) in [("trap '' XFSZ", 64), (":", 64), (":", 3000)] {
        let limited =
            format!("{first}; ulimit -f {blocks}; exec '{ARCFOUR}' crypt --key Quentin in -o out");
        let output = Command::new("bash")
            .args(["-c", &limited])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let line = "arcfour: cannot write 'out': File too large (os error 27)";
        assert_eq!(verdict(&output), (Some(1), line));
        assert_eq!(names(folder.path()), ["in"]);
    }
}

#[test]
fn completions_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let output = Command::new(ARCFOUR).args(args).current_dir(folder.path()).output().unwrap();
        assert_eq!(verdict(&output), (Some(0), ""));
        output.stdout
    };
    for (shell, check) in [("bash", "bash"), ("zsh", "zsh"), ("fish", "fish")] {
        for program in ["rc4", "arcfour"] {
            let script = run(&["completions", "--program", program, shell]);
            assert!(String::from_utf8(script.clone()).unwrap().contains(program), "{check}");
            if shell == "bash" {
                fs::write(folder.path().join("script"), script).unwrap();
                let sourced = Command::new("bash")
                    .args(["-c", "source ./script && complete -p \"$0\"", program])
                    .current_dir(folder.path())
                    .output()
                    .unwrap();
                assert!(sourced.status.success());
            }
        }
    }
}

/// Fish reads `$` between double quotes as a variable, and fails at `$HEX[41ff]`.
#[test]
fn fish_expands_no_variable_of_a_list_of_values() {
    let output = Command::new(ARCFOUR).args(["completions", "fish"]).output().unwrap();
    let script = String::from_utf8(output.stdout).unwrap();
    let lists = script.split(" -a \"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let dollars = lists.flat_map(|list| list.match_indices('$').map(move |(at, _)| &list[..at]));
    let before: Vec<_> = dollars.collect();
    assert!(!before.is_empty() && before.iter().all(|text| text.ends_with('\\')), "{before:?}");
}

#[test]
#[ignore = "it needs fish: make test-full"]
fn fish_reads_the_completions() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        format!("{ARCFOUR} completions fish | source; complete -C 'arcfour find --keys-format '");
    let mut fish = Command::new("fish");
    fish.args(["--no-config", "-c", &script]).env("HOME", folder.path());
    let output = fish.output().unwrap();
    assert_eq!(verdict(&output), (Some(0), ""));
    let values = String::from_utf8(output.stdout).unwrap();
    assert!(values.starts_with("hex\t") && values.contains("$HEX[41ff]"), "{values}");
}

#[test]
fn backends_as_json_are_those_of_the_library() {
    let output = Command::new(ARCFOUR).args(["backends", "--json"]).output().unwrap();
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    let named = |row: &serde_json::Value| row["name"].as_str().unwrap().to_owned();
    let names: Vec<_> = rows.iter().map(named).collect();
    let expected: Vec<_> = arcfour::Technique::all().map(|technique| technique.name).collect();
    assert_eq!(names, expected);
    let default: Vec<_> = rows.iter().filter(|row| row["default"] == true).map(named).collect();
    assert_eq!(default, [arcfour::Backend::detect().name()]);

    let table = Command::new(ARCFOUR).arg("backends").output().unwrap().stdout;
    // Long cells continue on lines that begin with spaces.
    let table = String::from_utf8(table).unwrap();
    let rows =
        table.lines().take_while(|line| !line.is_empty()).filter(|line| !line.starts_with(' '));
    assert!(rows.skip(1).map(|row| row.split(' ').next().unwrap()).eq(expected));
}
