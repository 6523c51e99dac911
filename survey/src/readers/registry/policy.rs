//! Group policies: `Registry.pol` ([MS-GPREG] 2.2.1).

use super::{super::unicode::utf16le, Data, Settings, setting::LONGEST};

/// The signature, and the version 1.
const HEADER: &[u8] = b"PReg\x01\0\0\0";

/// Returns true if a file begins as a policy does.
pub(super) fn is_policy(head: &[u8]) -> bool {
    head.starts_with(HEADER)
}

/// Reads the settings of a policy, up to an entry that is cut or damaged.
pub(super) fn read(bytes: &[u8], settings: &mut Settings) {
    let mut rest = &bytes[HEADER.len()..];
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        let offset = bytes.len() - rest.len();
        if entry(&mut rest, number, settings).is_none() {
            settings.fault(|| format!("entry {number} at byte {offset} is cut or damaged"));
            return;
        }
    }
}

/// Reads `[key;name;type;size;data]`.
fn entry(rest: &mut &[u8], number: usize, settings: &mut Settings) -> Option<()> {
    sign(rest, b'[')?;
    let key = text(rest)?;
    sign(rest, b';')?;
    let name = text(rest)?;
    sign(rest, b';')?;
    let kind = u32::from_le_bytes(*rest.split_off(..4)?.first_chunk()?);
    sign(rest, b';')?;
    let size = u32::from_le_bytes(*rest.split_off(..4)?.first_chunk()?);
    sign(rest, b';')?;
    let data = rest.split_off(..usize::try_from(size).ok()?)?;
    sign(rest, b']')?;
    settings.enter(&key);
    let read = || {
        let wrong = || format!("{size} bytes of type {kind}");
        Data::of(kind, data, utf16le).ok_or_else(wrong)
    };
    match name.strip_prefix("**") {
        None => settings.set(number, &name, read),
        Some(command) => match part_after(command, "soft.") {
            Some(name) if settings.has(name) => {}
            Some(name) => settings.set(number, name, read),
            None => delete(&key, command, data, settings),
        },
    }
    Some(())
}

/// Obeys a command that deletes, and no other (`**SecureKey`, `**Comment:`). The commands are
/// Microsoft's: "Registry Policy File Format", and [MS-GPREG].
fn delete(key: &str, command: &str, data: &[u8], settings: &mut Settings) {
    let list = utf16le(data);
    let list = list.split([';', '\0']).map(str::trim).filter(|one| !one.is_empty());
    if let Some(name) = part_after(command, "del.") {
        settings.delete(name);
    } else if part_after(command, "delvals").is_some() {
        settings.delete_values();
    } else if part_after(command, "deletevalues").is_some() {
        list.for_each(|name| settings.delete(name));
    } else if part_after(command, "deletekeys").is_some() {
        let key = key.trim_end_matches('\\');
        list.for_each(|name| settings.delete_key(&format!(r"{key}\{name}")));
    }
}

/// Returns the part of a command after its first word. Upper and lower case are equal.
fn part_after<'a>(command: &'a str, word: &str) -> Option<&'a str> {
    let (first, rest) = command.split_at_checked(word.len())?;
    first.eq_ignore_ascii_case(word).then_some(rest)
}

/// Reads one character.
fn sign(rest: &mut &[u8], sign: u8) -> Option<()> {
    (*rest.split_off(..2)? == [sign, 0]).then_some(())
}

/// Reads a text up to its zero.
fn text(rest: &mut &[u8]) -> Option<String> {
    let end = rest.chunks_exact(2).take(LONGEST).position(|unit| unit == [0, 0])?;
    let text = utf16le(rest.split_off(..2 * end)?);
    rest.split_off(..2)?;
    Some(text)
}
