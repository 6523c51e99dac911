//! The inner loop of a key search.
//!
//! # Diary
//!
//! Keys count up in place, and [`FirstBytes`] makes the first byte of keystream of a batch of keys.
//! Only one key in 256 goes to [`Known::passes`], which starts over. If the first test concerns a
//! later byte, streams make the keystream up to it together.
//!
//! Measured on a Zen 1 (AMD EPYC, family 23 model 1, beside other work), in turn with the search
//! before. That search scheduled five streams at a time and read the first byte from each table. A
//! search of keys of 5 bytes takes 0.62 of its time, of 16 bytes 0.64.
//!
//! Keys lie side by side. With 256 bytes for each, a batch would need more lines of a set of the
//! cache than there are. Only the byte of a key that counts up is written, except after a carry.

use std::{
    array,
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use arcfour::{FirstBytes, Rc4, fill_many, rekey_many};

use super::{
    KeySpace,
    document::BATCH,
    known::{Known, STEP},
};

/// Number of streams that run together: a multiple of the lanes of every backend. Their states stay
/// in the first level of the cache.
const STREAMS: usize = 20;
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
    let mut keys = vec![0; BATCH * len];
    let mut lanes = Lanes::new(known);
    let mut number = range.start;
    while number < range.end {
        let count = (range.end - number).min(BATCH as u128) as usize;
        odometer.fill(&mut keys[..count * len]);
        let refs: [&[u8]; BATCH] = array::from_fn(|n| &keys[n * len..][..len]);
        let Some(passed) = lanes.passing(&refs[..count], stop) else { return };
        matches.extend(passed.map(|n| number + n as u128));
        number += count as u128;
    }
}

/// Ciphers that are tested side by side.
pub(super) struct Lanes<'a> {
    known: &'a Known,
    first_bytes: FirstBytes,
    /// Scheduled in place, because returning a state leaves a copy on the stack.
    cipher: Rc4,
    /// The streams and their keystreams, if the first test concerns a later byte.
    streams: Vec<Rc4>,
    keystreams: Vec<[u8; CHUNK]>,
    /// The byte of each keystream that is tested first.
    tested: [u8; BATCH],
    candidates: Vec<usize>,
    /// Number of steps since the flag was checked.
    steps: u64,
}

impl<'a> Lanes<'a> {
    pub(super) fn new(known: &'a Known) -> Self {
        let cipher = Rc4::from_key(&[0]).expect("one byte");
        let count = if known.first().0 == 0 { 0 } else { STREAMS };
        Self {
            known,
            first_bytes: FirstBytes::new(),
            streams: vec![cipher.clone(); count],
            keystreams: vec![[0; CHUNK]; count],
            cipher,
            tested: [0; BATCH],
            candidates: vec![],
            steps: 0,
        }
    }

    /// Returns the indexes of the keys that pass, of at most [`BATCH`]. `None` if `stop` is set.
    #[inline]
    pub(super) fn passing(
        &mut self,
        keys: &[&[u8]],
        stop: &AtomicBool,
    ) -> Option<impl Iterator<Item = usize>> {
        if self.stopped(BATCH * 256, stop) {
            return None;
        }
        let (position, set) = self.known.first();
        if position == 0 {
            let firsts = &mut self.tested[..keys.len()];
            self.first_bytes.fill(keys, firsts).expect("the length of the keys was checked");
        } else {
            for (n, keys) in keys.chunks(STREAMS).enumerate() {
                self.later_bytes(n * STREAMS, keys, position, stop)?;
            }
        }
        let tested = self.tested[..keys.len()].iter().enumerate();
        self.candidates.clear();
        self.candidates.extend(tested.filter(|(_, byte)| set.contains(**byte)).map(|(n, _)| n));
        let Self { known, cipher, candidates, .. } = self;
        Some(candidates.iter().copied().filter(|&n| {
            cipher.rekey(keys[n]).expect("the length of the keys was checked");
            known.passes(cipher, STEP, stop)
        }))
    }

    /// Sets the tested bytes from index `at` on: the keystream of each key at this position.
    fn later_bytes(
        &mut self,
        at: usize,
        keys: &[&[u8]],
        position: u64,
        stop: &AtomicBool,
    ) -> Option<()> {
        let streams = &mut self.streams[..keys.len()];
        rekey_many(streams, keys).expect("the length of the keys was checked");
        let mut left = position + 1;
        let mut last = 0;
        while left > 0 {
            if self.stopped(STREAMS * CHUNK, stop) {
                return None;
            }
            // Backends make sixteen bytes at a time, and extra bytes do no harm.
            last = left.min(CHUNK as u64) as usize - 1;
            let made = (last + 1).next_multiple_of(16);
            let mut outs = self.keystreams.iter_mut().map(|keystream| &mut keystream[..made]);
            let mut outs: [&mut [u8]; STREAMS] =
                array::from_fn(|_| outs.next().expect("one for each stream"));
            fill_many(&mut self.streams[..keys.len()], &mut outs[..keys.len()]);
            left -= last as u64 + 1;
        }
        for (tested, keystream) in self.tested[at..].iter_mut().zip(&self.keystreams) {
            *tested = keystream[last];
        }
        Some(())
    }

    /// Counts steps, and looks now and then whether `stop` is set.
    fn stopped(&mut self, steps: usize, stop: &AtomicBool) -> bool {
        self.steps += steps as u64;
        self.steps >= LOOK && {
            self.steps = 0;
            stop.load(Ordering::Relaxed)
        }
    }
}
