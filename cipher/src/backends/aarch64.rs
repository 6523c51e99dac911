//! Assembly for aarch64, one stream: a ring of preloaded S\[i\]s.
//!
//! # Diary
//!
//! Tested under qemu (`make embed-full`), never measured on a processor. `capi/single/MODEL.md`
//! estimates its speed by llvm-mca. The same assembly is in `capi/single/arcfour.c`;
//! `make bench-embed` measures it on any machine.
//!
//! * The technique is the same as in `x86_64/stream.rs`, without the throttle. We do not know whether a
//!   delayed load pays here.
//! * j is a full register with 8 bits in use, so that its chain is one addition a step.
//! * The check of three values is a `tst` of four: the fourth case reloads a value that was right.
//! * Two registers gather the odd and the even bytes of a word, since an `orr` with a shift takes two
//!   cycles on most cores.
//! * Five streams use the portable backend: 30 registers are enough for the compiler's code.

use core::{arch::naked_asm, mem::offset_of};

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

// Assumptions of the assembly below.
const _: () = assert!(offset_of!(State, s) == 0);
const _: () = assert!(offset_of!(State, i) == 256 && offset_of!(State, j) == 257);

// Registers:
// ```text
// x0   &S[0]                    w6   i before the turn
// x1   the input                w7   j, in the low byte
// x2   the output               w8 to w11  the ring: S[i] of step p is in the ring's register (p - 1) mod 4
// x3   the turns left           w12  j, then nothing
// x4   &S[i] before the turn    x13, x14  the odd and the even bytes of a word
// x5   the same of the next     w15  j - i - p - 1, then S[j], then the output
// ```

/// Step p. `x` holds S[i + p], `x3` receives S[i + p + 3]; their addresses follow. The step jumps
/// to label 3p if the store to S[j] may have hit one of the three values after `x`. `$out` loads
/// the byte.
macro_rules! step {
    ($p:literal, $x:literal, $x3:literal, $at:expr, $at3:expr, $($out:literal),+) => {
        concat!(
            "ldrb ", $x3, ", ", $at3, "\n",
            "add w7, w7, ", $x, "\n",
            "and w12, w7, #255\n",
            "sub w15, w7, w6\n",
            "sub w15, w15, #", $p, " + 1\n",
            "tst w15, #0xfc\n",
            "ldrb w15, [x0, x12]\n",
            "strb w15, ", $at, "\n",
            "strb ", $x, ", [x0, x12]\n",
            "b.eq 3", $p, "f\n",
            "2", $p, ":\n",
            "add w15, w15, ", $x, "\n",
            "and w15, w15, #255\n",
            $($out, "\n",)+
        )
    };
}

/// Loads the three values after `x` again, because step p may have stored to one of them.
macro_rules! mend {
    ($p:literal, $x1:literal, $x2:literal, $x3:literal, $at1:expr, $at2:expr, $at3:expr) => {
        concat!(
            "3", $p, ":\n",
            "ldrb ", $x1, ", ", $at1, "\n",
            "ldrb ", $x2, ", ", $at2, "\n",
            "ldrb ", $x3, ", ", $at3, "\n",
            "b 2", $p, "b\n",
        )
    };
}

/// An address from this turn's base.
macro_rules! here {
    ($n:literal) => {
        concat!("[x4, #", $n, "]")
    };
}

/// An address from the next turn's base.
macro_rules! next {
    ($n:literal) => {
        concat!("[x5, #", $n, "]")
    };
}

/// Eight steps from the first, with the addresses of S[i + p + 3] for the last five, and of S[i + p] for the last.
macro_rules! eight {
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal,
        $e3:expr, $f3:expr, $g3:expr, $h3:expr, $last:expr) => {
        concat!(
            step!($a, "w8", "w11", here!($a), here!($d), "ldrb w13, [x0, x15]"),
            step!($b, "w9", "w8", here!($b), here!($e), "ldrb w14, [x0, x15]"),
            step!($c, "w10", "w9", here!($c), here!($f), "ldrb w15, [x0, x15]", "orr x13, x13, x15, lsl #16"),
            step!($d, "w11", "w10", here!($d), here!($g), "ldrb w15, [x0, x15]", "orr x14, x14, x15, lsl #16"),
            step!($e, "w8", "w11", here!($e), $e3, "ldrb w15, [x0, x15]", "orr x13, x13, x15, lsl #32"),
            step!($f, "w9", "w8", here!($f), $f3, "ldrb w15, [x0, x15]", "orr x14, x14, x15, lsl #32"),
            step!($g, "w10", "w9", here!($g), $g3, "ldrb w15, [x0, x15]", "orr x13, x13, x15, lsl #48"),
            step!($h, "w11", "w10", $last, $h3, "ldrb w15, [x0, x15]", "orr x14, x14, x15, lsl #48"),
            "orr x13, x13, x14, lsl #8\n",
            "ldr x14, [x1], #8\n",
            "eor x13, x13, x14\n",
            "str x13, [x2], #8\n",
        )
    };
}

/// Writes the out-of-line repairs that [`eight`] branches to.
macro_rules! eight_mends {
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal,
        $h:literal, $h1:expr, $h2:expr, $h3:expr, $h4:expr) => {
        concat!(
            mend!($a, "w9", "w10", "w11", here!($b), here!($c), here!($d)),
            mend!($b, "w10", "w11", "w8", here!($c), here!($d), here!($e)),
            mend!($c, "w11", "w8", "w9", here!($d), here!($e), here!($f)),
            mend!($d, "w8", "w9", "w10", here!($e), here!($f), here!($g)),
            mend!($e, "w9", "w10", "w11", here!($f), here!($g), $h1),
            mend!($f, "w10", "w11", "w8", here!($g), $h1, $h2),
            mend!($g, "w11", "w8", "w9", $h1, $h2, $h3),
            mend!($h, "w8", "w9", "w10", $h2, $h3, $h4),
        )
    };
}

/// Xors `turns` × [`TURN`] bytes of keystream into those at `input` and writes them to `output`.
///
/// Naked, so that its machine code is the same in every build: `proof/` proves these bytes. The
/// function changes no callee-saved register and does not use the stack.
///
/// # Safety
/// i is a multiple of [`TURN`]; `turns` > 0; `input` and `output` are valid for that many bytes, and are the same or
/// do not overlap.
#[unsafe(naked)]
unsafe extern "C" fn xor_turns(
    state: &mut State,
    input: *const u8,
    output: *mut u8,
    turns: usize,
) {
    naked_asm!(
        "ldrb w6, [x0, #256]",
        "ldrb w7, [x0, #257]",
        "add x4, x0, x6",
        "ldrb w8, [x4, #1]",
        "ldrb w9, [x4, #2]",
        "ldrb w10, [x4, #3]",
        "5:",
        "add w12, w6, #16",
        "and w12, w12, #255",
        "add x5, x0, x12",
        eight!(1 2 3 4 5 6 7 8, here!(8), here!(9), here!(10), here!(11), here!(8)),
        eight!(9 10 11 12 13 14 15 16, next!(0), next!(1), next!(2), next!(3), next!(0)),
        "mov x4, x5",
        "sub x6, x5, x0",
        "subs x3, x3, #1",
        "b.ne 5b",
        "strb w6, [x0, #256]",
        "strb w7, [x0, #257]",
        "ret",
        eight_mends!(1 2 3 4 5 6 7, 8, here!(8), here!(9), here!(10), here!(11)),
        eight_mends!(9 10 11 12 13 14 15, 16, next!(0), next!(1), next!(2), next!(3)),
    )
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
        // SAFETY: the head brought i to a multiple of 16. An `InOutBuf` is valid for its length at
        // both pointers, which are equal or do not overlap. Each word is read before it is written.
        unsafe { xor_turns(&mut rc4.state, input, output, turned / TURN) };
    }
    portable::xor(rc4, tail);
}
