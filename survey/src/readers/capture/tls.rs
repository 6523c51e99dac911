//! TLS and SSL: the cipher suites that a client offers and the one that the server chooses.

use tls_parser::{
    TlsCipherEnc, TlsCipherSuite, parse_tls_handshake_client_hello,
    parse_tls_handshake_server_hello,
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
    if let Some((at, suites)) = hello(&stream.asked, CLIENT_HELLO, suites) {
        offered(suites.into_iter(), &pair, stream.asked.frame(at), sums);
    }
    ssl2(stream, &pair, sums);
    if let Some((at, (version, suite))) = hello(&stream.answered, SERVER_HELLO, choice)
        && let Some(suite) = rc4(suite)
    {
        let rule = if suite.enc_size < 128 { EXPORT_CHOSEN } else { CHOSEN };
        let version = self::version(version);
        let facts = [
            ("version", version.clone()),
            ("suite", suite.name.to_owned()),
            ("key bits", suite.enc_size.to_string()),
        ];
        let evidence = format!("{version}, chosen: {}", suite.name);
        sums.add(rule, stream.server.to_string(), stream.answered.frame(at), evidence, &facts);
    }
}

/// Returns true if a side sent a client's hello.
pub(super) fn is_client(side: &Side) -> bool {
    hello(side, CLIENT_HELLO, suites).is_some()
}

/// Returns true if a side sent a server's hello.
pub(super) fn is_server(side: &Side) -> bool {
    hello(side, SERVER_HELLO, choice).is_some()
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

/// Returns what `parse` reads in the first handshake message of this kind that begins a record, and
/// the start of this record.
fn hello<T>(side: &Side, kind: u8, parse: fn(&[u8]) -> Option<T>) -> Option<(usize, T)> {
    let bytes = &side.bytes[..];
    let starts = memchr::memchr_iter(22, &bytes[..bytes.len().min(LATEST)]);
    starts.filter_map(|at| Some((at, parse(&message(&bytes[at..], kind)?)?))).next()
}

/// The suites of a client's hello. What follows them may be missing.
fn suites(message: &[u8]) -> Option<Vec<u16>> {
    let (_, hello) = parse_tls_handshake_client_hello(message).ok()?;
    let suites = hello.ciphers.iter().map(|id| id.0).collect();
    (hello.version.0 >> 8 == 3).then_some(suites)
}

/// The version and the suite of a server's hello.
fn choice(message: &[u8]) -> Option<(u16, u16)> {
    let (_, hello) = parse_tls_handshake_server_hello(message).ok()?;
    Some((hello.version.0, hello.cipher.0))
}

/// Returns the content of the first message in these records, if it has this kind. The message may
/// span several records. It may lack its end, because a capture program may keep only the first
/// bytes of a packet.
fn message(mut bytes: &[u8], kind: u8) -> Option<Vec<u8>> {
    let mut message = Vec::new();
    while let [22, 3, 0..=4, high, low, ref rest @ ..] = *bytes {
        let length = usize::from(u16::from_be_bytes([high, low]));
        let body = &rest[..rest.len().min(length)];
        message.extend_from_slice(body);
        if body.is_empty() || message[0] != kind {
            return None;
        }
        if let [_, high, middle, low, ref content @ ..] = message[..] {
            let size = u32::from_be_bytes([0, high, middle, low]) as usize;
            if content.len() >= size || rest.len() <= length {
                return Some(content[..content.len().min(size)].to_vec());
            }
        }
        bytes = &rest[body.len()..];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record with a hello, 300 bytes after its suites, and another message.
    fn record(kind: u8, suites: &[u8]) -> Vec<u8> {
        let body = [&[3, 1][..], &[7; 32], &[0], suites, &[1, 44], &[0; 300]].concat();
        let size = (body.len() as u16).to_be_bytes();
        let messages = [&[kind, 0][..], &size, &body, &[11, 0, 0, 90], &[0; 90]].concat();
        [&[22, 3, 1][..], &(messages.len() as u16).to_be_bytes(), &messages].concat()
    }

    fn side(bytes: &[u8]) -> Side {
        let mut side = Side::default();
        side.bytes = bytes.to_vec();
        side
    }

    #[test]
    fn a_hello_is_read_as_soon_as_its_suites_are_there() {
        let client = record(CLIENT_HELLO, &[0, 4, 0, 5, 0, 47, 1, 0]);
        let server = record(SERVER_HELLO, &[0, 5, 0]);
        // Headers of record and message, version, random and session, then the suites.
        let start = 5 + 4 + 2 + 32 + 1;
        for cut in 0..=client.len() {
            let read = hello(&side(&client[..cut]), CLIENT_HELLO, suites);
            assert_eq!(read, (cut >= start + 8).then(|| (0, vec![5, 47])), "{cut}");
        }
        for cut in 0..=server.len() {
            let read = hello(&side(&server[..cut]), SERVER_HELLO, choice);
            assert_eq!(read, (cut >= start + 3).then_some((0, (0x301, 5))), "{cut}");
        }
    }

    /// A hello whose records are cut by other bytes is none.
    #[test]
    fn a_hello_with_other_bytes_inside_is_not_read() {
        let client = record(CLIENT_HELLO, &[0, 4, 0, 5, 0, 47, 1, 0]);
        let mut first = client[..5 + 100].to_vec();
        first[3..5].copy_from_slice(&100_u16.to_be_bytes());
        let split = [&first[..], &[22, 3, 1, 1, 90], &client[5 + 100..]].concat();
        assert!(hello(&side(&split), CLIENT_HELLO, suites).is_some());
        assert!(hello(&side(&first), CLIENT_HELLO, suites).is_some());
        let other = [&first[..], b"GET / HTTP/1.1", &client[5 + 100..]].concat();
        assert!(hello(&side(&other), CLIENT_HELLO, suites).is_none());
    }
}
