//! The places at which programs keep i and j beside the table.

use super::Entry;

/// Number of bytes kept before a table and after it, for the indexes.
pub(super) const AROUND: usize = 16;

/// The place of the indexes, relative to the start of the table or to its end.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    /// The programs with this layout.
    pub name: &'static str,
    /// The storage of the table's entries.
    pub entry: Entry,
    /// Bytes of each index: 1, 4 or 8.
    pub width: usize,
    /// True if the indexes come before the table; otherwise they come after it.
    pub before: bool,
    /// True if the program keeps the next step's i.
    pub next: bool,
}

/// The known layouts. Words of more than one byte are little-endian.
pub const LAYOUTS: &[Layout] = &[
    Layout { name: "OpenSSL", entry: Entry::Word, width: 4, before: true, next: false },
    Layout {
        name: "libgcrypt, 32-bit indexes after 32-bit entries",
        entry: Entry::Word,
        width: 4,
        before: false,
        next: false,
    },
    // `struct arc4_ctx`, and `struct RC4ContextStr` with NSS_BEVAND_ARCFOUR.
    Layout {
        name: "Linux kernel from 3.7 on",
        entry: Entry::Word,
        width: 4,
        before: false,
        next: true,
    },
    Layout { name: "NSS on x86-64", entry: Entry::Long, width: 8, before: true, next: false },
    Layout { name: "Go", entry: Entry::Word, width: 1, before: false, next: false },
    Layout {
        name: "OpenSSL with bytes, libtomcrypt, Mbed TLS",
        entry: Entry::Byte,
        width: 4,
        before: true,
        next: false,
    },
    Layout { name: "libgcrypt, bytes", entry: Entry::Byte, width: 4, before: false, next: false },
    Layout {
        name: "Arcfour, Nettle, Windows",
        entry: Entry::Byte,
        width: 1,
        before: false,
        next: false,
    },
    Layout {
        name: "Linux kernel before 3.7",
        entry: Entry::Byte,
        width: 1,
        before: false,
        next: true,
    },
    Layout {
        name: "bytes, 8-bit indexes before them",
        entry: Entry::Byte,
        width: 1,
        before: true,
        next: false,
    },
    Layout { name: "wolfSSL", entry: Entry::Byte, width: 1, before: true, next: true },
];

/// The indexes are not beside the table, as in Java, C#, JavaScript and Python, where the table is
/// a separate object.
pub const ELSEWHERE: Layout =
    Layout { name: "indexes elsewhere", entry: Entry::Byte, width: 0, before: false, next: false };
