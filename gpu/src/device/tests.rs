//! Tests what becomes of a search if its device fails.

use std::{num::NonZero, ops::ControlFlow, sync::LazyLock};

use arcfour::{Family, Rc4};
use arcfour_attacks::search::{
    Event, KeySpace, KeyTest, Known, PdfVerifier, Plaintext, Record, Sieve,
};

use super::*;
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
fn lost(search: &Search, gpu: Gpu) -> String {
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
        Gpu::open(&ADAPTER.handle, ADAPTER.workgroup_memory, &search, Duration::ZERO).unwrap();
    let stop = AtomicBool::new(false);
    // No processor tests a million keys in no time.
    let error = gpu.candidates(0..1 << 20, &stop).unwrap_err();
    let silent = format!("{}: it did not answer for 0 seconds", ADAPTER.name);
    assert_eq!(error.to_string(), silent);
    let gpu =
        Gpu::open(&ADAPTER.handle, ADAPTER.workgroup_memory, &search, Duration::ZERO).unwrap();
    assert_eq!(lost(&search, gpu), silent);
}

#[test]
fn the_processor_goes_on_without_a_lost_device() {
    let search = search("?? ?? 0?", 0);
    let gpu = Gpu::open(&ADAPTER.handle, ADAPTER.workgroup_memory, &search, PATIENCE).unwrap();
    gpu.device.destroy();
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
    let mut gpu = Gpu::open(&ADAPTER.handle, ADAPTER.workgroup_memory, &search, PATIENCE).unwrap();
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
