//! Credential caches of MIT Kerberos and Heimdal: the tickets of a user.
//!
//! Format: <https://web.mit.edu/kerberos/krb5-latest/doc/formats/ccache_file_format.html>. The keys are not read.

use std::path::Path;

use super::{
    ReadError, Reader,
    kerberos::{Etype, Fields},
};
use crate::{Finding, Input, RuleId};

const TICKET: RuleId = RuleId::new("ccache-ticket");
const SESSION: RuleId = RuleId::new("ccache-session");

/// The reader of credential caches.
#[derive(Debug)]
pub struct CredentialCache;

/// Limit of the file size, larger than any cache.
const LIMIT: u64 = 64 << 20;

impl Reader for CredentialCache {
    fn name(&self) -> &'static str {
        "credential cache"
    }

    fn recognises(&self, path: &Path, head: &[u8]) -> bool {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().to_ascii_lowercase())
            .unwrap_or_default();
        let named = name.starts_with("krb5cc") || name.contains("ccache");
        match head {
            [5, 4, 0, len, ..] => *len <= 64,
            [5, 3, 0, 0, 0, kind, ..] => *kind <= 12,
            [5, 1 | 2, ..] => named,
            _ => false,
        }
    }

    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError> {
        let bytes = zeroize::Zeroizing::new(input.all(LIMIT)?);
        let (credentials, fault) = read(&bytes);
        for one in credentials {
            let (rule, what) = match one.ticket {
                Some(etype) if etype.is_rc4() => (TICKET, format!("ticket: {etype}")),
                _ if one.session.is_rc4() => (SESSION, format!("session key: {}", one.session)),
                _ => continue,
            };
            let place = input.at(format!("credential {}", one.number));
            found(
                Finding::new(rule, place, format!("{}, {what}", one.server))
                    .with("principal", one.server),
            );
        }
        fault.map_or(Ok(()), |fault| Err(ReadError::Damaged(fault.to_string())))
    }
}

/// Errors of credential caches.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The file does not begin like a credential cache.
    #[error("the file is no credential cache: it does not begin with 05 and a version of 01 to 04")]
    Format,
    /// The file ends within a credential.
    #[error("the file ends within credential {0}")]
    Short(usize),
}

/// A ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The ticket's place, counted from 1.
    pub number: usize,
    /// The service of the ticket.
    pub server: String,
    /// The cipher of the session key.
    pub session: Etype,
    /// The cipher of the ticket, if the ticket can be read.
    pub ticket: Option<Etype>,
}

/// Returns all credentials of a cache, or the credentials before a fault. Kerberos' own
/// configuration entries are skipped.
pub fn read(data: &[u8]) -> (Vec<Credential>, Option<Fault>) {
    let mut credentials = Vec::new();
    let fault = read_into(data, &mut credentials).err();
    (credentials, fault)
}

fn read_into(data: &[u8], credentials: &mut Vec<Credential>) -> Result<(), Fault> {
    let [5, version @ 1..=4, rest @ ..] = data else { return Err(Fault::Format) };
    let version = *version;
    let mut fields = Fields::new(rest, version < 3 && cfg!(target_endian = "little"));
    if version == 4 {
        let len = fields.u16().ok_or(Fault::Short(0))?;
        fields.skip(usize::from(len)).ok_or(Fault::Short(0))?;
    }
    principal(&mut fields, version).ok_or(Fault::Short(0))?;
    for number in 1.. {
        if fields.is_empty() {
            break;
        }
        let credential = credential(&mut fields, version, number).ok_or(Fault::Short(number))?;
        if !credential.server.starts_with("krb5_ccache_conf_data/") {
            credentials.push(credential);
        }
    }
    Ok(())
}

fn credential(fields: &mut Fields<'_>, version: u8, number: usize) -> Option<Credential> {
    principal(fields, version)?;
    let server = principal(fields, version)?;
    let session = Etype(i32::from(fields.u16()? as i16));
    if version == 3 {
        fields.u16()?; // the third version has the number twice
    }
    fields.long()?;
    fields.skip(4 * 4 + 1 + 4)?; // four times, whether it is for a user's second ticket, flags
    for _ in 0..2 {
        for _ in 0..fields.u32()? {
            fields.u16()?; // an address, or data for the authorisation
            fields.long()?;
        }
    }
    let ticket = fields.long()?;
    fields.long()?;
    Some(Credential { number, server, session, ticket: ticket_etype(ticket) })
}

fn principal(fields: &mut Fields<'_>, version: u8) -> Option<String> {
    if version > 1 {
        fields.u32()?; // the kind of the name
    }
    let count = fields.u32()?.checked_sub(u32::from(version == 1))?;
    let realm = fields.long()?;
    let mut name = String::new();
    for at in 0..count {
        if at > 0 {
            name.push('/');
        }
        name.push_str(&String::from_utf8_lossy(fields.long()?));
    }
    Some(format!("{name}@{}", String::from_utf8_lossy(realm)))
}

/// Returns the cipher of a ticket of RFC 4120:
/// `[APPLICATION 1] { tkt-vno [0], realm [1], sname [2], enc-part [3] { etype [0] … } }`.
fn ticket_etype(ticket: &[u8]) -> Option<Etype> {
    let (fields, _) = inside(ticket, 0x61)?;
    let (mut fields, _) = inside(fields, 0x30)?;
    for tag in 0xa0..=0xa2 {
        (_, fields) = inside(fields, tag)?;
    }
    let (part, _) = inside(fields, 0xa3)?;
    let (part, _) = inside(part, 0x30)?;
    let (number, _) = inside(part, 0xa0)?;
    let (number, _) = inside(number, 0x02)?;
    let sign = if number.first()? & 0x80 == 0 { 0 } else { -1 };
    (number.len() <= 4)
        .then(|| Etype(number.iter().fold(sign, |sum, byte| sum << 8 | i32::from(*byte))))
}

/// Returns the content of a DER element with a tag, and the bytes after it.
fn inside(data: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (&[found, first], rest) = data.split_first_chunk::<2>()?;
    if found != tag {
        return None;
    }
    let (len, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(first - 0x80))?;
            (bytes.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    rest.split_at_checked(len)
}
