//! `arcfour attack memory` on the memory of a real program: OpenSSL's. On a state of the Linux
//! kernel, whose key is not found.

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

/// The Linux kernel keeps the next step's i where libgcrypt keeps i. Without the key both readings
/// are printed, and the plaintext tells them apart.
#[test]
fn the_state_of_a_kernel_decrypts_its_traffic_without_the_key() {
    let mut rc4 = arcfour::Rc4::from_key(b"sixteen bytes of").unwrap();
    let mut sent = PLAIN.repeat(100);
    rc4.apply(&mut sent[..1000]);
    let (s, i, j) = rc4.state().parts();
    let struct_arc4_ctx = s.iter().copied().chain([i.wrapping_add(1), j]);
    let mut dump = vec![0xaa; 4096];
    dump.extend(struct_arc4_ctx.flat_map(|value| u32::from(value).to_le_bytes()));
    dump.extend([0xbb; 4096]);
    rc4.apply(&mut sent[1000..]);

    let (out, error, code) = run(&["attack", "memory", "-", "--rewind", "0"], &dump);
    let out = String::from_utf8(out).unwrap();
    assert_eq!((code, out.lines().count()), (0, 2), "{out}{error}");
    assert!(out.contains(&format!(
        "libgcrypt, 32-bit indexes after 32-bit entries, i {}, j {j}, no key\n",
        i + 1
    )));
    assert!(out.contains(&format!("Linux kernel from 3.7 on, i {i}, j {j}, no key\n")), "{out}");
    let readings = "arcfour: likely a state, but no key found at 0x1000; its indexes have 2 readings, and \
                    `arcfour attack decrypt --plain` finds the right one\n";
    assert_eq!(error, readings);

    let (out, ..) = run(&["attack", "memory", "-", "--rewind", "0", "--json"], &dump);
    let end = String::from_utf8_lossy(&out).lines().last().unwrap().to_owned();
    assert!(end.contains("\"tables\":1,\"states\":1,"), "{end}");
    let folder = tempfile::tempdir().unwrap();
    let states = folder.path().join("states");
    fs::write(&states, out).unwrap();
    let states = ["attack", "decrypt", "--state", states.to_str().unwrap()];
    let plain = ["--plain", "47 45 54 20 2f 73 65 63"];
    let (text, error, code) = run(&[&states[..], &plain].concat(), &sent);
    assert_eq!((code, text), (0, PLAIN.repeat(100)), "{error}");
    let (text, error, code) = run(&[&states[..], &["--before", "1000"]].concat(), &sent);
    assert!(text.is_empty() && code == 2, "{code}");
    assert!(
        error.contains("2 readings of the state at 0x1000: --plain finds the right one"),
        "{error}"
    );
}
