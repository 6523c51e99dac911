//! Compares the output of `arcfour find`, in text and as JSON, with a plain loop over every key.

use std::{
    collections::BTreeMap,
    fs,
    num::NonZero,
    path::Path,
    process::{Command, Output},
};

use arcfour::Rc4;
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use proptest::{option, prelude::*};
use serde_json::Value;

/// Number of keys of a search: enough for every thread to have several blocks.
const KEYS: u32 = 1 << 15;

/// The keys of a search, by number.
type Keys = BTreeMap<u64, Vec<u8>>;

#[derive(Clone, Debug)]
struct Case {
    /// The first byte of every key: two more are unknown, the first of them to 7 bits.
    first: u8,
    ciphertext: Vec<u8>,
    /// The place at which the plaintext has one of 32 values.
    offset: usize,
    threads: NonZero<u8>,
    shard: Option<(u64, u64)>,
    record: bool,
    resume: bool,
    all: bool,
    json: bool,
}

fn cases() -> impl Strategy<Value = Case> {
    let shard = (1u64..=5).prop_flat_map(|count| (1..=count, Just(count)));
    let what = (any::<u8>(), prop::collection::vec(any::<u8>(), 8), 0usize..8, 1u8..=9);
    let how = (option::of(shard), any::<bool>(), any::<bool>(), prop::bool::weighted(0.8));
    (what, how, any::<bool>()).prop_map(
        |((first, ciphertext, offset, threads), (shard, record, resume, all), json)| Case {
            first,
            ciphertext,
            offset,
            threads: NonZero::new(threads).unwrap(),
            shard,
            record,
            resume: record && resume,
            all,
            json,
        },
    )
}

impl Case {
    fn key(&self, number: u64) -> Vec<u8> {
        vec![self.first, (number >> 8) as u8, number as u8]
    }

    fn range(&self) -> std::ops::Range<u64> {
        let keys = u64::from(KEYS);
        // The first keys % count shards have one key more.
        self.shard.map_or(0..keys, |(index, count)| {
            let start = |index| keys / count * index + (keys % count).min(index);
            start(index - 1)..start(index)
        })
    }

    /// Every key that matches.
    fn truth(&self) -> Keys {
        let matches = |key: &Vec<u8>| {
            let mut text = self.ciphertext.clone();
            Rc4::from_key(key).unwrap().apply(&mut text);
            (0x20..0x40).contains(&text[self.offset])
        };
        self.range()
            .map(|number| (number, self.key(number)))
            .filter(|(_, key)| matches(key))
            .collect()
    }

    fn run(&self, folder: &Path, all: bool, resume: bool) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_arcfour"));
        command.current_dir(folder).args(["find", "-c", "text"]);
        command.args(["--key-mask", &format!("{:02x} [00-7f] ??", self.first)]);
        command.args(["--plain", &format!("{}:[20-3f]", self.offset)]);
        command.args(["--threads", &self.threads.to_string()]);
        if let Some((index, count)) = self.shard {
            command.args(["--shard", &format!("{index}/{count}")]);
        }
        let flags = [("--all", all), ("--json", self.json), ("--resume", resume)];
        command.args(flags.iter().filter(|(_, is)| *is).map(|(flag, _)| flag));
        if self.record {
            command.args(["--record", "record.json"]);
        }
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        done
    }

    /// The keys printed, in the order of printing.
    fn printed(&self, output: &Output) -> Vec<(u64, Vec<u8>)> {
        let text = str::from_utf8(&output.stdout).unwrap();
        let hex = |digits: &str| HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).unwrap();
        let number = |key: &[u8]| u64::from(key[1]) << 8 | u64::from(key[2]);
        if !self.json {
            return text.lines().map(|line| (number(&hex(line)), hex(line))).collect();
        }
        let events = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        events
            .filter(|event| event["event"] == "match")
            .map(|event| {
                let number = event["number"].as_str().unwrap().parse().unwrap();
                (number, hex(event["key"].as_str().unwrap()))
            })
            .collect()
    }
}

/// The matches in a record.
fn recorded(path: &Path) -> Keys {
    let record: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let matches = record["matches"].as_array().unwrap();
    let key = |digits: &Value| HEXLOWER.decode(digits.as_str().unwrap().as_bytes()).unwrap();
    matches.iter().map(|pair| (pair[0].as_u64().unwrap(), key(&pair[1]))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// With `--all` every match is printed once, whatever the number of threads and the order of the
    /// blocks of keys. Otherwise one match is printed.
    #[test]
    fn what_is_printed_is_what_was_found(case in cases()) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("text"), &case.ciphertext).unwrap();
        if case.resume {
            case.run(folder.path(), false, false);
        }
        let printed = case.printed(&case.run(folder.path(), case.all, case.resume));
        let keys: Keys = printed.iter().cloned().collect();
        prop_assert_eq!(keys.len(), printed.len(), "a key was printed twice");
        let truth = case.truth();
        match case.all {
            true => prop_assert_eq!(&keys, &truth),
            false => {
                prop_assert_eq!(keys.len(), 1);
                prop_assert!(keys.iter().all(|(number, key)| truth.get(number) == Some(key)));
            }
        }
        // The record keeps every match of a block of keys, also where one is printed.
        if case.record {
            let recorded = recorded(&folder.path().join("record.json"));
            let known = |(number, key)| truth.get(number) == Some(key);
            prop_assert!(recorded.iter().all(known) && keys.iter().all(|(n, _)| recorded.contains_key(n)));
            prop_assert!(!case.all || recorded == keys);
        }
    }
}

/// Lines of a list: a key, an empty line, a line that is too long, or bytes in digits.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let byte = any::<u8>().prop_filter("no line end", |byte| !b"\r\n".contains(byte));
    let short = prop::collection::vec(byte.clone(), 0..6);
    let long = prop::collection::vec(byte, 250..=300);
    let huge = (500usize..2000).prop_map(|len| vec![b'z'; len]);
    let digits = prop::collection::vec(any::<u8>(), 0..300);
    let digits = digits.prop_map(|key| format!("$HEX[{}]", HEXLOWER.encode(&key)).into_bytes());
    prop_oneof![6 => short, 1 => long, 1 => huge, 2 => digits]
}

/// The key in a line of a list.
fn key_of(line: &[u8]) -> Option<Vec<u8>> {
    let digits = line.strip_prefix(b"$HEX[").and_then(|rest| rest.strip_suffix(b"]"));
    let key = digits.map_or_else(|| line.to_vec(), |digits| HEXLOWER.decode(digits).unwrap());
    (1..=256).contains(&key.len()).then_some(key)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// A list with any lines is tried to its end, from a file and from a pipe. Each matching key
    /// has the number of its line, and every line that is no key is counted.
    #[test]
    fn a_list_is_tried_line_by_line(
        lines in prop::collection::vec(line(), 0..200),
        last_ends in any::<bool>(),
        threads in 1u8..5,
        piped in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("text"), [0; 8]).unwrap();
        let mut list = lines.iter().map(|line| [line, &b"\n"[..]].concat()).collect::<Vec<_>>().concat();
        if !last_ends && lines.last().is_some_and(|line| !line.is_empty()) {
            list.pop();
        }
        fs::write(folder.path().join("list"), list).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_arcfour"));
        command.current_dir(folder.path()).args(["find", "-c", "text", "--plain", "[00-3f]"]);
        command.args(["--all", "--json", "--threads", &threads.to_string(), "--keys"]);
        command.arg(if piped { "-" } else { "list" });
        command.stdin(fs::File::open(folder.path().join("list")).unwrap());
        let done = command.output().unwrap();
        let events: Vec<Value> = str::from_utf8(&done.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let named = |name: &'static str| events.iter().filter(move |event| event["event"] == name);
        let found: Vec<(u64, String)> = named("match")
            .map(|event| (event["line"].as_u64().unwrap(), event["key"].as_str().unwrap().into()))
            .collect();
        let keys = (1..).zip(&lines).filter_map(|(number, line)| Some((number, key_of(line)?)));
        let matching = keys.filter(|(_, key)| {
            let mut byte = [0];
            Rc4::from_key(key).unwrap().apply(&mut byte);
            byte[0] < 0x40
        });
        let expected: Vec<_> = matching.map(|(number, key)| (number, HEXLOWER.encode(&key))).collect();
        prop_assert_eq!(done.status.code(), Some(i32::from(expected.is_empty())));
        prop_assert_eq!(found, expected);
        let left_out: u64 = named("left_out").map(|event| event["lines"].as_u64().unwrap()).sum();
        prop_assert_eq!(left_out, lines.iter().filter(|line| key_of(line).is_none()).count() as u64);
    }
}
