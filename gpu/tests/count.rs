//! Compares the counts of an adapter with the processor's. Any adapter will do, Mesa's lavapipe too.
#![cfg(feature = "wgpu")]

use std::sync::LazyLock;

use arcfour_gpu::{Adapter, adapters};
use arcfour_stats::{campaign::Campaign, sampler::Sampler};

static ADAPTER: LazyLock<Adapter> = LazyLock::new(|| {
    adapters().into_iter().next().expect("an adapter; Debian has one in mesa-vulkan-drivers")
});

fn campaign(rest: &str) -> Campaign {
    let seed = "a5".repeat(32);
    Campaign::parse(&format!("seed = '{seed}'\nshards = 3\n{rest}")).unwrap()
}

/// Counts a shard. With `several` the processor counts the first and the third batch.
fn counted(campaign: &Campaign, adapter: Option<&Adapter>, several: bool) -> Vec<u8> {
    let mut device = adapter.map(|adapter| adapter.counter(campaign).unwrap());
    let mut sampler = Sampler::start(campaign.clone(), 1).unwrap();
    for batch in 0.. {
        let more = match &mut device {
            Some(device) if !several || batch == 1 || batch > 2 => {
                sampler.step_on(device.as_mut()).unwrap()
            }
            _ => sampler.step(),
        };
        if !more {
            break;
        }
    }
    sampler.finish().to_bytes()
}

/// Keys of all lengths of words, positions past a turn of i, drops, and batches that do not fill a group.
#[test]
fn an_adapter_writes_the_file_that_the_processor_writes() {
    for rest in [
        "keystreams = 30001\nkey-length = 16\n[count]\nsingle = 256",
        "keystreams = 3000\nkey-length = 1\n[count]\nsingle = 1",
        "keystreams = 1\nkey-length = 2\ndrop = 1\n[count]\nsingle = 2",
        "keystreams = 5007\nkey-length = 5\ndrop = 254\n[count]\nsingle = 513",
        "keystreams = 2001\nkey-length = 16\nkey-pattern = 'tkip'\n[count]\nsingle = 33",
        "keystreams = 1999\nkey-length = 256\ndrop = 1024\n[count]\nsingle = 20",
    ] {
        let campaign = campaign(rest);
        let right = counted(&campaign, None, false);
        for several in [false, true] {
            let its = counted(&campaign, Some(&ADAPTER), several);
            assert!(its == right, "{rest}, several: {several}");
        }
    }
}
