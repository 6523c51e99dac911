//! The files of `vectors/` are written by the definition, and compared with OpenSSL and every
//! backend.

use std::{env, fs, path::PathBuf, process::Command};

use arcfour::{Backend, Rc4, families::rc4::State};

use crate::{
    ambush::{ambush, key_for},
    hex,
    peers::OpenSsl,
    unhex,
};

/// Keystream of `key` from `offset`.
struct Vector {
    key: Vec<u8>,
    offset: u64,
    keystream: Vec<u8>,
}

pub fn path(file: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors")).join(file)
}

/// The lines of a file, in three columns.
fn rows(file: &str) -> Vec<[String; 3]> {
    let text = fs::read_to_string(path(file)).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let columns = |line: &str| line.split(' ').map(String::from).collect::<Vec<_>>();
    lines.map(|line| columns(line).try_into().expect("three columns")).collect()
}

fn vectors(file: &str) -> Vec<Vector> {
    let vector = |[key, offset, keystream]: [String; 3]| Vector {
        key: unhex(key),
        offset: offset.parse().unwrap(),
        keystream: unhex(keystream),
    };
    rows(file).into_iter().map(vector).collect()
}

/// The keystream at each (key, offset, length), by a cipher set up with `new`. A point with the key
/// of the point before continues its stream.
fn keystreams<F: FnMut(&mut [u8])>(
    points: impl Iterator<Item = (Vec<u8>, u64, usize)>,
    new: impl Fn(&[u8]) -> F,
) -> impl Iterator<Item = Vector> {
    let mut now: Option<(Vec<u8>, u64, F)> = None;
    let mut unused = vec![0; 1 << 16];
    points.map(move |(key, offset, len)| {
        let (_, mut position, mut fill) = (now.take())
            .filter(|(same, position, _)| *same == key && *position <= offset)
            .unwrap_or_else(|| (key.clone(), 0, new(&key)));
        while position < offset {
            let step = (unused.len() as u64).min(offset - position);
            fill(&mut unused[..step as usize]);
            position += step;
        }
        let mut keystream = vec![0; len];
        fill(&mut keystream);
        now = Some((key.clone(), position + len as u64, fill));
        Vector { key, offset, keystream }
    })
}

fn by_definition(
    points: impl Iterator<Item = (Vec<u8>, u64, usize)>,
) -> impl Iterator<Item = Vector> {
    keystreams(points, |key| {
        let mut state = State::ksa(key).unwrap();
        move |out| out.fill_with(|| state.prga())
    })
}

/// The key of `len` bytes of our own files: byte n is (`len` + n) mod 251.
pub fn painted(len: usize) -> Vec<u8> {
    (len..2 * len).map(|n| (n % 251) as u8).collect()
}

pub const PAINTED: &str = "# Byte n of a key of L bytes is (L + n) mod 251.\n";

fn lines(vectors: impl Iterator<Item = Vector>) -> String {
    let line =
        |Vector { key, offset, keystream }| format!("{} {offset} {}\n", hex(key), hex(keystream));
    vectors.map(line).collect()
}

fn every_key_length() -> String {
    let points = (1..=256).flat_map(|len| [0, 248, 4088].map(|offset| (painted(len), offset, 16)));
    format!(
        "# RC4 keystream: every key length, at the start, across the first return of i to 0, and \
         across 4096.\n{PAINTED}#\n# KEY OFFSET KEYSTREAM\n\n{}",
        lines(by_definition(points))
    )
}

fn drops() -> String {
    let points = ([5, 8, 16, 32, 256].into_iter())
        .flat_map(|len| [256, 768, 1024, 1536, 3072].map(|n| (painted(len), n, 32)));
    format!(
        "# RC4-drop[n] keystream: the first bytes after n were discarded.\n{PAINTED}#\n\
         # KEY DROP KEYSTREAM\n\n{}",
        lines(by_definition(points))
    )
}

fn deep() -> String {
    let points = (8..=32).map(|power| (painted(16), (1 << power) - 8, 16));
    format!(
        "# RC4 keystream: across every power of two from 2^8 to 2^32, one key, in order: stop where \
         patience ends.\n{PAINTED}#\n# KEY OFFSET KEYSTREAM\n\n{}",
        lines(by_definition(points))
    )
}

fn special() -> String {
    let counting: [u8; 256] = std::array::from_fn(|n| n as u8);
    let reversed = counting.map(|n| 255 - n);
    let mut random = State::ksa(b"ambush").unwrap();
    let mut ambush = |wanted: fn(usize) -> bool| ambush(|| random.prga(), wanted).to_vec();
    let sections = [
        (
            "All bytes 00: the schedule repeats the key, so these four are one stream.",
            [1, 5, 16, 256].map(|len| vec![0; len]).to_vec(),
        ),
        ("All bytes ff: one stream again.", [1, 5, 16, 256].map(|len| vec![255; len]).to_vec()),
        ("A key, and the same key twice: one stream.", vec![b"Key".to_vec(), b"KeyKey".to_vec()]),
        (
            "Keys that differ only in their last byte, the last one read.",
            [0, 1].map(|last| [&counting[..255], &[last]].concat()).to_vec(),
        ),
        ("Counting up and down.", vec![counting.to_vec(), reversed.to_vec()]),
        (
            "The schedule leaves S as it was, and turns it round.",
            vec![key_for(&counting).to_vec(), key_for(&reversed).to_vec()],
        ),
        (
            "j lands on i-1 to i+4 in many of the first 256 steps: hazards for whatever reads ahead.",
            vec![
                ambush(|_| true),
                ambush(|_| true),
                ambush(|step| step % 2 == 0),
                ambush(|step| step % 4 < 2),
                ambush(|step| step % 16 == 0),
                ambush(|step| step % 32 == 1),
            ],
        ),
    ];
    let sections = sections.map(|(why, keys)| {
        let points = keys.into_iter().flat_map(|key| [(key.clone(), 0, 264), (key, 1016, 16)]);
        format!("\n# {why}\n{}", lines(by_definition(points)))
    });
    format!(
        "# RC4 keystream: keys chosen to reach special cases.\n#\n# KEY OFFSET KEYSTREAM\n{}",
        sections.concat()
    )
}

/// Compares a file of our own with the computed values. If ARCFOUR_WRITE_VECTORS is set, as in
/// `make vectors`, the file is written anew first.
pub fn assert_fresh(file: &str, text: &str) {
    if env::var_os("ARCFOUR_WRITE_VECTORS").is_some() {
        assert!(env::var_os("CI").is_none(), "ARCFOUR_WRITE_VECTORS must not be set where CI is");
        fs::write(path(file), text).unwrap();
    }
    let fresh = fs::read_to_string(path(file)).unwrap_or_default() == text;
    assert!(fresh, "vectors/{file} is stale: `make vectors` writes it anew");
}

#[test]
fn files_are_fresh() {
    assert_fresh("rc4-keys.txt", &every_key_length());
    assert_fresh("rc4-drop.txt", &drops());
    // One build is enough, because the definition is the same in every build and 2^32 bytes of it
    // take seconds.
    if cfg!(not(feature = "portable")) {
        assert_fresh("rc4-deep.txt", &deep());
    }
    assert_fresh("rc4-special.txt", &special());
}

/// A test that is told to write vectors refuses under CI.
#[test]
fn nothing_is_written_where_ci_is() {
    let done = Command::new(env::current_exe().unwrap())
        .args(["vectors::files_are_fresh", "--exact"])
        .envs([("CI", "true"), ("ARCFOUR_WRITE_VECTORS", "1")])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(
        !done.status.success()
            && said.contains("ARCFOUR_WRITE_VECTORS must not be set where CI is"),
        "{said}"
    );
}

const KEYSTREAM: [&str; 4] = ["rc4-rfc6229.txt", "rc4-keys.txt", "rc4-drop.txt", "rc4-special.txt"];

fn compare<F: FnMut(&mut [u8])>(file: &str, name: &str, new: impl Fn(&[u8]) -> F) {
    let vectors = vectors(file);
    assert!(!vectors.is_empty(), "{file} is empty");
    let points = vectors.iter().map(|v| (v.key.clone(), v.offset, v.keystream.len()));
    for (read, made) in vectors.iter().zip(keystreams(points, new)) {
        let (key, offset) = (hex(&read.key), read.offset);
        assert_eq!(made.keystream, read.keystream, "{file} by {name}: {key} at {offset}");
    }
}

fn openssl(key: &[u8]) -> impl FnMut(&mut [u8]) + use<> {
    let mut openssl = OpenSsl::new(key);
    move |out| {
        out.fill(0);
        openssl.apply(out);
    }
}

#[test]
fn openssl_agrees() {
    for file in KEYSTREAM {
        compare(file, "OpenSSL", openssl);
    }
}

#[test]
#[ignore = "takes 6 seconds, as the definition does: `make test-full` runs it"]
fn openssl_agrees_deep_down() {
    compare("rc4-deep.txt", "OpenSSL", openssl);
}

#[test]
fn backends_agree() {
    for (file, backend) in
        KEYSTREAM.iter().flat_map(|file| Backend::available().map(move |b| (file, b)))
    {
        compare(file, backend.name(), |key| {
            let mut rc4 = Rc4::with_backend(key, backend).unwrap();
            move |out| rc4.fill(out)
        });
    }
}

/// One call for the whole 4 GiB, so that no counter of 32 bits passes.
#[test]
#[ignore = "takes 5 GiB of memory: `make test-full` runs it"]
#[cfg(target_pointer_width = "64")]
fn backends_agree_deep_down() {
    let vectors = vectors("rc4-deep.txt");
    let mut stream = vec![0; (1 << 32) + 8];
    for backend in Backend::available() {
        Rc4::with_backend(&vectors[0].key, backend).unwrap().fill(&mut stream);
        for Vector { key, offset, keystream } in &vectors {
            assert_eq!(key, &vectors[0].key);
            let made = &stream[*offset as usize..][..keystream.len()];
            assert_eq!(made, keystream, "{} at {offset}", backend.name());
        }
    }
}

#[test]
fn drops_by_name() {
    for Vector { key, offset, keystream } in vectors("rc4-drop.txt") {
        let mut made = vec![0; keystream.len()];
        Rc4::with_drop(&key, offset).unwrap().fill(&mut made);
        assert_eq!(made, keystream, "drop {offset}");
    }
}

#[test]
fn messages() {
    let (classic, openssl) = (rows("rc4-classic.txt"), rows("rc4-openssl.txt"));
    assert_eq!((classic.len(), openssl.len()), (3, 11));
    for row in classic.into_iter().chain(openssl) {
        let [key, plaintext, ciphertext] = row.map(unhex);
        let mut theirs = plaintext.clone();
        OpenSsl::new(&key).apply(&mut theirs);
        assert_eq!(theirs, ciphertext, "OpenSSL");
        for backend in Backend::available() {
            let mut data = plaintext.clone();
            Rc4::with_backend(&key, backend).unwrap().apply(&mut data);
            assert_eq!(data, ciphertext, "{}", backend.name());
        }
    }
}

#[test]
fn rfc6229_is_complete() {
    let vectors = vectors("rc4-rfc6229.txt");
    assert_eq!(vectors.len(), 14 * 18);
    assert!(vectors.iter().all(|vector| vector.keystream.len() == 16));
    let mut keys: Vec<_> = vectors.iter().map(|vector| &vector.key).collect();
    keys.dedup();
    assert_eq!(keys.len(), 14);
}
