//! Keytabs of MIT Kerberos and Heimdal: the long-term keys of services.
//!
//! Format: <https://web.mit.edu/kerberos/krb5-latest/doc/formats/keytab_file_format.html>. The keys are not read.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, BufRead, BufReader, Read, Seek as _},
    path::Path,
};

use super::{
    ReadError, Reader,
    kerberos::{Etype, Fields},
};
use crate::{Finding, Input, RuleId};

const ONLY: RuleId = RuleId::new("keytab-rc4-only");
const ALSO: RuleId = RuleId::new("keytab-rc4");

/// The reader of keytabs.
#[derive(Debug)]
pub struct Keytab;

impl Reader for Keytab {
    fn name(&self) -> &'static str {
        "keytab"
    }

    fn recognises(&self, path: &Path, head: &[u8]) -> bool {
        // Credential caches of the first two versions begin with the same byte.
        let named = path.to_string_lossy().to_ascii_lowercase().contains("keytab");
        let [5, 1 | 2, rest @ ..] = head else { return false };
        let len = rest.first_chunk().map_or(0, |len| i32::from_be_bytes(*len));
        named || (head[1] == 2 && len != 0 && len.unsigned_abs() as usize <= MOST)
    }

    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError> {
        input.rewind()?;
        let (entries, fault) = read(&mut *input);
        let mut newest: BTreeMap<&str, &Entry> = BTreeMap::new();
        for entry in &entries {
            let newest = newest.entry(&entry.principal).or_insert(entry);
            if entry.is_newer_than(newest) {
                *newest = entry;
            }
        }
        let strong = || entries.iter().filter(|entry| entry.etype.is_strong());
        let ever: BTreeSet<&str> = strong().map(|entry| entry.principal.as_str()).collect();
        // The KDC encrypts with the newest key, so an older AES entry replaces no RC4 entry.
        let now: BTreeSet<&str> = strong()
            .map(|entry| (entry.principal.as_str(), entry.version))
            .filter(|(principal, version)| newest[principal].version == *version)
            .map(|(principal, _)| principal)
            .collect();
        for entry in entries.iter().filter(|entry| entry.etype.is_rc4()) {
            let principal = entry.principal.as_str();
            let (rule, beside) = match (now.contains(principal), ever.contains(principal)) {
                (true, _) => (ALSO, "an AES entry beside it"),
                (false, true) => (ONLY, "AES entries of older keys only"),
                (false, false) => (ONLY, "no AES entry"),
            };
            let evidence = format!("{}: {}, {beside}", entry.principal, entry.etype);
            let place = input.at(format!("entry {}", entry.number));
            let finding = Finding::new(rule, place, evidence);
            found(
                finding
                    .with("principal", &entry.principal)
                    .with("key version", entry.version.to_string()),
            );
        }
        match fault {
            None => Ok(()),
            Some(Fault::Io(fault)) => Err(fault.into()),
            Some(fault) => Err(ReadError::Damaged(fault.to_string())),
        }
    }
}

/// Errors of keytabs.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The file does not begin like a keytab.
    #[error("the first two bytes are {0:02x}{1:02x}; a keytab begins with 0501 or 0502")]
    Format(u8, u8),
    /// An entry's length is impossible.
    #[error("entry {entry} is {len} bytes long; an entry is 1 to {MOST} bytes long")]
    Length {
        /// The entry, counted from 1.
        entry: usize,
        /// Its stated length.
        len: i64,
    },
    /// The file ends within an entry.
    #[error("the file ends within entry {0}")]
    Short(usize),
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// An entry: a key of a principal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The entry's place, counted from 1. Holes are not counted, as in `klist -k`.
    pub number: usize,
    /// The service with its realm.
    pub principal: String,
    /// The time at which the entry was written, in seconds since 1970.
    pub time: u32,
    /// The version of the key.
    pub version: u32,
    /// The cipher of the key.
    pub etype: Etype,
}

impl Entry {
    /// Returns true if the key is newer than another key of the same principal.
    ///
    /// Before MIT Kerberos 1.14, versions had 8 bits. A small version that was not written before a
    /// large one has wrapped; the limits are MIT's.
    fn is_newer_than(&self, other: &Self) -> bool {
        let wrapped = |small: &Self, large: &Self| {
            small.version < 128 && large.version > 240 && small.time >= large.time
        };
        wrapped(self, other) || (self.version > other.version && !wrapped(other, self))
    }
}

/// Limit of an entry's length, larger than any entry.
const MOST: usize = 1 << 16;

/// Returns all entries of a keytab, or the entries before a fault.
pub fn read(file: impl Read) -> (Vec<Entry>, Option<Fault>) {
    let mut entries = Vec::new();
    let fault = read_into(file, &mut entries).err();
    (entries, fault)
}

fn read_into(file: impl Read, entries: &mut Vec<Entry>) -> Result<(), Fault> {
    let mut file = BufReader::new(file);
    let mut version = [0; 2];
    file.read_exact(&mut version).map_err(|_| Fault::Short(0))?;
    let little = match version {
        [5, 1] => cfg!(target_endian = "little"), // the byte order of the machine that wrote it
        [5, 2] => false,
        [first, second] => return Err(Fault::Format(first, second)),
    };
    while !file.fill_buf()?.is_empty() {
        let number = entries.len() + 1;
        let mut len = [0; 4];
        if file.read_exact(&mut len).is_err() {
            break; // MIT's reader takes the end of the file as the end of the keytab
        }
        let len = i64::from(if little { i32::from_le_bytes(len) } else { i32::from_be_bytes(len) });
        if len == 0 {
            break;
        }
        if len < 0 {
            io::copy(&mut (&mut file).take(len.unsigned_abs()), &mut io::sink())?;
            continue;
        }
        let Some(size) = usize::try_from(len).ok().filter(|len| *len <= MOST) else {
            return Err(Fault::Length { entry: number, len });
        };
        let mut bytes = zeroize::Zeroizing::new(vec![0; size]);
        file.read_exact(&mut bytes).map_err(|_| Fault::Short(number))?;
        entries.push(entry(number, &bytes, version[1] == 1, little).ok_or(Fault::Short(number))?);
    }
    Ok(())
}

fn entry(number: usize, bytes: &[u8], first: bool, little: bool) -> Option<Entry> {
    let mut fields = Fields::new(bytes, little);
    // The first version counts the realm as a component.
    let count = usize::from(fields.u16()?).checked_sub(usize::from(first))?;
    let realm = fields.short_text()?;
    let mut names = Vec::new();
    for _ in 0..count {
        names.push(fields.short_text()?);
    }
    if !first {
        fields.u32()?; // the kind of the name
    }
    let time = fields.u32()?;
    let version = u32::from(fields.u8()?);
    let etype = Etype(i32::from(fields.u16()? as i16)); // Microsoft's own numbers are negative
    let len = fields.u16()?;
    fields.skip(usize::from(len))?;
    let version = fields.u32().filter(|wide| *wide != 0).unwrap_or(version);
    Some(Entry { number, principal: format!("{}@{realm}", names.join("/")), time, version, etype })
}
