//! Converts strings between their two notations and their bytes: ISO 32000-1, §7.3.4.

use super::token::nibble;

/// Returns the bytes of a string in parentheses or angle brackets.
pub(super) fn decoded(token: &[u8]) -> Vec<u8> {
    match token.first() {
        Some(b'<') => of_hex(token),
        _ => of_literal(token),
    }
}

/// Writes bytes as a string, in the notation of `like`.
pub(super) fn encoded(bytes: &[u8], like: &[u8], to: &mut Vec<u8>) {
    if like.first() == Some(&b'<') {
        let lower = like.iter().any(|digit| (b'a'..=b'f').contains(digit));
        let digits = if lower { b"0123456789abcdef" } else { b"0123456789ABCDEF" };
        to.push(b'<');
        to.extend(bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|n| digits[n as usize]));
        to.push(b'>');
        return;
    }
    to.push(b'(');
    for &byte in bytes {
        match byte {
            b'(' | b')' | b'\\' => to.extend([b'\\', byte]),
            b'\r' => to.extend(b"\\r"), // a reader would read it as a line feed
            byte => to.push(byte),
        }
    }
    to.push(b')');
}

fn of_hex(token: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = token.iter().filter_map(|&digit| nibble(digit)).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)).collect()
}

fn of_literal(token: &[u8]) -> Vec<u8> {
    let inner = token.get(1..token.len().saturating_sub(1)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        match byte {
            b'\r' => {
                rest.next_if_eq(&b'\n');
                bytes.push(b'\n');
            }
            b'\\' => match rest.next() {
                Some(b'n') => bytes.push(b'\n'),
                Some(b'r') => bytes.push(b'\r'),
                Some(b't') => bytes.push(b'\t'),
                Some(b'b') => bytes.push(8),
                Some(b'f') => bytes.push(12),
                Some(b'\r') => drop(rest.next_if_eq(&b'\n')),
                Some(b'\n') | None => {}
                Some(digit @ b'0'..=b'7') => {
                    let mut value = u32::from(digit - b'0');
                    for _ in 0..2 {
                        let Some(digit) = rest.next_if(|byte| (b'0'..=b'7').contains(byte)) else {
                            break;
                        };
                        value = value << 3 | u32::from(digit - b'0');
                    }
                    bytes.push(value as u8);
                }
                Some(other) => bytes.push(other),
            },
            byte => bytes.push(byte),
        }
    }
    bytes
}
