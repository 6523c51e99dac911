//! NTLM: the flags that the two sides agree on ([MS-NLMP] 2.2.2.5). SMB and LDAP carry plain bytes,
//! HTTP and SMTP base64.

use memchr::memmem;

use super::flow::Stream;
use super::sums::Sums;
use crate::rules::RuleId;

const SEALING: RuleId = RuleId::new("ntlm-sealing");
const KEY_EXCHANGE: RuleId = RuleId::new("ntlm-key-exchange");

const SIGNATURE: &[u8] = b"NTLMSSP\0";
/// `NTLMSSP\0` and the first two bytes of the kind 3, in base64.
const AUTHENTICATE_BASE64: &[u8] = b"TlRMTVNTUAADAAAA";
const AUTHENTICATE: u32 = 3;
/// Place of the flags of this message, after the signature.
const FLAGS: usize = 60 - SIGNATURE.len();
const SEAL: u32 = 0x20;
const SIGN_EXCHANGE: u32 = 0x4000_0000;
const BITS_128: u32 = 0x2000_0000;
const BITS_56: u32 = 0x8000_0000;

pub(super) fn stream(stream: &Stream, sums: &mut Sums) {
    let bytes = &stream.asked.bytes[..];
    for at in memmem::find_iter(bytes, SIGNATURE) {
        authenticated(&bytes[at + SIGNATURE.len()..], stream, at, sums);
    }
    for at in memmem::find_iter(bytes, AUTHENTICATE_BASE64) {
        // Enough whole groups of base64 for the flags.
        let text = bytes.get(at..at + 88).and_then(|text| data_encoding::BASE64.decode(text).ok());
        if let Some(text) = text {
            authenticated(&text[SIGNATURE.len()..], stream, at, sums);
        }
    }
}

/// Reads the last message, which has the agreed flags; `rest` follows the signature.
fn authenticated(rest: &[u8], stream: &Stream, at: usize, sums: &mut Sums) {
    let word = |at: usize| Some(u32::from_le_bytes(*rest.get(at..)?.first_chunk()?));
    let (Some(AUTHENTICATE), Some(flags)) = (word(0), word(FLAGS)) else { return };
    let bits = match flags {
        _ if flags & BITS_128 != 0 => "128",
        _ if flags & BITS_56 != 0 => "56",
        _ => "40",
    };
    let place = format!("{} to {}", stream.client.ip(), stream.server);
    let facts = [("flags", format!("{flags:#010x}")), ("key bits", bits.to_owned())];
    let frame = stream.asked.frame(at);
    if flags & SEAL != 0 {
        sums.add(SEALING, place, frame, format!("sealing with a key of {bits} bits"), &facts);
    } else if flags & SIGN_EXCHANGE != 0 {
        sums.add(KEY_EXCHANGE, place, frame, "session key encrypted with RC4, no sealing", &facts);
    }
}
