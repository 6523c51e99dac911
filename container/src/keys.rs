//! Derives the keys of each chunk from a key file or a passphrase.

use std::borrow::Cow;

use argon2::{Algorithm, Argon2, Block, Params, Version};
use blake3::{Hash, Hasher};
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use zeroize::{Zeroize, Zeroizing};

use crate::{
    fault::{Error, Fault},
    header::{Cost, Header, KeyKind, VerifiedHeader},
    layout::{FIELDS_LEN, HEADER_LEN, KEY_LEN, MAX_PASSPHRASE, TAG_LEN, Word},
};

const CONTEXT_PAYLOAD: &str = "arcfour 2026-11-20 sealed file v1 payload key";
const CONTEXT_HEADER: &str = "arcfour 2026-11-20 sealed file v1 header tag";

/// 32 secret bytes, wiped when dropped. They are in a box, because a move would leave a copy on the
/// stack.
type Key = Box<Zeroizing<[u8; KEY_LEN]>>;

/// Returns an empty key, to be written in place.
fn blank() -> Key {
    Box::new(Zeroizing::new([0; KEY_LEN]))
}

/// A key or a passphrase that seals and opens files. Wiped when dropped.
#[derive(Clone)]
pub struct Secret(Kind);

// No secret is shown.
impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Secret").finish_non_exhaustive()
    }
}

#[derive(Clone)]
enum Kind {
    /// The 32 bytes of a key file.
    KeyFile(Key),
    /// A passphrase: any bytes.
    Passphrase(Zeroizing<Vec<u8>>),
}

/// The text of a key file. Wiped when dropped.
pub struct KeyFile(Zeroizing<String>);

// No secret is shown.
impl std::fmt::Debug for KeyFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("KeyFile").finish_non_exhaustive()
    }
}

impl KeyFile {
    /// Returns the text: 64 hexadecimal digits and a line end.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A passphrase that is empty or too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the passphrase {}; it must have 1 to {MAX_PASSPHRASE} bytes",
    if *.is_empty { "is empty".to_owned() } else { format!("has more than {MAX_PASSPHRASE} bytes") }
)]
pub struct PassphraseError {
    is_empty: bool,
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

    /// Reads the text of a key file: 64 hexadecimal digits of any case, then at most one line end.
    ///
    /// # Errors
    /// If the text is anything else.
    pub fn from_key_file(text: &[u8]) -> Result<Self, KeyFileError> {
        let digits = text.strip_suffix(b"\n").unwrap_or(text);
        let digits = digits.strip_suffix(b"\r").filter(|_| digits != text).unwrap_or(digits);
        let mut key = blank();
        if digits.len() != 2 * KEY_LEN {
            return Err(KeyFileError);
        }
        HEXLOWER_PERMISSIVE.decode_mut(digits, &mut **key).map_err(|_| KeyFileError)?;
        Ok(Self(Kind::KeyFile(key)))
    }

    /// Takes the 32 bytes that a key file would hold.
    pub fn from_key(key: &[u8; KEY_LEN]) -> Self {
        let mut held = blank();
        held.copy_from_slice(key);
        Self(Kind::KeyFile(held))
    }

    /// Takes a passphrase, byte for byte.
    ///
    /// # Errors
    /// If it does not have 1 to [`MAX_PASSPHRASE`] bytes.
    pub fn from_passphrase(passphrase: &[u8]) -> Result<Self, PassphraseError> {
        match passphrase.len() {
            1..=MAX_PASSPHRASE => Ok(Self(Kind::Passphrase(Zeroizing::new(passphrase.to_vec())))),
            len => Err(PassphraseError { is_empty: len == 0 }),
        }
    }

    /// Returns whether it is a passphrase.
    pub(crate) fn is_passphrase(&self) -> bool {
        matches!(self.0, Kind::Passphrase(_))
    }

    /// Makes a new key file.
    ///
    /// # Errors
    /// If the system gives no random bytes.
    pub fn new_key_file() -> Result<KeyFile, Error> {
        let mut key = Zeroizing::new([0; KEY_LEN]);
        getrandom::fill(&mut *key).map_err(|error| Error::Random(error.into()))?;
        let mut text = Zeroizing::new(String::with_capacity(Self::MAX_KEY_FILE));
        HEXLOWER.encode_append(&*key, &mut text);
        text.push('\n');
        Ok(KeyFile(text))
    }

    /// Returns the 32 bytes from which all other keys are derived.
    fn input_key(&self, header: &Header) -> Result<Cow<'_, Key>, Error> {
        match (&self.0, header.key) {
            (Kind::KeyFile(key), KeyKind::File) => Ok(Cow::Borrowed(key)),
            (Kind::Passphrase(text), KeyKind::Passphrase(cost)) => {
                stretch(text, cost, header).map(Cow::Owned)
            }
            (_, kind) => Err(Fault::OtherKeyKind { passphrase: kind != KeyKind::File }.into()),
        }
    }
}

/// Runs Argon2id in memory that is wiped afterwards.
fn stretch(passphrase: &[u8], cost: Cost, header: &Header) -> Result<Key, Error> {
    let Cost { memory_kib, passes, lanes } = cost.check()?;
    let params = Params::new(memory_kib, passes.into(), lanes.into(), Some(KEY_LEN))
        .expect("the cost was checked");
    let mut memory = Zeroizing::new(Vec::new());
    memory.try_reserve_exact(params.block_count()).map_err(|_| Error::Memory { memory_kib })?;
    memory.resize(params.block_count(), Block::default());
    let mut key = blank();
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into_with_memory(passphrase, &header.salt, &mut **key, &mut memory[..])
        .expect("the lengths are within Argon2id's limits");
    Ok(key)
}

/// The keys of one file.
pub(crate) struct FileKeys {
    payload: Key,
    header_tag: Hash,
}

impl FileKeys {
    /// Both keys depend on every byte of the header's fields.
    pub(crate) fn derive(secret: &Secret, header: &Header) -> Result<Self, Error> {
        let input_key = secret.input_key(header)?;
        let fields = header.to_bytes();
        let payload = derive(CONTEXT_PAYLOAD, &input_key, &fields);
        let header_tag = Hash::from_bytes(**derive(CONTEXT_HEADER, &input_key, &fields));
        Ok(Self { payload, header_tag })
    }

    /// Returns the header with its tag.
    pub(crate) fn sign(&self, header: &Header) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..FIELDS_LEN].copy_from_slice(&header.to_bytes());
        bytes[FIELDS_LEN..].copy_from_slice(self.header_tag.as_bytes());
        bytes
    }

    /// Verifies the tag of the header that these keys were derived from, in constant time.
    pub(crate) fn verify(
        &self,
        header: Header,
        tag: [u8; TAG_LEN],
    ) -> Result<VerifiedHeader, Fault> {
        let valid = self.header_tag == Hash::from_bytes(tag);
        if valid { Ok(VerifiedHeader::new(header)) } else { Err(Fault::KeyOrHeader) }
    }

    /// Derives the keys of the chunk in place `index` with this word.
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

fn derive(context: &str, input_key: &[u8; KEY_LEN], fields: &[u8; FIELDS_LEN]) -> Key {
    let mut hasher = Hasher::new_derive_key(context);
    let mut hash = hasher.update(input_key).update(fields).finalize();
    let mut key = blank();
    key.copy_from_slice(hash.as_bytes());
    hash.zeroize();
    hasher.zeroize();
    key
}

/// The two keys of one chunk, independent of each other.
pub(crate) struct ChunkKeys(Zeroizing<[u8; 2 * KEY_LEN]>);

impl ChunkKeys {
    /// Returns the key of the RC4 keystream.
    pub(crate) fn cipher(&self) -> &[u8] {
        &self.0[..KEY_LEN]
    }

    /// Returns the tag of a ciphertext with this digest. Two tags are compared in constant time.
    pub(crate) fn tag(&self, digest: &Hash) -> Hash {
        let key = self.0.last_chunk::<KEY_LEN>().expect("the second of two keys");
        let mut hasher = Hasher::new_keyed(key);
        let tag = hasher.update(digest.as_bytes()).finalize();
        hasher.zeroize();
        tag
    }
}

const _: () = assert!(TAG_LEN == blake3::OUT_LEN);
