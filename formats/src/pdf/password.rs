//! Encodes a password as the bytes that enter the key.

use zeroize::Zeroizing;

/// Bytes 0x18 to 0x1f of PDFDocEncoding (ISO 32000-1, annex D.2).
const LOW: [char; 8] =
    ['\u{2d8}', '\u{2c7}', '\u{2c6}', '\u{2d9}', '\u{2dd}', '\u{2db}', '\u{2da}', '\u{2dc}'];
/// Bytes 0x80 to 0x9e, and 0xa0.
const HIGH: [char; 33] = [
    '\u{2022}', '\u{2020}', '\u{2021}', '\u{2026}', '\u{2014}', '\u{2013}', '\u{192}', '\u{2044}',
    '\u{2039}', '\u{203a}', '\u{2212}', '\u{2030}', '\u{201e}', '\u{201c}', '\u{201d}', '\u{2018}',
    '\u{2019}', '\u{201a}', '\u{2122}', '\u{fb01}', '\u{fb02}', '\u{141}', '\u{152}', '\u{160}',
    '\u{178}', '\u{17d}', '\u{131}', '\u{142}', '\u{153}', '\u{161}', '\u{17e}', '\u{fffd}',
    '\u{20ac}',
];

/// Bytes 0x80 to 0x9f of Windows-1252; five are unused.
const WINDOWS: [char; 32] = [
    '\u{20ac}', '\u{fffd}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}',
    '\u{2c6}', '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{fffd}', '\u{17d}', '\u{fffd}',
    '\u{fffd}', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}',
    '\u{2dc}', '\u{2122}', '\u{161}', '\u{203a}', '\u{153}', '\u{fffd}', '\u{17e}', '\u{178}',
];

/// Encodes the text in PDFDocEncoding, as for passwords of RC4-encrypted files. `None` if the
/// encoding lacks a character (ISO 32000-1, §7.6.3.3, algorithm 2, step a; annex D.2).
///
/// ```
/// use arcfour_formats::pdf::pdf_doc_encoding;
/// assert_eq!(pdf_doc_encoding("\u{e9}t\u{e9} 5 \u{20ac}").unwrap(), b"\xe9t\xe9 5 \xa0");
/// assert_eq!(pdf_doc_encoding("\u{431}"), None);
/// ```
pub fn pdf_doc_encoding(text: &str) -> Option<Vec<u8>> {
    let other = |char| byte_in(&LOW, 0x18, char).or_else(|| byte_in(&HIGH, 0x80, char));
    let byte = |char| match u32::from(char) {
        code @ (0..=0x17 | 0x20..=0x7e | 0xa1..=0xff) => Some(code as u8),
        _ => other(char),
    };
    text.chars().map(byte).collect()
}

/// Returns the bytes that a password may stand for. [`Security::open`](super::Security::open) tries
/// them in this order: the text in PDFDocEncoding, as the standard says, the password unchanged, and
/// the text in Windows-1252.
///
/// ```
/// use arcfour_formats::pdf::readings;
/// let bytes = |password: &str| readings(password.as_bytes()).iter().map(|it| it.to_vec()).collect::<Vec<_>>();
/// assert_eq!(bytes("user"), [b"user"]);
/// assert_eq!(bytes("\u{20ac}"), [&b"\xa0"[..], b"\xe2\x82\xac", b"\x80"]);
/// ```
pub fn readings(password: &[u8]) -> Vec<Zeroizing<Vec<u8>>> {
    let text = str::from_utf8(password).ok().filter(|text| !text.is_ascii());
    let encoded = |encoding: fn(&str) -> Option<Vec<u8>>| text.and_then(encoding);
    let unchanged = Some(password.to_vec());
    let mut readings = vec![];
    for reading in [encoded(pdf_doc_encoding), unchanged, encoded(windows_1252)] {
        let reading = reading.map(Zeroizing::new);
        readings.extend(reading.filter(|reading| !readings.contains(reading)));
    }
    readings
}

/// Encodes the text in Windows-1252. `None` if the encoding lacks a character.
fn windows_1252(text: &str) -> Option<Vec<u8>> {
    let byte = |char| match u32::from(char) {
        code @ (0..=0x7f | 0xa0..=0xff) => Some(code as u8),
        _ => byte_in(&WINDOWS, 0x80, char),
    };
    text.chars().map(byte).collect()
}

/// The byte of a character in a table whose first byte is `first`.
fn byte_in(table: &[char], first: u8, char: char) -> Option<u8> {
    // The table has U+FFFD for the bytes without a character.
    let at = table.iter().position(|&entry| entry == char && char != '\u{fffd}')?;
    Some(first + at as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ISO 32000-1, annex D.2: the bytes of some characters, and characters without one.
    #[test]
    fn each_character_has_its_byte() {
        for (text, bytes) in [
            ("\0\u{17}\u{18}", None),
            ("\0\u{17} ~\u{a1}\u{ff}", Some(&b"\0\x17 ~\xa1\xff"[..])),
            ("\u{2d8}\u{2c7}\u{2dc}", Some(b"\x18\x19\x1f")),
            ("\u{2022}\u{2020}\u{152}\u{17e}\u{20ac}", Some(b"\x80\x81\x96\x9e\xa0")),
            ("a\u{7f}", None),
            ("\u{a0}", None),
            ("\u{fffd}", None),
            ("\u{100}", None),
            ("", Some(b"")),
        ] {
            assert_eq!(pdf_doc_encoding(text).as_deref(), bytes, "{text:?}");
        }
    }

    /// The mapping that Unicode publishes for code page 1252.
    #[test]
    fn each_character_has_its_byte_in_windows_1252() {
        for (text, bytes) in [
            ("na\u{ef}ve\u{20ac}", Some(&b"na\xefve\x80"[..])),
            ("\u{17e}\u{178}\u{a0}\u{ff}", Some(b"\x9e\x9f\xa0\xff")),
            ("\u{2018}\u{2122}\u{161}", Some(b"\x91\x99\x9a")),
            ("\u{fffd}", None),
            ("\u{80}", None),
            ("\u{141}", None),
        ] {
            assert_eq!(windows_1252(text).as_deref(), bytes, "{text:?}");
        }
    }
}
