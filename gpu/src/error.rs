//! Why an adapter cannot search or count.

/// Number of bytes of keystream that a kernel makes at most. The processor tests known bytes
/// further on, and counts longer keystreams.
pub const REACH: u64 = 1 << 16;

/// The reason for which an adapter cannot search or count.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Only the processor can test the keys.
    #[error(
        "a GPU searches RC4 keys by known plaintext, and 40-bit keys of PDF and Office 97 files; \
         not the keys of this search"
    )]
    Search,
    /// The first known byte is too far into the keystream.
    #[error("the first known byte is byte {0} of the keystream; a GPU makes the first {REACH}")]
    Far(u64),
    /// Only the processor has the counter.
    #[error("a GPU counts single bytes; the campaign has {0} groups")]
    Campaign(&'static str),
    /// The counted keystreams are too long.
    #[error("the last counted byte is byte {0} of the keystream; a GPU makes the first {REACH}")]
    Long(u64),
    /// A workgroup has too little memory for one key.
    #[error("the memory of its workgroups has {has} bytes; a key needs {needs}")]
    Small {
        /// Bytes that a key needs.
        needs: u32,
        /// Bytes of a workgroup.
        has: u32,
    },
    /// The driver refuses the kernel or a buffer.
    #[error("its driver refuses: {0}")]
    Refused(String),
    /// The driver gives no result.
    #[error("it was lost: {0}")]
    Lost(String),
    /// A dispatch takes too long.
    #[error("it did not answer for {0} seconds")]
    Silent(u64),
}
