//! WEP packets in a capture file, and captures made from a seed.
//!
//! A capture is a pcap or pcapng file of IEEE 802.11 frames, with a radiotap header before each or without. Of the data frames that
//! WEP protects, those with the length of an ARP packet are used: their first 22 bytes are known (E. Tews, R.-P. Weinmann,
//! A. Pyshkin, *Breaking 104 bit WEP in less than 60 seconds*, WISA 2007, §4).

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
    io::{self, Read},
    sync::{Arc, Mutex},
};

use arcfour::Rc4;
use arcfour_files::read_full;
use pcap_parser::{Block, Linktype, PcapBlockOwned, PcapError, create_reader};

use super::{IV, KNOWN, Packet};

/// Largest packet of a capture.
const LARGEST: usize = 1 << 20;
/// Link types: 802.11 frames alone, and after a radiotap header.
const WIFI: Linktype = Linktype(105);
const RADIOTAP: Linktype = Linktype(127);
/// Bytes of an ARP packet with the header of LLC and SNAP, and of one that was padded for Ethernet.
const ARP: [usize; 2] = [36, 54];
/// LLC, SNAP and the beginning of ARP: a request, or with 2 at the end a reply. The sender's address follows.
const HEADERS: [u8; 16] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1];
/// Bytes of the checksum that ends the text of a frame.
const ICV: usize = 4;
const BROADCAST: [u8; 6] = [0xff; 6];

/// Why a file is no capture that can be attacked.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// Reading failed.
    #[error("{0}")]
    Read(io::Error),
    /// It is something else.
    #[error("not a pcap or pcapng file")]
    NotCapture,
    /// It holds frames of another kind.
    #[error("packet {packet} has link type {link}; 802.11 has 105, and with radiotap 127")]
    LinkType {
        /// Its number, from 1.
        packet: u64,
        /// The number of its link type.
        link: i32,
    },
    /// A length in it cannot be.
    #[error(
        "packet {packet} cannot be read: its block is longer than 1 MiB, or its lengths contradict each other"
    )]
    Malformed {
        /// Its number, from 1.
        packet: u64,
    },
}

/// The address of a network's access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bssid(pub [u8; 6]);

impl fmt::Display for Bssid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

/// The packets of one key: WEP networks have up to four.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// The network's address.
    pub bssid: Bssid,
    /// The number of its key, 0 to 3.
    pub key: u8,
    /// ARP packets, one for each IV.
    pub packets: Vec<Packet>,
    /// WEP packets besides.
    pub others: u64,
}

/// What a capture holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    /// Packets of any kind.
    pub packets: u64,
    /// Data frames that something newer than WEP protects.
    pub newer: u64,
    /// Whether the file ends in the middle of a packet.
    pub cut: bool,
    /// The networks with WEP packets, that with the most ARP packets first.
    pub networks: Vec<Network>,
}

/// Reads a capture to its end. A packet that is cut by the file's end is left out.
///
/// # Errors
/// If it cannot be read, or is no capture of 802.11 frames.
pub fn read(from: impl Read + Send) -> Result<Capture, CaptureError> {
    let failed = Arc::new(Mutex::new(None));
    let whole = Whole { from, failed: Arc::clone(&failed) };
    let fault = |other| match failed.lock().expect("no thread panics with it").take() {
        Some(error) => CaptureError::Read(error),
        None => other,
    };
    let mut reader = create_reader(LARGEST, whole).map_err(|_| fault(CaptureError::NotCapture))?;
    let mut capture = Capture::default();
    let mut networks = BTreeMap::new();
    let mut links = vec![];
    loop {
        let malformed = CaptureError::Malformed { packet: capture.packets + 1 };
        match reader.next() {
            Ok((size, block)) => {
                match block {
                    PcapBlockOwned::LegacyHeader(header) => links = vec![header.network],
                    PcapBlockOwned::NG(Block::SectionHeader(_)) => links.clear(),
                    PcapBlockOwned::NG(Block::InterfaceDescription(interface)) => {
                        links.push(interface.linktype);
                    }
                    PcapBlockOwned::Legacy(packet) => {
                        let link = links.first();
                        capture.add(&mut networks, link, packet.data, packet.origlen)?;
                    }
                    PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
                        let link = links.get(packet.if_id as usize);
                        let data = packet.data.get(..packet.caplen as usize).ok_or(malformed)?;
                        capture.add(&mut networks, link, data, packet.origlen)?;
                    }
                    PcapBlockOwned::NG(Block::SimplePacket(packet)) => {
                        let data = &packet.data[..packet.data.len().min(packet.origlen as usize)];
                        capture.add(&mut networks, links.first(), data, packet.origlen)?;
                    }
                    PcapBlockOwned::NG(_) => {}
                }
                reader.consume(size);
            }
            Err(PcapError::Eof) => break,
            Err(PcapError::UnexpectedEof) => {
                capture.cut = true;
                break;
            }
            Err(PcapError::Incomplete(_)) => {
                let before = reader.data().len();
                if reader.refill().is_err() {
                    return Err(fault(malformed));
                }
                if reader.data().len() == before && !reader.reader_exhausted() {
                    return Err(malformed);
                }
            }
            Err(_) => return Err(malformed),
        }
    }
    capture.networks = networks.into_values().map(|(network, _)| network).collect();
    capture.networks.sort_by_key(|network| std::cmp::Reverse(network.packets.len()));
    Ok(capture)
}

/// A reader that fills what it is given as long as there is more, and keeps the error that `pcap_parser` forgets.
struct Whole<R> {
    from: R,
    failed: Arc<Mutex<Option<io::Error>>>,
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        read_full(&mut self.from, room).map_err(|error| {
            let kind = error.kind();
            *self.failed.lock().expect("no thread panics with it") = Some(error);
            kind.into()
        })
    }
}

/// Networks by address and key, each with the IVs it has had.
type Networks = BTreeMap<(Bssid, u8), (Network, HashSet<[u8; IV]>)>;

impl Capture {
    /// Counts a packet of which `data` was kept, of `size` bytes when it was sent.
    fn add(
        &mut self,
        networks: &mut Networks,
        link: Option<&Linktype>,
        data: &[u8],
        size: u32,
    ) -> Result<(), CaptureError> {
        self.packets += 1;
        let packet = self.packets;
        let link = *link.ok_or(CaptureError::Malformed { packet })?;
        let frame = match link {
            WIFI => Some((data, size as usize)),
            RADIOTAP => after_radiotap(data, size as usize),
            Linktype(link) => return Err(CaptureError::LinkType { packet, link }),
        };
        match frame.and_then(|(data, size)| protected(data, size)) {
            None => {}
            Some(Protected::Newer) => self.newer += 1,
            Some(Protected::Wep { bssid, key, iv, arp }) => {
                let network = Network { bssid, key, packets: vec![], others: 0 };
                let entry = networks.entry((bssid, key));
                let (network, ivs) = entry.or_insert((network, HashSet::new()));
                match arp {
                    Some(keystream) if ivs.insert(iv) => {
                        network.packets.push(Packet { iv, keystream });
                    }
                    Some(_) => {}
                    None => network.others += 1,
                }
            }
        }
        Ok(())
    }
}

/// The 802.11 frame after a radiotap header, and its size without the checksum that some drivers leave at its end.
fn after_radiotap(data: &[u8], size: usize) -> Option<(&[u8], usize)> {
    let word = |at: usize| Some(u32::from_le_bytes(*data.get(at..)?.first_chunk()?));
    let length = usize::from(u16::from_le_bytes(*data.get(2..)?.first_chunk()?));
    let present = word(4)?;
    let mut at = 8;
    while word(at - 4)? & 1 << 31 != 0 {
        at += 4;
    }
    // The time comes first, aligned, and then the flags.
    let flags_at = if present & 1 != 0 { at.next_multiple_of(8) + 8 } else { at };
    let checksum = present & 2 != 0 && flags_at < length && data.get(flags_at)? & 0x10 != 0;
    let size = size.checked_sub(length)?;
    Some((data.get(length..)?, if checksum { size.checked_sub(4)? } else { size }))
}

/// A data frame that is encrypted.
enum Protected {
    /// By TKIP or what came after it.
    Newer,
    Wep {
        bssid: Bssid,
        key: u8,
        iv: [u8; IV],
        /// Its first bytes of keystream, if it is an ARP packet.
        arp: Option<[u8; KNOWN]>,
    },
}

/// Reads a frame of `size` bytes of which `frame` was kept (IEEE 802.11-2007, §7.1 and §8.2.1).
fn protected(frame: &[u8], size: usize) -> Option<Protected> {
    let address = |at: usize| frame.get(at..)?.first_chunk().copied();
    let [kind, flags, ..] = *frame else { return None };
    // Version 0, data, with a body, protected, and no fragment but the first.
    let fragment = frame.get(22)? & 0xf;
    if kind & 0x0f != 8 || kind & 0x40 != 0 || flags & 0x40 == 0 || fragment != 0 || flags & 4 != 0
    {
        return None;
    }
    let (quality, ordered) = (kind & 0x80 != 0, flags & 0x80 != 0);
    let (bssid, from, to) = match flags & 3 {
        0 => (address(16)?, address(10)?, address(4)?),
        1 => (address(4)?, address(10)?, address(16)?),
        2 => (address(10)?, address(16)?, address(4)?),
        _ => return None, // between access points
    };
    let header = 24 + if quality { 2 } else { 0 } + if quality && ordered { 4 } else { 0 };
    let body = frame.get(header..)?;
    let [iv @ .., key] = *body.first_chunk::<{ IV + 1 }>()?;
    if key & 0x20 != 0 {
        return Some(Protected::Newer);
    }
    let text = &body[IV + 1..];
    let size = size.checked_sub(header + IV + 1 + ICV)?;
    let arp = text.first_chunk::<KNOWN>().filter(|_| ARP.contains(&size)).map(|text| {
        let mut known = [0; KNOWN];
        known[..HEADERS.len()].copy_from_slice(&HEADERS);
        known[HEADERS.len() - 1] = if to == BROADCAST { 1 } else { 2 };
        known[HEADERS.len()..].copy_from_slice(&from);
        std::array::from_fn(|at| text[at] ^ known[at])
    });
    Some(Protected::Wep { bssid: Bssid(bssid), key: key >> 6, iv, arp })
}

/// A pcap file of ARP requests that an access point with this key sends, one for each packet, with its IV.
///
/// # Panics
/// If the key is empty or has more than 253 bytes.
pub fn write(key: &[u8], packets: &[Packet]) -> Vec<u8> {
    const STATION: [u8; 6] = [2, 0, 0, 0, 0, 1];
    const BSSID: [u8; 6] = [2, 0, 0, 0, 0, 0xaa];
    let mut arp = HEADERS.to_vec();
    arp.extend(STATION);
    arp.extend([192, 0, 2, 1]); // addresses for documentation: RFC 5737
    arp.extend([0; 6]);
    arp.extend([192, 0, 2, 2]);
    arp.extend(crc32fast::hash(&arp).to_le_bytes());

    let mut file = vec![];
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 0xffff, 105] {
        file.extend(word.to_le_bytes());
    }
    for (number, packet) in (0_u32..).zip(packets) {
        let mut frame = vec![0x08, 0x42, 0, 0]; // data from the access point, protected
        frame.extend(BROADCAST);
        frame.extend(BSSID);
        frame.extend(STATION);
        frame.extend(((number % 4096 * 16) as u16).to_le_bytes());
        frame.extend(packet.iv);
        frame.push(0);
        let text = frame.len();
        frame.extend(&arp);
        let mut rc4 = Rc4::from_key(&[&packet.iv[..], key].concat()).expect("4 to 256 bytes");
        rc4.apply(&mut frame[text..]);
        let size = frame.len() as u32;
        for word in [number / 500, number % 500 * 2000, size, size] {
            file.extend(word.to_le_bytes());
        }
        file.extend(frame);
    }
    file
}
