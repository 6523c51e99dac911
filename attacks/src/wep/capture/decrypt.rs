//! The plaintext of a network's packets, once the key is known.

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

/// Most packets whose fragments are waited for.
const WAITING: usize = 64;
/// LLC and SNAP before the type of an Ethernet frame (RFC 1042), and of a tunnelled one (IEEE 802.1H).
const SNAP: [[u8; 6]; 2] = [[0xaa, 0xaa, 3, 0, 0, 0], [0xaa, 0xaa, 3, 0, 0, 0xf8]];

/// What became of a network's WEP packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decrypted {
    /// Ethernet frames written.
    pub written: u64,
    /// 802.11 frames left out because their checksum (ICV) is not right for the key.
    pub refused: u64,
    /// 802.11 frames left out because the capture kept only a part.
    pub cut: u64,
    /// Fragments left out because others of their packet are missing.
    pub fragments: u64,
}

/// Writes the packets of the network `bssid` that `key` opens as a pcap file of Ethernet frames, with their times.
///
/// A packet is written if its ICV is right. Fragments are put together.
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

/// The Ethernet frame of a packet: with its type, or with its length where LLC names no type.
fn ethernet(wep: &Wep, text: &[u8]) -> Vec<u8> {
    let addresses = [wep.destination, wep.source].concat();
    match text.split_first_chunk() {
        Some((snap, rest)) if SNAP.contains(snap) => [&addresses[..], rest].concat(),
        _ => [&addresses[..], &(text.len() as u16).to_be_bytes(), text].concat(),
    }
}

/// Packets with fragments still to come, by source, destination and number.
#[derive(Default)]
struct Waiting {
    packets: HashMap<([u8; 6], [u8; 6], u16), Part>,
    /// Fragments given up.
    lost: u64,
}

/// The first fragments of a packet.
struct Part {
    fragments: u8,
    text: Vec<u8>,
}

impl Waiting {
    /// The whole text, if this fragment ends it.
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
            // Sent twice.
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
