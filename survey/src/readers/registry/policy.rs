//! Group policies: `Registry.pol` ([MS-GPREG] 2.2.1).

use super::{super::unicode::utf16le, Data, ReadError, Setting, Settings};

/// The signature, and the version 1.
const HEADER: &[u8] = b"PReg\x01\0\0\0";
/// The longest path of a key and the longest name of a value, in bytes of UTF-16.
const LONGEST: usize = 2 * 16_384;

/// Returns true if a file begins as a policy does.
pub(super) fn is_policy(head: &[u8]) -> bool {
    head.starts_with(HEADER)
}

/// Reads the settings of a policy.
///
/// # Errors
/// If an entry is cut or damaged.
pub(super) fn read(bytes: &[u8], settings: &mut Settings) -> Result<(), ReadError> {
    let mut rest = &bytes[HEADER.len()..];
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        let offset = bytes.len() - rest.len();
        entry(&mut rest, number, settings).ok_or_else(|| {
            ReadError::Damaged(format!("entry {number} at byte {offset} is cut or damaged"))
        })?;
    }
    Ok(())
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
    // A name with `**` is a command: `**del.NAME` deletes a value, `**soft.NAME` sets one that is absent.
    let lower = name.to_ascii_lowercase();
    if lower.starts_with("**del.") {
        settings.delete(&key, &name["**del.".len()..]);
        return Some(());
    }
    let name = if lower.starts_with("**soft.") { &name["**soft.".len()..] } else { &name };
    let data = match kind {
        4 => data.first_chunk().map(|bytes| Data::Number(u32::from_le_bytes(*bytes))),
        5 => data.first_chunk().map(|bytes| Data::Number(u32::from_be_bytes(*bytes))),
        1 | 2 | 7 => Some(Data::Text(utf16le(data).trim_end_matches('\0').replace('\0', ","))),
        _ => None,
    };
    if let Some(data) = data {
        settings.set(Setting { number, key, name: name.to_owned(), data });
    }
    Some(())
}

/// Reads one character.
fn sign(rest: &mut &[u8], sign: u8) -> Option<()> {
    (*rest.split_off(..2)? == [sign, 0]).then_some(())
}

/// Reads a text up to its zero.
fn text(rest: &mut &[u8]) -> Option<String> {
    let end = rest.chunks_exact(2).take(LONGEST / 2).position(|unit| unit == [0, 0])?;
    let text = utf16le(rest.split_off(..2 * end)?);
    rest.split_off(..2)?;
    Some(text)
}
