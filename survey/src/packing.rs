//! Recognises packed files.

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
        _ => None,
    }
}
