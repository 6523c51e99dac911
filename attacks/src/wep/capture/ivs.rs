//! The `.ivs` files of airodump-ng: IVs with keystream instead of frames (aircrack-ng, `pcap_local.h`).

use std::io::{self, Read};

use arcfour_files::read_full;

use super::{
    super::{Bytes, CERTAIN, IV, KNOWN, Packet},
    Bssid, CaptureError,
};

/// The first bytes of version 1.
pub(super) const FIRST: [u8; 4] = [0xbf, 0xca, 0x84, 0xd4];
/// The first bytes of version 2. The number of the version follows, 0 or 1.
pub(super) const SECOND: [u8; 4] = [0xae, 0x78, 0xd1, 0xff];
/// The plaintext of a packet's first two bytes that version 1 assumes: LLC.
const LLC: u8 = 0xaa;
/// Maximum length of a keystream in version 2.
const LONGEST: usize = 32;

/// An entry: the network, the number of its key, and a packet.
pub(super) type Entry = (Bssid, u8, Packet);

/// Reads the entries of version 1 that follow its first four bytes. Returns true if the file ends
/// within an entry.
pub(super) fn first(
    mut from: impl Read,
    mut each: impl FnMut(Entry),
) -> Result<bool, CaptureError> {
    let mut bssid = [0; 6];
    loop {
        let mut start = [0];
        if !fill(&mut from, &mut start)? {
            return Ok(false);
        }
        // An address, or 0xff for the address of the entry before.
        if start != [0xff] {
            bssid[0] = start[0];
            if !fill(&mut from, &mut bssid[1..])? {
                return Ok(true);
            }
        }
        let mut entry = [0; IV + 2];
        if !fill(&mut from, &mut entry)? {
            return Ok(true);
        }
        let [iv @ .., a, b] = entry;
        let mut keystream = [0; KNOWN];
        keystream[..2].copy_from_slice(&[a ^ LLC, b ^ LLC]);
        let (known, guessed) = (Bytes::range(0, 2), Bytes::default());
        each((Bssid(bssid), 0, Packet { iv, keystream, known, guessed }));
    }
}

/// Reads the entries of version 2 that follow its first four bytes. Returns true if the file ends
/// within an entry.
pub(super) fn second(
    mut from: impl Read,
    mut each: impl FnMut(Entry),
) -> Result<bool, CaptureError> {
    const BSSID: u16 = 1;
    const KEYSTREAM: u16 = 8;
    const ALTERNATIVES: u16 = 16;
    let mut version = [0; 2];
    if !fill(&mut from, &mut version)? {
        return Ok(true);
    }
    if version[1] != 0 || version[0] > 1 {
        return Err(CaptureError::IvsVersion(u16::from_le_bytes(version)));
    }
    let mut bssid = [0; 6];
    loop {
        let mut header = [0; 4];
        if !fill(&mut from, &mut header[..1])? {
            return Ok(false);
        }
        if !fill(&mut from, &mut header[1..])? {
            return Ok(true);
        }
        let flags = u16::from_le_bytes([header[0], header[1]]);
        let mut content = vec![0; u16::from_le_bytes([header[2], header[3]]).into()];
        if !fill(&mut from, &mut content)? {
            return Ok(true);
        }
        let mut rest = &content[..];
        if flags & BSSID != 0 {
            let Some((address, after)) = rest.split_first_chunk() else { continue };
            (bssid, rest) = (*address, after);
        }
        let Some(([iv @ .., key], rest)) = rest.split_first_chunk::<{ IV + 1 }>() else { continue };
        let (keystream, unknown) = match flags & (KEYSTREAM | ALTERNATIVES) {
            KEYSTREAM => (rest, Bytes::default()),
            // Several keystreams of 32 bytes each, the likeliest first. They belong to an IPv4
            // packet whose identification is unknown.
            ALTERNATIVES => match rest {
                [count, length, rest @ ..] if *count > 0 => (
                    &rest[..rest.len().min(usize::from(*length).min(LONGEST))],
                    Bytes::range(12, 14),
                ),
                _ => continue,
            },
            _ => continue,
        };
        let n = keystream.len().min(KNOWN);
        let mut bytes = [0; KNOWN];
        bytes[..n].copy_from_slice(&keystream[..n]);
        let known = Bytes(Bytes::range(0, n.min(CERTAIN)).0 & !unknown.0);
        let guessed = Bytes::range(n.min(CERTAIN), n);
        each((Bssid(bssid), key >> 6, Packet { iv: *iv, keystream: bytes, known, guessed }));
    }
}

/// Fills `room`. Returns false if the file ends before.
fn fill(from: &mut impl Read, room: &mut [u8]) -> Result<bool, CaptureError> {
    let read = |error: io::Error| CaptureError::Read(error);
    Ok(read_full(from, room).map_err(read)? == room.len())
}
