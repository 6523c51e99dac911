//! RDP's standard security: the server announces its cipher at the start of the connection
//! ([MS-RDPBCGR] 2.2.1.4.3).

use memchr::memmem;

use super::flow::Stream;
use super::sums::Sums;
use crate::rules::RuleId;

const STANDARD: RuleId = RuleId::new("rdp-standard");

/// The reply of the conference, in BER: application 102.
const CONNECT_RESPONSE: &[u8] = &[0x7f, 0x66];
/// `McDn`, before the blocks of the server.
const SERVER_DATA: &[u8] = b"McDn";
const SECURITY: u16 = 0x0c02;

pub(super) fn stream(stream: &Stream, sums: &mut Sums) {
    let bytes = &stream.answered.bytes[..];
    if !bytes.starts_with(&[3, 0]) || memmem::find(bytes, CONNECT_RESPONSE).is_none() {
        return;
    }
    let Some(start) = memmem::find(bytes, SERVER_DATA) else { return };
    let half = |at: usize| Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    // After the name come the bytes of the length, one or two.
    let at = start + SERVER_DATA.len();
    let Some(&length) = bytes.get(at) else { return };
    let mut block = at + if length & 0x80 == 0 { 1 } else { 2 };
    while let (Some(kind), Some(size)) = (half(block), half(block + 2)) {
        if size < 4 {
            return;
        }
        if kind == SECURITY {
            let Some(method) = bytes.get(block + 4..).and_then(|rest| rest.first_chunk()) else {
                return;
            };
            let bits = match u32::from_le_bytes(*method) {
                1 => "40",
                2 => "128",
                8 => "56",
                // No encryption here, because TLS is outside; or FIPS 140 with 3DES.
                _ => return,
            };
            let evidence = format!("server chose RC4 with a key of {bits} bits");
            let facts = [("key bits", bits.to_owned())];
            sums.add(
                STANDARD,
                stream.server.to_string(),
                stream.answered.frame(block),
                evidence,
                &facts,
            );
            return;
        }
        block += usize::from(size);
    }
}
