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
    parts_in(&fs::read(file).unwrap())
}

fn parts_in(file: &[u8]) -> Vec<Part> {
    let programs = program::read(file, &|| false).unwrap();
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

/// As `sstrip` and packers leave a program: the loader needs no section headers.
fn without_sections(mut elf: Vec<u8>) -> Vec<u8> {
    elf[0x28..0x30].fill(0); // where they are, in a 64-bit file
    elf[0x3c..0x40].fill(0); // their number, and the number of the section with their names
    elf
}

#[test]
fn a_program_without_section_headers_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let (source, out) = (folder.path().join("uses.c"), folder.path().join("uses.so"));
    compile(&["gcc", "-O2", "-s"], &sources().join("xorswap.c"), &out).unwrap();
    let both = [Part::Schedule, Part::Keystream];
    assert_eq!(parts_in(&without_sections(fs::read(&out).unwrap())), both);

    let text = "void RC4_set_key(void *); void arcfour_init(void *k) { RC4_set_key(k); }";
    let imports = "void RC4_set_key(void *); void other(void *k) { RC4_set_key(k); }";
    for (text, hash) in [(text, "gnu"), (text, "sysv"), (imports, "gnu")] {
        fs::write(&source, text).unwrap();
        let hash = format!("-Wl,--hash-style={hash}");
        compile(&["gcc", "-shared", "-fPIC", "-s", &hash], &source, &out).expect("gcc compiles");
        let whole = fs::read(&out).unwrap();
        let names = program::read(&whole, &|| false).unwrap()[0].names.clone();
        assert_eq!(names.len(), text.matches("arcfour").count() + 1);
        let bare = program::read(&without_sections(whole), &|| false).unwrap();
        assert_eq!(bare[0].names, names, "{hash}");
    }
}

/// A PE file with one section of code, from 512 to 1024.
fn pe() -> Vec<u8> {
    let mut file = vec![0; 1024];
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"MZ");
    put(0x3c, &[64]);
    put(64, b"PE\0\0\x64\x86\x01");
    put(84, &[240, 0]); // the size of the optional header
    put(88, &[0x0b, 2]);
    put(88 + 108, &[16]); // directories
    put(328, b".text\0\0\0\0\x02\0\0\0\x10\0\0\0\x02\0\0\0\x02\0\0");
    put(328 + 36, &[0x20, 0, 0, 0x60]); // code that runs
    file
}

/// A Mach-O file for x86-64 with one section of code, from 256 to 512.
fn macho() -> Vec<u8> {
    let words = [0xfeed_facf_u32, 0x0100_0007, 3, 1, 1, 152, 0, 0, 0x19, 152];
    let mut file: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    file.resize(32 + 72 - 8, 0);
    file.extend([1, 0, 0, 0, 0, 0, 0, 0]); // one section
    file.extend(b"__text");
    file.resize(file.len() + 26 + 8, 0);
    file.extend(256_u64.to_le_bytes());
    file.extend(256_u32.to_le_bytes());
    file.resize(32 + 152, 0);
    file[32 + 72 + 64..][..4].copy_from_slice(&0x8000_0400_u32.to_le_bytes());
    file.resize(512, 0);
    file
}

/// The reason for which a file was not read to its end.
fn unread(file: &[u8]) -> Option<String> {
    let all = readers::all();
    let reader = all.iter().find(|reader| reader.name() == "program").unwrap();
    let mut source = Cursor::new(file);
    let mut input = Input::new(Path::new("program"), &mut source).unwrap();
    reader.read(&mut input, &mut |_| {}).err().map(|error| error.to_string())
}

#[test]
fn a_cut_program_says_so() {
    let cut = |member: &str| {
        Some(format!("{member}a part beyond the end of the file is not looked into"))
    };
    let bad = |member: &str| Some(format!("{member}a damaged program is not looked into"));
    for file in [pe(), macho()] {
        assert_eq!(unread(&file), None);
        assert_eq!(unread(&file[..file.len() - 1]), cut(""));
    }
    // For two processors: x86-64 and AArch64.
    let mut both = [0xcafe_babe_u32, 2, 0x0100_0007, 3, 64, 512, 0, 0x0100_000c, 0, 576, 512, 0]
        .map(u32::to_be_bytes)
        .concat();
    both.resize(64, 0);
    both.extend([macho(), macho()].concat());
    assert_eq!(unread(&both), None);
    assert_eq!(unread(&both[..both.len() - 1]), bad("Aarch64: "));
    both[576] = 0;
    assert_eq!(unread(&both), bad("Aarch64: "));

    let member = |name: &str, bytes: &[u8]| {
        let size = bytes.len();
        let head = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644);
        [head.as_bytes(), bytes].concat()
    };
    let damaged = [b"\x7fELF\x02\x01\x01\0", &[0xff; 56][..]].concat();
    let archive = |members: &[Vec<u8>]| [b"!<arch>\n", &members.concat()[..]].concat();
    let (text, good) = (member("notes.txt/", b"text"), member("good.o/", &macho()));
    assert_eq!(unread(&archive(&[text.clone(), good.clone()])), None);
    let damaged = archive(&[text, member("bad.o/", &damaged), good.clone()]);
    assert_eq!(unread(&damaged), bad("bad.o: "));
    let two = archive(&[good.clone(), good]);
    assert_eq!(unread(&two[..two.len() - 1]), bad("good.o: "));
    assert_eq!(unread(&two[..two.len() - 512 - 1]), bad(""));
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
