//! The headers that capture programs put before an 802.11 frame.

use std::ops::Range;

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
    /// Length of a data frame's header, with the padding that Atheros drivers insert after it.
    pub header: usize,
}

/// The length and the flags of a header that a capture program put before a frame.
#[derive(Default)]
struct Before {
    length: usize,
    /// True if the frame ends in its FCS.
    fcs: bool,
    /// True if the FCS was wrong.
    damaged: bool,
    /// True if the header of a data frame is padded to a multiple of four bytes.
    padded: bool,
}

impl Before {
    /// Returns a header without flags.
    fn plain(length: usize) -> Self {
        Self { length, ..Self::default() }
    }
}

/// Returns true if frames of this link type are read.
pub fn is_wifi(link: Linktype) -> bool {
    matches!(link.0, WIFI | PRISM | RADIOTAP | AVS | PPI)
}

/// Returns the frame in a packet of `size` bytes with the captured part `data`; `None` if the
/// header before the frame is broken, or the FCS is wrong.
pub fn frame(link: Linktype, data: &[u8], size: usize) -> Option<Frame<'_>> {
    let Before { length, fcs, damaged, padded } = match link.0 {
        WIFI => Before::default(),
        PRISM => Before::plain(prism(data)?),
        RADIOTAP => radiotap(data)?,
        AVS => Before::plain(avs(data)?),
        PPI => ppi(data)?,
        _ => return None,
    };
    let (data, size) = (data.get(length..)?, size.checked_sub(length)?);
    let sent = sent_header(data);
    let header = if padded { sent.next_multiple_of(4) } else { sent };
    let whole = data.len() == size;
    let right = whole && ends_in_fcs(data, sent..header);
    if damaged || (fcs && whole && !right) {
        return None;
    }
    // A capture program may keep the FCS without marking it, so the FCS is also recognised by its
    // value.
    let size = if fcs || right { size.checked_sub(FCS)? } else { size };
    Some(Frame { data: &data[..data.len().min(size)], size, header })
}

/// Returns the length of a data frame's header as it was sent (IEEE 802.11-2020, 9.3.2.1). Other
/// frames count as a header without optional fields.
fn sent_header(data: &[u8]) -> usize {
    let (kind, flags) = match *data {
        [kind, flags, ..] if kind & 0x0c == 8 => (kind, flags),
        _ => (0, 0),
    };
    let addresses = if flags & 3 == 3 { 30 } else { 24 };
    let quality = kind & 0x80 != 0;
    addresses + if quality { 2 } else { 0 } + if quality && flags & 0x80 != 0 { 4 } else { 0 }
}

/// Returns true if the last four bytes are the CRC-32 of the bytes before them. A driver inserts
/// the padding after it received the frame, so the CRC-32 skips the padding.
fn ends_in_fcs(data: &[u8], padding: Range<usize>) -> bool {
    let Some((frame, fcs)) = data.split_last_chunk::<FCS>() else { return false };
    let mut sum = crc32fast::Hasher::new();
    sum.update(&frame[..frame.len().min(padding.start)]);
    sum.update(frame.get(padding.end..).unwrap_or_default());
    sum.finalize() == u32::from_le_bytes(*fcs)
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

/// Reads a radiotap header.
fn radiotap(data: &[u8]) -> Option<Before> {
    let length = half_le(data, 2)?;
    let present = word_le(data, 4)?;
    let mut at = 8;
    while word_le(data, at - 4)? & 1 << 31 != 0 {
        at += 4;
    }
    // The time comes first, aligned, and then the flags.
    let flags_at = if present & 1 != 0 { at.next_multiple_of(8) + 8 } else { at };
    let flags = if present & 2 != 0 && flags_at < length { *data.get(flags_at)? } else { 0 };
    let [fcs, padded, damaged] = [0x10, 0x20, 0x40].map(|flag| flags & flag != 0);
    Some(Before { length, fcs, damaged, padded })
}

/// Reads a PPI header. Its field "802.11-Common" has flags for the FCS, and no flag for padding.
fn ppi(data: &[u8]) -> Option<Before> {
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
            let flags = half_le(data, at + 12)?;
            let [fcs, damaged] = [1, 4].map(|flag| flags & flag != 0);
            return Some(Before { fcs, damaged, ..Before::plain(length) });
        }
        at += 4 + size;
    }
    Some(Before::plain(length))
}
