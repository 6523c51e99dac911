//! A batch of chunks. Their number is a multiple of the streams of one interleaved loop.

use arcfour::{Parc4r, RECOMMENDED_DROP, Rc4};
use zeroize::Zeroizing;

use crate::{
    fault::{Error, Fault},
    header::Cipher,
    keys::{ChunkKeys, FileKeys},
    layout::{ChunkSize, OVERHEAD, WORD_LEN, Word},
};

/// Minimum size of a batch. Handing over a smaller batch costs more than a second thread gains:
/// five chunks of 4 KiB made sealing slower.
const WORTHWHILE: usize = 256 << 10;

/// Consecutive chunks, each sealed or open in its slot.
pub(crate) struct Batch {
    bytes: Vec<u8>,
    slot: usize,
    pub(crate) chunks: Vec<Chunk>,
    /// The error in place of the next chunk.
    pub(crate) fault: Option<Error>,
    /// True if no batch follows.
    pub(crate) last: bool,
    /// True if bytes follow the last chunk.
    pub(crate) trailing: bool,
}

/// A chunk in a batch.
#[derive(Clone, Copy)]
pub(crate) struct Chunk {
    pub(crate) index: u64,
    pub(crate) word: Word,
}

impl Batch {
    pub(crate) fn new(size: ChunkSize) -> Self {
        let lanes = arcfour::lanes();
        let slots = WORTHWHILE.div_ceil(lanes * size.bytes()) * lanes;
        Self {
            bytes: vec![0; slots * size.frame_len()],
            slot: size.frame_len(),
            chunks: Vec::with_capacity(slots),
            fault: None,
            last: false,
            trailing: false,
        }
    }

    /// Returns the batch's size in bytes.
    pub(crate) fn capacity(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn clear(&mut self) {
        self.chunks.clear();
        self.fault = None;
        self.last = false;
        self.trailing = false;
    }

    pub(crate) fn is_full(&self) -> bool {
        self.last || self.chunks.len() * self.slot == self.bytes.len()
    }

    /// Ends with a fault instead of the next chunk.
    pub(crate) fn fail(&mut self, fault: impl Into<Error>) {
        self.fault = Some(fault.into());
        self.last = true;
    }

    /// Returns the fault the first time, and [`Error::Ended`] later.
    pub(crate) fn check(&mut self) -> Result<(), Error> {
        match &mut self.fault {
            Some(fault) => Err(std::mem::replace(fault, Error::Ended)),
            None => Ok(()),
        }
    }

    /// The slot for the next chunk.
    pub(crate) fn free_slot(&mut self) -> &mut [u8] {
        let start = self.chunks.len() * self.slot;
        &mut self.bytes[start..start + self.slot]
    }

    /// The text of the chunk in slot `at`.
    pub(crate) fn text(&self, at: usize) -> &[u8] {
        &self.bytes[at * self.slot + WORD_LEN..][..self.chunks[at].word.len()]
    }

    /// Returns all chunks with prefixes and tags: they are contiguous, since only the last of a file is short.
    pub(crate) fn sealed(&self) -> &[u8] {
        let texts: usize = self.chunks.iter().map(|chunk| chunk.word.len() + OVERHEAD).sum();
        &self.bytes[..texts]
    }

    /// Encrypts each chunk and adds word and tag.
    pub(crate) fn seal(&mut self, keys: &FileKeys, streams: &mut Streams) {
        let keys: Vec<_> =
            self.chunks.iter().map(|chunk| keys.chunk(chunk.index, chunk.word)).collect();
        streams.apply(&keys, &mut self.texts());
        for ((slot, chunk), keys) in self.bytes.chunks_mut(self.slot).zip(&self.chunks).zip(&keys) {
            let (word, rest) = slot.split_at_mut(WORD_LEN);
            let (text, tag) = rest.split_at_mut(chunk.word.len());
            word.copy_from_slice(&chunk.word.to_bytes());
            let digest = blake3::hash(text);
            tag[..blake3::OUT_LEN].copy_from_slice(keys.tag(&digest).as_bytes());
        }
    }

    /// Verifies each chunk, then decrypts those before the first that does not verify.
    pub(crate) fn open(&mut self, keys: &FileKeys, streams: &mut Streams) {
        let mut chunk_keys = Vec::with_capacity(self.chunks.len());
        for (slot, chunk) in self.bytes.chunks(self.slot).zip(&self.chunks) {
            let (text, tag) = slot[WORD_LEN..].split_at(chunk.word.len());
            let tag = tag.first_chunk().expect("a slot has room for the tag");
            let (digest, tag) = (blake3::hash(text), blake3::Hash::from_bytes(*tag));
            let own = keys.chunk(chunk.index, chunk.word);
            let fault = if own.tag(&digest) != tag {
                diagnose(keys, *chunk, |keys| keys.tag(&digest) == tag)
            } else if chunk.word.is_last() && self.trailing {
                Fault::TrailingData { chunk: chunk.index }
            } else {
                chunk_keys.push(own);
                continue;
            };
            self.fail(fault);
            break;
        }
        self.chunks.truncate(chunk_keys.len());
        streams.apply(&chunk_keys, &mut self.texts());
    }

    fn texts(&mut self) -> Vec<&mut [u8]> {
        self.bytes
            .chunks_mut(self.slot)
            .zip(&self.chunks)
            .map(|(slot, chunk)| &mut slot[WORD_LEN..][..chunk.word.len()])
            .collect()
    }
}

/// Number of places before and after its own at which a chunk is searched.
const SEARCH: u64 = 1 << 12;

/// Finds out why a chunk does not verify in its place. Only the error message uses the result.
fn diagnose(keys: &FileKeys, chunk: Chunk, verifies: impl Fn(ChunkKeys) -> bool) -> Fault {
    let Chunk { index, word } = chunk;
    let other = word.with_other_flag();
    if verifies(keys.chunk(index, other)) {
        return Fault::FinalFlag { chunk: index, sealed_as_last: other.is_last() };
    }
    let ahead = (1..=SEARCH).filter_map(|n| index.checked_add(n));
    let earlier = (1..=SEARCH).map_while(|n| index.checked_sub(n));
    let found = |&place: &u64| verifies(keys.chunk(place, word));
    if let Some(found) = earlier.into_iter().find(found) {
        return Fault::Repeated { chunk: index, found };
    }
    if let Some(found) = ahead.into_iter().find(found) {
        return Fault::OutOfOrder { chunk: index, found };
    }
    Fault::Corrupt { chunk: index }
}

/// A thread's cipher, used again for every batch.
pub(crate) enum Streams {
    /// The chunks side by side.
    Rc4 {
        /// A state for each.
        states: Vec<Rc4>,
        /// Buffers for the discarded keystream of each.
        dropped: Zeroizing<Vec<u8>>,
    },
    /// Processes one chunk after the other, because PARC4-R interleaves its own lanes.
    Parc4r,
}

impl Streams {
    pub(crate) fn new(cipher: Cipher) -> Self {
        match cipher {
            Cipher::Rc4 => {
                let state = Rc4::from_key(&[0]).expect("one byte is a key");
                let lanes = arcfour::lanes();
                let dropped = Zeroizing::new(vec![0; lanes * RECOMMENDED_DROP]);
                Self::Rc4 { states: vec![state; lanes], dropped }
            }
            Cipher::Parc4r => Self::Parc4r,
        }
    }

    /// Xors each text with the keystream of its key.
    fn apply(&mut self, keys: &[ChunkKeys], texts: &mut [&mut [u8]]) {
        match self {
            Self::Rc4 { states, dropped } => {
                let lanes = states.len();
                for (keys, texts) in keys.chunks(lanes).zip(texts.chunks_mut(lanes)) {
                    let states = &mut states[..keys.len()];
                    let keys: Vec<_> = keys.iter().map(ChunkKeys::cipher).collect();
                    arcfour::rekey_many(states, &keys).expect("32 bytes are a key");
                    let mut dropped: Vec<_> =
                        dropped.chunks_mut(RECOMMENDED_DROP).take(keys.len()).collect();
                    arcfour::fill_many(states, &mut dropped);
                    arcfour::apply_many(states, texts);
                }
            }
            Self::Parc4r => {
                for (keys, text) in keys.iter().zip(texts) {
                    Parc4r::from_key(keys.cipher()).expect("32 bytes are a key").apply(text);
                }
            }
        }
    }
}
