//! Where programs keep i and j beside the table.

use super::Table;

/// Bytes of the dump kept before a table and after it, for the indexes.
pub(super) const AROUND: usize = 8;

/// Where the indexes are, counted from the start of the table, or from its end.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    /// Who lays it out so.
    pub name: &'static str,
    /// Bytes of each entry of the table: 1 or 4.
    pub entry: usize,
    /// Bytes of each index: 1 or 4.
    pub width: usize,
    /// Whether the indexes come before the table; otherwise they come after it.
    pub before: bool,
}

/// The layouts that are known. Words of more than one byte are little-endian.
pub const LAYOUTS: &[Layout] = &[
    Layout { name: "OpenSSL", entry: 4, width: 4, before: true },
    Layout { name: "32-bit entries, 32-bit indexes after them", entry: 4, width: 4, before: false },
    Layout { name: "Go", entry: 4, width: 1, before: false },
    Layout { name: "OpenSSL with bytes, libtomcrypt, Mbed TLS", entry: 1, width: 4, before: true },
    Layout { name: "libgcrypt", entry: 1, width: 4, before: false },
    Layout { name: "Arcfour, Nettle", entry: 1, width: 1, before: false },
    Layout { name: "wolfSSL, Windows", entry: 1, width: 1, before: true },
];

impl Layout {
    /// The indexes of a table, if it has such entries and they are in the dump and below 256.
    pub(super) fn indexes(&self, table: &Table) -> Option<(u8, u8)> {
        if table.entry != self.entry {
            return None;
        }
        let near = match self.before {
            true => table.before.get(table.before.len().checked_sub(2 * self.width)?..)?,
            false => table.after.get(..2 * self.width)?,
        };
        let (i, j) = near.split_at(self.width);
        let small = |index: &[u8]| index[1..].iter().all(|&byte| byte == 0).then_some(index[0]);
        Some((small(i)?, small(j)?))
    }
}
