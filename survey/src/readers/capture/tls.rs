//! TLS and SSL: the cipher suites that a client offers and the one that the server chooses.

use tls_parser::{
    TlsCipherEnc, TlsCipherSuite, TlsMessage, TlsMessageHandshake, parse_tls_message_handshake,
};

use super::flow::{Side, Stream};
use super::sums::Sums;
use crate::rules::RuleId;

const CHOSEN: RuleId = RuleId::new("tls-chosen");
const EXPORT_CHOSEN: RuleId = RuleId::new("tls-export-chosen");
const OFFERED: RuleId = RuleId::new("tls-offered");
const EXPORT_OFFERED: RuleId = RuleId::new("tls-export-offered");
const SSL2: RuleId = RuleId::new("ssl2");
const SSL2_CHOSEN: RuleId = RuleId::new("ssl2-chosen");

/// Maximum offset of a handshake in a stream, after STARTTLS or a proxy's lines.
const LATEST: usize = 16 << 10;
const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;
/// The client's second message in SSL 2.
const MASTER_KEY: u8 = 2;
/// The cipher specs of SSL 2 with RC4, their names and the bits of their keys.
const SPECS: [([u8; 3], &str, &str); 2] = [
    ([1, 0, 0x80], "SSL_CK_RC4_128_WITH_MD5", "128"),
    ([2, 0, 0x80], "SSL_CK_RC4_128_EXPORT40_WITH_MD5", "40"),
];

pub(super) fn stream(stream: &Stream, sums: &mut Sums) {
    let pair = format!("{} to {}", stream.client.ip(), stream.server);
    if let Some((at, message)) = hello(&stream.asked, CLIENT_HELLO)
        && let Ok((_, TlsMessage::Handshake(TlsMessageHandshake::ClientHello(hello)))) =
            parse_tls_message_handshake(&message)
    {
        offered(hello.ciphers.iter().map(|id| id.0), &pair, stream.asked.frame(at), sums);
    }
    ssl2(stream, &pair, sums);
    if let Some((at, message)) = hello(&stream.answered, SERVER_HELLO)
        && let Ok((_, TlsMessage::Handshake(TlsMessageHandshake::ServerHello(hello)))) =
            parse_tls_message_handshake(&message)
        && let Some(suite) = rc4(hello.cipher.0)
    {
        let rule = if suite.enc_size < 128 { EXPORT_CHOSEN } else { CHOSEN };
        let version = version(hello.version.0);
        let facts = [
            ("version", version.clone()),
            ("suite", suite.name.to_owned()),
            ("key bits", suite.enc_size.to_string()),
        ];
        let evidence = format!("{version}, chosen: {}", suite.name);
        sums.add(rule, stream.server.to_string(), stream.answered.frame(at), evidence, &facts);
    }
}

/// Reports the offered suites with RC4, and export ciphers separately.
fn offered(ids: impl Iterator<Item = u16>, pair: &str, frame: u64, sums: &mut Sums) {
    let (export, strong): (Vec<_>, Vec<_>) = ids
        .filter_map(rc4)
        .map(|suite| (suite.name, suite.enc_size))
        .partition(|(_, bits)| *bits < 128);
    for (rule, suites) in [(OFFERED, strong), (EXPORT_OFFERED, export)] {
        if let Some((_, bits)) = suites.first() {
            let names: Vec<_> = suites.iter().map(|(name, _)| *name).collect();
            let facts = [("suites", names.join(" ")), ("key bits", bits.to_string())];
            sums.add(rule, pair, frame, format!("offered: {}", names.join(", ")), &facts);
        }
    }
}

/// Reads the client hello of SSL 2, which clients sent to servers of every version, and the key that follows in SSL 2.
fn ssl2(stream: &Stream, pair: &str, sums: &mut Sums) {
    let bytes = &stream.asked.bytes;
    let [first, second, CLIENT_HELLO, major, minor, specs_0, specs_1, ..] = bytes[..] else {
        return;
    };
    let length = usize::from(first & 0x7f) << 8 | usize::from(second);
    let size = usize::from(u16::from_be_bytes([specs_0, specs_1]));
    let plausible = first & 0x80 != 0 && matches!((major, minor), (0, 2) | (3, _)) && size % 3 == 0;
    let Some(specs) =
        bytes.get(11..11 + size).filter(|_| plausible && size > 0 && length >= 9 + size)
    else {
        return;
    };
    let specs: Vec<&[u8]> = specs.chunks_exact(3).collect();
    let with_rc4: Vec<_> = SPECS.iter().filter(|(spec, ..)| specs.contains(&&spec[..])).collect();
    if let Some((.., bits)) = with_rc4.first() {
        let names: Vec<_> = with_rc4.iter().map(|(_, name, _)| *name).collect();
        let facts = [("suites", names.join(" ")), ("key bits", (*bits).to_owned())];
        let evidence = format!("offered: {}", names.join(", "));
        sums.add(SSL2, pair, stream.asked.frame(0), evidence, &facts);
    }
    // The client chooses among the ciphers that both sides have. A server of TLS gets another answer.
    let at = 2 + length;
    if let Some([0x80..=0xff, _, MASTER_KEY, spec @ ..]) = bytes.get(at..)
        && let Some((_, name, bits)) = SPECS.iter().find(|(rc4, ..)| spec.starts_with(rc4))
    {
        let facts = [("suite", (*name).to_owned()), ("key bits", (*bits).to_owned())];
        let evidence = format!("chosen: {name}");
        let frame = stream.asked.frame(at);
        sums.add(SSL2_CHOSEN, stream.server.to_string(), frame, evidence, &facts);
    }
    let newer =
        specs.iter().filter(|spec| spec[0] == 0).map(|spec| u16::from_be_bytes([spec[1], spec[2]]));
    offered(newer, pair, stream.asked.frame(0), sums);
}

fn rc4(id: u16) -> Option<&'static TlsCipherSuite> {
    TlsCipherSuite::from_id(id).filter(|suite| suite.enc == TlsCipherEnc::Rc4)
}

fn version(number: u16) -> String {
    match number {
        0x0300 => "SSL 3".to_owned(),
        0x0301 => "TLS 1.0".to_owned(),
        0x0302 => "TLS 1.1".to_owned(),
        0x0303 => "TLS 1.2".to_owned(),
        other => format!("version {other:#06x}"),
    }
}

/// Returns the first handshake message of this kind that begins a record, and the start of this
/// record. The message may span several records.
fn hello(side: &Side, kind: u8) -> Option<(usize, Vec<u8>)> {
    let bytes = &side.bytes[..];
    let starts = memchr::memchr_iter(22, &bytes[..bytes.len().min(LATEST)]);
    starts.filter_map(|at| Some((at, message(&bytes[at..], kind)?))).next()
}

fn message(mut bytes: &[u8], kind: u8) -> Option<Vec<u8>> {
    let mut message = Vec::new();
    loop {
        let [22, 3, 0..=4, high, low, ..] = *bytes else { return None };
        let length = usize::from(u16::from_be_bytes([high, low]));
        let body = bytes.get(5..5 + length).filter(|body| !body.is_empty())?;
        message.extend_from_slice(body);
        if message[0] != kind {
            return None;
        }
        if let [_, high, middle, low, ..] = message[..] {
            let size = 4 + u32::from_be_bytes([0, high, middle, low]) as usize;
            if message.len() >= size {
                message.truncate(size);
                return Some(message);
            }
        }
        bytes = &bytes[5 + length..];
    }
}
