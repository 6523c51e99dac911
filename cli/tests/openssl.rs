//! `arcfour crypt --openssl` and the real `openssl enc` read each other's files.

use std::{
    fs,
    io::{Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
};

use arcfour_formats::openssl::{Cipher, Hash};
use proptest::{prelude::*, sample::select, test_runner::Config};
use tempfile::TempDir;

const ARCFOUR: &str = env!("CARGO_BIN_EXE_arcfour");

/// Lengths around a line of base64 (48 bytes, 16 of them for a header), around one block, and
/// around many.
const LENGTHS: [usize; 10] = [0, 1, 31, 32, 33, 47, 48, 49, 524_288, (1 << 20) + 5];

/// One set of options, in the form of each program.
struct Case {
    ours: Vec<&'static str>,
    openssl: Vec<&'static str>,
}

fn case(wishes: &[(&'static [&'static str], &'static [&'static str])]) -> Case {
    Case {
        ours: wishes.iter().flat_map(|wish| wish.0).copied().collect(),
        openssl: wishes.iter().flat_map(|wish| wish.1).copied().collect(),
    }
}

type Wish = (&'static [&'static str], &'static [&'static str]);

const RC4: Wish = (&["--openssl"], &["-rc4"]);
const RC4_40: Wish = (&["--openssl=rc4-40"], &["-rc4-40"]);
const MD5: Wish = (&["--md", "md5"], &["-md", "md5"]);
const SHA1: Wish = (&["--md", "sha1"], &["-md", "sha1"]);
const SHA256: Wish = (&["--md", "sha256"], &["-md", "sha256"]);
const SHA512: Wish = (&["--md", "sha512"], &["-md", "sha512"]);
const DIGEST: Wish = (&[], &[]);
const PBKDF2: Wish = (&["--pbkdf2"], &["-pbkdf2"]);
const ITER: Wish = (&["--iter", "3"], &["-iter", "3"]);
const RAW: Wish = (&[], &[]);
const LINES: Wish = (&["-a"], &["-a"]);
const ONE_LINE: Wish = (&["-a", "-A"], &["-a", "-A"]);
const NO_SALT: Wish = (&["--nosalt"], &["-nosalt"]);
const SALT: Wish = (&["-S", "00ff0a2053616c74"], &["-S", "00ff0a2053616c74"]);

/// A folder with a passphrase of every byte that one may have, and a second line.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut line: Vec<u8> = (1..=255).filter(|&byte| byte != b'\n').collect();
    line.extend_from_slice(b"\nno part of it\n");
    fs::write(folder.path().join("pass"), line).unwrap();
    folder
}

/// Runs the program on `input` and returns its output. The only messages allowed are openssl's
/// warnings, and our warning that `-kfile` cuts a long line of a key file.
fn run(program: &str, args: &[&str], folder: &Path, input: &[u8]) -> Vec<u8> {
    let mut child = Command::new(program)
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input).unwrap());
        child.wait_with_output().unwrap()
    });
    let stderr = String::from_utf8_lossy(&output.stderr);
    let expected = [
        "*** WARNING",
        "Using -iter",
        "hex string is too short",
        "arcfour: warning: the first line of the key file 'pass' has 254",
        "arcfour: hint: the output looks random", // so do bytes that are all different
    ];
    let alarming = |line: &str| !expected.iter().any(|expected| line.starts_with(expected));
    assert!(
        output.status.success() && !stderr.lines().any(alarming),
        "{program} {args:?}: {}: {stderr}",
        output.status
    );
    output.stdout
}

fn ours(folder: &Path, direction: &str, case: &Case, input: &[u8]) -> Vec<u8> {
    let args = [&["crypt", direction, "--key-file", "pass"], &case.ours[..]].concat();
    run(ARCFOUR, &args, folder, input)
}

fn openssl(folder: &Path, direction: &str, case: &Case, input: &[u8]) -> Vec<u8> {
    let providers = ["-provider", "legacy", "-provider", "default"];
    let args = [&["enc", direction, "-pass", "file:pass"], &providers[..], &case.openssl].concat();
    run("openssl", &args, folder, input)
}

/// Each program reads the other's output. Without a random salt the outputs are equal.
fn agree(case: &Case, len: usize) {
    let folder = folder();
    let folder = folder.path();
    let plaintext: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
    let theirs = openssl(folder, "-e", case, &plaintext);
    assert!(ours(folder, "-d", case, &theirs) == plaintext, "{:?}, {len} bytes", case.ours);
    let written = ours(folder, "-e", case, &plaintext);
    assert!(openssl(folder, "-d", case, &written) == plaintext, "{:?}, {len} bytes", case.openssl);
    assert_eq!(written.len(), theirs.len());
    let shape = |text: &[u8]| text.iter().map(|&byte| byte == b'\n').collect::<Vec<_>>();
    if case.ours.contains(&"-a") {
        assert!(shape(&written) == shape(&theirs), "{:?}, {len} bytes", case.ours);
    }
    if case.ours.contains(&"--nosalt") || case.ours.contains(&"-S") {
        assert!(written == theirs, "{:?}, {len} bytes", case.ours);
    } else {
        assert!(len == 0 || written != theirs, "a salt used twice");
    }
}

/// Every hash and derivation, and every length, each as bytes and in lines.
fn all(cipher: Wish) {
    for text in [RAW, LINES] {
        for hash in [MD5, SHA256] {
            for derivation in [DIGEST, PBKDF2] {
                agree(&case(&[cipher, hash, derivation, text]), 100);
            }
        }
        for len in LENGTHS {
            agree(&case(&[cipher, SHA256, DIGEST, text]), len);
        }
    }
}

#[test]
fn rc4() {
    all(RC4);
}

#[test]
fn rc4_40() {
    all(RC4_40);
}

#[test]
fn other_hashes_salts_and_lines() {
    for cipher in [RC4, RC4_40] {
        for hash in [SHA1, SHA512] {
            for derivation in [DIGEST, ITER] {
                agree(&case(&[cipher, hash, derivation]), 100);
            }
        }
        for salt in [NO_SALT, SALT] {
            for derivation in [DIGEST, ITER] {
                for text in [RAW, LINES, ONE_LINE] {
                    for len in [1, 47, 48, 49, 100_000] {
                        agree(&case(&[cipher, derivation, salt, text]), len);
                    }
                }
            }
        }
    }
    agree(&case(&[RC4, LINES, NO_SALT]), 0);
}

/// OpenSSL limits the length of a line, so only our program is tested.
#[test]
fn base64_in_any_lines_is_read() {
    let folder = folder();
    let case = case(&[RC4, ONE_LINE]);
    let plaintext: Vec<u8> = (0..10_000).map(|at| (at % 251) as u8).collect();
    let text = openssl(folder.path(), "-e", &case, &plaintext);
    for (width, end) in [(76, "\r\n"), (64, "\r\n"), (1, "\n"), (63, "\n\n"), (text.len(), "\n")] {
        let lines: Vec<&[u8]> = text.chunks(width).collect();
        assert!(ours(folder.path(), "-d", &case, &lines.join(end.as_bytes())) == plaintext);
    }
}

fn arcfour(args: &[&str]) -> Child {
    let key = ["crypt", "--openssl", "--key", "Quentin"];
    let mut command = Command::new(ARCFOUR);
    command.args(key).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

fn peak_kib(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().strip_suffix(" kB").unwrap().trim().parse().unwrap()
}

#[test]
fn a_byte_goes_through_both_ways_while_the_pipes_are_open() {
    let (mut encrypt, mut decrypt) = (arcfour(&["-e"]), arcfour(&["-d"]));
    let (mut file, mut plain) = (encrypt.stdout.take().unwrap(), decrypt.stdout.take().unwrap());
    let (mut write, mut read) = (encrypt.stdin.take().unwrap(), decrypt.stdin.take().unwrap());
    let mut held = vec![0; 17]; // the header comes with the first byte
    for byte in 0..10 {
        write.write_all(&[byte]).unwrap();
        file.read_exact(&mut held).unwrap();
        read.write_all(&held).unwrap();
        let mut back = [0];
        plain.read_exact(&mut back).unwrap();
        assert_eq!(back, [byte]);
        held.truncate(1);
    }
    drop((write, read));
    assert!(encrypt.wait().unwrap().success() && decrypt.wait().unwrap().success());
}

#[test]
fn memory_stays_below_16_mib_both_ways() {
    const LEN: usize = 100 << 20;
    let (mut encrypt, mut decrypt) = (arcfour(&["-e", "-a"]), arcfour(&["-d", "-a"]));
    let mut text = encrypt.stdout.take().unwrap();
    let mut write = encrypt.stdin.take().unwrap();
    let mut read = decrypt.stdin.take().unwrap();
    let mut plain = decrypt.stdout.take().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || std::io::copy(&mut text, &mut read).unwrap());
        let reader = scope.spawn(move || std::io::copy(&mut plain, &mut std::io::sink()).unwrap());
        (0..LEN >> 20).for_each(|_| write.write_all(&[0; 1 << 20]).unwrap());
        for child in [&encrypt, &decrypt] {
            assert!(peak_kib(child) < 16 << 10, "{} KiB", peak_kib(child));
        }
        drop(write);
        assert_eq!(reader.join().unwrap(), LEN as u64);
    });
    assert!(encrypt.wait().unwrap().success() && decrypt.wait().unwrap().success());
}

/// A file by the real openssl, with forgotten options.
#[derive(Clone, Debug)]
struct Forgotten {
    cipher: Cipher,
    hash: Hash,
    iterations: Option<u32>,
    salt: Option<&'static str>,
    text: &'static [&'static str],
}

impl Forgotten {
    fn write(&self, folder: &Path, plain: &[u8]) {
        let mut words = vec![format!("-{}", self.cipher.name())];
        words.extend(["-md".into(), self.hash.name().to_owned()]);
        if let Some(iterations) = self.iterations {
            words.extend(["-iter".into(), iterations.to_string()]);
        }
        words.extend(self.salt.into_iter().flat_map(str::split_whitespace).map(str::to_owned));
        words.extend(self.text.iter().map(|&word| word.to_owned()));
        let providers = ["-provider", "legacy", "-provider", "default"];
        let args = ["enc", "-e", "-pass", "file:pass", "-out", "forgotten.enc"];
        let words = words.iter().map(String::as_str);
        let args: Vec<&str> = args.into_iter().chain(providers).chain(words).collect();
        run("openssl", &args, folder, plain);
    }

    /// Writes a file, guesses its options, and opens it by both commands that the guess names.
    fn is_guessed(&self, folder: &Path, iterations: &[&str], plain: &[u8]) {
        self.write(folder, plain);
        self.is_found(folder, iterations, plain);
    }

    /// Guesses the options of the file as it is, and opens it by both commands.
    fn is_found(&self, folder: &Path, iterations: &[&str], plain: &[u8]) {
        let given = self.salt.filter(|salt| salt.starts_with("-S"));
        let given = given.map_or(vec![], |salt| salt.split_whitespace().collect());
        let args = ["crypt", "--openssl", "-d", "--guess", "--key-file", "pass", "forgotten.enc"];
        let output = Command::new(ARCFOUR)
            .args([&args[..], iterations, &given].concat())
            .current_dir(folder)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && output.stdout == plain, "{self:?}: {said}");
        let after = |label: &str| said.split_once(label).unwrap().1.lines().next().unwrap();
        let again = after("the options instead of --guess: ");
        let again = format!("{ARCFOUR} crypt {again} --key-file pass forgotten.enc");
        let theirs = after("the command of openssl: ").replace(" -out OUT", "");
        for command in [again, theirs] {
            let output = Command::new("bash")
                .args(["-o", "pipefail", "-c", &command])
                .current_dir(folder)
                .output();
            let output = output.unwrap();
            assert!(output.status.success() && output.stdout == plain, "{self:?}: {command}");
        }
    }
}

const LETTER: &str = "Dear Quentin, the meeting is at ten, in the small room. Bring the old key.\n";

const TEXTS: [&[&str]; 3] = [&[], &["-a"], &["-a", "-A"]];
const PLAIN: [&[u8]; 3] =
    [LETTER.as_bytes(), "Gr\u{fc}\u{df}e aus Z\u{fc}rich, ".as_bytes(), b"%PDF-1.4\n\x80\xff"];

fn folder_with_a_word() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("pass"), "Quentin\n").unwrap();
    folder
}

/// Base64 as mail and editors change it: openssl reads some forms only after `tr`.
#[test]
fn base64_with_white_space_is_guessed() {
    let folder = folder_with_a_word();
    let path = folder.path().join("forgotten.enc");
    let (cipher, hash) = (Cipher::Rc4, Hash::Md5);
    let forgotten = Forgotten { cipher, hash, iterations: None, salt: None, text: &["-a", "-A"] };
    for lines in [1, 30] {
        let plain = LETTER.repeat(lines);
        forgotten.write(folder.path(), plain.as_bytes());
        let text = fs::read_to_string(&path).unwrap();
        let cut = |width: usize, end: &str| {
            let lines = text.as_bytes().chunks(width).map(|line| str::from_utf8(line).unwrap());
            lines.map(|line| format!("{line}{end}")).collect::<String>()
        };
        for form in [
            format!("{text}\n"),
            format!("{text} \t\r\n"),
            format!("  {text}\n"),
            format!("  {text}"),
            cut(76, " \n"),
            cut(76, "\t\r\n"),
            cut(76, "\r"),
            cut(1023, "\n"),
            cut(1023, "\r\n"),
            cut(1024, "\n"),
            cut(4, " "),
        ] {
            fs::write(&path, form).unwrap();
            forgotten.is_found(folder.path(), &[], plain.as_bytes());
        }
    }
    // The start that a guess reads does not tell whether line ends follow.
    let plain = LETTER.repeat(300);
    forgotten.write(folder.path(), plain.as_bytes());
    forgotten.is_found(folder.path(), &[], plain.as_bytes());
}

/// Plaintexts of kinds that no first bytes tell: old character sets, control characters, binary data.
#[test]
fn a_plaintext_far_from_random_is_found() {
    let folder = folder_with_a_word();
    let forgotten = Forgotten {
        cipher: Cipher::Rc4_40,
        hash: Hash::Md5,
        iterations: None,
        salt: None,
        text: &[],
    };
    let wide: Vec<u8> =
        "REGEDIT4, a text without a mark".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let numbers: Vec<u8> = (0..20u32).flat_map(u32::to_le_bytes).collect();
    let sheet = [b"\x0cPAGE 1\r\n".as_slice(), &b"a line of a report\r\n".repeat(4)].concat();
    for plain in [
        b"Geheimzahl f\xfcr das Schlie\xdffach: 4711.\r\n".as_slice(), // Latin-1
        b"Konto: 1.234,56 \x80 am 3. Mai 1999\r\n",                  // Windows-1252
        b"I don\x92t know whether this letter reaches you in time.\r\n",
        b"10 PRINT \"HELLO\"\r\n20 GOTO 10\r\n\x1a", // DOS ends a text so
        &sheet,
        b"\x1b[31mred\x1b[0m and \x1b[32mgreen\x1b[0m text\n",
        &wide,
        b"\xda\xc4\xc4\xc4\xc4\xc4\xc4\xbf\r\n\xb3 Menu \xb3\r\n\xc0\xc4\xc4\xc4\xc4\xc4\xc4\xd9\r\n", // CP437
        b"\x86berraschung f\x9fr Gr\x9a\xa7e, sch\x9ane Stra\xa7e: \x80pfel", // Mac Roman
        b"\x96\xe9\x96\xbe\x82\xaf\x82\xc9\x8dU\x8c\x82\x82\xb7\x82\xe9\x81B\x8c\xc3\x82\xa2\x93\xb9\x82\xf0\x92\xca\x82\xc1\x82\xc4\x81A\x93\xf1\x97\xf1\x82\xc5\x81B", // Shift-JIS
        b"\xc1\xa3\xa3\x81\x83\x92@\x81\xa3@\x84\x81\xa6\x95k@\x82\xa8@\xa3\x88\x85@\x96\x93\x84@\x99\x96\x81\x84", // EBCDIC
        b"\xe1\xd4\xc1\xcb\xc1 \xce\xc1 \xd2\xc1\xd3\xd3\xd7\xc5\xd4\xc5 \xd0\xcf \xd3\xd4\xc1\xd2\xcf\xca", // KOI8-R
        b"hello world\0how are you\0all is well\0",
        &[0; 40],
        &numbers,
    ] {
        forgotten.is_guessed(folder.path(), &[], plain);
    }
}

proptest! {
    #![proptest_config(Config { cases: 10, failure_persistence: None, ..Config::default() })]

    #[test]
    fn forgotten_options_are_guessed(
        cipher in select(&Cipher::ALL[..]),
        hash in select(&Hash::ALL[..]),
        iterations in select(&[None, Some(1), Some(7)][..]),
        salt in select(&[None, Some("-nosalt"), Some("-S 0102"), Some("-S 00ff0a2053616c74")][..]),
        text in select(&TEXTS[..]),
        plain in select(&PLAIN[..]),
        times in select(&[1usize, 1000][..]),
    ) {
        let iterations = iterations.filter(|_| hash.has_pbkdf2());
        let folder = folder_with_a_word();
        let forgotten = Forgotten { cipher, hash, iterations, salt, text };
        let given: &[&str] = if iterations.is_some() { &["--iter", "1,7"] } else { &[] };
        // A short text is certain only after all derivations have been tried, which takes long
        // here. openssl reads no long line.
        let times = if text.len() == 2 { 8 } else if plain.len() < 60 { 1000 } else { times };
        forgotten.is_guessed(folder.path(), given, &plain.repeat(times));
    }
}

#[test]
#[ignore = "some minutes: make test-full"]
fn every_forgotten_option_is_guessed() {
    let folder = folder_with_a_word();
    for cipher in Cipher::ALL {
        for hash in Hash::ALL {
            for iterations in [None, Some(10_000), Some(1000), Some(100_000)] {
                // Many iterations take long in this build.
                let long = iterations == Some(100_000) && hash != Hash::Sha256;
                if !long && (iterations.is_none() || hash.has_pbkdf2()) {
                    let forgotten = Forgotten { cipher, hash, iterations, salt: None, text: &[] };
                    forgotten.is_guessed(folder.path(), &[], LETTER.as_bytes());
                }
            }
        }
    }
}
