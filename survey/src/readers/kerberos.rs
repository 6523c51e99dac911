//! The common parts of Kerberos' files: cipher numbers, and fields in sequence.

use std::fmt;

/// RC4 in a sum of encryption types ([MS-KILE] 2.2.7): `msDS-SupportedEncryptionTypes`, and settings
/// of Windows and Samba.
pub(crate) const RC4_BIT: u32 = 0x4;

/// A cipher of Kerberos, by IANA's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Etype(pub i32);

impl Etype {
    /// Returns true if the cipher is RC4: 23 and 24, and Microsoft's older numbers for it.
    pub fn is_rc4(self) -> bool {
        matches!(self.0, 23 | 24 | -128 | -133 | -135)
    }

    /// Returns true if it is AES or Camellia.
    pub fn is_strong(self) -> bool {
        matches!(self.0, 17..=20 | 25 | 26)
    }
}

impl fmt::Display for Etype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            0 => "none",
            1 => "des-cbc-crc",
            2 => "des-cbc-md4",
            3 => "des-cbc-md5",
            16 => "des3-cbc-sha1",
            17 => "aes128-cts-hmac-sha1-96",
            18 => "aes256-cts-hmac-sha1-96",
            19 => "aes128-cts-hmac-sha256-128",
            20 => "aes256-cts-hmac-sha384-192",
            23 => "arcfour-hmac",
            24 => "arcfour-hmac-exp",
            25 => "camellia128-cts-cmac",
            26 => "camellia256-cts-cmac",
            other => return write!(f, "etype {other}"),
        })
    }
}

/// Reads fields in sequence, in one byte order.
pub(super) struct Fields<'bytes> {
    bytes: &'bytes [u8],
    little: bool,
}

impl<'bytes> Fields<'bytes> {
    pub(super) fn new(bytes: &'bytes [u8], little: bool) -> Self {
        Self { bytes, little }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn skip(&mut self, len: usize) -> Option<&'bytes [u8]> {
        let (taken, left) = self.bytes.split_at_checked(len)?;
        self.bytes = left;
        Some(taken)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.skip(1).map(|bytes| bytes[0])
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        let bytes = self.skip(2)?.try_into().ok()?;
        Some(if self.little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        let bytes = self.skip(4)?.try_into().ok()?;
        Some(if self.little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    /// Bytes after their length in 32 bits.
    pub(super) fn long(&mut self) -> Option<&'bytes [u8]> {
        let len = self.u32()?;
        self.skip(usize::try_from(len).ok()?)
    }

    /// Text after its length in 16 bits.
    pub(super) fn short_text(&mut self) -> Option<String> {
        let len = self.u16()?;
        self.skip(usize::from(len)).map(|text| String::from_utf8_lossy(text).into_owned())
    }
}
