//! The standard security handler with RC4, as pure functions: ISO 32000-1:2008, §7.6.3, algorithms 1
//! to 7.

use arcfour::Rc4;
use md5::{Digest, Md5};
use zeroize::Zeroizing;

use super::{Error, readings};

/// Padding that extends a password to 32 bytes (algorithm 2, step a). With R 2, U is this padding, encrypted
/// with the file key.
pub const PAD: [u8; 32] = [
    0x28, 0xbf, 0x4e, 0x5e, 0x4e, 0x75, 0x8a, 0x41, 0x64, 0x00, 0x4e, 0x56, 0xff, 0xfa, 0x01, 0x08,
    0x2e, 0x2e, 0x00, 0xb6, 0xd0, 0x68, 0x3e, 0x80, 0x2f, 0x0c, 0xa9, 0xfe, 0x64, 0x53, 0x69, 0x7a,
];

/// The key of a file, from which the key of each object is derived.
#[derive(Clone, PartialEq, Eq)]
pub struct FileKey(Zeroizing<Vec<u8>>);

// No secret is shown.
impl std::fmt::Debug for FileKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("FileKey").finish_non_exhaustive()
    }
}

impl FileKey {
    /// A key of 5 to 16 bytes.
    ///
    /// # Errors
    /// If it has another length.
    pub fn new(bytes: &[u8]) -> Result<Self, Error> {
        match bytes.len() {
            5..=16 => Ok(Self(Zeroizing::new(bytes.to_vec()))),
            len => Err(Error::KeyLength(len)),
        }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The two kinds of password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Password {
    /// The user password, which opens the document.
    User,
    /// The owner password, which permits everything.
    Owner,
}

/// The data from which keys are derived: the encryption dictionary and the file's ID.
///
/// ```
/// use arcfour_formats::pdf::{Password, Standard};
///
/// let standard = Standard {
///     version: 2,
///     revision: 3,
///     key_len: 16,
///     owner: [0; 32],
///     user: [0; 32],
///     permissions: -4,
///     id: b"0123456789abcdef".to_vec(),
///     encrypt_metadata: true,
/// };
/// let standard = standard.with_passwords(b"user", b"owner");
/// let (key, whose) = standard.open(b"owner").unwrap();
/// assert_eq!((key.bytes().len(), whose), (16, Password::Owner));
/// assert!(standard.open(b"Quentin").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standard {
    /// V: 1, 2 or 4.
    pub version: u8,
    /// R: 2, 3 or 4.
    pub revision: u8,
    /// Length of the file key in bytes, 5 to 16: the n of the algorithms.
    pub key_len: usize,
    /// O.
    pub owner: [u8; 32],
    /// U.
    pub user: [u8; 32],
    /// P.
    pub permissions: i32,
    /// The first of the two strings of the trailer's ID.
    pub id: Vec<u8>,
    /// EncryptMetadata.
    pub encrypt_metadata: bool,
}

impl Standard {
    /// Returns the file key of a user password (algorithm 2).
    pub fn file_key(&self, user_password: &[u8]) -> FileKey {
        let mut hash = Md5::new();
        hash.update(*padded(user_password));
        hash.update(self.owner);
        hash.update(self.permissions.to_le_bytes());
        hash.update(&self.id);
        if self.revision >= 4 && !self.encrypt_metadata {
            hash.update([0xff; 4]);
        }
        let digest = rounds(hash, self.rounds(), self.key_len);
        FileKey(Zeroizing::new(digest[..self.key_len].to_vec()))
    }

    /// Returns true if the key opens the file (algorithm 6, from step 2 on).
    pub fn fits(&self, key: &FileKey) -> bool {
        let made = self.user_entry(key);
        let compared = if self.revision == 2 { 32 } else { 16 };
        made[..compared] == self.user[..compared]
    }

    /// Returns the file key and the kind of the password, if the password is right (algorithms 6
    /// and 7).
    pub fn open(&self, password: &[u8]) -> Option<(FileKey, Password)> {
        let user = self.open_user(password).map(|key| (key, Password::User));
        user.or_else(|| self.open_owner(password).map(|key| (key, Password::Owner)))
    }

    /// Returns the file key, if `password` is the user's (algorithm 6).
    pub fn open_user(&self, password: &[u8]) -> Option<FileKey> {
        Some(self.file_key(password)).filter(|key| self.fits(key))
    }

    /// Returns the file key, if `password` is the owner's (algorithm 7).
    pub fn open_owner(&self, password: &[u8]) -> Option<FileKey> {
        let mut lens = self.owner_round_lens();
        lens.find_map(|len| self.open_user(&self.user_password(password, len)[..]))
    }

    /// Returns how many bytes of the hash the rounds of the owner's key use. With R 3 and 4 and
    /// keys below 128 bits, programs disagree, so both numbers are tried.
    pub fn owner_round_lens(&self) -> impl Iterator<Item = usize> + use<> {
        let differ = self.revision > 2 && self.key_len != 16;
        [Some(self.key_len), differ.then_some(16)].into_iter().flatten()
    }

    /// Does the same for each of the [`readings`] of a password.
    pub fn open_text(&self, password: &[u8]) -> Option<(FileKey, Password)> {
        readings(password).iter().find_map(|reading| self.open(reading))
    }

    /// Returns the RC4 key of the strings and streams of object `number` `generation` (algorithm
    /// 1).
    ///
    /// With V 4, a file key of less than 16 bytes is extended with zeros, as Acrobat does.
    pub fn object_key(&self, key: &FileKey, number: u32, generation: u16) -> ObjectKey {
        let mut bytes = Zeroizing::new([0; 16]);
        bytes[..key.0.len()].copy_from_slice(&key.0);
        let n = if self.version == 4 { 16 } else { key.0.len() };
        let mut hash = Md5::new();
        hash.update(&bytes[..n]);
        hash.update(&number.to_le_bytes()[..3]);
        hash.update(generation.to_le_bytes());
        let digest = Zeroizing::new(<[u8; 16]>::from(hash.finalize()));
        ObjectKey { bytes: digest, len: 16.min(n + 5) }
    }

    /// Returns a copy with the O and U of these passwords (algorithms 3, 4 and 5).
    #[must_use]
    pub fn with_passwords(mut self, user: &[u8], owner: &[u8]) -> Self {
        let owner = if owner.is_empty() { user } else { owner };
        let key = self.owner_key(owner, self.key_len);
        let mut entry = *padded(user);
        for round in 0..=self.last_round() {
            xor(&key[..self.key_len], round, &mut entry);
        }
        self.owner = entry;
        self.user = self.user_entry(&self.file_key(user));
        self
    }

    /// Returns the plaintext of U with R 3 and 4, which is the same for every key (algorithm 5,
    /// steps b and c).
    pub fn user_hash(&self) -> [u8; 16] {
        Md5::new_with_prefix(PAD).chain_update(&self.id).finalize().into()
    }

    /// Returns U for a key (algorithms 4 and 5). With R 3 and 4 its last 16 bytes are zero.
    fn user_entry(&self, key: &FileKey) -> [u8; 32] {
        if self.revision == 2 {
            let mut entry = PAD;
            xor(&key.0, 0, &mut entry);
            return entry;
        }
        let mut entry = [0; 32];
        entry[..16].copy_from_slice(&self.user_hash());
        for round in 0..=self.last_round() {
            xor(&key.0, round, &mut entry[..16]);
        }
        entry
    }

    /// Returns the padded user password that the owner password gives (algorithm 7).
    fn user_password(&self, owner_password: &[u8], round_len: usize) -> Zeroizing<[u8; 32]> {
        let key = self.owner_key(owner_password, round_len);
        let mut password = Zeroizing::new(self.owner);
        for round in (0..=self.last_round()).rev() {
            xor(&key[..self.key_len], round, &mut *password);
        }
        password
    }

    /// Returns the key of O (algorithm 3, steps a to d).
    fn owner_key(&self, password: &[u8], round_len: usize) -> Zeroizing<[u8; 16]> {
        let hash = Md5::new_with_prefix(*padded(password));
        rounds(hash, self.rounds(), round_len)
    }

    /// Number of further MD5 rounds of a password.
    fn rounds(&self) -> usize {
        if self.revision == 2 { 0 } else { 50 }
    }

    /// Round numbers of the encryptions of O and U after the first.
    fn last_round(&self) -> u8 {
        if self.revision == 2 { 0 } else { 19 }
    }
}

/// The RC4 key of an object.
pub struct ObjectKey {
    bytes: Zeroizing<[u8; 16]>,
    len: usize,
}

// No secret is shown.
impl std::fmt::Debug for ObjectKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ObjectKey").finish_non_exhaustive()
    }
}

impl ObjectKey {
    /// Its bytes, 10 to 16.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Encrypts or decrypts a whole string or stream.
    pub fn apply(&self, data: &mut [u8]) {
        Rc4::crypt(self.bytes(), data).expect("10 to 16 bytes");
    }
}

/// The first 32 bytes of the password and the pad.
fn padded(password: &[u8]) -> Zeroizing<[u8; 32]> {
    let mut bytes = Zeroizing::new(PAD);
    let len = password.len().min(32);
    bytes[..len].copy_from_slice(&password[..len]);
    bytes[len..].copy_from_slice(&PAD[..32 - len]);
    bytes
}

/// Hashes, then hashes the first `len` bytes of the result `count` times.
fn rounds(hash: Md5, count: usize, len: usize) -> Zeroizing<[u8; 16]> {
    let mut digest = Zeroizing::new(<[u8; 16]>::from(hash.finalize()));
    for _ in 0..count {
        *digest = Md5::digest(&digest[..len]).into();
    }
    digest
}

/// Encrypts with `key`, whose bytes are each xored with `round`.
fn xor(key: &[u8], round: u8, data: &mut [u8]) {
    let key: Zeroizing<Vec<u8>> = Zeroizing::new(key.iter().map(|byte| byte ^ round).collect());
    Rc4::crypt(&key, data).expect("5 to 16 bytes");
}
