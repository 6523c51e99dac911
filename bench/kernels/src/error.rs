//! Errors that prevent a measurement.

/// An error that prevents a measurement.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system has no random bytes.
    #[error("cannot read random bytes: {0}")]
    Random(std::io::Error),
    /// A kernel made other bytes than the definition.
    #[error(
        "backend {backend}, {family}, {name}, {bytes} bytes: stream {stream} differs from the definition"
    )]
    Kernel {
        /// The backend's name.
        backend: &'static str,
        /// The family of the cipher.
        family: &'static str,
        /// Name of the call, as in the table.
        name: &'static str,
        /// Bytes of one call.
        bytes: usize,
        /// The stream, from 0.
        stream: usize,
    },
    /// Sealing or opening failed.
    #[error("what was sealed does not open: {0}")]
    Container(#[from] arcfour_container::Error),
    /// The sealed text opens as another text.
    #[error("what was sealed opens as another text")]
    Sealed,
}
