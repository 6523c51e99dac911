//! Encodes a password as the bytes that enter the key.

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

/// Encodes the text in PDFDocEncoding, as for passwords of RC4-encrypted files. `None` if the
/// encoding lacks a character (ISO 32000-1, §7.6.3.3, algorithm 2, step a; annex D.2).
///
/// ```
/// use arcfour_formats::pdf::pdf_doc_encoding;
/// assert_eq!(pdf_doc_encoding("\u{e9}t\u{e9} 5 \u{20ac}").unwrap(), b"\xe9t\xe9 5 \xa0");
/// assert_eq!(pdf_doc_encoding("\u{431}"), None);
/// ```
pub fn pdf_doc_encoding(text: &str) -> Option<Vec<u8>> {
    text.chars()
        .map(|char| {
            let table = |table: &[char], first: u8| {
                let at = table.iter().position(|&entry| entry == char)?;
                Some(first + at as u8)
            };
            match u32::from(char) {
                code @ (0..=0x17 | 0x20..=0x7e | 0xa1..=0xff) => Some(code as u8),
                0xfffd => None,
                _ => table(&LOW, 0x18).or_else(|| table(&HIGH, 0x80)),
            }
        })
        .collect()
}

/// ISO 32000-1, annex D.2: the bytes of some characters, and characters without one.
#[cfg(test)]
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
