//! Recognises packed files.

use std::io::{Read, Seek, SeekFrom};

use tar::Header;

use crate::input::Input;

/// The packing of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Zip,
    Tar,
    Gzip,
}

/// Returns true if a survey looks into a file that begins with `head`: ZIP, tar or gzip.
pub fn is_packed(head: &[u8]) -> bool {
    kind(head).is_some()
}

/// Returns the packing of a file, by its first bytes.
pub(crate) fn kind(head: &[u8]) -> Option<Kind> {
    match head {
        [b'P', b'K', 3 | 5, 4 | 6, ..] => Some(Kind::Zip),
        [0x1f, 0x8b, 8, ..] => Some(Kind::Gzip),
        _ if head.get(257..262) == Some(b"ustar") => Some(Kind::Tar),
        _ => head.first_chunk().is_some_and(is_old_tar).then_some(Kind::Tar),
    }
}

/// Returns true for a header of the oldest tar (v7), whose only sign is its checksum.
fn is_old_tar(header: &[u8; 512]) -> bool {
    const CHECKSUM: std::ops::Range<usize> = 148..156;
    let sum = |bytes: &[u8]| bytes.iter().copied().map(u32::from).sum::<u32>();
    let others = sum(&header[..CHECKSUM.start]) + sum(&header[CHECKSUM.end..]);
    let expected = others + u32::from(b' ') * CHECKSUM.len() as u32;
    Header::from_byte_slice(header).cksum().is_ok_and(|written| written == expected)
}

/// Returns true if a file ends as a ZIP archive without a comment does. Such a file may begin with a
/// program that unpacks it.
pub(crate) fn ends_as_zip(input: &mut Input<'_>) -> bool {
    let mut end = [0; 22];
    // A file of /sys is shorter than its size says.
    input.size() >= end.len() as u64
        && input.seek(SeekFrom::End(-(end.len() as i64))).is_ok()
        && input.read_exact(&mut end).is_ok()
        && end.starts_with(b"PK\x05\x06")
        && end.ends_with(&[0, 0])
}
