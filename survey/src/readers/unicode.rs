//! Text as Windows and other systems write it.

/// Decodes text in UTF-16 with a byte order mark, or in UTF-8. Bytes that are no text become U+FFFD.
pub(super) fn text(bytes: &[u8]) -> String {
    let wide: Option<fn([u8; 2]) -> u16> = match bytes {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
        _ => None,
    };
    let text = match wide {
        Some(unit) => utf16(&bytes[2..], unit),
        None => String::from_utf8_lossy(bytes).into_owned(),
    };
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

/// Decodes UTF-16 without a byte order mark, as Windows keeps it.
pub(super) fn utf16le(bytes: &[u8]) -> String {
    utf16(bytes, u16::from_le_bytes)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}
