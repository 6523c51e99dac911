//! The inner loop of a key search.
//!
//! # Diary
//!
//! Nearly all of the time is the key schedule, so the loop adds nearly nothing to it. Keys count up
//! in place, and [`arcfour::rekey_many`] schedules one key for each lane of the backend. The first
//! byte of keystream is read from the scheduled table without a step. Only one key in 256 goes to
//! [`Known::passes`], which starts over. If the first test concerns a later byte, all lanes
//! together make the keystream up to it.
//!
//! Measured on a Zen 5 (AMD EPYC, family 26 model 2, 3.75 GHz, nothing else running). At first the
//! streams were on the stack, beside the key bytes that the schedule reads. The search tested 6.05
//! million keys/s of 16 bytes, and 5.2 of 5 bytes. With the streams on the heap the rates were 8.3
//! and 6.2. The cause was loads of key bytes that share the low twelve bits of their address with
//! stores to a table. The rest of the difference came from the schedule's copies of short keys.
//! Without these copies, keys of 5 bytes are as fast as keys of 16.
//!
//! Only the byte of a key that counts up is written, except after a carry. A later load of the key
//! must wait for this store. A batch of twenty keys shares one such wait.

use std::{
    array,
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use arcfour::{Rc4, families::rc4::State, fill_many, rekey_many};

use super::{KeySpace, known::Known, pattern::ByteSet};

/// Number of keys scheduled by one call: a multiple of the lanes of every backend.
pub(super) const BATCH: usize = 20;
/// Maximum number of bytes of keystream made at a time.
const CHUNK: usize = 1 << 10;
/// Approximate number of steps of all ciphers between checks of the flag that stops the scan.
const LOOK: u64 = 1 << 22;

/// Adds to `matches` the numbers of all RC4 keys in `range` whose keystream passes. If `stop` is
/// set, returns early, and the result is incomplete.
pub(super) fn rc4(
    space: &KeySpace,
    known: &Known,
    range: Range<u128>,
    stop: &AtomicBool,
    matches: &mut Vec<u128>,
) {
    let len = space.key_len();
    let mut odometer = space.keys_from(range.start);
    let mut keys = [[0; arcfour::MAX_KEY]; BATCH];
    let mut lanes = Lanes::new(known);
    let mut number = range.start;
    let fastest = space.fastest();
    // Number of next keys that differ from the key a batch before in more than the fastest byte.
    let mut stale = BATCH;
    while number < range.end {
        let count = (range.end - number).min(BATCH as u128) as usize;
        for key in &mut keys[..count] {
            if stale > 0 {
                key[..len].copy_from_slice(odometer.key());
                stale -= 1;
            } else {
                key[fastest] = odometer.key()[fastest];
            }
            if odometer.advance() {
                stale = BATCH;
            }
        }
        let refs: [&[u8]; BATCH] = array::from_fn(|n| &keys[n][..len]);
        let Some(passed) = lanes.passing(&refs[..count], stop) else { return };
        if passed != 0 {
            matches.extend((0..count).filter(|n| passed >> n & 1 == 1).map(|n| number + n as u128));
        }
        number += count as u128;
    }
}

/// Ciphers that are scheduled and tested side by side.
pub(super) struct Lanes<'a> {
    known: &'a Known,
    streams: Vec<Rc4>,
    /// Scheduled in place, because returning a state leaves a copy on the stack.
    cipher: Rc4,
    keystreams: Vec<[u8; CHUNK]>,
    /// Number of steps since the flag was checked.
    steps: u64,
}

impl<'a> Lanes<'a> {
    pub(super) fn new(known: &'a Known) -> Self {
        let cipher = Rc4::from_key(&[0]).expect("one byte");
        let streams = vec![cipher.clone(); BATCH];
        Self { known, streams, cipher, keystreams: vec![[0; CHUNK]; BATCH], steps: 0 }
    }

    /// Returns a mask: bit n is set if key n of at most [`BATCH`] passes. 0 if `stop` is set.
    #[inline]
    pub(super) fn passing(&mut self, keys: &[&[u8]], stop: &AtomicBool) -> Option<u32> {
        self.steps += BATCH as u64 * 256;
        if self.steps >= LOOK {
            self.steps = 0;
            if stop.load(Ordering::Relaxed) {
                return None;
            }
        }
        let (position, set) = self.known.first();
        let streams = &mut self.streams[..keys.len()];
        rekey_many(streams, keys).expect("the length of the keys was checked");
        let candidates = match position {
            0 => candidates(streams.iter().map(|stream| first_byte(stream.state())), &set),
            _ => {
                let mut left = position + 1;
                let mut last = 0;
                while left > 0 {
                    self.steps += BATCH as u64 * CHUNK as u64;
                    if self.steps >= LOOK && stop.load(Ordering::Relaxed) {
                        return None;
                    }
                    // Backends make sixteen bytes at a time, and extra bytes do no harm.
                    last = left.min(CHUNK as u64) as usize - 1;
                    let made = (last + 1).next_multiple_of(16);
                    let mut outs =
                        self.keystreams.iter_mut().map(|keystream| &mut keystream[..made]);
                    let mut outs: [&mut [u8]; BATCH] =
                        array::from_fn(|_| outs.next().expect("one for each key of a batch"));
                    fill_many(streams, &mut outs[..keys.len()]);
                    left -= last as u64 + 1;
                }
                let keystreams = &self.keystreams[..keys.len()];
                candidates(keystreams.iter().map(|keystream| keystream[last]), &set)
            }
        };
        let mut passed = 0;
        if candidates != 0 {
            for (n, key) in keys.iter().enumerate().filter(|(n, _)| candidates >> n & 1 == 1) {
                self.cipher.rekey(key).expect("the length of the keys was checked");
                passed |= u32::from(self.known.passes(&mut self.cipher)) << n;
            }
        }
        Some(passed)
    }
}

/// Bit n is set if byte n is in the set.
#[inline]
fn candidates(bytes: impl Iterator<Item = u8>, set: &ByteSet) -> u32 {
    bytes.enumerate().fold(0, |bits, (n, byte)| bits | u32::from(set.contains(byte)) << n)
}

/// Returns the byte that the first step from a scheduled state makes.
#[inline]
pub(super) fn first_byte(state: &State) -> u8 {
    let (s, _, _) = state.parts();
    let j = s[1];
    let t = j.wrapping_add(s[usize::from(j)]);
    // The step swaps S[1] and S[j] before it looks up S[t].
    match t {
        1 => s[usize::from(j)],
        t if t == j => j,
        t => s[usize::from(t)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_is_read_without_the_step() {
        for key in 0..=u16::MAX {
            let key = key.to_le_bytes();
            let mut byte = [0];
            let mut rc4 = Rc4::from_key(&key).unwrap();
            assert_eq!(first_byte(rc4.state()), {
                rc4.fill(&mut byte);
                byte[0]
            });
        }
    }
}
