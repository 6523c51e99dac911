//! Kerberos: the encryption types of requests to the key distribution centre, and the types of its
//! tickets and their keys.

use std::net::IpAddr;

use asn1_rs::FromDer;
use kerberos_parser::krb5::{
    ApReq, EncryptedData, EncryptionType, KdcRep, KdcReq, PAType, PrincipalName, Realm,
};
use kerberos_parser::krb5_parser::{parse_as_rep, parse_as_req, parse_tgs_rep, parse_tgs_req};

use memchr::memmem;

use super::base64;
use super::flow::{Side, Stream};
use super::sums::Sums;
use crate::rules::RuleId;

const TICKET: RuleId = RuleId::new("kerberos-ticket");
const ACCOUNT: RuleId = RuleId::new("kerberos-account");
const SESSION: RuleId = RuleId::new("kerberos-session");
const OFFERED: RuleId = RuleId::new("kerberos-offered");
const OFFERED_ONLY: RuleId = RuleId::new("kerberos-offered-only");
const EXPORT: RuleId = RuleId::new("kerberos-export");

const PORT: u16 = 88;
const RC4: EncryptionType = EncryptionType(23);
const RC4_EXPORT: EncryptionType = EncryptionType(24);
/// Older numbers of Microsoft for RC4 (rc4-md4, rc4-plain and others), which clients still send.
const OF_MICROSOFT: std::ops::RangeInclusive<i32> = -141..=-128;
/// AS-REQ, AS-REP, TGS-REQ and TGS-REP: application tags 10 to 13.
const MESSAGES: std::ops::RangeInclusive<u8> = 0x6a..=0x6d;

/// Reads one message in a UDP packet.
pub(super) fn datagram(
    frame: u64,
    ends: ((IpAddr, u16), (IpAddr, u16)),
    payload: &[u8],
    sums: &mut Sums,
) {
    let ((from, source), (to, destination)) = ends;
    if destination == PORT {
        message(frame, (from, to), payload, sums);
    } else if source == PORT {
        message(frame, (to, from), payload, sums);
    }
}

/// Reads the messages of a TCP connection. Each follows its length.
pub(super) fn stream(stream: &Stream, sums: &mut Sums) {
    if stream.server.port() == PORT {
        let ends = (stream.client.ip(), stream.server.ip());
        messages(&stream.asked, ends, sums);
        messages(&stream.answered, ends, sums);
    }
}

/// What stands before a ticket that a client shows to a service, in any protocol. First comes Kerberos as a mechanism of GSS-API
/// (RFC 4121, 4.1), then the kind of the token.
const SHOWN: [u8; 13] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 1, 2, 2, 1, 0];

/// Tickets that a client shows to a service within another protocol: SMB, LDAP, HTTP and others.
pub(super) fn shown(stream: &Stream, sums: &mut Sums) {
    tokens(&stream.asked, &mut |at, token| ticket_shown(stream.asked.frame(at), token, sums));
}

/// Returns true if a side showed a ticket.
pub(super) fn is_client(side: &Side) -> bool {
    let mut found = false;
    tokens(side, &mut |_, _| found = true);
    found
}

fn tokens(side: &Side, each: &mut dyn FnMut(usize, &[u8])) {
    let bytes = &side.bytes[..];
    memmem::find_iter(bytes, &SHOWN).for_each(|at| each(at, &bytes[at + SHOWN.len()..]));
    base64::find(bytes, &SHOWN, &mut |at, token| each(at, &token[SHOWN.len()..]));
}

fn ticket_shown(frame: u64, token: &[u8], sums: &mut Sums) {
    let Ok((_, request)) = ApReq::from_der(token) else { return };
    sums.ticket();
    let service = principal(&request.ticket.sname, &request.ticket.realm);
    encrypted(TICKET, &request.ticket.enc_part, &service, frame, sums);
    encrypted(SESSION, &request.authenticator, &service, frame, sums);
}

fn messages(side: &Side, ends: (IpAddr, IpAddr), sums: &mut Sums) {
    let mut at = 0;
    while let Some(length) = side.bytes[at..].first_chunk() {
        let end = (at + 4).saturating_add(u32::from_be_bytes(*length) as usize);
        let Some(text) = side.bytes.get(at + 4..end) else { return };
        message(side.frame(at), ends, text, sums);
        at = end;
    }
}

fn message(frame: u64, (client, server): (IpAddr, IpAddr), text: &[u8], sums: &mut Sums) {
    let pair = format!("{client} to {server}:{PORT}");
    match text.first().filter(|tag| MESSAGES.contains(tag)) {
        Some(0x6a) => {
            if let Ok((_, request)) = parse_as_req(text) {
                asked(frame, &pair, &request, sums);
            }
        }
        Some(0x6c) => {
            if let Ok((_, request)) = parse_tgs_req(text) {
                asked(frame, &pair, &request, sums);
            }
        }
        Some(0x6b) => {
            if let Ok((_, reply)) = parse_as_rep(text) {
                answered(frame, &reply, true, sums);
            }
        }
        Some(0x6d) => {
            if let Ok((_, reply)) = parse_tgs_rep(text) {
                answered(frame, &reply, false, sums);
            }
        }
        _ => {}
    }
}

fn is_rc4(etype: EncryptionType) -> bool {
    etype == RC4 || etype == RC4_EXPORT
}

fn asked(frame: u64, pair: &str, request: &KdcReq<'_>, sums: &mut Sums) {
    let offered = &request.req_body.etype;
    let mut rc4: Vec<_> = offered.iter().copied().filter(|etype| is_rc4(*etype)).collect();
    // Some clients offer a type twice.
    rc4.sort_unstable_by_key(|etype| etype.0);
    rc4.dedup();
    if !rc4.is_empty() {
        let others = offered
            .iter()
            .any(|etype| !is_rc4(*etype) && !OF_MICROSOFT.contains(&etype.0) && is_aes(*etype));
        let rule = if others { OFFERED } else { OFFERED_ONLY };
        let names: Vec<_> = rc4.iter().map(|etype| named(*etype)).collect();
        let evidence = match others {
            true => format!("offered: {}", names.join(", ")),
            false => format!("offered: {}, and no AES", names.join(", ")),
        };
        let types: Vec<_> = offered.iter().map(|etype| etype.0.to_string()).collect();
        sums.add(rule, pair, frame, evidence, &[("types", types.join(" "))]);
    }
    for padata in &request.padata {
        match padata.padata_type {
            // The time, encrypted with the key of the account.
            PAType(2) => {
                if let (Ok((_, data)), Some(name)) =
                    (EncryptedData::from_der(padata.padata_value), &request.req_body.cname)
                {
                    encrypted(
                        ACCOUNT,
                        &data,
                        &principal(name, &request.req_body.realm),
                        frame,
                        sums,
                    );
                }
            }
            // The ticket-granting ticket, and the part encrypted with its session key.
            PAType(1) => ticket_shown(frame, padata.padata_value, sums),
            _ => {}
        }
    }
}

fn is_aes(etype: EncryptionType) -> bool {
    (17..=20).contains(&etype.0)
}

fn answered(frame: u64, reply: &KdcRep<'_>, first: bool, sums: &mut Sums) {
    sums.ticket();
    let service = principal(&reply.ticket.sname, &reply.ticket.realm);
    encrypted(TICKET, &reply.ticket.enc_part, &service, frame, sums);
    // The first reply is encrypted with the key of the account, a later one with a session key.
    if first {
        encrypted(ACCOUNT, &reply.enc_part, &principal(&reply.cname, &reply.crealm), frame, sums);
    } else {
        encrypted(SESSION, &reply.enc_part, &service, frame, sums);
    }
}

/// Reports data encrypted with RC4 that belong to the service or account `who`.
fn encrypted(rule: RuleId, data: &EncryptedData<'_>, who: &str, frame: u64, sums: &mut Sums) {
    if !is_rc4(data.etype) {
        return;
    }
    let rule = if data.etype == RC4_EXPORT { EXPORT } else { rule };
    let whose = if rule == ACCOUNT { "account" } else { "service" };
    sums.add(rule, format!("{whose} {who}"), frame, named(data.etype), &[(whose, who.to_owned())]);
}

fn named(etype: EncryptionType) -> &'static str {
    if etype == RC4 { "arcfour-hmac (23)" } else { "arcfour-hmac-exp (24)" }
}

fn principal(name: &PrincipalName, realm: &Realm) -> String {
    format!("{}@{}", name.name_string.join("/"), realm.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Place;

    /// An element of DER.
    fn element(tag: u8, content: &[u8]) -> Vec<u8> {
        let [high, low] = (content.len() as u16).to_be_bytes();
        let size = if content.len() < 128 { vec![low] } else { vec![0x82, high, low] };
        [&[tag][..], &size, content].concat()
    }

    fn numbered(number: u8, content: &[u8]) -> Vec<u8> {
        element(0xa0 + number, content)
    }

    fn list(parts: &[Vec<u8>]) -> Vec<u8> {
        element(0x30, &parts.concat())
    }

    fn cipher(etype: u8) -> Vec<u8> {
        list(&[numbered(0, &element(2, &[etype])), numbered(2, &element(4, b"text"))])
    }

    fn text(text: &[u8]) -> Vec<u8> {
        element(0x1b, text)
    }

    fn named_by(parts: [&[u8]; 2]) -> Vec<u8> {
        list(&[numbered(0, &element(2, &[2])), numbered(1, &list(&parts.map(text)))])
    }

    /// An AP-REQ (RFC 4120, 5.5.1).
    fn ap_request(service: [&[u8]; 2], ticket: u8, session: u8) -> Vec<u8> {
        let ticket = list(&[
            numbered(0, &element(2, &[5])),
            numbered(1, &text(b"OLD")),
            numbered(2, &named_by(service)),
            numbered(3, &cipher(ticket)),
        ]);
        let request = list(&[
            numbered(0, &element(2, &[5])),
            numbered(1, &element(2, &[14])),
            numbered(2, &element(3, &[0, 0, 0, 0, 0])),
            numbered(3, &element(0x61, &ticket)),
            numbered(4, &cipher(session)),
        ]);
        element(0x6e, &request)
    }

    /// An AP-REQ after the head of its token.
    fn token(ticket: u8, session: u8) -> Vec<u8> {
        [&SHOWN[..], &ap_request([b"cifs", b"old.example"], ticket, session)].concat()
    }

    /// A TGS-REQ (RFC 4120, 5.4.1) that offers AES.
    fn tgs_request(ticket: u8, session: u8) -> Vec<u8> {
        let shown = ap_request([b"krbtgt", b"OLD"], ticket, session);
        let padata = list(&[numbered(1, &element(2, &[1])), numbered(2, &element(4, &shown))]);
        let body = list(&[
            numbered(0, &element(3, &[0, 0x40, 0x81, 0, 0x10])),
            numbered(2, &text(b"OLD")),
            numbered(3, &named_by([b"cifs", b"new.example"])),
            numbered(5, &element(0x18, b"20370913024805Z")),
            numbered(7, &element(2, &[7])),
            numbered(8, &list(&[element(2, &[18])])),
        ]);
        let request = list(&[
            numbered(1, &element(2, &[5])),
            numbered(2, &element(2, &[12])),
            numbered(3, &list(&[padata])),
            numbered(4, &body),
        ]);
        element(0x6c, &request)
    }

    fn rules(asked: Vec<u8>) -> Vec<(&'static str, String)> {
        let mut stream = Stream {
            client: "10.0.0.5:4000".parse().unwrap(),
            server: "10.0.0.7:445".parse().unwrap(),
            asked: Side::default(),
            answered: Side::default(),
            guessed: false,
        };
        stream.asked.bytes = asked;
        let mut sums = Sums::default();
        shown(&stream, &mut sums);
        told(sums)
    }

    fn told(sums: Sums) -> Vec<(&'static str, String)> {
        let mut found = vec![];
        let file = Place { path: "a".into(), within: None };
        sums.tell(&file, &mut |one| found.push((one.rule.name(), one.place.within.unwrap())));
        found
    }

    /// The ticket for the next ticket has the key of the krbtgt account.
    #[test]
    fn the_ticket_of_a_request_is_told() {
        let rules = |ticket, session| {
            let (client, server) = ([10, 0, 0, 5].into(), [10, 0, 0, 7].into());
            let mut sums = Sums::default();
            let request = tgs_request(ticket, session);
            datagram(1, ((client, 40_000), (server, PORT)), &request, &mut sums);
            told(sums)
        };
        let place = || "service krbtgt/OLD@OLD, frame 1".to_owned();
        assert_eq!(rules(23, 18), [("kerberos-ticket", place())]);
        assert_eq!(rules(18, 23), [("kerberos-session", place())]);
        assert_eq!(rules(18, 18), []);
    }

    #[test]
    fn tickets_shown_in_other_protocols_are_told() {
        let ticket = ("kerberos-ticket", "service cifs/old.example@OLD, frame 0".to_owned());
        let session = ("kerberos-session", "service cifs/old.example@OLD, frame 0".to_owned());
        let export = ("kerberos-export", ticket.1.clone());
        let within = |token: &[u8]| [b"\xfeSMB and more ", token, b" and more"].concat();
        assert_eq!(rules(within(&token(23, 18))), vec![ticket.clone()]);
        assert_eq!(rules(within(&token(18, 23))), [session]);
        assert_eq!(rules(within(&token(24, 18))), [export]);
        assert_eq!(rules(within(&token(18, 18))), []);
        let base64 = data_encoding::BASE64.encode(&[b"\x60\x10", &token(23, 18)[..]].concat());
        let http = |word: &str| {
            format!("GET / HTTP/1.1\r\nAuthorization: {word} {base64}\r\n\r\n").into_bytes()
        };
        for scheme in ["Negotiate", "negotiate", "Kerberos"] {
            assert_eq!(rules(http(scheme)), std::slice::from_ref(&ticket));
        }
        for end in 0..token(23, 18).len() {
            assert_eq!(rules(token(23, 18)[..end].to_vec()), [], "{end}");
        }
    }
}
