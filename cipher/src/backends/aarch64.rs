//! Assembly for aarch64, one stream: a ring of preloaded S\[i\]s.
//!
//! # Diary
//!
//! Written without a machine to measure on, and tested under qemu (`make embed-full`). Its speed on a processor is only
//! a model: `capi/single/MODEL.md`, by llvm-mca. The same assembly is in `capi/single/arcfour.c`, which
//! `make bench-embed` measures anywhere.
//!
//! * The technique is the same as in `x86_64/stream.rs`, without the throttle. We do not know whether a
//!   delayed load pays here.
//! * j is a full register with 8 bits in use, so that its chain is one addition a step.
//! * The check of three values is a `tst` of four: the fourth case reloads a value that was right.
//! * Two registers gather the odd and the even bytes of a word, since an `orr` with a shift takes two
//!   cycles on most cores.
//! * Five streams use the portable backend: 30 registers are enough for the compiler's code.

use core::arch::asm;

use cipher::inout::InOutBuf;

use super::{Vtable, portable};
use crate::{
    Rc4,
    families::{self, rc4::State},
};

pub(super) static VTABLE: Vtable = Vtable {
    name: "aarch64",
    about: "assembly: table bytes preloaded into registers; five streams in one loop",
    needs: "aarch64, little-endian",
    available: || true,
    schedule: portable::schedule,
    fill,
    xor,
    lanes: Some(portable::INTERLEAVED),
    rc4a_fill: families::fill,
    rc4a_xor: families::xor,
};

/// Steps, and bytes of keystream, in a turn of the unrolled loop.
const TURN: usize = 16;

/// Step p: x is S[i + p] and x3 is S[i + p + 3], loaded now; then their addresses. It leaves for label 3p if the store to S[j]
/// may have hit one of the three after x. `$out` loads the byte.
macro_rules! step {
    ($p:literal, $x:literal, $x3:literal, $at:expr, $at3:expr, $($out:literal),+) => {
        concat!(
            "ldrb {", $x3, ":w}, ", $at3, "\n",
            "add {j:w}, {j:w}, {", $x, ":w}\n",
            "and {t:w}, {j:w}, #255\n",
            "sub {y:w}, {j:w}, {i:w}\n",
            "sub {y:w}, {y:w}, #", $p, " + 1\n",
            "tst {y:w}, #0xfc\n",
            "ldrb {y:w}, [{s}, {t}]\n",
            "strb {y:w}, ", $at, "\n",
            "strb {", $x, ":w}, [{s}, {t}]\n",
            "b.eq 3", $p, "f\n",
            "2", $p, ":\n",
            "add {y:w}, {y:w}, {", $x, ":w}\n",
            "and {y:w}, {y:w}, #255\n",
            $($out, "\n",)+
        )
    };
}

/// Step p may have stored to one of the three values after x: they are loaded again.
macro_rules! mend {
    ($p:literal, $x1:literal, $x2:literal, $x3:literal, $at1:expr, $at2:expr, $at3:expr) => {
        concat!(
            "3", $p, ":\n",
            "ldrb {", $x1, ":w}, ", $at1, "\n",
            "ldrb {", $x2, ":w}, ", $at2, "\n",
            "ldrb {", $x3, ":w}, ", $at3, "\n",
            "b 2", $p, "b\n",
        )
    };
}

/// An address from this turn's base.
macro_rules! here {
    ($n:literal) => {
        concat!("[{here}, #", $n, "]")
    };
}

/// An address from the next turn's base.
macro_rules! next {
    ($n:literal) => {
        concat!("[{next}, #", $n, "]")
    };
}

/// Eight steps from the first, with the addresses of S[i + p + 3] for the last five, and of S[i + p] for the last.
macro_rules! eight {
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal,
        $e3:expr, $f3:expr, $g3:expr, $h3:expr, $last:expr) => {
        concat!(
            step!($a, "a", "d", here!($a), here!($d), "ldrb {u:w}, [{s}, {y}]"),
            step!($b, "b", "a", here!($b), here!($e), "ldrb {v:w}, [{s}, {y}]"),
            step!($c, "c", "b", here!($c), here!($f), "ldrb {y:w}, [{s}, {y}]", "orr {u}, {u}, {y}, lsl #16"),
            step!($d, "d", "c", here!($d), here!($g), "ldrb {y:w}, [{s}, {y}]", "orr {v}, {v}, {y}, lsl #16"),
            step!($e, "a", "d", here!($e), $e3, "ldrb {y:w}, [{s}, {y}]", "orr {u}, {u}, {y}, lsl #32"),
            step!($f, "b", "a", here!($f), $f3, "ldrb {y:w}, [{s}, {y}]", "orr {v}, {v}, {y}, lsl #32"),
            step!($g, "c", "b", here!($g), $g3, "ldrb {y:w}, [{s}, {y}]", "orr {u}, {u}, {y}, lsl #48"),
            step!($h, "d", "c", $last, $h3, "ldrb {y:w}, [{s}, {y}]", "orr {v}, {v}, {y}, lsl #48"),
            "orr {u}, {u}, {v}, lsl #8\n",
            "ldr {v}, [{input}], #8\n",
            "eor {u}, {u}, {v}\n",
            "str {u}, [{output}], #8\n",
        )
    };
}

/// Writes the out-of-line repairs that [`eight`] branches to.
macro_rules! eight_mends {
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal,
        $h:literal, $h1:expr, $h2:expr, $h3:expr, $h4:expr) => {
        concat!(
            mend!($a, "b", "c", "d", here!($b), here!($c), here!($d)),
            mend!($b, "c", "d", "a", here!($c), here!($d), here!($e)),
            mend!($c, "d", "a", "b", here!($d), here!($e), here!($f)),
            mend!($d, "a", "b", "c", here!($e), here!($f), here!($g)),
            mend!($e, "b", "c", "d", here!($f), here!($g), $h1),
            mend!($f, "c", "d", "a", here!($g), $h1, $h2),
            mend!($g, "d", "a", "b", $h1, $h2, $h3),
            mend!($h, "a", "b", "c", $h2, $h3, $h4),
        )
    };
}

/// Xors `turns` × [`TURN`] bytes of keystream into those at `input` and writes them to `output`.
///
/// # Safety
/// i is a multiple of [`TURN`]; `turns` > 0; `input` and `output` are valid for that many bytes, and are the same or
/// do not overlap.
unsafe fn xor_turns(state: &mut State, input: *const u8, output: *mut u8, turns: usize) {
    let s = state.s.as_mut_ptr();
    let (mut i, mut j) = (u64::from(state.i), u64::from(state.j));
    // SAFETY: every access to the table is at an offset below 256: `here` and `next` are multiples of 16 below 256,
    // with at most 15 added; `t` and `y` are masked. The data are the caller's promise, 16 bytes a turn.
    unsafe {
        asm!(
            "ldrb {a:w}, [{here}, #1]",
            "ldrb {b:w}, [{here}, #2]",
            "ldrb {c:w}, [{here}, #3]",
            "5:",
            "add {t:w}, {i:w}, #16",
            "and {t:w}, {t:w}, #255",
            "add {next}, {s}, {t}",
            eight!(1 2 3 4 5 6 7 8, here!(8), here!(9), here!(10), here!(11), here!(8)),
            eight!(9 10 11 12 13 14 15 16, next!(0), next!(1), next!(2), next!(3), next!(0)),
            "mov {here}, {next}",
            "sub {i}, {next}, {s}",
            "subs {turns}, {turns}, #1",
            "b.ne 5b",
            "b 4f",
            eight_mends!(1 2 3 4 5 6 7, 8, here!(8), here!(9), here!(10), here!(11)),
            eight_mends!(9 10 11 12 13 14 15, 16, next!(0), next!(1), next!(2), next!(3)),
            "4:",
            s = in(reg) s,
            here = inout(reg) s.add(usize::from(state.i)) => _,
            next = out(reg) _,
            input = inout(reg) input => _,
            output = inout(reg) output => _,
            turns = inout(reg) turns => _,
            i = inout(reg) i,
            j = inout(reg) j,
            a = out(reg) _,
            b = out(reg) _,
            c = out(reg) _,
            d = out(reg) _,
            t = out(reg) _,
            u = out(reg) _,
            v = out(reg) _,
            y = out(reg) _,
            options(nostack),
        );
    }
    (state.i, state.j) = (i as u8, j as u8);
}

fn fill(rc4: &mut Rc4, out: &mut [u8]) {
    out.fill(0);
    xor(rc4, out.into());
}

fn xor(rc4: &mut Rc4, data: InOutBuf<'_, '_, u8>) {
    let head = (usize::from(rc4.state.i).wrapping_neg() % TURN).min(data.len());
    let (head, data) = data.split_at(head);
    let turned = data.len() / TURN * TURN;
    let (turns, tail) = data.split_at(turned);
    portable::xor(rc4, head);
    if turned > 0 {
        let (input, output) = turns.into_raw();
        // SAFETY: the head brought i to a multiple of 16; an `InOutBuf` is valid for its length at both pointers,
        // which are equal or do not overlap, and each word is read before it is written.
        unsafe { xor_turns(&mut rc4.state, input, output, turned / TURN) };
    }
    portable::xor(rc4, tail);
}
