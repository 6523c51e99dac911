//! PPTP: the agreement on MPPE, which is RC4 (RFC 2637, RFC 3078).

use std::net::IpAddr;

use super::sums::Sums;
use crate::rules::RuleId;

const MPPE: RuleId = RuleId::new("pptp-mppe");

/// The protocol in the header of GRE.
const PPP: u16 = 0x880b;
/// The protocol that agrees on compression and encryption, its acknowledgement and its option for MPPE.
const CCP: [u8; 2] = [0x80, 0xfd];
const ACKNOWLEDGED: u8 = 2;
const OPTION: u8 = 18;
const BITS: [(u8, &str); 3] = [(0x40, "128"), (0x80, "56"), (0x20, "40")];

pub(super) fn packet(frame: u64, (from, to): (IpAddr, IpAddr), data: &[u8], sums: &mut Sums) {
    let Some(bits) = agreed(data) else { return };
    // Each side acknowledges the other side's request.
    let (first, second) = if from <= to { (from, to) } else { (to, from) };
    let evidence = format!("MPPE agreed on, a key of {bits} bits");
    sums.add(
        MPPE,
        format!("{first} and {second}"),
        frame,
        evidence,
        &[("key bits", bits.to_owned())],
    );
}

/// Returns the key length in bits that a GRE packet acknowledges.
fn agreed(data: &[u8]) -> Option<&'static str> {
    let [flags, version, protocol_0, protocol_1, ..] = *data else { return None };
    if version & 7 != 1 || u16::from_be_bytes([protocol_0, protocol_1]) != PPP {
        return None;
    }
    let sequence = if flags & 0x10 != 0 { 4 } else { 0 };
    let acknowledgement = if version & 0x80 != 0 { 4 } else { 0 };
    let ppp = data.get(8 + sequence + acknowledgement..)?;
    let ppp = ppp.strip_prefix(&[0xff, 3]).unwrap_or(ppp);
    let ccp = ppp.strip_prefix(&CCP)?;
    let [ACKNOWLEDGED, _, high, low, ..] = *ccp else { return None };
    let mut options = ccp.get(4..usize::from(u16::from_be_bytes([high, low])))?;
    while let [kind, length, ..] = *options {
        let option = options.get(..length.into()).filter(|option| option.len() >= 2)?;
        if let [OPTION, 6, _, _, _, supported] = *option {
            return BITS.iter().find(|(bit, _)| supported & bit != 0).map(|(_, bits)| *bits);
        }
        options = &options[option.len()..];
        debug_assert_eq!(kind, option[0]);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::agreed;

    /// An acknowledgement of MPPE with 128 bits, stateless, in the format of RFC 2637, 4.1, and RFC
    /// 3078, 2.
    #[test]
    fn an_acknowledgement_of_mppe_is_read_and_a_request_is_not() {
        let packet = |code| {
            let gre = [0x30, 1, 0x88, 0x0b, 0, 14, 0, 1, 0, 0, 0, 5];
            let ccp = [0x80, 0xfd, code, 1, 0, 10, 18, 6, 1, 0, 0, 0x40];
            [&gre[..], &ccp].concat()
        };
        assert_eq!(agreed(&packet(2)), Some("128"));
        assert_eq!(agreed(&packet(1)), None);
        for cut in 0..packet(2).len() {
            assert_eq!(agreed(&packet(2)[..cut]), None);
        }
    }
}
