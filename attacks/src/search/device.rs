//! Devices that search beside the processor, such as a GPU.

use std::{error::Error, ops::Range, sync::atomic::AtomicBool};

use super::{OfficeVerifier, PdfVerifier, pattern::ByteSet};

/// What a device computes from a key to reject wrong keys.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Sieve<'a> {
    /// RC4 keystream: positions from 0, in ascending order, and the possible values of each.
    Keystream(&'a [(u64, ByteSet)]),
    /// The U of a PDF document with R 3 or 4, for keys of five bytes.
    Pdf(&'a PdfVerifier),
    /// The verifier of an Office 97 document, for keys of five bytes.
    Office(&'a OfficeVerifier),
}

/// A device that tests keys of a [`Search`](super::Search).
pub trait Device: Send {
    /// Returns the numbers of the keys in `range` that may pass, in any order. The list has every
    /// key that passes; the processor tests each listed key again. If `stop` is set, returns early
    /// with a part of them.
    ///
    /// # Errors
    /// If the device is lost. It is not called again.
    fn candidates(
        &mut self,
        range: Range<u128>,
        stop: &AtomicBool,
    ) -> Result<Vec<u128>, Box<dyn Error + Send + Sync>>;
}
