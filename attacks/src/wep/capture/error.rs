//! Errors of reading a capture.

use std::io;

/// An error of reading a capture.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// Reading failed.
    #[error("{0}")]
    Read(io::Error),
    /// Writing the decrypted packets failed.
    #[error("{0}")]
    Write(io::Error),
    /// The file has another format.
    #[error("not a pcap, pcapng or .ivs file")]
    NotCapture,
    /// The version of an `.ivs` file is unknown.
    #[error("an .ivs file of version {0}; 0 and 1 are read")]
    IvsVersion(u16),
    /// No packet is an 802.11 frame.
    #[error(
        "packet {packet} has link type {link}; 802.11 has 105, and with a header before it 119 (Prism), 127 (radiotap), \
         163 (AVS) or 192 (PPI)"
    )]
    LinkType {
        /// The number of the first packet, from 1.
        packet: u64,
        /// The number of its link type.
        link: i32,
    },
    /// A length in the file is impossible.
    #[error(
        "packet {packet} cannot be read: its block is longer than 1 MiB, or its lengths contradict each other"
    )]
    Malformed {
        /// The packet's number, from 1.
        packet: u64,
    },
}
