//! Tries 40-bit keys of documents side by side.

use std::{
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use super::KeySpace;

/// Number of bytes of the key of a document that is searched.
pub const DOCUMENT_KEY: usize = 5;
/// Number of keys tried side by side. A multiple of a vector, of the lanes of every backend, and of
/// the batch of [`arcfour::FirstBytes`].
pub(super) const BATCH: usize = 160;

/// Adds to `matches` the numbers of the keys in `range` that match. `matching` gets [`BATCH`] keys
/// at a time, and calls its second argument with the index of each match. If `stop` is set, returns
/// early, and the result is incomplete.
pub(super) fn scan(
    space: &KeySpace,
    range: Range<u128>,
    stop: &AtomicBool,
    matches: &mut Vec<u128>,
    mut matching: impl FnMut(&[[u8; DOCUMENT_KEY]; BATCH], &mut dyn FnMut(usize)),
) {
    if space.key_len() != DOCUMENT_KEY {
        return;
    }
    let mut odometer = space.keys_from(range.start);
    let mut keys = [[0; DOCUMENT_KEY]; BATCH];
    let mut number = range.start;
    while number < range.end && !stop.load(Ordering::Relaxed) {
        let count = (range.end - number).min(BATCH as u128) as usize;
        odometer.fill(keys[..count].as_flattened_mut());
        // In the last batch, keys after the range are left over from an earlier batch.
        matching(&keys, &mut |n| {
            if n < count {
                matches.push(number + n as u128);
            }
        });
        number += count as u128;
    }
}
