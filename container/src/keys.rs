//! From a key file or a passphrase to the keys of each chunk.

use argon2::{Algorithm, Argon2, Block, Params, Version};
use blake3::{Hash, Hasher};
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use zeroize::{Zeroize, Zeroizing};

use crate::{
    error::{Error, Fault},
    header::{Cost, FIELDS_LEN, HEADER_LEN, Header, KeyKind},
    layout::{TAG_LEN, Word},
};

const KEY_LEN: usize = 32;
const CONTEXT_PAYLOAD: &str = "arcfour 2026-11-20 sealed file v1 payload key";
const CONTEXT_HEADER: &str = "arcfour 2026-11-20 sealed file v1 header tag";

/// What a file is sealed and opened with. Wiped when dropped.
#[derive(Clone)]
pub enum Secret {
    /// The 32 bytes of a key file.
    KeyFile(Zeroizing<[u8; KEY_LEN]>),
    /// A passphrase: any bytes.
    Passphrase(Zeroizing<Vec<u8>>),
}

/// Text that is not a key file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a key file for sealing: that is 64 hexadecimal digits and at most one line end, as \
     `openssl rand -hex 32` writes it"
)]
pub struct KeyFileError;

impl Secret {
    /// The longest text that can be a key file, in bytes.
    pub const MAX_KEY_FILE: usize = 2 * KEY_LEN + 2;

    /// The key in a key file: 64 hexadecimal digits of any case, then at most one line end.
    ///
    /// # Errors
    /// If the text is anything else.
    pub fn from_key_file(text: &[u8]) -> Result<Self, KeyFileError> {
        let digits = text.strip_suffix(b"\n").unwrap_or(text);
        let digits = digits.strip_suffix(b"\r").filter(|_| digits != text).unwrap_or(digits);
        let mut key = Zeroizing::new([0; KEY_LEN]);
        if digits.len() != 2 * KEY_LEN {
            return Err(KeyFileError);
        }
        HEXLOWER_PERMISSIVE.decode_mut(digits, &mut *key).map_err(|_| KeyFileError)?;
        Ok(Self::KeyFile(key))
    }

    /// The text of a new key file.
    ///
    /// # Errors
    /// If the system gives no random bytes.
    pub fn new_key_file() -> Result<Zeroizing<String>, Error> {
        let mut key = Zeroizing::new([0; KEY_LEN]);
        getrandom::fill(&mut *key).map_err(Error::Random)?;
        let mut text = Zeroizing::new(String::with_capacity(Self::MAX_KEY_FILE));
        HEXLOWER.encode_append(&*key, &mut text);
        text.push('\n');
        Ok(text)
    }

    /// The 32 bytes that everything else is derived from.
    fn input_key(&self, header: &Header) -> Result<Zeroizing<[u8; KEY_LEN]>, Error> {
        match (self, header.key) {
            (Self::KeyFile(key), KeyKind::File) => Ok(key.clone()),
            (Self::Passphrase(text), KeyKind::Passphrase(cost)) => stretch(text, cost, header),
            (_, kind) => Err(Fault::OtherKeyKind { passphrase: kind != KeyKind::File }.into()),
        }
    }
}

/// Argon2id over memory that is wiped.
fn stretch(
    passphrase: &[u8],
    cost: Cost,
    header: &Header,
) -> Result<Zeroizing<[u8; KEY_LEN]>, Error> {
    let Cost { memory_kib, passes, lanes } = cost.check()?;
    let params = Params::new(memory_kib, passes.into(), lanes.into(), Some(KEY_LEN))
        .expect("the cost was checked");
    let mut memory = Zeroizing::new(Vec::new());
    memory.try_reserve_exact(params.block_count()).map_err(|_| Error::Memory { memory_kib })?;
    memory.resize(params.block_count(), Block::default());
    let mut key = Zeroizing::new([0; KEY_LEN]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into_with_memory(passphrase, &header.salt, &mut *key, &mut memory[..])
        .expect("passphrases of 4 GiB are refused before");
    Ok(key)
}

/// The keys of one file.
pub(crate) struct FileKeys {
    payload: Zeroizing<[u8; KEY_LEN]>,
    header_tag: Hash,
}

impl FileKeys {
    /// Both depend on every byte of the header's fields.
    pub(crate) fn derive(secret: &Secret, header: &Header) -> Result<Self, Error> {
        let input_key = secret.input_key(header)?;
        let fields = header.to_bytes();
        let payload = derive(CONTEXT_PAYLOAD, &input_key, &fields);
        let header_tag = Hash::from_bytes(*derive(CONTEXT_HEADER, &input_key, &fields));
        Ok(Self { payload, header_tag })
    }

    /// The header with its tag.
    pub(crate) fn sign(&self, header: &Header) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..FIELDS_LEN].copy_from_slice(&header.to_bytes());
        bytes[FIELDS_LEN..].copy_from_slice(self.header_tag.as_bytes());
        bytes
    }

    /// Whether the tag belongs to the header these keys were derived from. Takes constant time.
    pub(crate) fn verify(&self, tag: [u8; TAG_LEN]) -> Result<(), Fault> {
        let valid = self.header_tag == Hash::from_bytes(tag);
        if valid { Ok(()) } else { Err(Fault::KeyOrHeader) }
    }

    /// The keys of the chunk in place `index` with `word` in front.
    pub(crate) fn chunk(&self, index: u64, word: Word) -> ChunkKeys {
        let mut keys = ChunkKeys(Zeroizing::new([0; 2 * KEY_LEN]));
        let mut hasher = Hasher::new_keyed(&self.payload);
        hasher.update(&index.to_le_bytes()).update(&word.to_bytes());
        let mut reader = hasher.finalize_xof();
        reader.fill(&mut *keys.0);
        reader.zeroize();
        hasher.zeroize();
        keys
    }
}

fn derive(
    context: &str,
    input_key: &[u8; KEY_LEN],
    fields: &[u8; FIELDS_LEN],
) -> Zeroizing<[u8; KEY_LEN]> {
    let mut hasher = Hasher::new_derive_key(context);
    let mut hash = hasher.update(input_key).update(fields).finalize();
    let key = Zeroizing::new(*hash.as_bytes());
    hash.zeroize();
    hasher.zeroize();
    key
}

/// The two keys of one chunk, independent of each other.
pub(crate) struct ChunkKeys(Zeroizing<[u8; 2 * KEY_LEN]>);

impl ChunkKeys {
    /// For RC4.
    pub(crate) fn cipher(&self) -> &[u8] {
        &self.0[..KEY_LEN]
    }

    /// The tag of a ciphertext with this digest. Comparing two takes constant time.
    pub(crate) fn tag(&self, digest: &Hash) -> Hash {
        let key = self.0.last_chunk::<KEY_LEN>().expect("the second of two keys");
        blake3::keyed_hash(key, digest.as_bytes())
    }
}

const _: () = assert!(TAG_LEN == blake3::OUT_LEN);
