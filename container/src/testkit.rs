//! The test kit: one sealed file per fault, written by this program and kept in `testkit/`.

use std::{env, fs, path::Path, process::Command};

use data_encoding::HEXLOWER;

use crate::{
    ChunkSize, Cipher, Cost, Error, Header, KeyKind, Opener, Secret,
    batch::{Batch, Chunk, Streams},
    keys::FileKeys,
    layout::{FIELDS_LEN, HEADER_LEN, TAG_LEN, WORD_LEN, Word},
};

const CHUNK: usize = 1024;
const PARC4R_CHUNK: usize = 8192;
const FRAME: usize = CHUNK + WORD_LEN + TAG_LEN;
const PASSPHRASE: &str = "correct horse battery staple";

/// A file of the kit, and the verdict that a reader must reach.
pub(crate) struct Case {
    name: String,
    pub(crate) bytes: Vec<u8>,
    key: Key,
    verdict: &'static str,
    released: usize,
}

#[derive(Clone, Copy)]
enum Key {
    Right,
    Wrong,
    Passphrase,
    WrongPassphrase,
}

impl Key {
    fn name(self) -> &'static str {
        match self {
            Self::Right => "key",
            Self::Wrong => "wrong-key",
            Self::Passphrase => "passphrase",
            Self::WrongPassphrase => "wrong-passphrase",
        }
    }

    /// The text of the file of this name.
    fn text(self) -> String {
        let key: [u8; 32] = std::array::from_fn(|n| n as u8);
        match self {
            Self::Right => HEXLOWER.encode(&key) + "\n",
            Self::Wrong => HEXLOWER.encode(&key).replacen("00", "01", 1) + "\n",
            Self::Passphrase => PASSPHRASE.into(),
            Self::WrongPassphrase => PASSPHRASE.replace('c', "C"),
        }
    }

    fn secret(self) -> Secret {
        let text = self.text();
        match self {
            Self::Right | Self::Wrong => Secret::from_key_file(text.as_bytes()).unwrap(),
            _ => Secret::from_passphrase(text.as_bytes()).unwrap(),
        }
    }
}

/// Painted modulo 251, so that chunks swapped or lost would show.
pub(crate) fn plaintext(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at % 251) as u8).collect()
}

/// A writer without checks: chunks of any length, with any flag.
struct Writer {
    header: Header,
    keys: FileKeys,
    bytes: Vec<u8>,
}

impl Writer {
    fn new(key: Key, salt: u8) -> Self {
        Self::of(Cipher::Rc4, CHUNK, key, salt)
    }

    fn of(cipher: Cipher, chunk: usize, key: Key, salt: u8) -> Self {
        let kind = match key {
            Key::Right | Key::Wrong => KeyKind::File,
            _ => KeyKind::Passphrase(Cost { memory_kib: 64, passes: 1, lanes: 2 }),
        };
        let header = Header {
            cipher,
            key: kind,
            chunk_size: ChunkSize::new(chunk as u64).unwrap(),
            salt: std::array::from_fn(|n| salt + n as u8),
        };
        let keys = FileKeys::derive(&key.secret(), &header).unwrap();
        Self { bytes: keys.sign(&header).to_vec(), header, keys }
    }

    fn chunk(mut self, index: u64, text: &[u8], last: bool) -> Self {
        let room = 2 * self.header.chunk_size.bytes() as u64;
        let mut batch = Batch::new(ChunkSize::new(room).unwrap());
        batch.free_slot()[WORD_LEN..][..text.len()].copy_from_slice(text);
        batch.chunks.push(Chunk { index, word: Word::new(text.len(), last) });
        batch.seal(&self.keys, &mut Streams::new(self.header.cipher));
        self.bytes.extend_from_slice(batch.sealed());
        self
    }
}

fn sealed(key: Key, salt: u8, len: usize) -> Vec<u8> {
    sealed_by(Writer::new(key, salt), len)
}

fn sealed_by(writer: Writer, len: usize) -> Vec<u8> {
    let (text, size) = (plaintext(len), writer.header.chunk_size.bytes());
    let chunks = text.chunks(size).count().max(1);
    let writer = (0..chunks).fold(writer, |writer, index| {
        let end = text.len().min((index + 1) * size);
        writer.chunk(index as u64, &text[index * size..end], index + 1 == chunks)
    });
    writer.bytes
}

/// By PARC4-R, in chunks of more than a row of its lanes.
fn parc4r(len: usize) -> Vec<u8> {
    sealed_by(Writer::of(Cipher::Parc4r, PARC4R_CHUNK, Key::Right, 0x40), len)
}

/// The valid file from which most faults are made: chunks of 1024, 1024 and 452 bytes.
pub(crate) fn three_chunks() -> Vec<u8> {
    sealed(Key::Right, 0x40, 2500)
}

/// Where chunk `index` begins.
fn at(index: usize) -> usize {
    HEADER_LEN + index * FRAME
}

struct Kit(Vec<Case>);

impl Kit {
    fn add(&mut self, name: &str, bytes: Vec<u8>, verdict: &'static str, released: usize) {
        self.add_for(Key::Right, name, bytes, verdict, released);
    }

    fn add_for(
        &mut self,
        key: Key,
        name: &str,
        bytes: Vec<u8>,
        verdict: &'static str,
        released: usize,
    ) {
        self.0.push(Case { name: name.into(), bytes, key, verdict, released });
    }

    /// The three chunks with some bytes set.
    fn set(&mut self, name: &str, bytes: &[(usize, u8)], verdict: &'static str, released: usize) {
        let mut file = three_chunks();
        bytes.iter().for_each(|&(at, byte)| file[at] = byte);
        assert_ne!(file, three_chunks(), "{name} changes nothing");
        self.add(name, file, verdict, released);
    }

    /// The three chunks with one bit flipped.
    fn flip(&mut self, name: &str, at: usize, verdict: &'static str, released: usize) {
        self.set(name, &[(at, three_chunks()[at] ^ 1)], verdict, released);
    }

    /// A file for a passphrase with some bytes set.
    fn cost(&mut self, name: &str, bytes: &[(usize, u8)], verdict: &'static str) {
        let mut file = sealed(Key::Passphrase, 0x80, 10);
        bytes.iter().for_each(|&(at, byte)| file[at] = byte);
        self.add_for(Key::Passphrase, name, file, verdict, 0);
    }

    /// The three chunks' frames in another order.
    fn frames(&mut self, name: &str, order: &[usize], verdict: &'static str, released: usize) {
        let file = three_chunks();
        let frame = |&n: &usize| &file[at(n)..file.len().min(at(n + 1))];
        let frames = order.iter().flat_map(frame);
        self.add(
            name,
            file[..HEADER_LEN].iter().chain(frames).copied().collect(),
            verdict,
            released,
        );
    }

    /// The first bytes of the three chunks.
    fn cut(&mut self, name: &str, len: usize, verdict: &'static str, released: usize) {
        self.add(name, three_chunks()[..len].to_vec(), verdict, released);
    }
}

fn kit() -> Vec<Case> {
    let mut kit = Kit(vec![]);
    valid(&mut kit);
    headers(&mut kit);
    changes(&mut kit);
    orders(&mut kit);
    lengths(&mut kit);
    kit.0
}

fn valid(kit: &mut Kit) {
    for (name, len) in [
        ("empty", 0),
        ("one-byte", 1),
        ("full-chunk", 1024),
        ("chunk-and-one", 1025),
        ("three-chunks", 2500),
    ] {
        kit.add(&format!("valid-{name}"), sealed(Key::Right, 0x40, len), "ok", len);
    }
    kit.add_for(Key::Passphrase, "valid-passphrase", sealed(Key::Passphrase, 0x80, 10), "ok", 10);
    for (name, len) in [("one-byte", 1), ("full-chunk", 8192), ("three-chunks", 20_000)] {
        kit.add(&format!("valid-parc4r-{name}"), parc4r(len), "ok", len);
    }
}

fn headers(kit: &mut Kit) {
    kit.flip("header-magic-flip", 3, "not-sealed", 0);
    kit.set("header-version-0", &[(8, 0)], "version", 0);
    kit.set("header-version-2", &[(8, 2)], "version", 0);
    kit.set("header-cipher-0", &[(9, 0)], "cipher", 0);
    kit.set("header-cipher-3", &[(9, 3)], "cipher", 0);
    kit.set("header-cipher-changed", &[(9, 2)], "key-or-header", 0);
    kit.set("header-key-kind-2", &[(10, 2)], "key-kind", 0);
    kit.set("header-key-kind-flip", &[(10, 1), (12, 64), (16, 1), (17, 2)], "other-key-kind", 0);
    kit.set("header-chunk-size-11", &[(11, 11)], "key-or-header", 0);
    kit.set("header-chunk-size-9", &[(11, 9)], "chunk-size", 0);
    kit.set("header-chunk-size-21", &[(11, 21)], "chunk-size", 0);
    kit.set("header-chunk-size-255", &[(11, 255)], "chunk-size", 0);
    kit.set("header-cost-for-key-file", &[(17, 1)], "reserved", 0);
    kit.set("header-reserved-byte", &[(31, 1)], "reserved", 0);
    kit.flip("header-salt-flip", 40, "key-or-header", 0);
    kit.flip("header-tag-flip", HEADER_LEN - 1, "key-or-header", 0);
    kit.cost("header-memory-4-tib", &[(12, 255), (13, 255), (14, 255), (15, 255)], "kdf-cost");
    kit.cost("header-memory-0", &[(12, 0)], "kdf-cost");
    kit.cost("header-memory-below-8-a-lane", &[(12, 15)], "kdf-cost");
    kit.cost("header-memory-changed", &[(12, 65)], "key-or-header");
    kit.cost("header-passes-0", &[(16, 0)], "kdf-cost");
    kit.cost("header-passes-255", &[(16, 255)], "kdf-cost");
    kit.cost("header-passes-changed", &[(16, 2)], "key-or-header");
    kit.cost("header-lanes-0", &[(17, 0)], "kdf-cost");
    kit.cost("header-lanes-255", &[(17, 255)], "kdf-cost");
    kit.add_for(Key::Wrong, "key-wrong", three_chunks(), "key-or-header", 0);
    kit.add_for(Key::Passphrase, "key-passphrase-for-file", three_chunks(), "other-key-kind", 0);
    let file = || sealed(Key::Passphrase, 0x80, 10);
    kit.add_for(Key::WrongPassphrase, "key-wrong-passphrase", file(), "key-or-header", 0);
    kit.add("key-file-for-passphrase", file(), "other-key-kind", 0);
}

fn changes(kit: &mut Kit) {
    let file = three_chunks();
    for (chunk, released) in [(0, 0), (1, 1024), (2, 2048)] {
        let end = file.len().min(at(chunk + 1));
        kit.flip(&format!("chunk-{chunk}-first-bit"), at(chunk) + WORD_LEN, "corrupt", released);
        kit.flip(&format!("chunk-{chunk}-last-byte"), end - TAG_LEN - 1, "corrupt", released);
        kit.flip(&format!("tag-{chunk}-first-byte"), end - TAG_LEN, "corrupt", released);
        kit.flip(&format!("tag-{chunk}-last-byte"), end - 1, "corrupt", released);
    }
    kit.flip("length-of-chunk-1-flip", at(1), "chunk-length", 1024);
    kit.set("length-of-chunk-1-huge", &[(at(1) + 2, 255), (at(1) + 3, 127)], "chunk-length", 1024);
    kit.set("length-of-last-huge", &[(at(2) + 2, 255), (at(2) + 3, 255)], "chunk-length", 2048);
    kit.set("length-of-last-one-less", &[(at(2), file[at(2)] - 1)], "corrupt", 2048);
    kit.set("length-of-last-one-more", &[(at(2), file[at(2)] + 1)], "truncated", 2048);
    kit.set("flag-set-on-chunk-1", &[(at(1) + 3, 0x80)], "final-flag", 1024);
    kit.set("flag-cleared-on-last", &[(at(2) + 3, 0)], "chunk-length", 2048);
    kit.set("flag-moved-to-chunk-1", &[(at(1) + 3, 0x80), (at(2) + 3, 0)], "final-flag", 1024);
    let mut full = sealed(Key::Right, 0x40, 2048);
    full[at(1) + 3] = 0;
    kit.add("flag-cleared-on-full-last", full, "final-flag", 1024);
    let mut cut = file[..at(2)].to_vec();
    cut[at(1) + 3] = 0x80;
    kit.add("flag-set-after-cut", cut, "final-flag", 1024);
    let mut file = parc4r(20_000);
    file[9] = 1;
    kit.add("parc4r-cipher-changed", file, "key-or-header", 0);
    let mut file = parc4r(20_000);
    file[HEADER_LEN + PARC4R_CHUNK + WORD_LEN + TAG_LEN + WORD_LEN] ^= 1;
    kit.add("parc4r-chunk-1-first-bit", file, "corrupt", PARC4R_CHUNK);
}

fn orders(kit: &mut Kit) {
    kit.frames("chunks-swapped-0-1", &[1, 0, 2], "out-of-order", 0);
    kit.frames("chunks-swapped-1-2", &[0, 2, 1], "out-of-order", 1024);
    kit.frames("chunk-0-dropped", &[1, 2], "out-of-order", 0);
    kit.frames("chunk-1-dropped", &[0, 2], "out-of-order", 1024);
    kit.frames("chunk-2-dropped", &[0, 1], "truncated", 2048);
    kit.frames("chunk-0-repeated", &[0, 0, 1, 2], "repeated", 1024);
    kit.frames("chunk-1-repeated", &[0, 1, 1, 2], "repeated", 2048);
    kit.frames("chunk-2-repeated", &[0, 1, 2, 2], "trailing-data", 2048);
    let mut mixed = three_chunks();
    let other = sealed(Key::Right, 0x41, 2500);
    mixed[at(1)..at(2)].copy_from_slice(&other[at(1)..at(2)]);
    kit.add("chunk-1-of-another-file", mixed, "corrupt", 1024);
    let mut mixed = three_chunks();
    mixed[..HEADER_LEN].copy_from_slice(&other[..HEADER_LEN]);
    kit.add("header-of-another-file", mixed, "corrupt", 0);
}

fn lengths(kit: &mut Kit) {
    let file = three_chunks();
    kit.cut("cut-to-nothing", 0, "not-sealed", 0);
    kit.cut("cut-in-magic", 5, "truncated", 0);
    kit.cut("cut-after-magic", 8, "truncated", 0);
    kit.cut("cut-in-salt", 50, "truncated", 0);
    kit.cut("cut-after-fields", FIELDS_LEN, "truncated", 0);
    kit.cut("cut-in-header-tag", HEADER_LEN - 1, "truncated", 0);
    kit.cut("cut-after-header", HEADER_LEN, "truncated", 0);
    for (chunk, released) in [(0, 0), (1, 1024), (2, 2048)] {
        let end = file.len().min(at(chunk + 1));
        let mut cut = |name: &str, len| {
            kit.cut(&format!("cut-{name}-{chunk}"), len, "truncated", released);
        };
        cut("in-word", at(chunk) + 3);
        cut("after-word", at(chunk) + WORD_LEN);
        cut("in-chunk", at(chunk) + 100);
        cut("before-tag", end - TAG_LEN);
        cut("in-tag", end - 1);
    }
    kit.cut("cut-after-chunk-0", at(1), "truncated", 1024);
    kit.cut("cut-after-chunk-1", at(2), "truncated", 2048);
    kit.add("extended-by-a-byte", [&file[..], &[0]].concat(), "trailing-data", 2048);
    kit.add("extended-by-itself", [&file[..], &file].concat(), "trailing-data", 2048);

    let text = plaintext(3000);
    let two = || Writer::new(Key::Right, 0x40).chunk(0, &text[..CHUNK], false);
    let empty_last = two().chunk(1, &text[CHUNK..2 * CHUNK], false).chunk(2, &[], true);
    kit.add("written-with-empty-last-chunk", empty_last.bytes, "chunk-length", 2048);
    let short = two().chunk(1, &text[CHUNK..1500], false).chunk(2, &text[1500..2500], true);
    kit.add("written-with-short-chunk", short.bytes, "chunk-length", 1024);
    let long = two().chunk(1, &text[CHUNK..2 * CHUNK + 1], true);
    kit.add("written-with-long-last-chunk", long.bytes, "chunk-length", 1024);
    let ends_twice = two().chunk(1, &text[CHUNK..2 * CHUNK], true).chunk(2, &text[..9], true);
    kit.add("written-with-two-last-chunks", ends_twice.bytes, "trailing-data", 1024);
}

/// More bytes than a stream of these tests has.
const LONGEST: usize = 4_000_000;
/// More pieces than a stream of these tests has, and more bytes than a short one.
pub(crate) const MOST: usize = 10_000;

/// Adds all pieces of a stream to `all`. A stream without end fails instead of filling the memory.
pub(crate) fn gather(
    all: &mut Vec<u8>,
    mut next_piece: impl FnMut() -> Result<Option<Vec<u8>>, Error>,
) -> Result<(), Error> {
    for _ in 0..MOST {
        let Some(piece) = next_piece()? else { return Ok(()) };
        all.extend(piece);
        assert!(all.len() < LONGEST, "the stream does not end");
    }
    panic!("the stream does not end");
}

/// Returns the plaintext that is released, and the verdict.
pub(crate) fn read(bytes: &[u8], secret: &Secret, threads: usize) -> (Vec<u8>, &'static str) {
    let mut released = vec![];
    let result = (|| {
        let mut opener =
            Opener::new(std::io::Cursor::new(bytes.to_vec()), secret)?.threads(threads);
        gather(&mut released, || Ok(opener.next_piece()?.map(<[u8]>::to_vec)))
    })();
    match result {
        Ok(()) => (released, "ok"),
        Err(Error::Fault(fault)) => (released, fault.name()),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn every_fault_is_found_and_only_what_precedes_it_is_released() {
    for case in kit() {
        for threads in [1, 3] {
            let (released, verdict) = read(&case.bytes, &case.key.secret(), threads);
            assert_eq!((verdict, released.len()), (case.verdict, case.released), "{}", case.name);
            assert_eq!(released, plaintext(case.released), "{}", case.name);
        }
    }
}

const HEAD: &str = "\
# What a reader must make of each file: its verdict from the list in ../FORMAT.md, and how many bytes
# of plaintext it may have released by then. Plaintext byte n is n mod 251. KEY is the file with the
# key or the passphrase. Written by the tests of this crate.
#
# FILE KEY VERDICT RELEASED
";

/// `ARCFOUR_WRITE_TESTKIT=1` writes the kit anew.
#[test]
fn files_are_fresh() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testkit");
    let keys = [Key::Right, Key::Wrong, Key::Passphrase, Key::WrongPassphrase];
    let mut files: Vec<_> = keys.map(|key| (key.name().to_owned(), key.text().into_bytes())).into();
    let mut expected = HEAD.to_owned();
    for Case { name, bytes, key, verdict, released } in kit() {
        expected += &format!("{name} {} {verdict} {released}\n", key.name());
        files.push((name + ".sealed", bytes));
    }
    files.push(("expected.txt".into(), expected.into_bytes()));
    if env::var_os("ARCFOUR_WRITE_TESTKIT").is_some() {
        assert!(env::var_os("CI").is_none(), "ARCFOUR_WRITE_TESTKIT must not be set where CI is");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        files.iter().for_each(|(name, bytes)| fs::write(folder.join(name), bytes).unwrap());
    }
    for (name, bytes) in &files {
        assert!(fs::read(folder.join(name)).unwrap() == *bytes, "{name} is not as written here");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), files.len(), "a file of no case");
}

/// A test that is told to write the kit refuses under CI.
#[test]
fn nothing_is_written_where_ci_is() {
    let done = Command::new(env::current_exe().unwrap())
        .args(["testkit::files_are_fresh", "--exact"])
        .envs([("CI", "true"), ("ARCFOUR_WRITE_TESTKIT", "1")])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(
        !done.status.success()
            && said.contains("ARCFOUR_WRITE_TESTKIT must not be set where CI is"),
        "{said}"
    );
}
