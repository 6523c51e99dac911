//! The encryption headers: [MS-OFFCRYPTO] §2.3.5.1, §2.3.6.1.

use super::{CryptoApi, Error, FileKey, Handler, Office97, Xor};

/// The protection of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Protection {
    /// Not at all.
    None,
    /// RC4.
    Rc4(Handler),
    /// XOR obfuscation ([MS-OFFCRYPTO] §2.3.7), which is not encryption.
    Xor(Xor),
    /// The encoding of Access 97 to 2003, and a password of the database.
    Jet(Jet),
    /// Another protection, by its name.
    Other(String),
}

/// The protection of a database of Jet. The first page contains both the key and the password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jet {
    /// Xored with the number of a page, this is the page's RC4 key; 0 encrypts nothing.
    pub key: u32,
    /// True if Access asks for a password.
    pub has_password: bool,
}

impl Jet {
    /// The key of the pages: 4 bytes.
    pub fn file_key(&self) -> FileKey {
        FileKey::of(self.key.to_le_bytes().to_vec())
    }

    pub(super) fn fits(&self, key: &FileKey) -> bool {
        *key == self.file_key()
    }
}

/// Reads numbers and arrays from the start of a header.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn bytes(&mut self, len: usize) -> Result<&'a [u8], Error> {
        let (bytes, rest) = self
            .0
            .split_at_checked(len)
            .ok_or_else(|| Error::Damaged("its encryption header is cut short".to_owned()))?;
        self.0 = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        Ok(self.bytes(N)?.try_into().expect("as long as asked for"))
    }

    fn u16(&mut self) -> Result<u16, Error> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, Error> {
        self.array().map(u32::from_le_bytes)
    }
}

/// Reads an encryption header, from its version on.
pub(super) fn parse(bytes: &[u8]) -> Result<Protection, Error> {
    const RC4: u32 = 0x6801;
    let damaged = |what: String| Error::Damaged(format!("its encryption header: {what}"));
    let mut fields = Fields(bytes);
    let version = (fields.u16()?, fields.u16()?);
    match version {
        (1, 1) => Ok(Protection::Rc4(Handler::Office97(Office97 {
            salt: fields.array()?,
            verifier: fields.array()?,
            verifier_hash: fields.array()?,
        }))),
        (2..=4, 2) => {
            let _flags = fields.u32()?;
            let len = fields.u32()? as usize;
            let mut header = Fields(fields.bytes(len)?);
            let [_flags, _size_extra, algorithm, hash] =
                [header.u32()?, header.u32()?, header.u32()?, header.u32()?];
            let key_bits = header.u32()?;
            match (algorithm, hash) {
                (0 | RC4, 0 | 0x8004) => {}
                (0x660e..=0x6610, _) => return Ok(Protection::Other("AES".to_owned())),
                (algorithm, hash) => {
                    return Ok(Protection::Other(format!(
                        "algorithm {algorithm:#x} with hash {hash:#x}"
                    )));
                }
            }
            let key_bits = match key_bits {
                0 => 40,
                40..=128 if key_bits % 8 == 0 => key_bits as u8,
                bits => return Err(damaged(format!("a key of {bits} bits; 40 to 128 are RC4"))),
            };
            match fields.u32()? {
                16 => {}
                len => return Err(damaged(format!("a salt of {len} bytes, not 16"))),
            }
            let (salt, verifier) = (fields.array()?, fields.array()?);
            match fields.u32()? {
                20 => {}
                len => return Err(damaged(format!("a hash of {len} bytes, not 20"))),
            }
            let verifier_hash = fields.array()?;
            let header = CryptoApi { key_bits, salt, verifier, verifier_hash };
            Ok(Protection::Rc4(Handler::CryptoApi(header)))
        }
        (4, 4) => Ok(Protection::Other("AES (agile encryption)".to_owned())),
        (major, minor) => {
            Ok(Protection::Other(format!("an encryption of version {major}.{minor}")))
        }
    }
}
