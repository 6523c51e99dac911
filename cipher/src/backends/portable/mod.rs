//! Safe Rust for every machine: the indexes in registers, sixteen steps unrolled, one wide store;
//! five streams in one loop.
//!
//! # Diary
//!
//! The three next S\[i\] kept in registers, which gains a little in C (the diary of
//! `capi/single/arcfour.c` says how much), loses here, with branch or selects, with or without making
//! the load wait (rustc 1.95, AMD Zen 5).

mod lanes;

use cipher::{consts::U16, inout::InOutBuf};

use super::{LanesVtable, Vtable};
use crate::{
    Rc4,
    families::{self, rc4::State},
};

pub(super) static VTABLE: Vtable = Vtable {
    name: "portable",
    about: "safe Rust: unrolled 16 times; five streams in one loop",
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

/// Runs the key schedule as the definition does, but walks the key by an iterator: no division in the loop.
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

/// The next 16 bytes. One array is filled and stored whole, since 16 narrow stores and a wider
/// load of them would stall.
#[inline(always)]
fn block(state: &mut State) -> [u8; 16] {
    let (mut i, mut j) = (state.i, state.j);
    let mut out = [0; 16];
    for byte in &mut out {
        i = i.wrapping_add(1);
        let x = state.s[usize::from(i)];
        j = j.wrapping_add(x);
        let y = state.s[usize::from(j)];
        state.s[usize::from(i)] = y;
        state.s[usize::from(j)] = x;
        *byte = state.s[usize::from(x.wrapping_add(y))];
    }
    (state.i, state.j) = (i, j);
    out
}

pub(super) fn fill(Rc4 { state, .. }: &mut Rc4, out: &mut [u8]) {
    let (blocks, tail) = out.as_chunks_mut();
    blocks.iter_mut().for_each(|bytes| *bytes = block(state));
    tail.iter_mut().for_each(|byte| *byte = state.prga());
}

pub(super) fn xor(Rc4 { state, .. }: &mut Rc4, data: InOutBuf<'_, '_, u8>) {
    let (blocks, tail) = data.into_chunks::<U16>();
    for mut bytes in blocks {
        bytes.xor_in2out(&block(state).into());
    }
    for mut byte in tail {
        *byte.get_out() = *byte.get_in() ^ state.prga();
    }
}
