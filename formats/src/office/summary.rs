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
    let streams: Vec<&Part> = parts.iter().filter(|part| part.is_stream).collect();
    if streams.iter().any(|part| is_taken(&part.name, file, &streams)) {
        return Err(damaged("its encrypted summary has a stream that the file has too"));
    }
    for part in streams {
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

/// Returns true if putting a stream of this name into the file would replace something. Instead of
/// the property sets, whose names begin with U+0005, files have streams without content.
fn is_taken(name: &str, file: &Compound, streams: &[&Part]) -> bool {
    let is_placeholder = name.starts_with('\u{5}') && file.has(name);
    (!is_placeholder && file.has_any(name))
        || streams.iter().filter(|part| part.name.eq_ignore_ascii_case(name)).count() > 1
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

#[cfg(test)]
mod tests {
    use super::{super::CryptoApi, *};

    /// A summary of 100 bytes before its descriptors: place, length, block, flags and name.
    fn parsed(streams: &[(u32, u32, u16, u8, &str)]) -> Result<Vec<Part>, Error> {
        let header =
            CryptoApi { key_bits: 40, salt: [1; 16], verifier: [0; 16], verifier_hash: [0; 20] };
        let handler = Handler::CryptoApi(header);
        let key = handler.file_key("Quentin");
        let mut summary = vec![0; 100];
        summary[0] = 100;
        let mut descriptors = (streams.len() as u32).to_le_bytes().to_vec();
        for (at, len, block, flags, name) in streams {
            descriptors.extend([at.to_le_bytes(), len.to_le_bytes()].concat());
            descriptors.extend(block.to_le_bytes());
            descriptors.extend([name.encode_utf16().count() as u8, *flags, 0, 0, 0, 0]);
            descriptors.extend(name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
        }
        handler.block_key(&key, 0).apply(&mut summary[..4]);
        handler.block_key(&key, 0).apply(&mut descriptors);
        summary.extend(descriptors);
        parts(&summary, &handler, &key)
    }

    #[test]
    fn descriptors_are_read_within_bounds() {
        let long = "a name of the longest kind, 31.";
        let read = parsed(&[(8, 40, 0x102, 1, "a"), (48, 2, 3, 0, long)]).unwrap();
        let read: Vec<_> = read
            .into_iter()
            .map(|part| (part.at, part.len, part.block, part.is_stream, part.name))
            .collect();
        let expected = [(8, 40, 0x102, true, "a".to_owned()), (48, 2, 3, false, long.to_owned())];
        assert_eq!(read, expected);
        let flags = parsed(&[(8, 1, 1, 0xfe, "a"), (8, 1, 1, 0xff, "b")]).unwrap();
        assert_eq!([flags[0].is_stream, flags[1].is_stream], [false, true]);
        assert_eq!(parsed(&[]).unwrap().len(), 0);
        let most = [(8, 1, 1, 1, "a"); 65];
        assert_eq!(parsed(&most[..64]).unwrap().len(), 64);
        let message = |result: Result<Vec<Part>, Error>| match result {
            Err(Error::Damaged(what)) => what,
            other => panic!("{:?}", other.map(|parts| parts.len())),
        };
        assert_eq!(message(parsed(&most)), "its encrypted summary has too many streams");
        let longer = [long, "x"].concat();
        for name in ["", &longer, "a/b", "a\\b", "a:b", "a!b", "a\0b"] {
            let what = "its encrypted summary has a stream that no file can have";
            assert_eq!(message(parsed(&[(8, 1, 1, 1, name)])), what, "{name}");
        }
        // Together the streams have at most the bytes of the summary: 100 + 4 + 2 * 20.
        assert!(parsed(&[(0, 100, 1, 1, "a"), (0, 44, 1, 1, "b")]).is_ok());
        let cut = parsed(&[(0, 100, 1, 1, "a"), (0, 45, 1, 1, "b")]);
        assert_eq!(message(cut), "its encrypted summary is cut short");
    }
}
