//! Data frames of IEEE 802.11 that WEP protects (IEEE 802.11-2007, §7.1 and §8.2.1).

use super::{super::IV, link::Frame};

/// Length of the integrity check value at the end of a frame's text, in bytes.
const ICV: usize = 4;

/// An encrypted data frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protected<'a> {
    /// Encrypted by TKIP or a later protocol.
    Newer,
    Wep(Wep<'a>),
}

/// A frame that WEP protects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wep<'a> {
    pub(super) bssid: [u8; 6],
    pub(super) source: [u8; 6],
    pub(super) destination: [u8; 6],
    /// The number of the key, 0 to 3.
    pub(super) key: u8,
    pub(super) iv: [u8; IV],
    /// The number of the packet to which the fragment belongs.
    pub(super) sequence: u16,
    /// The fragment's number, 0 for the first.
    pub(super) fragment: u8,
    /// True if more fragments follow.
    pub(super) more: bool,
    /// True if the frame goes towards the access point, so that no wired station padded the packet.
    pub(super) from_station: bool,
    /// The encrypted text and ICV, as far as they were captured.
    pub(super) body: &'a [u8],
    /// Returns the number of bytes of the text, without ICV.
    pub(super) size: usize,
}

impl Wep<'_> {
    /// Returns true if the capture kept the whole body.
    pub(super) fn whole(&self) -> bool {
        self.body.len() == self.size + ICV
    }
}

/// Reads a frame; `None` if it is no protected data frame.
pub(super) fn protected(frame: Frame<'_>) -> Option<Protected<'_>> {
    let Frame { data, size, header } = frame;
    let address = |at: usize| data.get(at..)?.first_chunk::<6>().copied();
    let [kind, flags, ..] = *data else { return None };
    // Version 0, data, with a body, protected.
    if kind & 0x0f != 8 || kind & 0x40 != 0 || flags & 0x40 == 0 {
        return None;
    }
    let (bssid, source, destination) = match flags & 3 {
        0 => (address(16)?, address(10)?, address(4)?),
        1 => (address(4)?, address(10)?, address(16)?),
        2 => (address(10)?, address(16)?, address(4)?),
        // Between access points (WDS) the transmitter identifies the network.
        _ => (address(10)?, address(24)?, address(16)?),
    };
    let body = data.get(header..)?;
    let [iv @ .., key] = *body.first_chunk::<{ IV + 1 }>()?;
    if key & 0x20 != 0 {
        return Some(Protected::Newer);
    }
    let control = u16::from_le_bytes(*data.get(22..)?.first_chunk()?);
    Some(Protected::Wep(Wep {
        bssid,
        source,
        destination,
        key: key >> 6,
        iv,
        sequence: control >> 4,
        fragment: (control & 0xf) as u8,
        more: flags & 4 != 0,
        from_station: flags & 3 != 2,
        body: &body[IV + 1..],
        size: size.checked_sub(header + IV + 1 + ICV)?,
    }))
}
