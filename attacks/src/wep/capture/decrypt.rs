//! Decrypts a network's packets with the key.

use std::{
    collections::HashMap,
    io::{Read, Write},
};

use super::{
    super::Body,
    Bssid, CaptureError, frames, link,
    wifi::{self, Protected, Wep},
    write,
};

/// Maximum number of incomplete packets that are kept.
const WAITING: usize = 64;
/// LLC and SNAP before the type of an Ethernet frame (RFC 1042), and of a tunnelled frame (IEEE
/// 802.1H).
const SNAP: [[u8; 6]; 2] = [[0xaa, 0xaa, 3, 0, 0, 0], [0xaa, 0xaa, 3, 0, 0, 0xf8]];

/// The outcome for a network's WEP packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decrypted {
    /// Number of Ethernet frames written.
    pub written: u64,
    /// Number of 802.11 frames omitted because their checksum (ICV) is wrong under the key.
    pub refused: u64,
    /// Number of 802.11 frames omitted because the capture kept only a part.
    pub cut: u64,
    /// Number of fragments omitted because other fragments of their packet are missing.
    pub fragments: u64,
}

/// Decrypts the packets of the network `bssid` with `key`, and writes them as a pcap file of
/// Ethernet frames, with their times.
///
/// A packet is written if its ICV is right. Fragments are reassembled.
///
/// # Errors
/// If the capture cannot be read ([`CaptureError`]), or writing fails ([`CaptureError::Write`]).
pub fn decrypt(
    from: impl Read + Send,
    bssid: Bssid,
    key: &[u8],
    mut to: impl Write,
) -> Result<Decrypted, CaptureError> {
    to.write_all(&write::ethernet_header()).map_err(CaptureError::Write)?;
    let mut done = Decrypted::default();
    let mut waiting = Waiting::default();
    frames::for_each(from, |raw| {
        let Some(frame) = link::frame(raw.link, raw.data, raw.size) else { return Ok(()) };
        let Some(Protected::Wep(wep)) = wifi::protected(frame) else { return Ok(()) };
        if wep.bssid != bssid.0 {
            return Ok(());
        }
        if !wep.whole() {
            done.cut += 1;
            return Ok(());
        }
        let Some(text) = (Body { iv: wep.iv, data: wep.body.to_vec() }).open(key) else {
            done.refused += 1;
            return Ok(());
        };
        if let Some(text) = waiting.join(&wep, text) {
            to.write_all(&write::ethernet_record(raw.time, &ethernet(&wep, &text)))
                .map_err(CaptureError::Write)?;
            done.written += 1;
        }
        Ok(())
    })?;
    to.flush().map_err(CaptureError::Write)?;
    done.fragments = waiting.lost + waiting.fragments();
    Ok(done)
}

/// Returns the Ethernet frame of a packet, with its type, or with its length if LLC names no type.
fn ethernet(wep: &Wep, text: &[u8]) -> Vec<u8> {
    let addresses = [wep.destination, wep.source].concat();
    match text.split_first_chunk() {
        Some((snap, rest)) if SNAP.contains(snap) => [&addresses[..], rest].concat(),
        _ => [&addresses[..], &(text.len() as u16).to_be_bytes(), text].concat(),
    }
}

/// Incomplete packets, by source, destination and number.
#[derive(Default)]
struct Waiting {
    packets: HashMap<([u8; 6], [u8; 6], u16), Part>,
    /// Number of dropped fragments.
    lost: u64,
}

/// The first fragments of a packet.
struct Part {
    fragments: u8,
    text: Vec<u8>,
}

impl Waiting {
    /// Returns the whole text, if this fragment completes it.
    fn join(&mut self, wep: &Wep, text: Vec<u8>) -> Option<Vec<u8>> {
        let name = (wep.source, wep.destination, wep.sequence);
        let part = match (wep.fragment, self.packets.remove(&name)) {
            (0, old) => {
                self.lost += old.map_or(0, |part| part.fragments.into());
                Part { fragments: 1, text }
            }
            (n, Some(mut part)) if part.fragments == n => {
                part.text.extend(text);
                Part { fragments: n + 1, text: part.text }
            }
            // A repeated fragment.
            (n, Some(part)) if part.fragments == n + 1 => part,
            (_, old) => {
                self.lost += 1 + old.map_or(0, |part| u64::from(part.fragments));
                return None;
            }
        };
        if !wep.more {
            return Some(part.text);
        }
        if self.packets.len() == WAITING {
            self.lost += self.fragments();
            self.packets.clear();
        }
        self.packets.insert(name, part);
        None
    }

    fn fragments(&self) -> u64 {
        self.packets.values().map(|part| u64::from(part.fragments)).sum()
    }
}
