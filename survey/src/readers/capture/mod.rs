//! Captures of network traffic: pcap and pcapng.
//!
//! `link` parses packets, `flow` reassembles TCP, and each protocol examines the result. Repeated
//! sightings become one finding with a count (`sums`).

mod base64;
mod flow;
mod kerberos;
mod link;
mod ntlm;
mod pptp;
mod rdp;
mod ssh;
mod sums;
mod tls;
mod unread;
mod wifi;

use std::io::BufReader;
use std::path::Path;

use arcfour_attacks::wep::capture::{
    blocks,
    link::{frame as of_wifi, is_wifi},
};
use etherparse::TransportSlice;
use pcap_parser::{Block, Linktype, PcapBlockOwned, PcapError, create_reader};

use self::flow::{Flows, Side, Stream};
use self::sums::Sums;
use self::unread::Unread;
use super::{ReadError, Reader};
use crate::finding::Finding;
use crate::input::Input;

/// The readers of this folder.
pub fn readers() -> Vec<Box<dyn Reader>> {
    vec![Box::new(Capture)]
}

/// The first bytes of pcap in both byte orders, with times in microseconds and in nanoseconds, and of pcapng.
const MAGIC: [[u8; 4]; 5] = [
    [0xd4, 0xc3, 0xb2, 0xa1],
    [0xa1, 0xb2, 0xc3, 0xd4],
    [0x4d, 0x3c, 0xb2, 0xa1],
    [0xa1, 0xb2, 0x3c, 0x4d],
    [0x0a, 0x0d, 0x0d, 0x0a],
];
/// The maximum length of a block.
const BLOCK: usize = 1 << 20;
/// Maximum number of interfaces of a pcapng file. The link type of each is kept in memory.
const INTERFACES: usize = 1 << 16;

struct Capture;

impl Reader for Capture {
    fn name(&self) -> &'static str {
        "capture"
    }

    fn recognises(&self, _: &Path, head: &[u8]) -> bool {
        head.len() >= 24 && MAGIC.iter().any(|magic| head.starts_with(magic))
    }

    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError> {
        let place = input.place();
        let mut seen = Seen {
            sums: Sums::default(),
            flows: Flows::default(),
            wifi: wifi::Networks::default(),
            unread: Unread::default(),
        };
        let read = packets(input, |frame, link, data, size| seen.packet(frame, link, data, size));
        let Seen { mut sums, flows, wifi, unread } = seen;
        flows.finish(|stream| look(stream, &mut sums));
        wifi.tell(&mut sums);
        sums.tell(&place, found);
        match (read, unread.what()) {
            (Ok(()), Some(what)) => Err(ReadError::Unseen(what)),
            (Err(ReadError::Damaged(reason)), Some(what)) => {
                Err(ReadError::Damaged(format!("{reason}; {}", ReadError::Unseen(what))))
            }
            (read, _) => read,
        }
    }
}

struct Seen {
    sums: Sums,
    flows: Flows,
    wifi: wifi::Networks,
    unread: Unread,
}

impl Seen {
    fn packet(&mut self, frame: u64, link: Linktype, data: &[u8], size: usize) {
        let (link, data, size) = link::without_tap(link, data, size);
        let packet = if is_wifi(link) {
            let Some(wifi) = of_wifi(link, data, size) else { return };
            self.wifi.packet(frame, wifi);
            link::wifi_packet(wifi)
        } else {
            let Ok(packet) = link::packet(link, data) else {
                self.unread.packet(link);
                return;
            };
            packet
        };
        let Some(packet) = packet else { return };
        let Some((from, to)) = link::addresses(&packet) else { return };
        match &packet.transport {
            Some(TransportSlice::Tcp(tcp)) => {
                let sums = &mut self.sums;
                self.flows.segment(frame, (from, to), tcp, |stream| look(stream, sums));
            }
            Some(TransportSlice::Udp(udp)) => {
                let ends = ((from, udp.source_port()), (to, udp.destination_port()));
                kerberos::datagram(frame, ends, udp.payload(), &mut self.sums);
            }
            _ => {
                if let Some(payload) = link::gre(&packet) {
                    pptp::packet(frame, (from, to), payload, &mut self.sums);
                }
            }
        }
    }
}

/// Lets each protocol examine a stream that has ended.
fn look(mut stream: Stream, sums: &mut Sums) {
    // A message that only one side sends is better evidence than a port.
    if stream.guessed
        && !is_client(&stream.asked)
        && (is_client(&stream.answered) || tls::is_server(&stream.asked))
    {
        stream.turn();
    }
    let stream = &stream;
    tls::stream(stream, sums);
    ssh::stream(stream, sums);
    kerberos::stream(stream, sums);
    kerberos::shown(stream, sums);
    ntlm::stream(stream, sums);
    rdp::stream(stream, sums);
}

/// Returns true if a side sent a message that only clients send.
fn is_client(side: &Side) -> bool {
    tls::is_client(side) || kerberos::is_client(side) || ntlm::is_client(side)
}

/// Calls `each` for every packet with its number, link type, bytes, and length on the wire. Numbers
/// begin at 1, as in Wireshark.
fn packets(
    input: &mut Input<'_>,
    mut each: impl FnMut(u64, Linktype, &[u8], usize),
) -> Result<(), ReadError> {
    let damaged =
        |frame: u64, what: &str| ReadError::Damaged(format!("{what} after frame {frame}"));
    let source = BufReader::with_capacity(1 << 16, input);
    let mut reader = create_reader(BLOCK, source)
        .map_err(|_| damaged(0, "the header of the capture is broken"))?;
    let (mut frame, mut first, mut interfaces) = (0, Linktype(0), Vec::<(Linktype, u32)>::new());
    loop {
        match reader.next() {
            Ok((used, block)) => {
                let block = blocks::current(block);
                let packet = match &block {
                    PcapBlockOwned::LegacyHeader(header) => {
                        first = header.network;
                        None
                    }
                    PcapBlockOwned::Legacy(packet) => {
                        Some((first, packet.data, packet.caplen, packet.origlen))
                    }
                    PcapBlockOwned::NG(Block::SectionHeader(_)) => {
                        interfaces.clear();
                        None
                    }
                    PcapBlockOwned::NG(Block::InterfaceDescription(interface)) => {
                        if interfaces.len() == INTERFACES {
                            return Err(damaged(frame, "more than 65536 interfaces"));
                        }
                        interfaces.push((interface.linktype, interface.snaplen));
                        None
                    }
                    PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
                        let link = interfaces
                            .get(packet.if_id as usize)
                            .map_or(Linktype(-1), |(link, _)| *link);
                        Some((link, packet.data, packet.caplen, packet.origlen))
                    }
                    PcapBlockOwned::NG(Block::SimplePacket(packet)) => {
                        let (link, most) = interfaces.first().copied().unwrap_or((Linktype(-1), 0));
                        let kept =
                            if most == 0 { packet.origlen } else { packet.origlen.min(most) };
                        Some((link, packet.data, kept, packet.origlen))
                    }
                    PcapBlockOwned::NG(_) => None,
                };
                if let Some((link, data, kept, size)) = packet {
                    frame += 1;
                    let data = &data[..data.len().min(kept as usize)];
                    each(frame, link, data, size as usize);
                }
                reader.consume(used);
            }
            Err(PcapError::Eof) => return Ok(()),
            Err(PcapError::UnexpectedEof) => {
                return Err(damaged(frame, "the capture ends in the middle of a packet"));
            }
            Err(PcapError::Incomplete(_)) => {
                let before = reader.data().len();
                if let Err(error) = reader.refill() {
                    let what = match error {
                        PcapError::BufferTooSmall => "a block is longer than 1 MiB",
                        _ => "the capture can't be read",
                    };
                    return Err(damaged(frame, what));
                }
                if reader.data().len() == before && !reader.reader_exhausted() {
                    return Err(damaged(frame, "a block is longer than 1 MiB"));
                }
            }
            Err(_) => return Err(damaged(frame, "the lengths of a block contradict each other")),
        }
    }
}
