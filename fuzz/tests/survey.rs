//! Every reader of the survey has a seed in which it finds RC4.

use std::{collections::BTreeSet, fs, io::Cursor, path::Path};

use arcfour_fuzz::named;
use arcfour_survey::{Input, readers};

/// Readers without a seed. No program of ours, and none of Debian, writes an event log. The search
/// for the key of a memory dump's state takes longer than an input may.
const WITHOUT: [&str; 2] = ["event log", "memory dump"];

#[test]
fn every_reader_finds_rc4_in_a_seed() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/survey");
    let mut finds = BTreeSet::new();
    for seed in fs::read_dir(seeds).unwrap() {
        let seed = fs::read(seed.unwrap().path()).unwrap();
        let (name, bytes) = named(&seed);
        let head = &bytes[..bytes.len().min(readers::HEAD)];
        for reader in readers::all().iter().filter(|reader| reader.recognises(name, head)) {
            let mut source = Cursor::new(bytes);
            let mut input = Input::new(name, &mut source).unwrap();
            let mut found = 0;
            reader.read(&mut input, &mut |_| found += 1).unwrap();
            assert!(found > 0, "{} finds nothing in the seed {}", reader.name(), name.display());
            finds.insert(reader.name());
        }
    }
    let all = readers::all();
    let expected = all.iter().map(|reader| reader.name()).filter(|name| !WITHOUT.contains(name));
    assert_eq!(finds, expected.collect());
}
