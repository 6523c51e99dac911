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
