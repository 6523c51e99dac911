//! Capture files that Arcfour writes: simulated packets and decrypted packets.

use arcfour::Rc4;

use super::{super::Packet, frames::Time, plaintext::ARP_START};

/// Link types of pcap: Ethernet, and 802.11 frames.
const ETHERNET: u32 = 1;
const WIFI: u32 = 105;
const MICROSECONDS: u32 = 0xa1b2_c3d4;
const NANOSECONDS: u32 = 0xa1b2_3c4d;

fn header(magic: u32, link: u32) -> [u8; 24] {
    let words = [magic, 0x0004_0002, 0, 0, 0x0004_0000, link].map(u32::to_le_bytes);
    std::array::from_fn(|at| words[at / 4][at % 4])
}

/// Returns the start of a pcap file of Ethernet frames with times in nanoseconds.
pub(super) fn ethernet_header() -> [u8; 24] {
    header(NANOSECONDS, ETHERNET)
}

/// Appends a packet to a pcap file, with its time in seconds and the fraction in the file's unit.
fn record(seconds: u32, fraction: u32, frame: &[u8]) -> Vec<u8> {
    let size = frame.len() as u32;
    let words = [seconds, fraction, size, size].map(u32::to_le_bytes);
    [words.as_flattened(), frame].concat()
}

/// Appends a packet to such a file.
pub(super) fn ethernet_record(time: Time, frame: &[u8]) -> Vec<u8> {
    record(time.seconds, time.nanoseconds, frame)
}

/// Returns a pcap file of ARP requests that an access point with this key sends, one for each
/// packet, with its IV. ARP's `sender` is the frame's source or another station, as in replayed
/// packets.
///
/// # Panics
/// If the key is empty or has more than 253 bytes.
pub fn write(key: &[u8], packets: &[Packet], sender: Sender) -> Vec<u8> {
    const STATION: [u8; 6] = [2, 0, 0, 0, 0, 1];
    const OTHER: [u8; 6] = [2, 0, 0, 0, 0, 2];
    const BSSID: [u8; 6] = [2, 0, 0, 0, 0, 0xaa];
    let mut arp = ARP_START.to_vec();
    arp.extend(match sender {
        Sender::Source => STATION,
        Sender::Other => OTHER,
    });
    arp.extend([192, 0, 2, 1]); // addresses for documentation: RFC 5737
    arp.extend([0; 6]);
    arp.extend([192, 0, 2, 2]);
    arp.extend(crc32fast::hash(&arp).to_le_bytes());

    let mut file = header(MICROSECONDS, WIFI).to_vec();
    for (number, packet) in (0_u32..).zip(packets) {
        let mut frame = vec![0x08, 0x42, 0, 0]; // data from the access point, protected
        frame.extend([0xff; 6]);
        frame.extend(BSSID);
        frame.extend(STATION);
        frame.extend(((number % 4096 * 16) as u16).to_le_bytes());
        frame.extend(packet.iv);
        frame.push(0);
        let text = frame.len();
        frame.extend(&arp);
        let mut rc4 = Rc4::from_key(&[&packet.iv[..], key].concat()).expect("4 to 256 bytes");
        rc4.apply(&mut frame[text..]);
        // 500 packets a second.
        file.extend(record(number / 500, number % 500 * 2000, &frame));
    }
    file
}

/// The sender in the ARP packets of a written capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// The frame's source.
    Source,
    /// Another station, whose packet was replayed.
    Other,
}
