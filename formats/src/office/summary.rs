//! The encrypted summary of RC4 CryptoAPI: [MS-OFFCRYPTO] §2.3.5.4.

use super::{Error, FileKey, Handler, compound::Compound, error::damaged};

/// The names of the stream: in Word and Excel, and in PowerPoint.
const NAMES: [&str; 2] = ["encryption", "EncryptedSummary"];

/// Maximum number of streams. Office writes two, and a few more for embedded objects. Each takes
/// time proportional to the whole file.
const MOST: u32 = 64;

/// A stream of the encrypted summary.
struct Part {
    at: usize,
    len: usize,
    block: u32,
    is_stream: bool,
    name: String,
}

/// Decrypts the summary and puts its streams into the file. Returns true if all of it is decrypted.
/// Embedded objects stay encrypted.
///
/// # Errors
/// If it is damaged; the file then stays as it is.
pub(super) fn decrypt(
    file: &mut Compound,
    handler: &Handler,
    key: &FileKey,
) -> Result<bool, Error> {
    let Some(stream) = NAMES.into_iter().find(|name| file.has(name)) else { return Ok(true) };
    let summary = file.stream(stream)?;
    if summary.is_empty() {
        return Ok(true);
    }
    let mut made = vec![];
    let parts = parts(&summary, handler, key)?;
    for part in parts.iter().filter(|part| part.is_stream) {
        let contents = summary.get(part.at..part.at.saturating_add(part.len));
        let mut contents = contents.ok_or_else(short)?.to_vec();
        handler.block_key(key, part.block).apply(&mut contents);
        made.push((&part.name, contents));
    }
    for (name, contents) in made {
        file.put(name, &contents)?;
    }
    let whole = parts.iter().all(|part| part.is_stream);
    if whole {
        file.remove(stream)?;
    }
    Ok(whole)
}

fn short() -> Error {
    damaged("its encrypted summary is cut short")
}

/// Returns the descriptors, which the key of block 0 decrypts.
fn parts(summary: &[u8], handler: &Handler, key: &FileKey) -> Result<Vec<Part>, Error> {
    let start = handler.block_key(key, 0);
    // Office encrypts the offset too, although the specification does not say so.
    let mut at: [u8; 4] = *summary.first_chunk().ok_or_else(short)?;
    start.apply(&mut at);
    let mut descriptors =
        summary.get(u32::from_le_bytes(at) as usize..).ok_or_else(short)?.to_vec();
    start.apply(&mut descriptors);
    let (count, mut rest) = descriptors.split_first_chunk::<4>().ok_or_else(short)?;
    let count = u32::from_le_bytes(*count);
    if count > MOST {
        return Err(damaged("its encrypted summary has too many streams"));
    }
    let mut parts = vec![];
    for _ in 0..count {
        let (head, after) = rest.split_first_chunk::<16>().ok_or_else(short)?;
        let number = |at: usize| {
            u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes")) as usize
        };
        let units = usize::from(head[10]);
        let (name, after) = after.split_at_checked(2 * units + 2).ok_or_else(short)?;
        let name =
            name[..2 * units].as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
        let name: String = char::decode_utf16(name)
            .collect::<Result<_, _>>()
            .map_err(|_| damaged("its encrypted summary has a stream whose name is not text"))?;
        if units == 0 || units > 31 || name.contains(['/', '\\', ':', '!', '\0']) {
            return Err(damaged("its encrypted summary has a stream that no file can have"));
        }
        let block = u32::from(u16::from_le_bytes([head[8], head[9]]));
        let is_stream = head[11] & 1 == 1;
        parts.push(Part { at: number(0), len: number(4), block, is_stream, name });
        rest = after;
    }
    // Overlapping streams could grow larger than the file.
    if parts.iter().map(|part| part.len).sum::<usize>() > summary.len() {
        return Err(short());
    }
    Ok(parts)
}
