//! The header: 64 bytes of parameters and a tag of 32 bytes.

use std::ops::Deref;

use crate::{
    fault::Fault,
    layout::{
        ChunkSize, FIELDS_LEN, HEADER_LEN, MAX_MEMORY_KIB, MAX_PASSES_OR_LANES,
        MIN_MEMORY_KIB_PER_LANE, SALT_LEN,
    },
};

const MAGIC: &[u8; 8] = b"arcfour\x1a";
const VERSION: u8 = 1;

/// The header of a sealed file, not verified. Anyone may have written it; only a [`VerifiedHeader`] comes
/// from an owner of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The cipher.
    pub cipher: Cipher,
    /// The source of the key.
    pub key: KeyKind,
    /// The plaintext bytes of every chunk but the last.
    pub chunk_size: ChunkSize,
    /// Random bytes that make the keys of every file different.
    pub salt: [u8; SALT_LEN],
}

/// A header whose tag was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedHeader(Header);

impl VerifiedHeader {
    /// Marks a header as verified. The caller has verified its tag, or has made the header.
    pub(crate) fn new(header: Header) -> Self {
        Self(header)
    }
}

impl Deref for VerifiedHeader {
    type Target = Header;

    fn deref(&self) -> &Header {
        &self.0
    }
}

/// The cipher of the chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cipher {
    /// RC4-drop\[3072\], 1 in the header. Several chunks go through one loop.
    #[default]
    Rc4,
    /// PARC4-R, 2 in the header. The lanes of each chunk go through one loop.
    Parc4r,
}

impl Cipher {
    /// All ciphers.
    pub const ALL: [Self; 2] = [Self::Rc4, Self::Parc4r];

    /// Returns its name, as commands and documents use it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rc4 => "rc4-drop3072",
            Self::Parc4r => "parc4r",
        }
    }
}

/// The source of a file's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyKind {
    /// A key file, 0 in the header.
    File,
    /// A passphrase through Argon2id, 1 in the header.
    Passphrase(Cost),
}

/// The parameters of Argon2id (RFC 9106), within the limits of [`Cost::check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Memory in KiB: 8 per lane to 1 GiB.
    pub memory_kib: u32,
    /// Passes over the memory: 1 to 16.
    pub passes: u8,
    /// Lanes: 1 to 16.
    pub lanes: u8,
}

impl Cost {
    /// The maximum memory that a reader grants, in KiB.
    pub const MAX_MEMORY_KIB: u32 = MAX_MEMORY_KIB;
    /// The maximum number of passes, and of lanes.
    pub const MAX: u8 = MAX_PASSES_OR_LANES;

    /// Checks the limits.
    ///
    /// # Errors
    /// If a parameter is outside its limits: a header from outside must not be able to take all
    /// memory or time.
    pub fn check(self) -> Result<Self, Fault> {
        let Self { memory_kib, passes, lanes } = self;
        let counts = 1..=Self::MAX;
        let fits = counts.contains(&passes)
            && counts.contains(&lanes)
            && (MIN_MEMORY_KIB_PER_LANE * u32::from(lanes)..=Self::MAX_MEMORY_KIB)
                .contains(&memory_kib);
        if fits { Ok(self) } else { Err(Fault::KdfCost { memory_kib, passes, lanes }) }
    }
}

impl Default for Cost {
    /// 64 MiB, 3 passes, 4 lanes: the second recommended option of RFC 9106, section 4.
    fn default() -> Self {
        Self { memory_kib: 64 << 10, passes: 3, lanes: 4 }
    }
}

impl Header {
    /// Reads the fields at the start of a sealed file. `bytes` are the first [`HEADER_LEN`] bytes of the file,
    /// or all bytes of a shorter file.
    ///
    /// # Errors
    /// If it is not a sealed file, or not one of this version.
    pub fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let magic = &bytes[..bytes.len().min(MAGIC.len())];
        if magic.is_empty() || !MAGIC.starts_with(magic) {
            return Err(Fault::NotSealed);
        }
        if let Some(&found) = bytes.get(8).filter(|&&version| version != VERSION) {
            return Err(Fault::Version { found });
        }
        let Some((fields, _)) = bytes.split_first_chunk::<FIELDS_LEN>() else {
            return Err(Fault::TruncatedHeader { len: bytes.len() });
        };
        if bytes.len() < HEADER_LEN {
            return Err(Fault::TruncatedHeader { len: bytes.len() });
        }
        let cipher = match fields[9] {
            1 => Cipher::Rc4,
            2 => Cipher::Parc4r,
            found => return Err(Fault::Cipher { found }),
        };
        let chunk_size =
            ChunkSize::from_log2(fields[11]).ok_or(Fault::ChunkSize { log2: fields[11] })?;
        let memory_kib = u32::from_le_bytes([fields[12], fields[13], fields[14], fields[15]]);
        let cost = Cost { memory_kib, passes: fields[16], lanes: fields[17] };
        let key = match fields[10] {
            0 if fields[12..18] == [0; 6] => KeyKind::File,
            0 => return Err(Fault::Reserved),
            1 => KeyKind::Passphrase(cost.check()?),
            found => return Err(Fault::KeyKind { found }),
        };
        if fields[18..32] != [0; 14] {
            return Err(Fault::Reserved);
        }
        let mut salt = [0; SALT_LEN];
        salt.copy_from_slice(&fields[32..]);
        Ok(Self { cipher, key, chunk_size, salt })
    }

    /// Returns the fields as they are in the file, without the tag.
    pub fn to_bytes(&self) -> [u8; FIELDS_LEN] {
        let mut fields = [0; FIELDS_LEN];
        fields[..8].copy_from_slice(MAGIC);
        fields[8] = VERSION;
        fields[9] = match self.cipher {
            Cipher::Rc4 => 1,
            Cipher::Parc4r => 2,
        };
        if let KeyKind::Passphrase(cost) = self.key {
            fields[10] = 1;
            fields[12..16].copy_from_slice(&cost.memory_kib.to_le_bytes());
            fields[16] = cost.passes;
            fields[17] = cost.lanes;
        }
        fields[11] = self.chunk_size.log2();
        fields[32..].copy_from_slice(&self.salt);
        fields
    }
}
