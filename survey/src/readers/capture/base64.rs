//! Finds messages in base64 text, as HTTP, SMTP and IMAP carry them.

use data_encoding::BASE64;
use memchr::memmem;

/// Calls `each` with every message in base64 that contains `needle`. The first argument is the place
/// of the text, the second holds the message from the first needle on. A needle has at least four
/// bytes.
pub(super) fn find(bytes: &[u8], needle: &[u8], each: &mut dyn FnMut(usize, &[u8])) {
    for before in 0..3 {
        // The number of bytes before the needle determines its characters. Those that it shares
        // with its neighbours are left out.
        let padded = BASE64.encode(&[&vec![0; before], needle].concat());
        let shared = (8 * before).div_ceil(6);
        let characters = &padded.as_bytes()[shared..8 * (before + needle.len()) / 6];
        // Each text is decoded once.
        let mut end = 0;
        for at in memmem::find_iter(bytes, characters) {
            let Some(start) = at.checked_sub(shared).filter(|start| *start >= end) else {
                continue;
            };
            let message = decode(&bytes[start..]);
            end = start + message.len() / 3 * 4;
            if let Some(found) = message.get(before..).filter(|found| found.starts_with(needle)) {
                each(start, found);
            }
        }
    }
}

/// Decodes whole groups of characters, up to the first that is not base64.
fn decode(text: &[u8]) -> Vec<u8> {
    let is_base64 = |sign: &u8| sign.is_ascii_alphanumeric() || b"+/=".contains(sign);
    let length = text.iter().take_while(|sign| is_base64(sign)).count();
    let text = &text[..length - length % 4];
    let mut message = vec![0; text.len() / 4 * 3];
    let decoded = BASE64.decode_mut(text, &mut message);
    message.truncate(decoded.unwrap_or_else(|partial| partial.written));
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_found_at_each_place_and_length() {
        let needle = b"NTLMSSP\0";
        for (before, after) in (0..7).flat_map(|before| (0..7).map(move |after| (before, after))) {
            let rest = [&needle[..], &vec![0xfb; after]].concat();
            let text = BASE64.encode(&[&vec![0xff; before], &rest[..]].concat());
            for end in ["", "\r\n", " and more", "=="] {
                let mut found = vec![];
                let line = format!("AUTH {text}{end}");
                find(line.as_bytes(), needle, &mut |at, message| {
                    found.push((at, message.to_vec()));
                });
                assert_eq!(found, [(5 + before / 3 * 4, rest.clone())], "{line}");
            }
            // A text that is cut keeps its whole groups.
            let mut longest = 0;
            for cut in 0..text.len() {
                find(&text.as_bytes()[..cut], needle, &mut |_, message| {
                    assert!(rest.starts_with(message) && message.len() >= longest);
                    longest = message.len();
                });
            }
        }
        find(b"AUTH no message TlRMTVNTUAB", needle, &mut |_, _| panic!("it has another end"));
    }
}
