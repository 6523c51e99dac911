//! The recorded search of `sweep/`: what its files prove, held again from the files alone.

use std::{fs, path::PathBuf};

use arcfour::{Family, Rc4};
use arcfour_attacks::search::{KeySpace, KeyTest, Known, Plaintext, Record, Search};

#[test]
fn all_keys_of_four_unknown_bytes_were_tried_once() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("sweep");
    let ciphertext = fs::read(folder.join("ciphertext.bin")).unwrap();
    let plain = Plaintext::new().with(0, "45 76 65".parse().unwrap());
    let known = Known::new(&plain, &ciphertext, 0).unwrap();
    let test = KeyTest::new(known, Family::Rc4, None).unwrap();
    let space = KeySpace::new("a5 ??{4}".parse().unwrap()).unwrap();
    let search = Search::new(space, test.clone());
    let records = [1, 2, 3, 4].map(|n| {
        let text = fs::read_to_string(folder.join(format!("{n}.json"))).unwrap();
        let record = Record::from_text(&text).unwrap();
        record.check_search(&search).unwrap();
        record
    });
    let merged = |records: &[Record]| {
        let mut merged = Record::new(&search);
        records.iter().try_for_each(|record| merged.merge(record)).map(|()| merged)
    };

    let all = merged(&records).unwrap();
    assert!(all.is_complete());
    assert_eq!(all.done(), 1 << 32);
    // One shard less is no proof, and one twice is refused.
    assert!(!merged(&records[1..]).unwrap().is_complete());
    assert!(merged(&[records.as_slice(), &records[..1]].concat()).is_err());

    for (number, key) in all.matches() {
        assert!(*key == search.space().key(*number) && test.passes(key).unwrap(), "{key:02x?}");
    }
    let planted = all.matches().iter().filter(|(_, key)| {
        let mut text = ciphertext.clone();
        Rc4::from_key(key).unwrap().apply(&mut text);
        text == b"Every key of four unknown bytes."
    });
    assert_eq!(planted.count(), 1);
    // Three bytes are known: as many wrong keys match as chance lets expect.
    let (wrong, expected) = (all.matches().len() as f64 - 1.0, search.expected_by_chance());
    assert!((wrong - expected).abs() < 5.0 * expected.sqrt(), "{wrong}, not {expected}");
}
