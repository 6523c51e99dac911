//! Many streams at once: RC4 is a serial chain, so several of them interleaved in one loop run
//! faster than one after the other.

use crate::{Backend, Rc4};

/// How many streams [`fill_many`] and [`apply_many`] like to be given at a time: bring a multiple
/// of it. More, fewer or unequal streams are right too, only slower.
pub fn lanes() -> usize {
    Backend::detect().lanes()
}

/// Writes the next bytes of each stream into the buffer beside it.
///
/// Fastest when the streams stand at the same position and the buffers have the same length.
///
/// # Panics
/// If there are not as many buffers as streams.
pub fn fill_many(streams: &mut [Rc4], outs: &mut [&mut [u8]]) {
    assert_eq!(streams.len(), outs.len(), "as many buffers as streams");
    for (stream, out) in streams.iter_mut().zip(outs) {
        stream.fill(out);
    }
}

/// Xors the next bytes of each stream into the data beside it: encrypts and decrypts.
///
/// Fastest when the streams stand at the same position and the data have the same length.
///
/// # Panics
/// If there are not as many pieces of data as streams.
pub fn apply_many(streams: &mut [Rc4], data: &mut [&mut [u8]]) {
    assert_eq!(streams.len(), data.len(), "as many pieces of data as streams");
    for (stream, data) in streams.iter_mut().zip(data) {
        stream.apply(data);
    }
}
