//! Tests what becomes of a search and of a shard if their device fails.

use std::{
    num::NonZero,
    ops::ControlFlow,
    sync::{LazyLock, atomic::AtomicBool},
};

use arcfour::{Family, Rc4};
use arcfour_attacks::search::{
    Device, Event, KeySpace, KeyTest, Known, PdfVerifier, Plaintext, Record, Search, Sieve,
};
use arcfour_stats::{campaign::Campaign, sampler::Sampler};

use super::{search::FEW, *};
use crate::{Adapter, REACH, adapters};

static ADAPTER: LazyLock<Adapter> = LazyLock::new(|| {
    adapters().into_iter().next().expect("an adapter; Debian has one in mesa-vulkan-drivers")
});

fn search(keys: &str, drop: u64) -> Search {
    let plain = Plaintext::new().with(0, "00 00".parse().unwrap());
    let known = Known::new(&plain, &[0; 2], drop).unwrap();
    let keys = KeySpace::new(keys.parse().unwrap()).unwrap();
    Search::new(keys, KeyTest::new(known, Family::Rc4, None).unwrap())
}

/// Runs the search on `gpu` alone, which fails. Returns the reason, and compares the record.
fn lost(search: &Search, gpu: Searcher) -> String {
    let all = 0..search.space().size();
    let mut ours = Record::new(search);
    let two = NonZero::new(2).unwrap();
    search.run(all.clone(), two, &mut ours, |_, _| ControlFlow::Continue(()));
    let (mut record, mut reasons) = (Record::new(search), vec![]);
    search.run_with(all, 0, vec![Box::new(gpu)], &mut record, |_, event| {
        if let Event::Lost(why) = event {
            reasons.push(why.to_owned());
        }
        ControlFlow::Continue(())
    });
    assert!(!ours.matches().is_empty());
    assert_eq!(record.to_text(), ours.to_text());
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    reasons.remove(0)
}

#[test]
fn the_processor_goes_on_without_a_silent_device() {
    let search = search("?? ?? 0?", 0);
    let mut gpu =
        Searcher::open(&ADAPTER.handle, ADAPTER.workgroup_memory, &search, Duration::ZERO).unwrap();
    let stop = AtomicBool::new(false);
    // No processor tests a million keys in no time.
    let error = gpu.candidates(0..1 << 20, &stop).unwrap_err();
    let silent = format!("{}: it did not answer for 0 seconds", ADAPTER.name);
    assert_eq!(error.to_string(), silent);
    let gpu =
        Searcher::open(&ADAPTER.handle, ADAPTER.workgroup_memory, &search, Duration::ZERO).unwrap();
    assert_eq!(lost(&search, gpu), silent);
}

#[test]
fn the_processor_goes_on_without_a_lost_device() {
    let search = search("?? ?? 0?", 0);
    let gpu = Searcher::open(&ADAPTER.handle, ADAPTER.workgroup_memory, &search, PATIENCE).unwrap();
    gpu.kernel.gpu.device.destroy();
    let why = lost(&search, gpu);
    assert!(why.starts_with(&format!("{}: it was lost: ", ADAPTER.name)), "{why}");
    assert!(!why.contains('\n') && !why.contains("no reason"), "{why}");
}

#[test]
fn an_adapter_that_cannot_do_a_search_says_why() {
    let refused = |adapter: &Adapter, search: &Search| adapter.open(search).err();
    let easy = search("?? ??", 0);
    assert_eq!(refused(&ADAPTER, &easy), None);
    let small = Adapter { workgroup_memory: 259, ..ADAPTER.clone() };
    assert_eq!(refused(&small, &easy), Some(Error::Small { needs: 260, has: 259 }));
    assert_eq!(refused(&ADAPTER, &search("?? ??", REACH - 1)), None);
    assert_eq!(refused(&ADAPTER, &search("?? ??", REACH)), Some(Error::Far(REACH)));

    let verifier = PdfVerifier { hash: [0; 16], user: [0; 16] };
    let four = KeySpace::new("?? ?? ?? ??".parse().unwrap()).unwrap();
    let search = Search::new(four, KeyTest::pdf(verifier));
    assert!(search.sieve().is_none());
    assert_eq!(refused(&ADAPTER, &search), Some(Error::Search));
    assert!(matches!(easy.sieve(), Some(Sieve::Keystream(tests)) if tests.len() == 2));
}

/// All keys of a dispatch match, more than are read at once, and fewer lanes than a group has.
#[test]
fn every_key_may_match() {
    let plain = Plaintext::new().with(0, "[00-fe]".parse().unwrap());
    let known = Known::new(&plain, &[0], 0).unwrap();
    let keys = KeySpace::new("?? 0?".parse().unwrap()).unwrap();
    let search = Search::new(keys, KeyTest::new(known, Family::Rc4, None).unwrap());
    let mut gpu =
        Searcher::open(&ADAPTER.handle, ADAPTER.workgroup_memory, &search, PATIENCE).unwrap();
    let mut stop = AtomicBool::new(false);
    let whole: Vec<u128> = (7..4001)
        .filter(|&n| {
            let mut byte = [0];
            Rc4::from_key(&search.space().key(n)).unwrap().apply(&mut byte);
            byte[0] != 0xff
        })
        .collect();
    assert!(whole.len() > FEW as usize);
    for range in [7..4001, 7..7 + u128::from(FEW), 7..8, 3900..4001] {
        let mut found = gpu.candidates(range.clone(), &stop).unwrap();
        found.sort_unstable();
        let right: Vec<_> = whole.iter().copied().filter(|n| range.contains(n)).collect();
        assert_eq!(found, right, "{range:?}");
    }
    *stop.get_mut() = true;
    assert_eq!(gpu.candidates(7..4001, &stop).unwrap(), [0; 0]);
}

fn campaign(rest: &str) -> Campaign {
    let seed = "4b".repeat(32);
    Campaign::parse(&format!("seed = '{seed}'\nshards = 2\nkeystreams = 3000\n{rest}")).unwrap()
}

/// Each batch of these keystreams takes seconds, so no device answers in no time.
#[test]
fn the_processor_counts_without_a_lost_device() {
    let campaign = campaign("key-length = 5\ndrop = 65000\n[count]\nsingle = 9");
    let mut right = Sampler::start(campaign.clone(), 1).unwrap();
    while right.step() {}
    let right = right.finish().to_bytes();
    let open = |patience| {
        Counter::open(&ADAPTER.handle, ADAPTER.workgroup_memory, &campaign, patience).unwrap()
    };
    let destroyed = open(PATIENCE);
    destroyed.kernel.gpu.device.destroy();
    for (mut gpu, why) in
        [(open(Duration::ZERO), "it did not answer for 0 seconds"), (destroyed, "it was lost: ")]
    {
        let mut sampler = Sampler::start(campaign.clone(), 1).unwrap();
        let error = sampler.step_on(&mut gpu).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}: {why}", ADAPTER.name)), "{error}");
        while sampler.step() {}
        assert_eq!(sampler.finish().to_bytes(), right);
    }
}

#[test]
fn an_adapter_that_cannot_count_a_campaign_says_why() {
    let refused = |adapter: &Adapter, rest: &str| adapter.counter(&campaign(rest)).err();
    let easy = "key-length = 6\n[count]\nsingle = 1";
    assert_eq!(refused(&ADAPTER, easy), None);
    let small = Adapter { workgroup_memory: 263, ..ADAPTER.clone() };
    assert_eq!(refused(&small, easy), Some(Error::Small { needs: 264, has: 263 }));
    let long = |drop: u64| format!("key-length = 6\ndrop = {drop}\n[count]\nsingle = 9");
    assert_eq!(refused(&ADAPTER, &long(REACH - 9)), None);
    assert_eq!(refused(&ADAPTER, &long(REACH - 8)), Some(Error::Long(REACH + 1)));
    let more = |count| format!("key-length = 6\n[count]\n{count}");
    assert_eq!(refused(&ADAPTER, &more("digraphs = 1")), Some(Error::Campaign("digraph")));
    let both = more("single = 1\nroos = 2");
    assert_eq!(refused(&ADAPTER, &both), Some(Error::Campaign("roos")));
}
