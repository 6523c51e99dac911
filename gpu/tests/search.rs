//! Compares the searches of an adapter with the processor's. Any adapter will do, Mesa's lavapipe too.
#![cfg(feature = "wgpu")]

use std::{
    error::Error,
    ops::{ControlFlow, Range},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use arcfour::{Family, Rc4};
use arcfour_attacks::search::{
    Device, Ended, Event, KeySpace, KeyTest, Kind, Known, OfficeVerifier, PdfVerifier, Plaintext,
    Record, Search,
};
use arcfour_gpu::{Adapter, adapters};
use md5::{Digest, Md5};

static ADAPTER: LazyLock<Adapter> = LazyLock::new(|| {
    adapters().into_iter().next().expect("an adapter; Debian has one in mesa-vulkan-drivers")
});

/// A device that counts the keys it tests.
struct Counted(Box<dyn Device>, Arc<AtomicU64>);

impl Device for Counted {
    fn candidates(
        &mut self,
        range: Range<u128>,
        stop: &AtomicBool,
    ) -> Result<Vec<u128>, Box<dyn Error + Send + Sync>> {
        self.1.fetch_add((range.end - range.start) as u64, Ordering::Relaxed);
        self.0.candidates(range, stop)
    }
}

/// Runs a part of a search on `threads` threads, and on the adapter if there is one. Returns the number of
/// keys that the adapter tested.
fn run(
    search: &Search,
    part: Range<u128>,
    threads: usize,
    adapter: Option<&Adapter>,
    record: &mut Record,
) -> u128 {
    let counted = Arc::new(AtomicU64::new(0));
    let devices = adapter.map(|adapter| -> Box<dyn Device> {
        Box::new(Counted(adapter.open(search).unwrap(), counted.clone()))
    });
    let devices = devices.into_iter().collect();
    let ended = search.run_with(part, threads, devices, record, |_, event| match event {
        Event::Progress(_) => ControlFlow::Continue(()),
        Event::Lost(why) => panic!("the device was lost: {why}"),
    });
    assert_eq!(ended, Ended::Complete);
    counted.load(Ordering::Relaxed).into()
}

/// Compares the records of the adapter alone with the processor's.
fn compare(search: &Search) -> Record {
    let all = 0..search.space().size();
    let [mut ours, mut its] = [Record::new(search), Record::new(search)];
    run(search, all.clone(), 2, None, &mut ours);
    assert_eq!(run(search, all.clone(), 0, Some(&ADAPTER), &mut its), all.end);
    assert_eq!(its.to_text(), ours.to_text(), "{search:?}");
    ours
}

fn space(mask: &str) -> KeySpace {
    KeySpace::new(mask.parse().unwrap()).unwrap()
}

fn encrypted(key: &[u8], drop: u64, plain: &[u8]) -> Vec<u8> {
    let mut cipher = Rc4::from_key(key).unwrap();
    cipher.skip(drop);
    let mut text = plain.to_vec();
    cipher.apply(&mut text);
    text
}

fn known(mask: &str, known: Known) -> Search {
    Search::new(space(mask), KeyTest::new(known, Family::Rc4, None).unwrap())
}

/// Masks whose keys have all lengths of words, and known bytes at several places: few bits, so that many
/// keys match.
#[test]
fn an_adapter_finds_the_keys_that_the_processor_finds() {
    let plain = b"%PDF-1.4 and what follows: more than a table of 256 bytes of keystream, if it is repeated";
    let plain = plain.repeat(4);
    let masks = [
        ("4b", 1),
        ("?? ??", 2),
        ("?? [41-43] 7?", 3),
        ("[30-39] 05 ?? 4?", 4),
        ("?? ?? 06 9d cc", 5),
        ("01 02 03 04 05 06 07 08 09 0a 0b 0c ?? 0e ?? 10", 16),
        ("?? 5a{254} 7?", 256),
    ];
    let places = [(0, 0), (1, 0), (31, 0), (0, 1), (255, 1), (3, 768)];
    for (n, (mask, len)) in masks.into_iter().enumerate() {
        let keys = space(mask);
        let key = keys.key(keys.size() * 2 / 3);
        assert_eq!(key.len(), len);
        for &(at, drop) in places.iter().skip(n % 2).step_by(2) {
            let text = encrypted(&key, drop, &plain);
            let set = format!("{:02x} [{:02x},80-ff]", plain[at], plain[at + 1]);
            let partly = Plaintext::new().with(at as u64, set.parse().unwrap());
            let found = compare(&known(mask, Known::new(&partly, &text, drop).unwrap()));
            assert!(found.matches().iter().any(|(_, found)| *found == key), "{mask}");
        }
        let text = encrypted(&key, 0, &plain);
        let utf8 = Plaintext::new().of_kind(Kind::Utf8);
        let found = compare(&known(mask, Known::new(&utf8, &text, 0).unwrap()));
        assert!(found.matches().iter().any(|(_, found)| *found == key), "{mask}");
    }
}

/// A document of Office 97: its key gives the verifier and its MD5.
fn office(key: &[u8; 5]) -> OfficeVerifier {
    let block_key = Md5::new_with_prefix(key).chain_update([0; 4]).finalize();
    let verifier = *b"sixteen of them!";
    let text = encrypted(&block_key, 0, &[&verifier[..], &Md5::digest(verifier)[..]].concat());
    OfficeVerifier {
        verifier: *text.first_chunk().unwrap(),
        verifier_hash: *text.last_chunk().unwrap(),
    }
}

/// A PDF document with R 3: U is the hash, encrypted twenty times.
fn pdf(key: &[u8; 5]) -> PdfVerifier {
    let hash = *b"an MD5, sixteen ";
    let user = (0..20)
        .fold(hash.to_vec(), |text, round| encrypted(&key.map(|byte| byte ^ round), 0, &text));
    PdfVerifier { hash, user: user.try_into().unwrap() }
}

#[test]
fn an_adapter_finds_the_keys_of_documents() {
    let key = [0x1f, 0x8b, 0x42, 0x06, 0x9d];
    for (mask, test) in [
        ("1f 8b 4? ?? [9d,a0-af]", KeyTest::office(office(&key))),
        ("?? 8b 42 0? 9d", KeyTest::office(office(&key))),
        ("1f 8b 42 0? [90-9f]", KeyTest::pdf(pdf(&key))),
        ("[1e-1f] 8? 42 06 [90-9f]", KeyTest::pdf(pdf(&key))),
    ] {
        let found = compare(&Search::new(space(mask), test));
        assert_eq!(found.matches().len(), 1, "{mask}");
        assert_eq!(found.matches()[0].1, key, "{mask}");
    }
}

/// Every key of a space of 2^22, in eight shards: an adapter and the processor take every second one, and
/// then the other ones.
#[test]
fn an_adapter_and_the_processor_take_the_same_shards() {
    let key = [0xd7, 0x3a, 0x91];
    let plain = Plaintext::new().with(2, "50 4b".parse().unwrap());
    let text = encrypted(&key, 0, b"..PK");
    let search = known("[c0-ff] ?? ??", Known::new(&plain, &text, 0).unwrap());
    assert_eq!(search.space().size(), 1 << 22);
    let records: Vec<Record> = [0, 1]
        .map(|odd| {
            let mut whole = Record::new(&search);
            for shard in 1..=8 {
                let part = search.space().shard(shard, 8).unwrap();
                let mut record = Record::new(&search);
                if shard % 2 == odd {
                    let tested = run(&search, part.clone(), 0, Some(&ADAPTER), &mut record);
                    assert_eq!(tested, part.end - part.start);
                } else {
                    run(&search, part, 1, None, &mut record);
                }
                whole.merge(&record).unwrap();
            }
            whole
        })
        .into();
    assert!(records[0].is_complete());
    assert!(records[0].matches().iter().any(|(_, found)| *found == key));
    // One key in 2^16 matches by chance.
    assert!((32..=128).contains(&records[0].matches().len()));
    assert_eq!(records[0].to_text(), records[1].to_text());
}

#[test]
fn an_adapter_and_a_thread_share_one_search() {
    let plain = Plaintext::new().with(0, "00 00".parse().unwrap());
    let search = known("[00-3f] ?? ??", Known::new(&plain, &[0; 2], 0).unwrap());
    let all = 0..search.space().size();
    let [mut ours, mut both] = [Record::new(&search), Record::new(&search)];
    run(&search, all.clone(), 2, None, &mut ours);
    let its = run(&search, all.clone(), 1, Some(&ADAPTER), &mut both);
    assert!(0 < its && its < all.end, "{its} of {} keys", all.end);
    assert_eq!(both.to_text(), ours.to_text());
}
