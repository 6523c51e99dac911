//! Wi-Fi: networks that announce WEP or TKIP, and frames that either encrypts (IEEE 802.11-2020, 9.4.2.24).

use std::collections::BTreeMap;

use arcfour_attacks::wep::capture::{Bssid, link::Frame};

use super::sums::Sums;
use crate::rules::RuleId;

const WEP: RuleId = RuleId::new("wifi-wep");
const TKIP: RuleId = RuleId::new("wifi-tkip");

/// Maximum number of networks kept.
const MOST: usize = 100_000;
const BEACON: u8 = 0x80;
const PROBE_RESPONSE: u8 = 0x50;
const RSN: u8 = 48;
const VENDOR: u8 = 221;
/// Microsoft's number and the kind of the element of WPA.
const WPA: &[u8] = &[0x00, 0x50, 0xf2, 1];

#[derive(Default)]
struct Network {
    /// What the network announces: the cipher and the first frame.
    announced: BTreeMap<&'static str, u64>,
    /// For each cipher: number of frames that look like it, and the first such frame. CCMP is
    /// counted to distinguish it from TKIP and from WEP.
    wep: (u64, u64),
    tkip: (u64, u64),
    ccmp: u64,
}

/// The networks of a capture.
#[derive(Default)]
pub(super) struct Networks(BTreeMap<Bssid, Network>);

impl Networks {
    pub(super) fn packet(&mut self, number: u64, frame: Frame<'_>) {
        let data = frame.data;
        let [kind, flags, ..] = *data else { return };
        match kind {
            BEACON | PROBE_RESPONSE => {
                if let (Some(bssid), Some(ciphers)) = (address(data, 16), announced(data))
                    && let Some(network) = self.network(bssid)
                {
                    ciphers
                        .into_iter()
                        .for_each(|cipher| _ = network.announced.entry(cipher).or_insert(number));
                }
            }
            // Data with a body, protected.
            _ if kind & 0x4f == 0x08 && flags & 0x40 != 0 => self.protected(number, frame),
            _ => {}
        }
    }

    fn network(&mut self, bssid: [u8; 6]) -> Option<&mut Network> {
        let bssid = Bssid(bssid);
        (self.0.len() < MOST || self.0.contains_key(&bssid))
            .then(|| self.0.entry(bssid).or_default())
    }

    fn protected(&mut self, number: u64, Frame { data, header, .. }: Frame<'_>) {
        let bssid = match data[1] & 3 {
            0 => 16,
            1 => 4,
            _ => 10,
        };
        let (Some(bssid), Some(iv)) =
            (address(data, bssid), data.get(header..).and_then(|body| body.first_chunk::<4>()))
        else {
            return;
        };
        let Some(network) = self.network(bssid) else { return };
        let count = |(count, first): &mut (u64, u64)| {
            *count += 1;
            if *count == 1 {
                *first = number;
            }
        };
        match *iv {
            [.., key] if key & 0x20 == 0 => count(&mut network.wep),
            // The second byte depends on the first, so that no IV of WEP is weak (12.5.2.1.3).
            [first, second, ..] if second == (first | 0x20) & 0x7f => count(&mut network.tkip),
            // In CCMP the third is 0 (12.5.3.2).
            _ => network.ccmp += 1,
        }
    }

    /// Reports each network with RC4.
    pub(super) fn tell(self, sums: &mut Sums) {
        for (bssid, network) in self.0 {
            let place = format!("network {bssid}");
            for (cipher, frame) in network.announced {
                let rule = if cipher.starts_with("TKIP") { TKIP } else { WEP };
                sums.add(rule, &place, frame, format!("announces {cipher}"), &[]);
            }
            let (wep, first_wep) = network.wep;
            let (tkip, first_tkip) = network.tkip;
            // A damaged frame of TKIP or CCMP may look like WEP, if the capture has no FCS.
            if wep > (tkip + network.ccmp) / 32 {
                sums.add_many(WEP, &place, (first_wep, wep), "frames with WEP", &[]);
            }
            // By chance one frame of CCMP in 256 looks like TKIP.
            if tkip > network.ccmp / 32 {
                sums.add_many(TKIP, &place, (first_tkip, tkip), "frames with TKIP", &[]);
            }
        }
    }
}

fn address(data: &[u8], at: usize) -> Option<[u8; 6]> {
    data.get(at..)?.first_chunk().copied()
}

/// Returns the ciphers with RC4 that a beacon announces; `None` without privacy or without RC4.
fn announced(data: &[u8]) -> Option<Vec<&'static str>> {
    const PRIVACY: u8 = 0x10;
    // Header, time, interval; then the capabilities, then elements.
    let mut rest = data.get(36..).filter(|_| data[34] & PRIVACY != 0)?;
    let (mut newer, mut whole, mut ciphers) = (false, true, Vec::new());
    while let [kind, length, ..] = *rest {
        let Some(element) = rest.get(2..2 + usize::from(length)) else {
            whole = false;
            break;
        };
        let (suites, from): (_, &[u8; 3]) = match (kind, element.strip_prefix(WPA)) {
            (RSN, _) => (Some(element), &[0x00, 0x0f, 0xac]),
            (VENDOR, Some(element)) => (Some(element), &[0x00, 0x50, 0xf2]),
            _ => (None, &[0; 3]),
        };
        if let Some(suites) = suites {
            newer = true;
            ciphers.extend(of_element(suites, from));
        }
        rest = &rest[2 + element.len()..];
    }
    // A beacon that is cut says nothing about what is missing.
    if !newer && whole && rest.is_empty() {
        ciphers.push("WEP");
    }
    ciphers.sort_unstable();
    ciphers.dedup();
    (!ciphers.is_empty()).then_some(ciphers)
}

/// Returns the ciphers with RC4 of an RSN or WPA element, from its version on.
fn of_element(element: &[u8], from: &[u8; 3]) -> Vec<&'static str> {
    let group = element.get(2..6);
    let count = element
        .get(6..)
        .and_then(|rest| rest.first_chunk())
        .map_or(0, |count| u16::from_le_bytes(*count));
    let pairwise = element.get(8..).unwrap_or_default().chunks_exact(4).take(count.into());
    let suites =
        group.map(|suite| (suite, true)).into_iter().chain(pairwise.map(|suite| (suite, false)));
    suites
        .filter_map(|(suite, group)| {
            let kind = suite.strip_prefix(from)?;
            match (kind, group) {
                ([1 | 5], _) => Some("WEP"),
                ([2], true) => Some("TKIP for groups"),
                ([2], false) => Some("TKIP"),
                _ => None,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use arcfour_attacks::wep::capture::link;
    use pcap_parser::Linktype;

    use super::*;
    use crate::finding::Place;

    const RADIOTAP: Linktype = Linktype(127);

    /// The start of a frame's body: WEP, TKIP and CCMP.
    const START: [(char, [u8; 4]); 3] =
        [('w', [7, 8, 9, 0]), ('t', [7, 0x27, 9, 0x20]), ('c', [7, 8, 0, 0x20])];

    /// A data frame after a radiotap header with these flags. The frame has quality of service.
    fn frame(flags: u8, padding: usize, start: [u8; 4]) -> Vec<u8> {
        let radiotap = [0, 0, 9, 0, 2, 0, 0, 0, flags];
        let header = [&[0x88, 0x42, 0, 0][..], &[2; 18], &[0; 4]].concat();
        [&radiotap[..], &header, &vec![0; padding], &start, &[0x55; 20]].concat()
    }

    /// The rules of a capture with these packets, and their counts.
    fn found(packets: &[Vec<u8>]) -> Vec<(&'static str, u64)> {
        let (mut networks, mut sums) = (Networks::default(), Sums::default());
        for (number, packet) in (1..).zip(packets) {
            if let Some(frame) = link::frame(RADIOTAP, packet, packet.len()) {
                networks.packet(number, frame);
            }
        }
        networks.tell(&mut sums);
        let mut found = vec![];
        sums.tell(&Place { path: "a.pcap".into(), within: None }, &mut |finding| {
            found.push((finding.rule.name(), finding.count));
        });
        found.sort_unstable();
        found
    }

    fn frames(cipher: char, count: usize) -> Vec<Vec<u8>> {
        let (_, start) = START.into_iter().find(|(name, _)| *name == cipher).unwrap();
        vec![frame(0, 0, start); count]
    }

    /// A cipher is reported if more than one in 32 frames of a stronger cipher has it.
    #[test]
    fn a_few_damaged_frames_are_no_weaker_cipher() {
        let (wep, tkip) = ("wifi-wep", "wifi-tkip");
        for (counts, expected) in [
            (&[('w', 1)][..], vec![(wep, 1)]),
            (&[('w', 1), ('c', 31)], vec![(wep, 1)]),
            (&[('w', 1), ('c', 32)], vec![]),
            (&[('w', 1), ('t', 32)], vec![(tkip, 32)]),
            (&[('w', 1), ('t', 1), ('c', 31)], vec![(tkip, 1)]),
            (&[('w', 2), ('t', 1), ('c', 62)], vec![(wep, 2)]),
            (&[('w', 2), ('c', 64)], vec![]),
            (&[('w', 3), ('c', 64)], vec![(wep, 3)]),
        ] {
            let packets: Vec<_> = counts.iter().flat_map(|(name, n)| frames(*name, *n)).collect();
            assert_eq!(found(&packets), expected, "{counts:?}");
        }
    }

    /// Radiotap's flags: a damaged frame is left out, and padding after the header is skipped.
    #[test]
    fn the_flags_before_a_frame_are_heeded() {
        for (name, start) in START {
            let expected = match name {
                'w' => vec![("wifi-wep", 1)],
                't' => vec![("wifi-tkip", 1)],
                _ => vec![],
            };
            assert_eq!(found(&[frame(0x00, 0, start)]), expected, "{name}");
            assert_eq!(found(&[frame(0x20, 2, start)]), expected, "{name}, padded");
            assert_eq!(found(&[frame(0x40, 0, start)]), [], "{name}, damaged");
            assert_eq!(found(&[frame(0x10, 0, start)]), [], "{name}, with a wrong FCS");
        }
    }
}
