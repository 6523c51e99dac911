//! Five streams in one loop, in safe Rust for every machine.
//!
//! # Diary
//!
//! Tried on AMD Zen 5 with rustc 1.95, November 2026. The machine was busy with other work, so this
//! diary has ranks and no figures. `arcfour bench kernels` prints figures.
//!
//! While one stream waits, the others work. So nothing is preloaded and no branch is mispredicted.
//! * The tables must lie together. In the streams themselves, 512 bytes apart, the loop is a tenth
//!   slower. So each call copies the tables and wipes the copies. The copy pays from a few hundred
//!   bytes on.
//! * 264 bytes apart or 256: the same within the noise.
//! * The steps of a turn are calls with constant numbers, which the compiler unrolls. It does not
//!   unroll a loop, which is a third slower.
//! * Keystream is gathered in a word. The C file of `capi/single` lists more attempts.

use super::{super::LANES, fill as fill_one, schedule as schedule_one, xor as xor_one};
use crate::{Rc4, wipe::wipe};

/// Steps, and bytes of keystream of each stream, in a turn of the unrolled loop.
pub(super) const TURN: usize = 8;

/// Below this length the copies of the tables cost more than they gain.
const SHORTEST: usize = 256;

/// The tables side by side.
type Tables = [[u8; 264]; LANES];

/// Step K of all streams: S\[i\] is at `here` + K, and in the last step at `next`.
#[inline(always)]
fn step<const K: usize>(
    tables: &mut Tables,
    j: &mut [usize; LANES],
    keystream: &mut [u64; LANES],
    here: usize,
    next: usize,
) {
    let i = if K < TURN { here | K } else { next };
    for lane in 0..LANES {
        let s = &mut tables[lane];
        let x = s[i];
        j[lane] = j[lane].wrapping_add(usize::from(x));
        let j = j[lane] & 255;
        let y = s[j];
        s[i] = y;
        s[j] = x;
        keystream[lane] |= u64::from(s[usize::from(x.wrapping_add(y))]) << (8 * (K - 1));
    }
}

/// Advances streams of equal i, a multiple of [`TURN`], over buffers of equal length, a multiple
/// too. Hands each eight bytes and their keystream to `out`.
#[inline(always)]
fn turns(
    streams: &mut [Rc4; LANES],
    buffers: [&mut [u8]; LANES],
    out: impl Fn(&mut [u8; TURN], u64),
) {
    let [a, b, c, d, e] = buffers.map(|buffer| buffer.as_chunks_mut::<TURN>().0);
    let mut tables: Tables = [[0; 264]; LANES];
    for (table, stream) in tables.iter_mut().zip(&*streams) {
        table[..256].copy_from_slice(&stream.state.s);
    }
    let mut i = streams[0].state.i;
    let mut j = streams.each_ref().map(|stream| usize::from(stream.state.j));
    for ((((a, b), c), d), e) in a.iter_mut().zip(b).zip(c).zip(d).zip(e) {
        let here = usize::from(i & !7);
        i = i.wrapping_add(TURN as u8);
        let next = usize::from(i & !7);
        let mut keystream = [0; LANES];
        step::<1>(&mut tables, &mut j, &mut keystream, here, next);
        step::<2>(&mut tables, &mut j, &mut keystream, here, next);
        step::<3>(&mut tables, &mut j, &mut keystream, here, next);
        step::<4>(&mut tables, &mut j, &mut keystream, here, next);
        step::<5>(&mut tables, &mut j, &mut keystream, here, next);
        step::<6>(&mut tables, &mut j, &mut keystream, here, next);
        step::<7>(&mut tables, &mut j, &mut keystream, here, next);
        step::<8>(&mut tables, &mut j, &mut keystream, here, next);
        for (bytes, keystream) in [a, b, c, d, e].into_iter().zip(keystream) {
            out(bytes, keystream);
        }
    }
    for ((stream, table), j) in streams.iter_mut().zip(&tables).zip(j) {
        stream.state.s.copy_from_slice(&table[..256]);
        (stream.state.i, stream.state.j) = (i, j as u8);
    }
    wipe(tables.as_flattened_mut());
}

/// Checks the conditions of [`turns`], and whether the data are long enough to gain.
fn worthwhile(streams: &[Rc4; LANES], buffers: &[&mut [u8]; LANES]) -> bool {
    let i = streams.each_ref().map(|stream| stream.state.i);
    assert!(i == [i[0]; LANES] && usize::from(i[0]).is_multiple_of(TURN), "i = {i:?}");
    let lens = buffers.each_ref().map(|buffer| buffer.len());
    assert!(lens == [lens[0]; LANES] && lens[0].is_multiple_of(TURN), "lengths {lens:?}");
    lens[0] >= SHORTEST
}

pub(super) fn fill(streams: &mut [Rc4; LANES], outs: [&mut [u8]; LANES]) {
    if worthwhile(streams, &outs) {
        turns(streams, outs, |bytes, keystream| *bytes = keystream.to_le_bytes());
    } else {
        streams.iter_mut().zip(outs).for_each(|(stream, out)| fill_one(stream, out));
    }
}

pub(super) fn xor(streams: &mut [Rc4; LANES], data: [&mut [u8]; LANES]) {
    if worthwhile(streams, &data) {
        turns(streams, data, |bytes, keystream| {
            *bytes = (u64::from_le_bytes(*bytes) ^ keystream).to_le_bytes();
        });
    } else {
        streams.iter_mut().zip(data).for_each(|(stream, data)| xor_one(stream, data.into()));
    }
}

/// Runs the key schedules, one after the other.
pub(super) fn schedule(streams: &mut [Rc4; LANES], keys: [&[u8]; LANES]) {
    streams.iter_mut().zip(keys).for_each(|(stream, key)| schedule_one(stream, key));
}
