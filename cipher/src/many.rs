//! Many streams at once: RC4 is a serial chain, so several of them interleaved in one loop run
//! faster than one after the other.

use crate::{
    Backend, KeyLengthError, Rc4,
    backends::{Interleaved, LANES},
    error::check_key,
    transposed,
};

/// Returns the fastest batch size for [`fill_many`], [`apply_many`], [`rekey_many`] and
/// [`sample_many`]. Pass a multiple of it; any number works.
pub fn lanes() -> usize {
    Backend::detect().lanes()
}

/// Writes the next bytes of each stream into the buffer with the same index.
///
/// Fastest when the streams are at the same position and the buffers have the same length.
///
/// # Panics
/// If the numbers of buffers and streams differ.
pub fn fill_many(streams: &mut [Rc4], outs: &mut [&mut [u8]]) {
    assert_eq!(streams.len(), outs.len(), "as many buffers as streams");
    advance(streams, outs, Interleaved::fill, Rc4::fill);
}

/// Xors the next bytes of each stream into the data with the same index: encrypts and decrypts.
///
/// Fastest when the streams are at the same position and the data have the same length.
///
/// # Panics
/// If the numbers of pieces of data and streams differ.
pub fn apply_many(streams: &mut [Rc4], data: &mut [&mut [u8]]) {
    assert_eq!(streams.len(), data.len(), "as many pieces of data as streams");
    advance(streams, data, Interleaved::xor, Rc4::apply);
}

/// Starts each stream over with the key of the same index, at position 0: [`Rc4::rekey`] of many.
///
/// # Errors
/// If a key is empty or has more than 256 bytes; all streams then stay as they were.
///
/// # Panics
/// If the numbers of keys and streams differ.
pub fn rekey_many(streams: &mut [Rc4], keys: &[&[u8]]) -> Result<(), KeyLengthError> {
    assert_eq!(streams.len(), keys.len(), "as many keys as streams");
    keys.iter().try_for_each(|key| check_key(key))?;
    let (groups, rest) = streams.as_chunks_mut::<LANES>();
    let (group_keys, rest_keys) = keys.as_chunks::<LANES>();
    for (group, keys) in groups.iter_mut().zip(group_keys) {
        match interleaved(group) {
            Some(lanes) => {
                group.iter_mut().for_each(Rc4::reset);
                lanes.schedule(group, *keys);
            }
            None => rekey_each(group, keys),
        }
    }
    rekey_each(rest, rest_keys);
    Ok(())
}

/// Writes the first bytes of keystream of each key into the buffer with the same index, as
/// statistics over many keys need them. No state outlives the call.
///
/// Fastest when the buffers have the same length, a multiple of 16. With a multiple of 16 keys and at
/// most 64 bytes, faster than by streams.
///
/// # Errors
/// If a key is empty or has more than 256 bytes; all buffers then stay as they were.
///
/// # Panics
/// If the numbers of buffers and keys differ.
pub fn sample_many(keys: &[&[u8]], outs: &mut [&mut [u8]]) -> Result<(), KeyLengthError> {
    assert_eq!(keys.len(), outs.len(), "as many buffers as keys");
    keys.iter().try_for_each(|key| check_key(key))?;
    let done = transposed::sample(keys, outs);
    Backend::detect().sample_many(&keys[done..], &mut outs[done..])
}

impl Backend {
    /// Does what [`sample_many`] does by the given backend, for tests and measurements.
    ///
    /// # Errors
    /// Fails for the same keys as [`sample_many`].
    ///
    /// # Panics
    /// Panics where [`sample_many`] does.
    pub fn sample_many(self, keys: &[&[u8]], outs: &mut [&mut [u8]]) -> Result<(), KeyLengthError> {
        assert_eq!(keys.len(), outs.len(), "as many buffers as keys");
        keys.iter().try_for_each(|key| check_key(key))?;
        let mut streams: [Rc4; LANES] = core::array::from_fn(|_| Rc4::unkeyed(self));
        for (keys, outs) in keys.chunks(LANES).zip(outs.chunks_mut(LANES)) {
            rekey_many(&mut streams[..keys.len()], keys)?;
            fill_many(&mut streams[..keys.len()], outs);
        }
        Ok(())
    }
}

fn rekey_each(streams: &mut [Rc4], keys: &[&[u8]]) {
    for (stream, key) in streams.iter_mut().zip(keys) {
        stream.rekey(key).expect("the length was checked");
    }
}

/// Returns the functions that run all streams of the group in one loop, if the streams share a
/// backend that has them.
fn interleaved(group: &[Rc4; LANES]) -> Option<Interleaved> {
    let backend = group[0].backend();
    let alike = group.iter().all(|stream| stream.backend() == backend);
    backend.interleaved().filter(|_| alike)
}

/// Advances each stream over its buffer: by `in_lanes` over the common length, then by `one`.
fn advance(
    streams: &mut [Rc4],
    buffers: &mut [&mut [u8]],
    in_lanes: fn(Interleaved, &mut [Rc4; LANES], [&mut [u8]; LANES]),
    one: fn(&mut Rc4, &mut [u8]),
) {
    let each = |streams: &mut [Rc4], buffers: &mut [&mut [u8]], from: usize, to: usize| {
        for (stream, buffer) in streams.iter_mut().zip(buffers) {
            let to = to.min(buffer.len());
            if from < to {
                one(stream, &mut buffer[from..to]);
            }
        }
    };
    let (groups, rest) = streams.as_chunks_mut::<LANES>();
    let (group_buffers, rest_buffers) = buffers.as_chunks_mut::<LANES>();
    for (group, buffers) in groups.iter_mut().zip(group_buffers) {
        let i = group[0].state.i;
        let together = group.iter().all(|stream| stream.state.i == i);
        let mut done = 0;
        if let Some(lanes) = interleaved(group).filter(|_| together) {
            let common = buffers.iter().map(|buffer| buffer.len()).min().unwrap_or(0);
            let head = (usize::from(i).wrapping_neg() % lanes.granularity()).min(common);
            let body = (common - head) / lanes.granularity() * lanes.granularity();
            done = head + body;
            each(group, buffers, 0, head);
            if body > 0 {
                in_lanes(lanes, group, buffers.each_mut().map(|buffer| &mut buffer[head..done]));
                group.iter_mut().for_each(|stream| stream.add_position(body));
            }
        }
        each(group, buffers, done, usize::MAX);
    }
    each(rest, rest_buffers, 0, usize::MAX);
}
