//! The cipher of an open document.

use arcfour::{Rc4, apply_many, lanes, rekey_many};

use super::{Error, FileKey, Handler, Protection, handler::BlockKey};

/// A protection with its right key.
pub(super) enum Cipher<'a> {
    Rc4(&'a Handler, &'a FileKey),
    Xor(&'a [u8; 16]),
    /// The file contains the key.
    Jet,
}

impl<'a> Cipher<'a> {
    /// # Errors
    /// If the key is wrong, or the document is not encrypted.
    pub(super) fn new(protection: &'a Protection, key: &'a FileKey) -> Result<Self, Error> {
        match protection {
            Protection::Rc4(handler) if handler.fits(key) => Ok(Self::Rc4(handler, key)),
            Protection::Xor(header) if header.fits(key) => {
                Ok(Self::Xor(key.bytes().try_into().expect("it fits")))
            }
            Protection::Jet(header) if header.fits(key) => Ok(Self::Jet),
            Protection::Rc4(_) | Protection::Xor(_) | Protection::Jet(_) => Err(Error::WrongKey),
            Protection::None => Err(Error::NotEncrypted),
            Protection::Other(name) => Err(Error::Unsupported(name.clone())),
        }
    }
}

/// Decrypts a stream whose blocks have different keys. One loop decrypts several blocks.
pub(super) fn apply_blocks(handler: &Handler, key: &FileKey, block: usize, data: &mut [u8]) {
    let mut streams = vec![Rc4::from_key(&[0]).expect("one byte"); lanes()];
    let mut numbers = 0..;
    for group in data.chunks_mut(block * lanes()) {
        let mut blocks: Vec<&mut [u8]> = group.chunks_mut(block).collect();
        let keys: Vec<_> = blocks
            .iter()
            .zip(&mut numbers)
            .map(|(_, number)| handler.block_key(key, number))
            .collect();
        let keys: Vec<&[u8]> = keys.iter().map(BlockKey::bytes).collect();
        let streams = &mut streams[..blocks.len()];
        rekey_many(streams, &keys).expect("5 to 16 bytes");
        apply_many(streams, &mut blocks);
    }
}
