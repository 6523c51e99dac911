//! NTLM: the flags that the two sides agree on ([MS-NLMP] 2.2.2.5). SMB and LDAP carry plain bytes,
//! HTTP and SMTP base64, bare or within SPNEGO.

use memchr::memmem;

use super::base64;
use super::flow::{Side, Stream};
use super::sums::Sums;
use crate::rules::RuleId;

const SEALING: RuleId = RuleId::new("ntlm-sealing");
const KEY_EXCHANGE: RuleId = RuleId::new("ntlm-key-exchange");

const SIGNATURE: &[u8] = b"NTLMSSP\0";
const AUTHENTICATE: u32 = 3;
/// Places of the kind and of the flags in this message.
const KIND: usize = 8;
const FLAGS: usize = 60;
const SEAL: u32 = 0x20;
const SIGN_EXCHANGE: u32 = 0x4000_0000;
const BITS_128: u32 = 0x2000_0000;
const BITS_56: u32 = 0x8000_0000;
/// The first bytes of a message, the place of its command, and the command SESSION_SETUP.
/// Sources: [MS-CIFS] 2.2.3.1, [MS-SMB2] 2.2.1.2.
const SMB_1: (&[u8], usize, &[u8]) = (b"\xffSMB", 4, &[0x73]);
const SMB_2: (&[u8], usize, &[u8]) = (b"\xfeSMB", 12, &[1, 0]);

pub(super) fn stream(stream: &Stream, sums: &mut Sums) {
    flags(&stream.asked, &mut |at, flags| authenticated(flags, stream, at, sums));
}

/// Returns true if a side sent the client's last message.
pub(super) fn is_client(side: &Side) -> bool {
    let mut found = false;
    flags(side, &mut |_, _| found = true);
    found
}

/// Calls `each` with the place and the agreed flags of each last message.
fn flags(side: &Side, each: &mut dyn FnMut(usize, u32)) {
    let bytes = &side.bytes[..];
    let mut message = |at: usize, message: &[u8]| {
        let word = |at: usize| Some(u32::from_le_bytes(*message.get(at..)?.first_chunk()?));
        if let (Some(AUTHENTICATE), Some(flags)) = (word(KIND), word(FLAGS)) {
            each(at, flags);
        }
    };
    memmem::find_iter(bytes, SIGNATURE).for_each(|at| message(at, &bytes[at..]));
    base64::find(bytes, SIGNATURE, &mut message);
}

fn authenticated(flags: u32, stream: &Stream, at: usize, sums: &mut Sums) {
    let bits = match flags {
        _ if flags & BITS_128 != 0 => "128",
        _ if flags & BITS_56 != 0 => "56",
        _ => "40",
    };
    let place = format!("{} to {}", stream.client.ip(), stream.server);
    let facts = [("flags", format!("{flags:#010x}")), ("key bits", bits.to_owned())];
    let frame = stream.asked.frame(at);
    if flags & SEAL != 0 && !opens_smb(&stream.asked.bytes[..at]) {
        sums.add(SEALING, place, frame, format!("sealing with a key of {bits} bits"), &facts);
    } else if flags & SIGN_EXCHANGE != 0 {
        sums.add(KEY_EXCHANGE, place, frame, "session key encrypted with RC4, no sealing", &facts);
    }
}

/// Returns true if the message after these bytes opens a session of SMB. SMB takes the session key
/// and encrypts with its own cipher, whether or not the flags have sealing ([MS-SMB2] 3.1.4.3).
fn opens_smb(before: &[u8]) -> bool {
    let kinds = [SMB_1, SMB_2].into_iter();
    let last = kinds.filter_map(|kind| Some((memmem::rfind(before, kind.0)?, kind))).max();
    last.is_some_and(|(start, (_, at, command))| {
        before[start..].get(at..).is_some_and(|rest| rest.starts_with(command))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Place;

    /// The first bytes of SMB 2 with this command, or of SMB 1.
    fn smb_2(command: u8) -> Vec<u8> {
        [b"\0\0\x01\0\xfeSMB\x40\0\0\0\0\0\0\0", &[command, 0][..], &[0; 50]].concat()
    }

    fn smb_1(command: u8) -> Vec<u8> {
        [b"\0\0\x01\0\xffSMB", &[command][..], &[0; 40]].concat()
    }

    fn rules(before: &[Vec<u8>], flags: u32) -> Vec<&'static str> {
        let message = [SIGNATURE, &AUTHENTICATE.to_le_bytes(), &[0; 48], &flags.to_le_bytes()];
        rules_of([before.concat(), message.concat()].concat())
    }

    fn rules_of(asked: Vec<u8>) -> Vec<&'static str> {
        let mut stream = Stream {
            client: "10.0.0.5:4000".parse().unwrap(),
            server: "10.0.0.7:445".parse().unwrap(),
            asked: Side::default(),
            answered: Side::default(),
            guessed: false,
        };
        stream.asked.bytes = asked;
        let mut sums = Sums::default();
        super::stream(&stream, &mut sums);
        let mut found = vec![];
        let file = Place { path: "a".into(), within: None };
        sums.tell(&file, &mut |one| found.push(one.rule.name()));
        found
    }

    /// HTTP carries the message bare, or within SPNEGO (RFC 4178) at any place.
    #[test]
    fn a_message_in_base64_is_read() {
        let both = SEAL | SIGN_EXCHANGE | BITS_128;
        let message = [SIGNATURE, &AUTHENTICATE.to_le_bytes(), &[0; 48], &both.to_le_bytes()];
        for spnego in [&[][..], &[0xa1], &[0xa1, 0x40], &[0xa1, 0x40, 0x30]] {
            let token = data_encoding::BASE64.encode(&[spnego, &message.concat()].concat());
            let http = format!("GET / HTTP/1.1\r\nauthorization: negotiate {token}\r\n\r\n");
            assert_eq!(rules_of(http.into_bytes()), ["ntlm-sealing"]);
        }
    }

    #[test]
    fn a_session_of_smb_does_not_seal_with_rc4() {
        let both = SEAL | SIGN_EXCHANGE | BITS_128;
        assert_eq!(rules(&[], both), ["ntlm-sealing"]);
        for session in [smb_1(0x73), smb_2(1)] {
            assert_eq!(rules(&[smb_1(0x72), session.clone()], both), ["ntlm-key-exchange"]);
            assert!(rules(&[session], SEAL).is_empty());
        }
        // In a pipe that SMB carries, the messages of DCE/RPC are sealed.
        assert_eq!(rules(&[smb_2(1), smb_2(9)], both), ["ntlm-sealing"]);
        assert_eq!(rules(&[smb_1(0x73), smb_1(0x25)], both), ["ntlm-sealing"]);
    }
}
