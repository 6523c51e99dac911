//! Safe Rust for every machine: indexes in registers, S\[i\] loaded two steps early, sixteen steps
//! unrolled, one wide store; five streams in one loop.
//!
//! # Diary
//!
//! AMD Zen 5 (EPYC, family 26), rustc 1.95, November 2026, on a busy machine. Figures are cycles
//! per byte, the minimum of 400 samples of 64 KiB. `arcfour bench kernels` prints medians of a
//! quiet machine.
//!
//! * The definition, unrolled 16 times, output in one array: 3.7. S\[i\] waits for the stores
//!   before it, as the diary of `x86_64/stream.rs` explains.
//! * As here, 3.1 to 3.2 for keystream: the next two S\[i\] are in registers. The store to S\[j\]
//!   hits one of them in 2 of 256 steps. The repair is a call marked cold. Without the mark the
//!   compiler makes selects.
//! * The xor after each block of 16 bytes: 3.62; after 256: 3.37.
//! * Only the next S\[i\] preloaded: 3.3. Three preloaded, without the cold call: slower than the
//!   definition.
//! * The early load made to wait for an older j: 3.7, because the compiler then checks or masks the
//!   index. In C this is a gain.

mod lanes;

use cipher::{
    consts::{U16, U256},
    inout::InOutBuf,
};

use super::{LanesVtable, Vtable};
use crate::{
    Rc4,
    families::{self, rc4::State},
    wipe::wipe,
};

pub(super) static VTABLE: Vtable = Vtable {
    name: "portable",
    about: "safe Rust: S[i] loaded early; five streams in one loop",
    needs: "nothing",
    available: || true,
    schedule,
    fill,
    xor,
    lanes: Some(INTERLEAVED),
    rc4a_fill: families::fill,
    rc4a_xor: families::xor,
};

/// Five streams in one loop.
pub(super) const INTERLEAVED: LanesVtable = LanesVtable {
    granularity: lanes::TURN,
    schedule: lanes::schedule,
    fill: lanes::fill,
    xor: lanes::xor,
};

/// Runs the key schedule as the definition does. The key is an iterator, which avoids a division in
/// the loop.
pub(super) fn schedule(Rc4 { state, .. }: &mut Rc4, key: &[u8]) {
    let s = &mut state.s;
    let mut j = 0u8;
    for (i, k) in (0..256).zip(key.iter().cycle()) {
        let x = s[i];
        j = j.wrapping_add(x).wrapping_add(*k);
        s[i] = s[usize::from(j)];
        s[usize::from(j)] = x;
    }
}

/// Steps, and bytes of keystream, in a block.
const BLOCK: usize = 16;

/// A stream that advances block by block, from an i that is a multiple of [`BLOCK`].
struct Blocks<'a> {
    state: &'a mut State,
    i: usize,
    j: usize,
    /// S\[i + 1\] and S\[i + 2\], in whole registers.
    ahead: (usize, usize),
}

/// Reloads S\[i\] and S\[i + 1\] after a store has hit one of them.
#[cold]
#[inline(never)]
fn again(s: &[u8; 256], i: usize) -> (usize, usize) {
    (usize::from(s[i & 255]), usize::from(s[(i + 1) & 255]))
}

impl<'a> Blocks<'a> {
    fn of(state: &'a mut State) -> Self {
        debug_assert!(usize::from(state.i).is_multiple_of(BLOCK), "i = {}", state.i);
        let (i, j) = (usize::from(state.i) & !(BLOCK - 1), usize::from(state.j));
        let ahead = again(&state.s, i + 1);
        Self { state, i, j, ahead }
    }

    /// Step K of a block, and its byte of keystream.
    #[inline(always)]
    fn step<const K: usize>(&mut self) -> u8 {
        let (here, next) = (self.i, (self.i + BLOCK) & 255 & !(BLOCK - 1));
        let at = |k| if k < BLOCK { here | k } else { next | (k - BLOCK) };
        let s = &mut self.state.s;
        let (x, x1) = self.ahead;
        let x2 = usize::from(s[at(K + 2)]);
        self.j = self.j.wrapping_add(x);
        let j = self.j & 255;
        let y = s[j];
        s[at(K)] = y;
        s[j] = x as u8;
        let hit = j.wrapping_sub(at(K + 1)) & 255 < 2;
        self.ahead = if hit { again(s, at(K + 1)) } else { (x1, x2) };
        s[(x + usize::from(y)) & 255]
    }

    /// Returns the next bytes. They are gathered in words, because a wide load after narrow stores
    /// would stall.
    #[inline(always)]
    fn next(&mut self) -> [u8; BLOCK] {
        let first = u64::from(self.step::<1>())
            | u64::from(self.step::<2>()) << 8
            | u64::from(self.step::<3>()) << 16
            | u64::from(self.step::<4>()) << 24
            | u64::from(self.step::<5>()) << 32
            | u64::from(self.step::<6>()) << 40
            | u64::from(self.step::<7>()) << 48
            | u64::from(self.step::<8>()) << 56;
        let second = u64::from(self.step::<9>())
            | u64::from(self.step::<10>()) << 8
            | u64::from(self.step::<11>()) << 16
            | u64::from(self.step::<12>()) << 24
            | u64::from(self.step::<13>()) << 32
            | u64::from(self.step::<14>()) << 40
            | u64::from(self.step::<15>()) << 48
            | u64::from(self.step::<16>()) << 56;
        self.i = (self.i + BLOCK) & 255;
        (u128::from(first) | u128::from(second) << 64).to_le_bytes()
    }

    fn end(self) {
        (self.state.i, self.state.j) = (self.i as u8, self.j as u8);
    }
}

/// Returns the number of steps until i is a multiple of [`BLOCK`].
fn before_block(state: &State) -> usize {
    usize::from(state.i.wrapping_neg()) % BLOCK
}

pub(super) fn fill(Rc4 { state, .. }: &mut Rc4, out: &mut [u8]) {
    let (head, body) = out.split_at_mut(before_block(state).min(out.len()));
    let (body, tail) = body.as_chunks_mut();
    head.iter_mut().for_each(|byte| *byte = state.prga());
    if !body.is_empty() {
        let mut blocks = Blocks::of(state);
        body.iter_mut().for_each(|bytes| *bytes = blocks.next());
        blocks.end();
    }
    tail.iter_mut().for_each(|byte| *byte = state.prga());
}

pub(super) fn xor(Rc4 { state, .. }: &mut Rc4, data: InOutBuf<'_, '_, u8>) {
    let before = before_block(state).min(data.len());
    let (head, body) = data.split_at(before);
    bytes(state, head);
    let (groups, rest) = body.into_chunks::<U256>();
    let (body, tail) = rest.into_chunks::<U16>();
    if !(groups.is_empty() && body.is_empty()) {
        let mut blocks = Blocks::of(state);
        // Makes many blocks of keystream before the xor, because the compiler makes worse code when
        // the two alternate.
        if !groups.is_empty() {
            let mut made = [[0; BLOCK]; 256 / BLOCK];
            for mut group in groups {
                made.iter_mut().for_each(|bytes| *bytes = blocks.next());
                group.xor_in2out(made.as_flattened().try_into().expect("256 bytes"));
            }
            wipe(made.as_flattened_mut());
        }
        for mut bytes in body {
            bytes.xor_in2out(&blocks.next().into());
        }
        blocks.end();
    }
    bytes(state, tail);
}

fn bytes(state: &mut State, data: InOutBuf<'_, '_, u8>) {
    for mut byte in data {
        *byte.get_out() = *byte.get_in() ^ state.prga();
    }
}
