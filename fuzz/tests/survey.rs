//! Every reader of the survey has a seed in which it finds RC4, and every kind of archive too.

use std::{collections::BTreeSet, fs, io::Cursor, path::Path};

use arcfour_fuzz::named;
use arcfour_survey::{Input, Options, Outcome, look, readers};

/// Readers without a seed. No program of ours, and none of Debian, writes an event log. The search
/// for the key of a memory dump's state takes longer than an input may.
const WITHOUT: [&str; 2] = ["event log", "memory dump"];

/// Calls `each` with the name and the bytes of every seed.
fn seeds(mut each: impl FnMut(&Path, &[u8])) {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/survey");
    for seed in fs::read_dir(seeds).unwrap() {
        let seed = fs::read(seed.unwrap().path()).unwrap();
        let (name, bytes) = named(&seed);
        each(name, bytes);
    }
}

#[test]
fn every_reader_finds_rc4_in_a_seed() {
    let mut finds = BTreeSet::new();
    seeds(|name, bytes| {
        let head = &bytes[..bytes.len().min(readers::HEAD)];
        for reader in readers::all().iter().filter(|reader| reader.recognises(name, head)) {
            let mut source = Cursor::new(bytes);
            let mut input = Input::new(name, &mut source).unwrap();
            let mut found = 0;
            reader.read(&mut input, &mut |_| found += 1).unwrap();
            assert!(found > 0, "{} finds nothing in the seed {}", reader.name(), name.display());
            finds.insert(reader.name());
        }
    });
    let all = readers::all();
    let expected = all.iter().map(|reader| reader.name()).filter(|name| !WITHOUT.contains(name));
    assert_eq!(finds, expected.collect());
}

#[test]
fn every_kind_of_archive_is_entered_in_a_seed() {
    let mut places = BTreeSet::new();
    seeds(|name, bytes| {
        let mut source = Cursor::new(bytes);
        let input = Input::new(name, &mut source).unwrap();
        let options = Options { archives: 2, ..Options::default() };
        let Outcome { findings, unread, .. } = look(name, input, &options);
        assert_eq!(unread, []);
        places.extend(findings.iter().map(|finding| finding.place.to_string()));
    });
    for member in [
        "a.zip, member krb5.conf, line 2",
        "a.zip, member in.zip/krb5.keytab, entry 2",
        "a.tar, member etc/krb5.conf, line 2",
        "a.tgz, member etc/krb5.conf, line 2",
        "krb5.conf.gz, member krb5.conf, line 2",
    ] {
        assert!(places.contains(member), "{member} is not in {places:#?}");
    }
}
