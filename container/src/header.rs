//! The header: 64 bytes that say how the file was sealed, and a tag of 32.

use crate::{
    error::Fault,
    layout::{ChunkSize, TAG_LEN},
};

const MAGIC: &[u8; 8] = b"arcfour\x1a";
const VERSION: u8 = 1;
/// The fields, without the tag.
pub(crate) const FIELDS_LEN: usize = 64;
pub(crate) const SALT_LEN: usize = 32;
/// The bytes of a header with its tag.
pub const HEADER_LEN: usize = FIELDS_LEN + TAG_LEN;

/// What a sealed file says of itself. Nothing of it is to be believed before the tag is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The cipher.
    pub family: Family,
    /// What the key comes from.
    pub key: KeyKind,
    /// The plaintext bytes of every chunk but the last.
    pub chunk_size: ChunkSize,
    /// Random bytes that make every file's keys its own.
    pub salt: [u8; SALT_LEN],
}

/// The cipher of the chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// RC4-drop\[3072\], 1 in the header. Several chunks go through one loop.
    #[default]
    Rc4,
    /// PARC4-R, 2 in the header. The lanes of each chunk go through one loop.
    Parc4r,
}

/// What the key of a file comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The most memory a reader grants, in KiB.
    pub const MAX_MEMORY_KIB: u32 = 1 << 20;
    /// The most passes and the most lanes.
    pub const MAX: u8 = 16;

    /// # Errors
    /// If a parameter is outside its limits: a header from outside must not be able to take all
    /// memory or time.
    pub fn check(self) -> Result<Self, Fault> {
        let Self { memory_kib, passes, lanes } = self;
        let counts = 1..=Self::MAX;
        let fits = counts.contains(&passes)
            && counts.contains(&lanes)
            && (8 * u32::from(lanes)..=Self::MAX_MEMORY_KIB).contains(&memory_kib);
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
    /// The fields at the start of a sealed file, of which `bytes` are the first [`HEADER_LEN`], or
    /// all if it has fewer.
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
        let family = match fields[9] {
            1 => Family::Rc4,
            2 => Family::Parc4r,
            found => return Err(Fault::Family { found }),
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
        Ok(Self { family, key, chunk_size, salt })
    }

    /// The fields as they stand in the file, without the tag.
    pub fn to_bytes(&self) -> [u8; FIELDS_LEN] {
        let mut fields = [0; FIELDS_LEN];
        fields[..8].copy_from_slice(MAGIC);
        fields[8] = VERSION;
        fields[9] = match self.family {
            Family::Rc4 => 1,
            Family::Parc4r => 2,
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
