//! `arcfour attack memory` on the memory of a real program: OpenSSL's.

use std::{
    fs,
    io::{Read, Write},
    os::unix::fs::FileExt,
    process::{Child, Command, Stdio},
};

/// The writable memory of a process: what `gcore` writes, without the headers.
fn memory(process: &Child) -> Vec<u8> {
    let maps = fs::read_to_string(format!("/proc/{}/maps", process.id())).unwrap();
    let memory = fs::File::open(format!("/proc/{}/mem", process.id())).unwrap();
    let mut all = vec![];
    for line in maps.lines().filter(|line| line.contains(" rw")) {
        let (start, end) = line.split_once(' ').unwrap().0.split_once('-').unwrap();
        let address = |text| u64::from_str_radix(text, 16).unwrap();
        let mut part = vec![0; (address(end) - address(start)) as usize];
        if memory.read_exact_at(&mut part, address(start)).is_ok() {
            all.extend(part);
        }
    }
    all
}

fn run(args: &[&str], input: &[u8]) -> (Vec<u8>, String, i32) {
    let mut process = Command::new(env!("CARGO_BIN_EXE_arcfour"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = process.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || _ = to.write_all(&input));
    let done = process.wait_with_output().unwrap();
    writer.join().unwrap();
    (done.stdout, String::from_utf8(done.stderr).unwrap(), done.status.code().unwrap())
}

const PLAIN: &[u8] = b"GET /secret HTTP/1.1\r\n";

/// Lets `openssl enc` encrypt a stream, and reads its memory while it waits for more. Returns its
/// output, the output of `attack memory` with these options, and the single state in it.
fn dumped(cipher: &str, key: &str, options: &[&str]) -> (Vec<u8>, String, serde_json::Value) {
    let mut openssl = Command::new("openssl")
        .args(["enc", "-e", cipher, "-K", key, "-provider", "legacy", "-provider", "default"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null()) // the rest of its output is not read
        .spawn()
        .expect("openssl is installed by make setup");
    let mut to = openssl.stdin.take().unwrap();
    to.write_all(&PLAIN.repeat(1000)).unwrap();
    to.flush().unwrap();
    // The received bytes were encrypted.
    let mut sent = vec![0; 8192];
    openssl.stdout.as_mut().unwrap().read_exact(&mut sent).unwrap();
    let dump = memory(&openssl);
    drop(to);
    openssl.stdout.take();
    openssl.wait().unwrap();

    let args = [&["attack", "memory", "-", "--json"], options].concat();
    let (out, error, code) = run(&args, &dump);
    let out = String::from_utf8(out).unwrap();
    assert_eq!(code, 0, "{cipher}, {} bytes: {out}{error}", dump.len());
    let lines = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let mut states: Vec<_> = lines.filter(|line| line["event"] == "state").collect();
    assert_eq!(states.len(), 1, "{out}");
    let state = states.remove(0);
    (sent, out, state)
}

#[test]
fn the_key_of_a_running_openssl_decrypts_its_traffic() {
    let (sent, _, state) = dumped("-rc4-40", "1f8b42069d", &["--key-length", "5"]);
    assert!(state["layout"].as_str().unwrap().starts_with("OpenSSL"), "{state}");
    assert_eq!(state["key"], "1f8b42069d");
    let (text, ..) = run(&["crypt", "--key-hex", "1f8b42069d"], &sent);
    assert_eq!(text, PLAIN.repeat(1000)[..8192]);
}

/// The key of 128 bits is not searched. The state alone decrypts the bytes before it.
#[test]
fn the_state_of_a_running_openssl_decrypts_its_traffic_without_the_key() {
    let key = "000102030405060708090a0b0c0d0e0f";
    let (sent, out, state) = dumped("-rc4", key, &["--rewind", "0"]);
    assert_eq!(state["key"], serde_json::Value::Null);
    let folder = tempfile::tempdir().unwrap();
    let states = folder.path().join("states");
    fs::write(&states, out).unwrap();
    let states = states.to_str().unwrap();
    // "GET /secret", from the beginning of the stream; and from its middle on.
    for (from, plain) in [(0, "47 45 54 20 2f 73 65 63"), (4400, "47 45 54 20 2f 73 65 63")] {
        let args = ["attack", "decrypt", "--state", states, "--plain", plain];
        let (text, error, code) = run(&args, &sent[from..]);
        assert_eq!((code, &text[..]), (0, &PLAIN.repeat(1000)[from..8192]), "{error}");
        assert!(error.contains("bytes of keystream before the state"), "{error}");
        let before = error.split(' ').find_map(|word| word.parse::<u64>().ok()).unwrap();
        let args = ["attack", "decrypt", "--state", states, "--before", &before.to_string()];
        assert_eq!(run(&args, &sent[from..]).0, text);
    }
}
