//! Errors of sealing and opening.

use std::io;

use crate::layout::MAX_MEMORY_KIB;

/// The reason for which sealing or opening stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input cannot be read.
    #[error("cannot read the input: {0}")]
    Read(io::Error),
    /// The system gave no random bytes.
    #[error("no random bytes from the system: {0}")]
    Random(io::Error),
    /// The input differs from the sealed file, or the key is wrong.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The plaintext has no such range.
    #[error(
        "the range of {len} bytes from {start} ends after the end of the plaintext ({plain} bytes)"
    )]
    Range {
        /// The first byte asked for.
        start: u64,
        /// Bytes that were asked for.
        len: u64,
        /// Bytes that there are.
        plain: u64,
    },
    /// There is not enough memory for Argon2id.
    #[error("cannot allocate {memory_kib} KiB for the passphrase")]
    Memory {
        /// The memory that the header asks for.
        memory_kib: u32,
    },
    /// An earlier call returned an error; nothing more will come.
    #[error("an earlier error ended this stream")]
    Ended,
}

/// What is wrong with the input. Chunks count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file does not begin as a sealed file does.
    #[error("not a sealed file: it does not begin with 'arcfour' and 0x1a")]
    NotSealed,
    /// The version is not 1.
    #[error("the file has version {found}; this program reads version 1")]
    Version {
        /// The number in the header.
        found: u8,
    },
    /// The file ends in its header.
    #[error("the file is cut short: {len} of the header's 96 bytes are there")]
    TruncatedHeader {
        /// The length of the file.
        len: usize,
    },
    /// The cipher is not 1 or 2.
    #[error("the header names cipher {found}; this program knows 1 (RC4) and 2 (PARC4-R)")]
    Cipher {
        /// The number in the header.
        found: u8,
    },
    /// The kind of key is not 0 or 1.
    #[error("the header names key kind {found}; expected 0 (key file) or 1 (passphrase)")]
    KeyKind {
        /// The number in the header.
        found: u8,
    },
    /// A chunk size outside its limits.
    #[error("the header asks for chunks of 2^{log2} bytes; the range is 2^10 to 2^20")]
    ChunkSize {
        /// The number in the header.
        log2: u8,
    },
    /// A cost outside its limits.
    #[error(
        "the header asks Argon2id for {memory_kib} KiB, {passes} passes and {lanes} lanes; the \
         ranges are 8 KiB a lane to {max} KiB, 1 to 16 and 1 to 16", max = MAX_MEMORY_KIB
    )]
    KdfCost {
        /// The memory in the header.
        memory_kib: u32,
        /// The passes in the header.
        passes: u8,
        /// The lanes in the header.
        lanes: u8,
    },
    /// A byte that has no meaning yet is not zero.
    #[error("a reserved byte of the header is not 0")]
    Reserved,
    /// The file wants the other kind of key.
    #[error("the file was sealed with {}", if *.passphrase { "a passphrase, not a key file" } else { "a key file, not a passphrase" })]
    OtherKeyKind {
        /// True if the file is sealed with a passphrase.
        passphrase: bool,
    },
    /// The header's tag does not verify: the key or the header is wrong.
    #[error("the key is not the one the file was sealed with, or the header was changed")]
    KeyOrHeader,
    /// A chunk's word is invalid.
    #[error(
        "chunk {chunk} claims {len} bytes{}, an impossible length at this place",
        if *.last { " as the last chunk" } else { "" }
    )]
    ChunkLength {
        /// The chunk.
        chunk: u64,
        /// The length in its word.
        len: usize,
        /// The flag in its word.
        last: bool,
    },
    /// The file ends before its last chunk does.
    #[error("the file is cut short: it ends in or before chunk {chunk}")]
    Truncated {
        /// The first incomplete chunk.
        chunk: u64,
    },
    /// Bytes follow the last chunk.
    #[error("bytes follow chunk {chunk}, the last: the file was extended")]
    TrailingData {
        /// The last chunk.
        chunk: u64,
    },
    /// A chunk with the wrong final flag.
    #[error(
        "chunk {chunk} was sealed as {}, but its final flag says the opposite",
        if *.sealed_as_last { "the last chunk" } else { "a chunk before the last" }
    )]
    FinalFlag {
        /// The chunk.
        chunk: u64,
        /// The flag it was sealed with.
        sealed_as_last: bool,
    },
    /// A later chunk is in this place.
    #[error("chunk {found} is where chunk {chunk} belongs: chunks are missing or out of order")]
    OutOfOrder {
        /// The place in the file.
        chunk: u64,
        /// The place it was sealed for.
        found: u64,
    },
    /// An earlier chunk is in this place.
    #[error("chunk {found} stands where chunk {chunk} belongs: it was repeated")]
    Repeated {
        /// The place in the file.
        chunk: u64,
        /// The place it was sealed for.
        found: u64,
    },
    /// A chunk's tag does not verify.
    #[error("chunk {chunk} was changed: its tag does not verify")]
    Corrupt {
        /// The chunk.
        chunk: u64,
    },
}

impl Fault {
    /// Returns the name of the fault in `testkit/expected.txt`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NotSealed => "not-sealed",
            Self::Version { .. } => "version",
            Self::TruncatedHeader { .. } | Self::Truncated { .. } => "truncated",
            Self::Cipher { .. } => "cipher",
            Self::KeyKind { .. } => "key-kind",
            Self::ChunkSize { .. } => "chunk-size",
            Self::KdfCost { .. } => "kdf-cost",
            Self::Reserved => "reserved",
            Self::OtherKeyKind { .. } => "other-key-kind",
            Self::KeyOrHeader => "key-or-header",
            Self::ChunkLength { .. } => "chunk-length",
            Self::TrailingData { .. } => "trailing-data",
            Self::FinalFlag { .. } => "final-flag",
            Self::OutOfOrder { .. } => "out-of-order",
            Self::Repeated { .. } => "repeated",
            Self::Corrupt { .. } => "corrupt",
        }
    }
}

impl From<Error> for io::Error {
    /// An I/O error of the input is passed on; all other errors are wrapped.
    fn from(error: Error) -> Self {
        let kind = match error {
            Error::Read(error) | Error::Random(error) => return error,
            Error::Fault(_) => io::ErrorKind::InvalidData,
            Error::Range { .. } => io::ErrorKind::InvalidInput,
            Error::Memory { .. } => io::ErrorKind::OutOfMemory,
            Error::Ended => io::ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}
