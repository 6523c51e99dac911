//! The header of a sealed file: the verdict equals a plain reading of FORMAT.md. An accepted header
//! is written back as it stood. Lengths of any size go there and back.
#![cfg_attr(not(test), no_main)]

use arcfour_container::{Fault, HEADER_LEN, Header, KeyKind};

// The start of a file; what follows the header is a length.
arcfour_fuzz::target!(|data: &[u8]| {
    let (start, rest) = data.split_at(data.len().min(HEADER_LEN));
    let found = Header::parse(start);
    assert_eq!(found.as_ref().map_or_else(Fault::name, |_| "ok"), plain(start));
    let Ok(header) = found else { return };
    assert_eq!(header.to_bytes(), start[..64]);
    assert_eq!(header.chunk_size.bytes(), 1 << start[11]);
    assert_eq!(matches!(header.key, KeyKind::Passphrase(_)), start[10] == 1);
    assert_eq!(header.salt, start[32..64]);

    if let Some(bytes) = rest.first_chunk() {
        let (len, size) = (u64::from_le_bytes(*bytes), header.chunk_size);
        if let Some(plain) = size.plain_len(len) {
            assert_eq!(size.sealed_len(plain), Some(len));
        }
        if let Some(sealed) = size.sealed_len(len) {
            assert_eq!(size.plain_len(sealed), Some(len));
            assert_eq!(sealed - len - HEADER_LEN as u64, 36 * size.chunks(len));
        }
    }
});

/// The verdict on the header by the table of FORMAT.md, one row after the other.
fn plain(start: &[u8]) -> &'static str {
    let magic = b"arcfour\x1a";
    let same = start.iter().zip(magic).take_while(|(a, b)| a == b).count();
    if start.is_empty() || same < start.len().min(8) {
        return "not-sealed";
    }
    if start.len() > 8 && start[8] != 1 {
        return "version";
    }
    if start.len() < HEADER_LEN {
        return "truncated";
    }
    if start[9] != 1 && start[9] != 2 {
        return "cipher";
    }
    if !(10..=20).contains(&start[11]) {
        return "chunk-size";
    }
    let memory = u64::from(u32::from_le_bytes([start[12], start[13], start[14], start[15]]));
    let (passes, lanes) = (u64::from(start[16]), u64::from(start[17]));
    match start[10] {
        0 if memory + passes + lanes > 0 => return "reserved",
        0 => {}
        1 if !(1..=16).contains(&passes) || !(1..=16).contains(&lanes) => return "kdf-cost",
        1 if !(8 * lanes..=1 << 20).contains(&memory) => return "kdf-cost",
        1 => {}
        _ => return "key-kind",
    }
    if start[18..32].iter().any(|&byte| byte != 0) {
        return "reserved";
    }
    "ok"
}
