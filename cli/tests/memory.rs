//! `arcfour attack memory` on the memory of a real program: OpenSSL's.

use std::{
    fs,
    io::{Read, Write},
    os::unix::fs::FileExt,
    process::{Child, Command, Stdio},
};

use arcfour_attacks::state::beginnings;

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

/// Has `openssl enc` encrypt a stream and reads its memory while it waits for more: what it has sent, and what the dump
/// gives, as a line of JSON.
fn dumped(cipher: &str, key: &str) -> (Vec<u8>, serde_json::Value) {
    let mut openssl = Command::new("openssl")
        .args(["enc", "-e", cipher, "-K", key, "-provider", "legacy", "-provider", "default"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null()) // nobody reads the rest of its output
        .spawn()
        .expect("openssl is installed by make setup");
    let mut to = openssl.stdin.take().unwrap();
    to.write_all(&PLAIN.repeat(1000)).unwrap();
    to.flush().unwrap();
    // What has come was encrypted.
    let mut sent = vec![0; 8192];
    openssl.stdout.as_mut().unwrap().read_exact(&mut sent).unwrap();
    let dump = memory(&openssl);
    drop(to);
    openssl.stdout.take();
    openssl.wait().unwrap();

    let (out, error, code) = run(&["attack", "memory", "-", "--json"], &dump);
    let out = String::from_utf8(out).unwrap();
    assert_eq!(code, 0, "{cipher}, {} bytes: {out}{error}", dump.len());
    let lines = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let mut states: Vec<_> = lines.filter(|line| line["event"] == "state").collect();
    assert_eq!(states.len(), 1, "{out}");
    (sent, states.remove(0))
}

#[test]
fn the_key_of_a_running_openssl_decrypts_its_traffic() {
    let (sent, state) = dumped("-rc4-40", "1f8b42069d");
    assert!(state["layout"].as_str().unwrap().starts_with("OpenSSL"), "{state}");
    assert_eq!(state["key"], "1f8b42069d");
    let (text, ..) = run(&["crypt", "--key-hex", "1f8b42069d"], &sent);
    assert_eq!(text, PLAIN.repeat(1000)[..8192]);
}

/// A key of 128 bits, one of those that are not found: the state alone decrypts what came before it.
#[test]
fn the_state_of_a_running_openssl_decrypts_its_traffic_without_the_key() {
    let (sent, state) = dumped("-rc4", "000102030405060708090a0b0c0d0e0f");
    assert_eq!(state["key"], serde_json::Value::Null);
    let table = state["table"].as_str().unwrap().as_bytes();
    let table: [u8; 256] = data_encoding::HEXLOWER.decode(table).unwrap().try_into().unwrap();
    let index = |name: &str| state[name].as_u64().unwrap() as u8;
    let mut beginnings = beginnings(&table, index("i"), index("j"), 1 << 20);
    assert!(beginnings.any(|beginning| {
        let mut text = sent.clone();
        arcfour::Rc4::from_parts(&beginning.s, 0, 0).apply(&mut text);
        text == PLAIN.repeat(1000)[..8192]
    }));
}
