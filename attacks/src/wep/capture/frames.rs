//! Reads the packets of a pcap or pcapng file.

use std::{
    io::{self, Read},
    sync::{Arc, Mutex},
};

use arcfour_files::read_full;
use pcap_parser::{
    Block, InterfaceDescriptionBlock, Linktype, PcapBlockOwned, PcapError, create_reader,
};

use super::{CaptureError, blocks};

/// Maximum size of a packet, in bytes.
const LARGEST: usize = 1 << 20;

/// A packet of a capture.
pub(super) struct Raw<'a> {
    /// The number of the packet, from 1.
    pub(super) number: u64,
    pub(super) link: Linktype,
    /// The captured bytes.
    pub(super) data: &'a [u8],
    /// Number of bytes that were sent.
    pub(super) size: usize,
    pub(super) time: Time,
}

/// The time of capture: seconds since 1970, and nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Time {
    pub(super) seconds: u32,
    pub(super) nanoseconds: u32,
}

/// The link type of an interface and the unit of its time.
struct Interface {
    link: Linktype,
    /// Units of time per second.
    resolution: u64,
    offset: i64,
    /// Maximum number of bytes kept of a packet.
    snaplen: usize,
}

impl Interface {
    fn of(block: &InterfaceDescriptionBlock) -> Self {
        // `pcap_parser` refuses powers of two.
        let (base, power): (u64, _) = match block.if_tsresol {
            power @ 0..0x80 => (10, power),
            power => (2, power & 0x7f),
        };
        let resolution = base.checked_pow(power.into()).unwrap_or(1_000_000);
        let snaplen = match block.snaplen {
            0 => usize::MAX,
            most => most as usize,
        };
        Self { link: block.linktype, resolution, offset: block.ts_offset(), snaplen }
    }

    fn time(&self, high: u32, low: u32) -> Time {
        let units = u64::from(high) << 32 | u64::from(low);
        let seconds = (units / self.resolution).wrapping_add_signed(self.offset);
        let rest = u128::from(units % self.resolution) * 1_000_000_000;
        let nanoseconds = (rest / u128::from(self.resolution)) as u32;
        Time { seconds: seconds as u32, nanoseconds }
    }
}

/// Calls `each` with each packet of a capture. Returns true if the file ends within a packet.
pub(super) fn for_each(
    from: impl Read + Send,
    mut each: impl FnMut(Raw) -> Result<(), CaptureError>,
) -> Result<bool, CaptureError> {
    let failed = Arc::new(Mutex::new(None));
    let whole = Whole { from, failed: Arc::clone(&failed) };
    let fault = |other| match failed.lock().expect("no thread panics with it").take() {
        Some(error) => CaptureError::Read(error),
        None => other,
    };
    let mut reader = create_reader(LARGEST, whole).map_err(|_| fault(CaptureError::NotCapture))?;
    let mut interfaces: Vec<Interface> = vec![];
    let mut number = 1;
    loop {
        let malformed = CaptureError::Malformed { packet: number };
        match reader.next() {
            Ok((size, block)) => {
                let block = blocks::current(block);
                let (interface, data, sent, stamp) = match &block {
                    PcapBlockOwned::Legacy(packet) => {
                        (0, Some(packet.data), packet.origlen, (packet.ts_sec, packet.ts_usec))
                    }
                    PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
                        let data = packet.data.get(..packet.caplen as usize);
                        (
                            packet.if_id as usize,
                            data,
                            packet.origlen,
                            (packet.ts_high, packet.ts_low),
                        )
                    }
                    PcapBlockOwned::NG(Block::SimplePacket(packet)) => {
                        // The block does not say how many bytes were kept, and pads them.
                        let most = interfaces.first().map_or(0, |interface| interface.snaplen);
                        let kept = packet.data.len().min(packet.origlen as usize).min(most);
                        (0, Some(&packet.data[..kept]), packet.origlen, (0, 0))
                    }
                    other => {
                        match other {
                            PcapBlockOwned::LegacyHeader(header) => {
                                let nanoseconds = header.is_nanosecond_precision();
                                let resolution =
                                    if nanoseconds { 1_000_000_000 } else { 1_000_000 };
                                let link = header.network;
                                let snaplen = usize::MAX;
                                interfaces =
                                    vec![Interface { link, resolution, offset: 0, snaplen }];
                            }
                            PcapBlockOwned::NG(Block::SectionHeader(_)) => interfaces.clear(),
                            PcapBlockOwned::NG(Block::InterfaceDescription(interface)) => {
                                interfaces.push(Interface::of(interface));
                            }
                            _ => {}
                        }
                        reader.consume(size);
                        continue;
                    }
                };
                let legacy = matches!(block, PcapBlockOwned::Legacy(_));
                let (Some(interface), Some(data)) = (interfaces.get(interface), data) else {
                    return Err(malformed);
                };
                let time = if legacy {
                    let unit = (1_000_000_000 / interface.resolution) as u32;
                    Time { seconds: stamp.0, nanoseconds: stamp.1.wrapping_mul(unit) }
                } else {
                    interface.time(stamp.0, stamp.1)
                };
                each(Raw { number, link: interface.link, data, size: sent as usize, time })?;
                number += 1;
                reader.consume(size);
            }
            Err(PcapError::Eof) => return Ok(false),
            Err(PcapError::UnexpectedEof) => return Ok(true),
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
}

/// A reader that fills the whole buffer unless the input ends, and keeps the error that `pcap_parser` drops.
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
