//! The headers that capture programs put before an 802.11 frame.

use pcap_parser::Linktype;

/// Link types that carry 802.11 frames, as the registry of LINKTYPE values numbers them.
const WIFI: i32 = 105;
const PRISM: i32 = 119;
const RADIOTAP: i32 = 127;
const AVS: i32 = 163;
const PPI: i32 = 192;

/// The first word of an AVS header, big-endian. Some drivers send it under the link type of Prism.
const AVS_MAGIC: u32 = 0x8021_1001;
/// Bytes of the frame check sequence (FCS) at a frame's end.
const FCS: usize = 4;

/// An 802.11 frame without its FCS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The captured bytes.
    pub data: &'a [u8],
    /// Number of bytes that were sent.
    pub size: usize,
}

/// Returns true if frames of this link type are read.
pub fn is_wifi(link: Linktype) -> bool {
    matches!(link.0, WIFI | PRISM | RADIOTAP | AVS | PPI)
}

/// Returns the frame in a packet of `size` bytes with the captured part `data`; `None` if the
/// header before the frame is broken.
pub fn frame(link: Linktype, data: &[u8], size: usize) -> Option<Frame<'_>> {
    let (header, fcs) = match link.0 {
        WIFI => (0, false),
        PRISM => (prism(data)?, false),
        RADIOTAP => radiotap(data)?,
        AVS => (avs(data)?, false),
        PPI => ppi(data)?,
        _ => return None,
    };
    let (data, size) = (data.get(header..)?, size.checked_sub(header)?);
    // A capture program may keep the FCS without marking it, so the FCS is also recognised by its
    // value.
    let fcs = fcs || (data.len() == size && ends_in_fcs(data));
    let size = if fcs { size.checked_sub(FCS)? } else { size };
    Some(Frame { data: &data[..data.len().min(size)], size })
}

/// Returns true if the last four bytes are the CRC-32 of those before them.
fn ends_in_fcs(data: &[u8]) -> bool {
    data.split_last_chunk().is_some_and(|(frame, fcs): (_, &[u8; FCS])| {
        crc32fast::hash(frame) == u32::from_le_bytes(*fcs)
    })
}

fn half_le(data: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_le_bytes(*data.get(at..)?.first_chunk()?).into())
}

fn word_le(data: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*data.get(at..)?.first_chunk()?))
}

fn word_be(data: &[u8], at: usize) -> Option<u32> {
    word_le(data, at).map(u32::swap_bytes)
}

/// Returns the length of a Prism header: its second word, in the byte order of the capturing
/// machine.
fn prism(data: &[u8]) -> Option<usize> {
    if word_be(data, 0)? == AVS_MAGIC {
        return avs(data);
    }
    let (little, big) = (word_le(data, 4)?, word_be(data, 4)?);
    usize::try_from(little.min(big)).ok()
}

fn avs(data: &[u8]) -> Option<usize> {
    usize::try_from(word_be(data, 4)?).ok()
}

/// Returns the length of a radiotap header, and true if its flags announce an FCS.
fn radiotap(data: &[u8]) -> Option<(usize, bool)> {
    let length = half_le(data, 2)?;
    let present = word_le(data, 4)?;
    let mut at = 8;
    while word_le(data, at - 4)? & 1 << 31 != 0 {
        at += 4;
    }
    // The time comes first, aligned, and then the flags.
    let flags_at = if present & 1 != 0 { at.next_multiple_of(8) + 8 } else { at };
    let fcs = present & 2 != 0 && flags_at < length && data.get(flags_at)? & 0x10 != 0;
    Some((length, fcs))
}

/// Returns the length of a PPI header, and true if the flags of its field "802.11-Common" announce
/// an FCS.
fn ppi(data: &[u8]) -> Option<(usize, bool)> {
    const COMMON: usize = 2;
    let mut length = half_le(data, 2)?;
    // Old versions of Kismet wrote 24 for a header of 32 bytes.
    if length == 24 && half_le(data, 8)? == COMMON {
        length = 32;
    }
    let mut at = 8;
    while at + 4 <= length {
        let (kind, size) = (half_le(data, at)?, half_le(data, at + 2)?);
        if kind == COMMON {
            return Some((length, half_le(data, at + 12)? & 1 != 0));
        }
        at += 4 + size;
    }
    Some((length, false))
}
