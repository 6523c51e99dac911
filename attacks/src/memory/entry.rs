//! The ways in which programs store an entry of the table.

/// The storage of an entry, little-endian if it has several bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// A byte: C's `unsigned char`, Java's and C#'s `byte[]`, a `Uint8Array`.
    Byte,
    /// A word of 16 bits.
    Half,
    /// A word of 32 bits: OpenSSL's `RC4_INT`, Java's and C#'s `int[]`, a `Uint32Array`.
    Word,
    /// A word of 64 bits: a `long[]`.
    Long,
    /// A small integer of V8 with compressed pointers: 32 bits, the value in the upper 31.
    SmallInteger,
    /// A small integer of V8 without compressed pointers: 64 bits, the value in the upper 32.
    SmallIntegerHigh,
    /// A pointer to one of 256 adjacent objects of 32 bytes: a list of CPython from 3.11 on.
    /// CPython's small integers are such objects.
    Pointer,
}

/// Distance in bytes between CPython's small integers.
const OBJECT: u64 = 32;

impl Entry {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Byte,
        Self::Half,
        Self::Word,
        Self::Long,
        Self::SmallInteger,
        Self::SmallIntegerHigh,
        Self::Pointer,
    ];

    /// Bytes of an entry.
    pub fn bytes(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Half => 2,
            Self::Word | Self::SmallInteger => 4,
            Self::Long | Self::SmallIntegerHigh | Self::Pointer => 8,
        }
    }

    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Byte => "bytes",
            Self::Half => "16-bit words",
            Self::Word => "32-bit words",
            Self::Long => "64-bit words",
            Self::SmallInteger => "V8's small integers, 32 bits",
            Self::SmallIntegerHigh => "V8's small integers, 64 bits",
            Self::Pointer => "CPython list",
        }
    }

    /// Returns the value of an entry; `None` if the value is 256 or more, or the entry is a
    /// pointer.
    #[inline(always)]
    pub(super) fn value<const K: usize>(self, entry: &[u8; K]) -> Option<u8> {
        let mut long = [0; 8];
        long[..K].copy_from_slice(entry);
        let long = u64::from_le_bytes(long);
        let value = match self {
            Self::Byte | Self::Half | Self::Word | Self::Long => long,
            Self::SmallInteger => long.rotate_right(1),
            Self::SmallIntegerHigh => long.rotate_right(32),
            Self::Pointer => return None,
        };
        u8::try_from(value).ok()
    }

    /// Reads a table of 256 different values, if the bytes are one.
    pub fn table(self, stored: &[u8]) -> Option<[u8; 256]> {
        if stored.len() != 256 * self.bytes() {
            return None;
        }
        let least = match self {
            Self::Pointer => longs(stored).min()?,
            _ => 0,
        };
        let mut s = [0; 256];
        let mut seen = [false; 256];
        for (value, stored) in s.iter_mut().zip(stored.chunks_exact(self.bytes())) {
            *value = match self {
                Self::Byte => stored[0],
                Self::Half => self.value::<2>(stored.try_into().ok()?)?,
                Self::Word | Self::SmallInteger => self.value::<4>(stored.try_into().ok()?)?,
                Self::Long | Self::SmallIntegerHigh => self.value::<8>(stored.try_into().ok()?)?,
                Self::Pointer => {
                    let distance = longs(stored).next()? - least;
                    distance
                        .is_multiple_of(OBJECT)
                        .then(|| u8::try_from(distance / OBJECT).ok())??
                }
            };
            if std::mem::replace(&mut seen[usize::from(*value)], true) {
                return None;
            }
        }
        Some(s)
    }

    /// Returns true if two pointers may be in one table.
    #[inline(always)]
    pub(super) fn is_near(a: u64, b: u64) -> bool {
        let distance = a.abs_diff(b);
        distance != 0 && distance < 256 * OBJECT && distance.is_multiple_of(OBJECT)
    }

    /// Returns the bytes of a stored table. Pointers begin at an invented address.
    pub fn stored(self, s: &[u8; 256]) -> Vec<u8> {
        let value = |value: u8| match self {
            Self::Byte | Self::Half | Self::Word | Self::Long => u64::from(value),
            Self::SmallInteger => u64::from(value) << 1,
            Self::SmallIntegerHigh => u64::from(value) << 32,
            Self::Pointer => 0x7f12_3456_7890 + u64::from(value) * OBJECT,
        };
        s.iter().flat_map(|&entry| value(entry).to_le_bytes()[..self.bytes()].to_vec()).collect()
    }
}

fn longs(stored: &[u8]) -> impl Iterator<Item = u64> {
    stored.as_chunks::<8>().0.iter().map(|long| u64::from_le_bytes(*long))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of the value 0x81 in each form, and the value of those bytes.
    #[test]
    fn values_are_stored_in_their_form() {
        let s: [u8; 256] = std::array::from_fn(|at| (at as u8).wrapping_mul(77) ^ 0x81);
        for (entry, name, first) in [
            (Entry::Byte, "bytes", &[0x81][..]),
            (Entry::Half, "16-bit words", &[0x81, 0]),
            (Entry::Word, "32-bit words", &[0x81, 0, 0, 0]),
            (Entry::Long, "64-bit words", &[0x81, 0, 0, 0, 0, 0, 0, 0]),
            (Entry::SmallInteger, "V8's small integers, 32 bits", &[2, 1, 0, 0]),
            (Entry::SmallIntegerHigh, "V8's small integers, 64 bits", &[0, 0, 0, 0, 0x81, 0, 0, 0]),
            // 0x7f1234567890 and 129 times 32
            (Entry::Pointer, "CPython list", &[0xb0, 0x88, 0x56, 0x34, 0x12, 0x7f, 0, 0]),
        ] {
            let stored = entry.stored(&s);
            assert_eq!((entry.name(), entry.bytes()), (name, first.len()));
            assert_eq!((stored.len(), &stored[..first.len()]), (256 * first.len(), first));
            assert_eq!(entry.table(&stored), Some(s), "{name}");
            // Too few entries, and two equal entries.
            assert_eq!(entry.table(&stored[first.len()..]), None);
            assert_eq!(entry.table(&[&stored[..], first].concat()), None);
            assert_eq!(entry.table(&[first, first, &stored[2 * first.len()..]].concat()), None);
            // A set bit outside the value's bits.
            for bit in 0..8 * first.len() {
                let mut changed = stored.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                let table = entry.table(&changed);
                assert_eq!(table, None, "{name}, bit {bit}");
            }
        }
        assert_eq!(Entry::ALL.map(Entry::bytes), [1, 2, 4, 8, 4, 8, 8]);
    }

    #[test]
    fn pointers_of_a_table_are_near() {
        for (distance, near) in [
            (0, false),
            (1, false),
            (16, false),
            (31, false),
            (32, true),
            (33, false),
            (64, true),
            (255 * 32, true),
            (255 * 32 + 31, false),
            (256 * 32, false),
            (1 << 40, false),
        ] {
            assert_eq!(Entry::is_near(1 << 41, (1 << 41) + distance), near, "{distance}");
            assert_eq!(Entry::is_near((1 << 41) + distance, 1 << 41), near, "{distance}");
        }
    }
}
