//! A capture file: no panic, whatever it says of itself, no more packets than it has room for, and no IV twice for a key.

#![cfg_attr(not(test), no_main)]

use std::collections::HashSet;

use arcfour_attacks::wep::capture;

arcfour_fuzz::target!(|file: &[u8]| {
    let Ok(capture) = capture::read(file) else { return };
    // The least entry of an .ivs file has 6 bytes; a record of pcap and a simple packet of pcapng have 16 of their own.
    assert!(capture.packets <= file.len() as u64 / 6);
    let mut seen = capture.newer + capture.other_links + capture.broken;
    for network in &capture.networks {
        for packets in network.packets.values() {
            let ivs: HashSet<_> = packets.iter().map(|packet| packet.iv).collect();
            assert_eq!(ivs.len(), packets.len());
        }
        seen += network.total() as u64 + network.repeated + network.unknown;
        network.readings();
    }
    assert!(seen <= capture.packets);
    // Decryption reads the same frames.
    if let Some(network) = capture.networks.first()
        && let Ok(done) = capture::decrypt(file, network.bssid, b"Keys!", std::io::sink())
    {
        assert!(done.written + done.refused + done.cut + done.fragments <= capture.packets);
    }
});
