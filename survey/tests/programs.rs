//! Detects RC4 in the machine code of small programs by this machine's compilers, and not in
//! programs without RC4.

use std::{
    cell::Cell,
    collections::BTreeMap,
    env, fs,
    io::{self, Cursor, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use arcfour_survey::{
    Input,
    readers::{
        self,
        program::{self, Part},
    },
};

const SOURCES: [&str; 4] = ["textbook", "struct", "ints", "xorswap"];
/// The one C file of `capi/single`, with its assembly and without.
const SINGLE: [&str; 2] = ["single", "portable"];
const LEVELS: [&str; 5] = ["0", "1", "2", "3", "s"];

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// Returns the parts of RC4 detected in the code of a file.
fn parts(file: &Path) -> Vec<Part> {
    let programs = program::read(&fs::read(file).unwrap(), &|| false).unwrap();
    let mut parts: Vec<Part> =
        programs.iter().flat_map(|program| &program.code).map(|seen| seen.part).collect();
    parts.sort();
    parts.dedup();
    parts
}

/// Compiles; `None` if the compiler is missing or cannot link for the target.
fn compile(command: &[&str], source: &Path, out: &Path) -> Option<()> {
    let _ = fs::remove_file(out);
    let mut run = Command::new(command[0]);
    run.args(&command[1..]).arg(source).arg("-o").arg(out);
    run.output().ok().filter(|made| made.status.success()).map(drop)
}

#[test]
fn what_gcc_makes_is_seen_through_and_what_is_none_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("program.exe"); // MinGW adds the end where it is missing
    for level in ["-O0", "-O2"] {
        for source in SOURCES.iter().chain(&SINGLE) {
            compile(&["gcc", level, "-s"], &sources().join(source).with_extension("c"), &out)
                .expect("gcc compiles");
            assert!(!parts(&out).is_empty(), "{source} at {level}");
        }
        compile(&["gcc", level, "-s"], &sources().join("none.c"), &out).expect("gcc compiles");
        assert_eq!(parts(&out), [], "none at {level}");
    }
    let both = [Part::Schedule, Part::Keystream];
    compile(&["gcc", "-O2", "-s"], &sources().join("xorswap.c"), &out).unwrap();
    assert_eq!(parts(&out), both);
}

#[test]
fn a_program_that_ends_anywhere_is_read_to_there() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("program.exe"); // MinGW adds the end where it is missing
    compile(&["gcc", "-O2", "-s"], &sources().join("struct.c"), &out).expect("gcc compiles");
    let whole = fs::read(&out).unwrap();
    for end in (0..whole.len()).step_by(97) {
        let _ = program::read(&whole[..end], &|| false);
    }
}

/// A stop keeps what was found before it, and leaves out what comes after.
#[test]
fn a_program_is_read_up_to_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let (one, both) = (folder.path().join("one.o"), folder.path().join("both.a"));
    compile(&["gcc", "-O2", "-c"], &sources().join("xorswap.c"), &one).expect("gcc compiles");
    let other = folder.path().join("other.o");
    fs::copy(&one, &other).unwrap();
    let made = Command::new("ar").arg("rcs").args([&both, &one, &other]).status().unwrap();
    assert!(made.success());

    let asked = Cell::new(0);
    let asks = |file: &Path, end: u32| {
        asked.set(0);
        let stopped = || {
            asked.set(asked.get() + 1);
            asked.get() > end
        };
        let programs = program::read(&fs::read(file).unwrap(), &stopped).unwrap();
        programs.iter().filter(|program| !program.code.is_empty()).count()
    };
    assert_eq!(asks(&both, u32::MAX), 2);
    let of_both = asked.get();
    assert_eq!(asks(&one, u32::MAX), 1);
    let of_one = asked.get();
    assert!(of_one < of_both);
    // An archive asks before each member too.
    assert_eq!(asks(&both, of_one + 1), 1);
    assert_eq!(asks(&both, 0), 0);
}

/// Sets a flag once it was read to its end.
struct Stops<'a>(Cursor<Vec<u8>>, &'a AtomicBool);

impl Read for Stops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.fetch_or(read == 0, Ordering::Relaxed);
        Ok(read)
    }
}

impl Seek for Stops<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn a_survey_stopped_within_a_program_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("program.exe"); // MinGW adds the end where it is missing
    compile(&["gcc", "-O2", "-s"], &sources().join("xorswap.c"), &out).expect("gcc compiles");
    let stop = Arc::new(AtomicBool::new(false));
    let all = readers::all();
    let reader = all.iter().find(|reader| reader.name() == "program").unwrap();
    let mut source = Stops(Cursor::new(fs::read(&out).unwrap()), &stop);
    let mut input = Input::new(&out, &mut source).unwrap().until(&stop);
    let mut found = 0;
    let read = reader.read(&mut input, &mut |_| found += 1);
    assert_eq!((read.unwrap_err().to_string().as_str(), found), ("the survey was stopped", 0));
}

/// Makes the table of README.md: each source by each compiler and level, stripped.
#[test]
#[ignore = "a minute; make test-full"]
fn detection_is_as_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("program.exe"); // MinGW adds the end where it is missing
    let mut table: BTreeMap<String, (usize, usize, Vec<String>)> = BTreeMap::new();
    let compilers: [(&str, &[&str]); 4] = [
        ("gcc, x86-64", &["gcc", "-s"]),
        ("clang, x86-64", &["clang", "-s"]),
        (
            "clang, x86-64 Windows, MSVC's conventions",
            &[
                "clang",
                "--target=x86_64-pc-windows-msvc",
                "-ffreestanding",
                "-nostdlib",
                "-fuse-ld=lld",
                "-Wl,/entry:main,/subsystem:console",
            ],
        ),
        (
            "clang, x86 Windows, MSVC's conventions",
            &[
                "clang",
                "--target=i686-pc-windows-msvc",
                "-ffreestanding",
                "-nostdlib",
                "-fuse-ld=lld",
                "-Wl,/entry:main,/subsystem:console",
            ],
        ),
    ];
    let optional: [(&str, &[&str]); 3] = [
        ("gcc, AArch64", &["aarch64-linux-gnu-gcc", "-s"]),
        ("MinGW gcc, x86-64 Windows", &["x86_64-w64-mingw32-gcc", "-s"]),
        (
            "clang, AArch64 macOS, not linked",
            &["clang", "--target=arm64-apple-macos", "-ffreestanding", "-c"],
        ),
    ];
    let mut note = |name: &str, what: String, out: &Path| {
        let row = table.entry(name.to_owned()).or_default();
        row.1 += 1;
        if parts(out).is_empty() { row.2.push(what) } else { row.0 += 1 }
    };
    for (name, command) in compilers.iter().chain(&optional) {
        for level in LEVELS {
            for source in SOURCES {
                let flag = format!("-O{level}");
                let whole = [command, &[flag.as_str()][..]].concat();
                let path = sources().join(source).with_extension("c");
                if compile(&whole, &path, &out).is_some() {
                    note(name, format!("{source} -O{level}"), &out);
                }
            }
        }
    }
    for level in LEVELS {
        let flag = format!("opt-level={level}");
        if compile(&["rustc", "-C", &flag, "-C", "strip=symbols"], &sources().join("rc4.rs"), &out)
            .is_some()
        {
            note("rustc, x86-64", format!("-O{level}"), &out);
        }
    }
    for (name, system, processor) in [
        ("Go, x86-64", "linux", "amd64"),
        ("Go, x86", "linux", "386"),
        ("Go, AArch64", "linux", "arm64"),
        ("Go, x86-64 Windows", "windows", "amd64"),
        ("Go, x86-64 macOS", "darwin", "amd64"),
    ] {
        for flags in ["", "-N -l"] {
            let made = Command::new("go")
                .args(["build", "-ldflags=-s -w", &format!("-gcflags={flags}"), "-o"])
                .args([&out, &sources().join("rc4.go")])
                .envs([("GOOS", system), ("GOARCH", processor), ("CGO_ENABLED", "0")])
                .output();
            if made.is_ok_and(|made| made.status.success()) {
                note(name, format!("-gcflags={flags}"), &out);
            }
        }
    }
    let lines = table
        .iter()
        .map(|(name, (seen, of, missed))| format!("{name}\t{seen}\t{of}\t{}\n", missed.join(", ")));
    let table = format!("compiler and target\tseen\tof\tmissed\n{}", lines.collect::<String>());
    let record = sources().join("detection.tsv");
    if env::var_os("ARCFOUR_RECORD").is_some() {
        fs::write(&record, &table).unwrap();
    }
    // A missing compiler has no row.
    let recorded = fs::read_to_string(record).unwrap();
    for line in table.lines() {
        assert!(recorded.lines().any(|row| row == line), "{line}\nis not in\n{recorded}");
    }
}
