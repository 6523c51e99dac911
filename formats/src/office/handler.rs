//! The two RC4 handlers as pure functions: [MS-OFFCRYPTO] §2.3.5 and §2.3.6.

use arcfour::Rc4;
use md5::Md5;
use sha1::{Digest, Sha1};
use zeroize::Zeroizing;

use super::Error;

/// The encryption header of a document: the kind of encryption, its salt and verifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handler {
    /// Office binary document RC4: MD5, and a file key of 40 bits.
    Office97(Office97),
    /// RC4 CryptoAPI: SHA-1.
    CryptoApi(CryptoApi),
}

/// The header of Office binary document RC4 ([MS-OFFCRYPTO] §2.3.6.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Office97 {
    /// Enters the derivation of the file key.
    pub salt: [u8; 16],
    /// A random number, encrypted with the key of block 0.
    pub verifier: [u8; 16],
    /// Its MD5, encrypted with the keystream that follows.
    pub verifier_hash: [u8; 16],
}

/// The header of RC4 CryptoAPI ([MS-OFFCRYPTO] §2.3.5.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CryptoApi {
    /// Length of the keys of blocks in bits, 40 to 128. In a file, 0 means 40.
    pub key_bits: u8,
    /// Enters the derivation of the file key.
    pub salt: [u8; 16],
    /// A random number, encrypted with the key of block 0.
    pub verifier: [u8; 16],
    /// Its SHA-1, encrypted with the keystream that follows.
    pub verifier_hash: [u8; 20],
}

/// Secret from which the keys of all blocks are derived; it is derived from the password. It has 5 bytes
/// with Office 97, 20 with CryptoAPI. With XOR obfuscation it is the array of 16 bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct FileKey(Zeroizing<Vec<u8>>);

// No secret is shown.
impl std::fmt::Debug for FileKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("FileKey").finish_non_exhaustive()
    }
}

impl FileKey {
    pub(super) fn of(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The RC4 key of a block.
pub struct BlockKey {
    bytes: Zeroizing<[u8; 16]>,
    len: usize,
}

// No secret is shown.
impl std::fmt::Debug for BlockKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("BlockKey").finish_non_exhaustive()
    }
}

impl BlockKey {
    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Encrypts or decrypts from the start of the block on. No state of the cipher stays.
    pub fn apply(&self, data: &mut [u8]) {
        Rc4::crypt(self.bytes(), data).expect("5 to 16 bytes");
    }
}

impl Handler {
    /// Number of bytes of a file key.
    pub fn key_len(&self) -> usize {
        match self {
            Self::Office97(_) => 5,
            Self::CryptoApi(_) => 20,
        }
    }

    /// A file key of these bytes.
    ///
    /// # Errors
    /// If the handler's keys have another length.
    pub fn key(&self, bytes: &[u8]) -> Result<FileKey, Error> {
        let (expected, len) = (self.key_len(), bytes.len());
        if len != expected {
            return Err(Error::KeyLength { expected, len });
        }
        Ok(FileKey(Zeroizing::new(bytes.to_vec())))
    }

    /// The file key of a password (§2.3.5.2, §2.3.6.2).
    ///
    /// ```
    /// use arcfour_formats::office::{Handler, Office97};
    ///
    /// let header = Office97 { salt: [7; 16], verifier: [0; 16], verifier_hash: [0; 16] };
    /// let handler = Handler::Office97(header);
    /// let key = handler.file_key("Quentin");
    /// assert_eq!(key.bytes().len(), 5);
    /// assert!(!handler.fits(&key));
    /// ```
    pub fn file_key(&self, password: &str) -> FileKey {
        let text = password.encode_utf16().flat_map(u16::to_le_bytes);
        let text: Zeroizing<Vec<u8>> = Zeroizing::new(text.collect());
        FileKey(Zeroizing::new(match self {
            Self::Office97(Office97 { salt, .. }) => {
                let first = Zeroizing::new(<[u8; 16]>::from(Md5::digest(&text)));
                let mut hash = Md5::new();
                for _ in 0..16 {
                    hash.update(&first[..5]);
                    hash.update(salt);
                }
                hash.finalize()[..5].to_vec()
            }
            Self::CryptoApi(CryptoApi { salt, .. }) => {
                Sha1::new_with_prefix(salt).chain_update(&text).finalize().to_vec()
            }
        }))
    }

    /// The key of block `number` (§2.3.5.2, §2.3.6.2).
    pub fn block_key(&self, key: &FileKey, number: u32) -> BlockKey {
        let number = number.to_le_bytes();
        let mut bytes = Zeroizing::new([0; 16]);
        let len = match self {
            Self::Office97(_) => {
                *bytes = Md5::new_with_prefix(&key.0).chain_update(number).finalize().into();
                16
            }
            Self::CryptoApi(CryptoApi { key_bits, .. }) => {
                let hash = Sha1::new_with_prefix(&key.0).chain_update(number).finalize();
                let len = usize::from(key_bits / 8);
                bytes[..len].copy_from_slice(&hash[..len]);
                // 40 bits are followed by zeros; other lengths are not.
                if len == 5 { 16 } else { len }
            }
        };
        BlockKey { bytes, len }
    }

    /// Returns true if the key opens the document (§2.3.5.6, §2.3.6.4).
    pub fn fits(&self, key: &FileKey) -> bool {
        let open = |verifier: &[u8], hash: &[u8]| {
            let mut opened = [verifier, hash].concat();
            self.block_key(key, 0).apply(&mut opened);
            opened
        };
        match self {
            Self::Office97(Office97 { verifier, verifier_hash, .. }) => {
                let opened = open(verifier, verifier_hash);
                let (verifier, hash) = opened.split_at(verifier.len());
                Md5::digest(verifier)[..] == *hash
            }
            Self::CryptoApi(CryptoApi { verifier, verifier_hash, .. }) => {
                let opened = open(verifier, verifier_hash);
                let (verifier, hash) = opened.split_at(verifier.len());
                Sha1::digest(verifier)[..] == *hash
            }
        }
    }
}
