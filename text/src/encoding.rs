//! The encodings.

/// An encoding of bytes as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Two hexadecimal digits for each byte. They are read in either case and written in lower case.
    /// One line end may close the text; none is written.
    Hex,
    /// Four digits for each group of three bytes, the last group padded with `=`. Spaces,
    /// tabs and line ends are read anywhere; see [`Encoder`](super::Encoder) for the lines written.
    Base64,
}

impl Encoding {
    /// Digits of a whole group.
    pub(crate) fn group_digits(self) -> usize {
        match self {
            Self::Hex => 2,
            Self::Base64 => 4,
        }
    }

    /// Bytes of a whole group.
    pub(crate) fn group_bytes(self) -> usize {
        match self {
            Self::Hex => 1,
            Self::Base64 => 3,
        }
    }
}
