//! Secrets are wiped: gdb takes a core of each command at its exit. The core holds neither the
//! key's bytes nor a state from which `arcfour attack memory` computes the key.

#![cfg(target_os = "linux")]

mod rc4;

use rc4::RC4;
use std::{
    fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

const ARCFOUR: &str = env!("CARGO_BIN_EXE_arcfour");

/// Keys that occur nowhere else. They are passed in files, because the system keeps command lines
/// and environments.
const KEY: &[u8; 16] = b"\x9a\xc8\x1d\x66\x7c\x3b\x4d\x09\xba\xb5\x87\x45\xc3\xb2\x61\x8b";
const PASSPHRASE: &[u8] = b"a-passphrase-of-nobody-4711";

/// A folder with the files of the cases.
struct Room(tempfile::TempDir);

impl Room {
    fn new() -> Self {
        let room = Self(tempfile::tempdir().unwrap());
        room.write("key", KEY);
        room.write("pass", PASSPHRASE);
        room.write("in", &vec![b'a'; 100_000]);
        room
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// Runs a command without gdb.
    fn run(&self, program: &str, args: &[&str]) -> Output {
        let done = Command::new(program).args(args).current_dir(self.0.path()).output().unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        done
    }

    /// The core of a command at its exit. It must have worked.
    fn core(&self, program: &str, args: &[&str]) -> Core<'_> {
        let core = self.path("core");
        let _ = fs::remove_file(&core);
        let gdb = Command::new("gdb")
            .args([
                "-nx",
                "-batch",
                "-ex",
                "set pagination off",
                "-ex",
                "set debuginfod enabled off",
            ])
            .args([
                "-ex",
                "catch syscall exit_group",
                "-ex",
                &format!("run {}< in > out 2> errors", quoted(args)),
            ])
            .args(["-ex", "print $rdi", "-ex", &format!("gcore {}", core.display())])
            .arg(program)
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .output()
            .expect("gdb is installed by make setup");
        let said = String::from_utf8_lossy(&gdb.stdout).into_owned();
        let errors = fs::read_to_string(self.path("errors")).unwrap_or_default();
        assert!(said.contains("$1 = 0"), "{args:?}: {errors}{said}");
        Core { room: self, bytes: fs::read(&core).unwrap_or_else(|_| panic!("{said}")) }
    }

    /// The traces of a secret and of an RC4 key that a command leaves.
    fn assert_clean(&self, program: &str, args: &[&str], secrets: &[&[u8]], keys: &[&[u8]]) {
        let core = self.core(program, args);
        for secret in secrets.iter().chain(keys) {
            let copies = core.copies(secret);
            assert_eq!(copies, 0, "{args:?} leaves {copies} copies of {secret:02x?}");
        }
        for key in keys {
            let found = core.attack(key.len(), "4MiB");
            assert!(!found.contains(&hex(key)), "{args:?} leaves a state: {found}");
        }
    }
}

/// The memory of a process that is about to end.
struct Core<'a> {
    room: &'a Room,
    bytes: Vec<u8>,
}

impl Core<'_> {
    fn copies(&self, secret: &[u8]) -> usize {
        memchr::memmem::find_iter(&self.bytes, secret).count()
    }

    /// Returns the output of `attack memory` on states that made up to `produced` bytes. Each 64
    /// KiB cost a search for every table of the core.
    fn attack(&self, key_len: usize, produced: &str) -> String {
        let args = ["attack", "memory", "core", "--rewind", produced, "--key-length"];
        let attack = Command::new(ARCFOUR)
            .args(args)
            .arg(key_len.to_string())
            .current_dir(self.room.0.path())
            .output()
            .unwrap();
        assert!(attack.status.code().is_some_and(|code| code < 2), "{attack:?}");
        String::from_utf8(attack.stdout).unwrap()
    }
}

/// Returns the shell words with which gdb starts a program.
fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("'{word}' ")).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The path of a document of the vectors.
fn vector(name: &str) -> String {
    let vectors = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors");
    vectors.join(name).display().to_string()
}

/// Shows that the test can fail. If the key is in the command line, the system's copy is found. In
/// tests/memory.rs, where a program is still running, `attack memory` finds a state.
#[test]
fn the_search_finds_what_is_there() {
    let room = Room::new();
    let core = room.core(ARCFOUR, &["crypt", "--key", "a-key-in-the-command-line", "in"]);
    assert!(core.copies(b"a-key-in-the-command-line") > 0);
}

#[test]
fn crypt_and_keystream_leave_no_key() {
    let room = Room::new();
    for args in [
        &["crypt", "--key-file", "key", "in"][..],
        &["crypt", "--key-file", "key", "--drop", "3072", "in", "-o", "new"],
        &["crypt", "--key-file", "key", "--out-hex", "in"],
        &["keystream", "--key-file", "key", "--bytes", "10"],
        &["keystream", "--key-file", "key", "--bytes", "3000000"],
    ] {
        room.assert_clean(ARCFOUR, args, &[], &[KEY]);
    }
}

/// The key of `rc4` is on its command line: only its state can be wiped.
#[test]
fn rc4_leaves_no_state() {
    let room = Room::new();
    let found = room.core(*RC4, &["SuperSecretRC4Key"]).attack(17, "4MiB");
    assert!(!found.contains(&hex(b"SuperSecretRC4Key")), "{found}");
}

#[test]
fn openssl_files_leave_no_key() {
    let room = Room::new();
    let derived = room.run(
        "openssl",
        &[
            "enc",
            "-rc4",
            "-P",
            "-pass",
            "file:pass",
            "-S",
            "0102030405060708",
            "-md",
            "sha256",
            "-provider",
            "legacy",
            "-provider",
            "default",
        ],
    );
    let derived = String::from_utf8(derived.stdout).unwrap();
    let key = derived.lines().find_map(|line| line.strip_prefix("key=")).unwrap();
    let key = data_encoding::HEXUPPER.decode(key.as_bytes()).unwrap();
    for direction in ["-e", "-d"] {
        let args =
            ["crypt", "--openssl", direction, "--key-file", "pass", "-S", "0102030405060708", "in"];
        room.assert_clean(ARCFOUR, &args, &[PASSPHRASE], &[&key]);
    }
    let salted = ["--key-file", "pass", "-S", "0102030405060708"];
    room.run(ARCFOUR, &[&["crypt", "--openssl", "-e", "in", "-o", "file"], &salted[..]].concat());
    let guess = [&["crypt", "--openssl", "-d", "--guess", "file"], &salted[..]].concat();
    room.assert_clean(ARCFOUR, &guess, &[PASSPHRASE], &[&key]);
}

#[test]
fn sealed_files_leave_no_key() {
    let room = Room::new();
    room.assert_clean(ARCFOUR, &["keygen", "-o", "seal.key"], &[], &[]);
    let digits = fs::read(room.path("seal.key")).unwrap();
    let key = data_encoding::HEXLOWER.decode(&digits[..64]).unwrap();
    let seal = ["seal", "--seal-key", "seal.key", "in", "-o", "sealed", "--force"];
    room.assert_clean(ARCFOUR, &seal, &[&digits[..64]], &[&key]);
    room.assert_clean(
        ARCFOUR,
        &["open", "--seal-key", "seal.key", "sealed"],
        &[&digits[..64]],
        &[&key],
    );
}

/// Neither the key of the file nor the key of any block.
#[test]
fn office_leaves_no_key() {
    let room = Room::new();
    room.write("pass", b"Quentin");
    let file = vector("office/office97.doc");
    let args = ["office", "decrypt", &file, "--password-file", "pass", "-o", "new.doc", "--force"];
    let core = room.core(ARCFOUR, &args);
    let found = core.attack(16, "64KiB");
    let clean = !found.contains("key ");
    assert!(clean, "office decrypt leaves a state: {found}");
}

/// No state of a key, found or not: one thread, and many. The found key itself is what `find` prints.
#[test]
fn find_leaves_no_state() {
    let room = Room::new();
    let cipher = room.run(ARCFOUR, &["crypt", "--key-file", "key", "in", "-o", "cipher"]);
    assert!(cipher.status.success());
    let mask = "9ac81d667c3b4d09bab58745c3b2????";
    for threads in ["1", "4"] {
        let plain = ["--plain-text", "aaaaaaaaaaaa", "--threads", threads];
        let find = [&["find", "-c", "cipher", "--key-mask", mask][..], &plain].concat();
        let found = room.core(ARCFOUR, &find).attack(16, "64KiB");
        assert!(!found.contains("key 9ac81d66"), "find leaves a state: {found}");
    }
}

/// Neither the given keys nor a key or state of any form that was tried. The right one is printed in digits.
#[test]
fn attack_variant_leaves_no_key() {
    let room = Room::new();
    let reversed: Vec<u8> = KEY.iter().rev().copied().collect();
    room.write("reversed", &reversed);
    room.write("keys", &[&b"another key\n"[..], KEY, b"\n"].concat());
    room.run(ARCFOUR, &["crypt", "--key-file", "reversed", "in", "-o", "cipher"]);
    for option in [["--key-file", "key"], ["--keys", "keys"]] {
        let attack =
            [&["attack", "variant", "cipher", "--plain-text", "512:aaaaaaaaaaaaaaaa"], &option[..]]
                .concat();
        room.assert_clean(ARCFOUR, &attack, &[], &[KEY, &reversed]);
        assert!(fs::read_to_string(room.path("out")).unwrap().contains(&hex(&reversed)));
    }
}

/// Neither the password nor the key that is derived from it.
#[test]
fn a_derived_key_is_not_left() {
    let room = Room::new();
    let digest = Command::new("md5sum").arg("pass").current_dir(room.0.path()).output().unwrap();
    let key = data_encoding::HEXLOWER.decode(&digest.stdout[..32]).unwrap();
    let args = ["crypt", "--key-file", "pass", "--derive-key", "md5-128", "in"];
    room.assert_clean(ARCFOUR, &args, &[PASSPHRASE], &[&key]);
    let cipher = fs::read(room.path("out")).unwrap();
    room.write("derived", &key);
    let whole = room.run(ARCFOUR, &["crypt", "--key-file", "derived", "in"]);
    assert_eq!(whole.stdout, cipher);
}

/// No state of the key that stands in a file.
#[test]
fn keys_in_a_file_leave_no_state() {
    let room = Room::new();
    room.run(ARCFOUR, &["crypt", "--key-file", "key", "in", "-o", "cipher"]);
    room.write("program", &[&b"MZ and more"[..], KEY, b"the end"].concat());
    for threads in ["1", "4"] {
        let plain = ["--plain-text", "aaaaaaaaaaaa", "--threads", threads];
        let find = [&["find", "-c", "cipher", "--keys-in", "program"][..], &plain].concat();
        let found = room.core(ARCFOUR, &find).attack(16, "64KiB");
        assert!(!found.contains("key "), "find --keys-in leaves a state: {found}");
    }
}

/// Neither the key of the file nor a state of any object.
#[test]
fn pdf_leaves_no_key() {
    let room = Room::new();
    room.write("pass", b"user");
    let file = vector("pdf/v2-r3-128.pdf");
    let args = ["pdf", "decrypt", &file, "--password-file", "pass", "-o", "new.pdf", "--force"];
    let core = room.core(ARCFOUR, &args);
    let found = core.attack(16, "64KiB");
    assert!(!found.contains("key "), "pdf decrypt leaves a state: {found}");
}

/// The handler of Office XP and later derives another key for each block.
#[test]
#[ignore = "make test-full"]
fn cryptoapi_files_leave_no_state() {
    let room = Room::new();
    room.write("pass", b"Quentin");
    for name in ["office/cryptoapi-128.doc", "office/cryptoapi-128.xls"] {
        let file = vector(name);
        let args = ["office", "decrypt", &file, "--password-file", "pass", "-o", "new", "--force"];
        let found = room.core(ARCFOUR, &args).attack(16, "64KiB");
        assert!(!found.contains("key "), "{name} leaves a state: {found}");
    }
}

/// Leaves neither the states of wrong passwords nor the state of the right one, on one thread and
/// on many.
#[test]
#[ignore = "make test-full"]
fn a_search_of_passwords_leaves_no_state() {
    let room = Room::new();
    let mut words: Vec<u8> = (0..5000).flat_map(|n| format!("word{n}\n").into_bytes()).collect();
    words.extend(b"user\nQuentin\n");
    room.write("words", &words);
    for (option, name) in [
        ("--pdf", "pdf/v2-r3-128.pdf"),
        ("--office", "office/office97.doc"),
        ("--office", "office/cryptoapi-128.doc"),
    ] {
        let file = vector(name);
        for threads in ["1", "4"] {
            let args = ["find", option, &file, "--passwords", "words", "--threads", threads];
            let found = room.core(ARCFOUR, &args).attack(16, "64KiB");
            assert!(!found.contains("key "), "{name}, {threads} threads: {found}");
        }
    }
}

/// Sealed with many chunks, each under its own key, on several threads.
#[test]
#[ignore = "make test-full"]
fn sealed_files_of_many_chunks_leave_no_key() {
    let room = Room::new();
    room.run(ARCFOUR, &["keygen", "-o", "seal.key"]);
    let digits = fs::read(room.path("seal.key")).unwrap();
    let key = data_encoding::HEXLOWER.decode(&digits[..64]).unwrap();
    let seal = ["seal", "--seal-key", "seal.key", "--threads", "4", "--chunk-size", "4KiB"];
    let seal = [&seal[..], &["in", "-o", "sealed", "--force"]].concat();
    let open = ["open", "--seal-key", "seal.key", "--threads", "4", "sealed"];
    for args in [&seal[..], &open] {
        room.assert_clean(ARCFOUR, args, &[&digits[..64]], &[&key]);
        for len in [16, 32] {
            let found = room.core(ARCFOUR, args).attack(len, "64KiB");
            assert!(!found.contains("key "), "{args:?} leaves a state: {found}");
        }
    }
}
