//! SSH: the ciphers of the key exchange. This module parses the key exchange, ten lists of names
//! (RFC 4253, 7.1). The licence (LGPL) of the only library, ssh-parser, is hard to satisfy in a
//! static program.

use super::flow::{Side, Stream};
use super::sums::Sums;
use crate::rules::RuleId;

const CHOSEN: RuleId = RuleId::new("ssh-chosen");
const OFFERED: RuleId = RuleId::new("ssh-offered");

const KEXINIT: u8 = 20;
/// The maximum size of a packet, in bytes (RFC 4253, 6.1).
const MOST: usize = 35_000;

/// The ciphers that one side offers: from the client to the server, and back.
struct Ciphers {
    offset: usize,
    lists: [Vec<String>; 2],
}

pub(super) fn stream(stream: &Stream, sums: &mut Sums) {
    let (client, server) = (ciphers(&stream.asked), ciphers(&stream.answered));
    let pair = format!("{} to {}", stream.client.ip(), stream.server);
    for (who, side, said, place) in [
        ("client", &stream.asked, &client, pair),
        ("server", &stream.answered, &server, stream.server.to_string()),
    ] {
        let Some(said) = said else { continue };
        let mut names: Vec<&str> =
            said.lists.iter().flatten().map(String::as_str).filter(|name| is_rc4(name)).collect();
        names.sort_unstable();
        names.dedup();
        if !names.is_empty() {
            let facts = [
                ("side", who.to_owned()),
                ("ciphers", names.join(" ")),
                ("key bits", bits(names[0])),
            ];
            let evidence = format!("{who} offers {}", names.join(", "));
            sums.add(OFFERED, place, side.frame(said.offset), evidence, &facts);
        }
    }
    let (Some(client), Some(server)) = (client, server) else { return };
    for (n, direction) in ["to the server", "to the client"].into_iter().enumerate() {
        // Returns the client's first cipher that the server also has (RFC 4253, 7.1).
        let chosen = client.lists[n].iter().find(|name| server.lists[n].contains(name));
        if let Some(name) = chosen.filter(|name| is_rc4(name)) {
            let facts = [("cipher", name.clone()), ("key bits", bits(name))];
            let frame = stream.answered.frame(server.offset);
            sums.add(
                CHOSEN,
                stream.server.to_string(),
                frame,
                format!("chosen {direction}: {name}"),
                &facts,
            );
        }
    }
}

fn is_rc4(name: &str) -> bool {
    name == "arcfour" || name.starts_with("arcfour128") || name.starts_with("arcfour256")
}

fn bits(name: &str) -> String {
    if name.starts_with("arcfour256") { "256" } else { "128" }.to_owned()
}

/// Returns the ciphers in a side's key exchange.
fn ciphers(side: &Side) -> Option<Ciphers> {
    let bytes = &side.bytes[..];
    // A server may send lines before its version.
    let version =
        if bytes.starts_with(b"SSH-") { 0 } else { memchr::memmem::find(bytes, b"\nSSH-")? + 1 };
    let offset = version + memchr::memchr(b'\n', &bytes[version..])? + 1;
    let packet = &bytes[offset..];
    let length = u32::from_be_bytes(*packet.first_chunk()?) as usize;
    let body = packet.get(4..4 + length).filter(|_| length <= MOST)?;
    let (&padding, body) = body.split_first()?;
    let payload = body.get(..body.len().checked_sub(padding.into())?)?;
    let mut rest = payload.get(17..).filter(|_| payload[0] == KEXINIT)?;
    let mut lists = Vec::new();
    for _ in 0..4 {
        let size = u32::from_be_bytes(*rest.first_chunk()?) as usize;
        let names = std::str::from_utf8(rest.get(4..)?.get(..size)?).ok()?;
        lists.push(names.split(',').map(str::to_owned).collect());
        rest = &rest[4 + size..];
    }
    let back = lists.pop()?;
    Some(Ciphers { offset, lists: [lists.pop()?, back] })
}
