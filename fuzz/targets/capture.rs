//! A capture file: no panic, whatever it says of itself, no more packets than it has room for, and no IV twice for a key.

#![no_main]

use std::collections::HashSet;

use arcfour_attacks::wep::capture;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let Ok(capture) = capture::read(file) else { return };
    // A record of pcap and a simple packet of pcapng have 16 bytes of their own.
    assert!(capture.packets <= file.len() as u64 / 16);
    let mut seen = capture.newer;
    for network in &capture.networks {
        let ivs: HashSet<_> = network.packets.iter().map(|packet| packet.iv).collect();
        assert_eq!(ivs.len(), network.packets.len());
        seen += network.packets.len() as u64 + network.others;
    }
    assert!(seen <= capture.packets);
});
