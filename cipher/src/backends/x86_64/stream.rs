//! One stream on x86-64: a ring of preloaded S\[i\]s.
//!
//! # Diary
//!
//! All figures: AMD Zen 5 (EPYC, family 26), about 4.2 GHz, cycles per byte (c/B) of 1 MiB xored in
//! place. They are medians, with the core clock calibrated in the same process, 2026-11.
//!
//! The obstacle. A step is j += S\[i\], two stores and two more loads. The address of the *next*
//! S\[i\] is known long before the older stores to S\[j\] are resolved. So the core runs that load
//! early, sometimes reads an old value, and flushes. Then it learns to delay the load: 5.7 c/B for
//! the definition. (An early prototype read S\[i\] from a table without stores: 1.65.)
//!
//! What is here (2.20 to 2.23 c/B before the last point, 2.12 to 2.14 with it):
//! * The next three S\[i\] are kept in registers (a ring of four, so 32 steps unrolled). The load
//!   for three steps ahead goes first in a step, before its two stores.
//! * That load is *throttled*. `cmovc r12, rbp` with r12 = rbp does not change the address. But it
//!   makes the load wait for the j before, and by then all older stores have an address. So the
//!   chain is add 1 + cmov 1 + load 4 = 6 cycles in four steps.
//! * The price: a store may hit one of the three registers, (j - i - 1) mod 256 < 3. A branch,
//!   almost never taken, leads to three cmovs that update the ring. This happens in 3/256 of the
//!   steps and takes about 30 cycles (one branch miss): 0.35 c/B in all.
//! * The table lies on a multiple of 256. So the low byte of the pointer rcx *is* j, the 8-bit add
//!   wraps it, and S\[j\] is `[rcx]`.
//! * Output goes straight from the table into an xmm register by `pinsrb`; one 16-byte xor and
//!   store. Insertions into one register take two cycles each, so they alternate between two, and
//!   both are cleared in between. One register takes 2.31 if never cleared, 2.24 if cleared.
//! * The throttle is renewed in odd steps only. (The key schedule renews it in each step: 603
//!   cycles otherwise.) The distance in even steps is an `lea` of two registers. An `lea` of two
//!   registers and a number is slower on this core, see the table.
//!
//! Variants of the throttle and of the distance, 64 KiB of keystream. Each figure is the median of
//! 25 quiet samples, taken alternately in one process at 3.65 GHz. *never* has a check that never
//! fires, *none* has no check. Both are wrong, and bound the gain of a better check.
//!
//! | throttle renewed | distance | c/B | never | none |
//! |---|---|--:|--:|--:|
//! | each step | three components | 2.22 | 1.84 | 1.71 |
//! | each step | two components, wrong | | 1.75 | |
//! | each step | two components, and one subtraction a step | 2.23 | | |
//! | each step | two registers, then 8 bits less p | 2.24 | | |
//! | odd steps | three components | 2.16 | | |
//! | even steps | three components | 2.18 | 1.80 | |
//! | every fourth | three components | 2.18 to 2.20 | | |
//! | odd steps | two components, and one subtraction a step | 2.14 | | |
//! | odd steps | two components in even steps, a subtraction for two (as here) | 2.13 | 1.79 | 1.71 |
//! | odd steps | the same, in three of four steps | 2.17 | | |
//! | odd steps | as here, checked before the stores | 2.14 to 2.15 | | |
//! | odd steps | as here, unrolled 64 | 2.11 | | |
//!
//! Not taken: unrolling 64 steps, because short messages would wait for 64 bytes. Also not taken:
//! one branch for the checks of two or four steps. Without half of the checks the loop takes 1.92
//! c/B instead of 2.22, and the misses of this half are 0.19 of the difference. Joining the
//! distances needs more operations than it saves branches, and each miss repeats more steps.
//!
//! These variants were not faster:
//! * Lookahead 2: 2.38; 4: 2.27; 5: 2.39; 7: 2.59. The chain is shorter, but there are more misses.
//!   Without misses, lookahead 3 to 7 would all take 1.85 to 1.9. So the limit is neither the chain
//!   nor the five memory operations (4 a cycle, 1.25; 1.38 with pinsrb, measured).
//! * Lookahead 2, throttled by the j two steps back: 2.19 to 2.22. There are fewer misses, but more
//!   loads overtake a store whose address is not known yet. Lookahead 1: 2.46.
//! * One throttle for two loads (2 and 3 ahead): 2.19 to 2.24; for four loads: 2.27 to 2.38.
//! * A cmov after the compare, instead of the branch, for the farthest of the three registers:
//!   2.46. It also separates cmp from jb, so that the core does not fuse them.
//! * One branch for each distance (cmp/je three times): not tried here. In a loop of rare branches
//!   alone, three of them cost twice as much as one.
//! * No throttle: 2.37 to 2.46, and 2.96 with lookahead 1. Later code in the same process is then
//!   slow as well, this kernel 3.1 c/B. A throttle in every eighth step is no better than none.
//! * S\[j\] stored through a copy of rcx instead of the register of its load: 2.19 to 2.23. RC4A
//!   gained from this.
//! * Unrolled 16: 2.28; 64: 2.19; 128: 2.47; 256: 2.5 to 3.0.
//! * Output index through an 8-bit merge into a table pointer (`[rax]` instead of `[rbx + rax]`):
//!   2.36.
//! * The order within a step, VEX or legacy `pinsrb`, and the alignment of the loop: within 0.03.
//!   Slow paths aligned to 64 gain 0.02.
//! * Neither prefetching the data nor aligning the return points of the slow paths gains anything.
//!
//! The key schedule is the same loop with a key byte and without output. `Rc4::rekey` with 16-byte
//! keys takes 580 to 620 cycles, about 100 of them for four branch misses: three stores into the
//! ring and one more. **Measure it with many keys.** With up to 2048 keys in turn the branch
//! predictor learns them all, and the schedule seems to take 505 to 525.
//!
//! Tried on 16384 keys, the loop alone. As it is: 613. A counted loop instead of eight calls: 630,
//! because its end is a branch miss. Lookahead 2: 683, throttled two steps back 628. One throttle
//! for two loads: 633. Unrolled 16: 606 to 620. The key byte added to j separately: 668. Without
//! check and misses: 465.

use core::{
    arch::naked_asm,
    mem::{align_of, offset_of, size_of},
};

use cipher::inout::InOutBuf;

use super::{super::portable, TURN, Turns, repeat, wipe};
use crate::{Rc4, families::rc4::{IDENTITY, State}};

// Assumptions of the assembly below.
const _: () = assert!(offset_of!(Rc4, state) == 0 && offset_of!(State, s) == 0);
const _: () = assert!(offset_of!(State, i) == 256 && offset_of!(State, j) == 257);
const _: () = assert!(align_of::<Rc4>() == 256 && size_of::<Rc4>() >= 256 + TURN);

// Registers, in every loop of this file:
// ```text
// rcx  &S[j]                    rbx  &S[0]
// rbp  &S[i] before the turn    rdi  the same of the next turn
// r12  rbp or rdi, throttled    r13  -(&S[i] of the last even step) - 1
// r8 to r11  the ring: S[i] of step p is in the ring's register p mod 4
// rax  S[j], then the output    rdx  (j - i - 1) in its low byte
// ```

/// Calls `$step` for the 32 steps of a turn, and `$half` after 16 steps and after 32. The first
/// arguments of `$step` are the position p, the registers of S\[i\] to S\[i+3\], and where S\[i+3\]
/// is loaded from. Then come the throttle of the next two such loads, the address of S\[i\], and
/// the code that computes the distance j - i - 1. `$even` says what even steps do with the
/// throttle: `renew` or `keep`.
macro_rules! turn {
    ($step:ident, $half:ident, $even:ident) => {
        concat!(
            turn!(@four $step, $even, 1 4, 2 5, 3 6, 4 7),
            turn!(@four $step, $even, 5 8, 6 9, 7 10, 8 11),
            turn!(@four $step, $even, 9 12, 10 13, 11 14, 12 15),
            turn!(@four $step, $even, 13 16, 14 17, 15 18, 16 19),
            $half!(0),
            turn!(@four $step, $even, 17 20, 18 21, 19 22, 20 23),
            turn!(@four $step, $even, 21 24, 22 25, 23 26, 24 27),
            // From step 29 on the loads, and in step 32 the store, belong to the next turn.
            $step!(25, "xmm0", "r9", "r8", 28, "cmovc r12, rbp", "rbp + 25", odd_distance!()),
            $step!(26, "xmm1", "r10", "r9", 29, $even!("rbp"), "rbp + 26", even_distance!()),
            $step!(27, "xmm0", "r11", "r10", 30, "cmovc r12, rbp", "rbp + 27", odd_distance!()),
            $step!(28, "xmm1", "r8", "r11", 31, "mov r12, rdi\n cmovc r12, rdi", "rbp + 28", even_distance!()),
            $step!(29, "xmm0", "r9", "r8", 0, "cmovc r12, rdi", "rbp + 29", odd_distance!()),
            $step!(30, "xmm1", "r10", "r9", 1, $even!("rdi"), "rbp + 30", even_distance!()),
            $step!(31, "xmm0", "r11", "r10", 2, "cmovc r12, rdi", "rbp + 31", odd_distance!()),
            $step!(32, "xmm1", "r8", "r11", 3, $even!("rdi"), "rdi", even_distance!()),
            $half!(16),
        )
    };
    (@four $step:ident, $even:ident, $a:literal $e:literal, $b:literal $f:literal,
        $c:literal $g:literal, $d:literal $h:literal) => {
        concat!(
            $step!($a, "xmm0", "r9", "r8", $e, "cmovc r12, rbp", concat!("rbp + ", $a), odd_distance!()),
            $step!($b, "xmm1", "r10", "r9", $f, $even!("rbp"), concat!("rbp + ", $b), even_distance!()),
            $step!($c, "xmm0", "r11", "r10", $g, "cmovc r12, rbp", concat!("rbp + ", $c), odd_distance!()),
            $step!($d, "xmm1", "r8", "r11", $h, $even!("rbp"), concat!("rbp + ", $d), even_distance!()),
        )
    };
}

/// Makes the throttle wait for the newest j, by the carry of its addition.
macro_rules! renew {
    ($base:literal) => {
        concat!("cmovc r12, ", $base)
    };
}

/// Leaves the throttle as it is: the next load waits for the j before.
macro_rules! keep {
    ($base:literal) => {
        ""
    };
}

/// Computes j - i - 1 in step p, which is odd.
macro_rules! odd_distance {
    () => {
        "lea edx, [rcx + r13 - 1]"
    };
}

/// Does the same in an even step, and renews r13.
macro_rules! even_distance {
    () => {
        "sub r13, 2\n lea edx, [rcx + r13]"
    };
}

/// A step's part that the key schedule and the keystream share: `$add` adds to j; then throttle,
/// swap, and the check of the ring.
macro_rules! advance {
    ($p:literal, $x:literal, $new:literal, $load:literal, $throttle:expr, $store:expr,
        $distance:expr, $add:expr) => {
        concat!(
            "movzx ", $new, "d, byte ptr [r12 + ", $load, "]\n",
            $add, "\n",
            $throttle, "\n",
            "movzx eax, byte ptr [rcx]\n",
            "mov byte ptr [", $store, "], al\n",
            "mov byte ptr [rcx], ", $x, "b\n",
            $distance, "\n",
            "cmp dl, 3\n",
            "jb 3", $p, "f\n",
            "2", $p, ":\n",
        )
    };
}

/// A step of the keystream. Its byte goes into lane (p - 1) mod 16 of bank xmm0 or xmm1 (`pinsrb`
/// takes the low four bits of the lane).
macro_rules! prga {
    ($p:literal, $bank:literal, $x:literal, $new:literal, $load:literal, $throttle:expr, $store:expr,
        $distance:expr) => {
        concat!(
            advance!($p, $x, $new, $load, $throttle, $store, $distance, concat!("add cl, ", $x, "b")),
            "add al, ", $x, "b\n",
            "pinsrb ", $bank, ", byte ptr [rbx + rax], ", $p, " - 1\n",
        )
    };
}

/// A step of the key schedule: S\[i\] and the key byte are added first, so that the chain of j
/// stays one add a step.
macro_rules! ksa {
    ($p:literal, $bank:literal, $x:literal, $new:literal, $load:literal, $throttle:expr, $store:expr,
        $distance:expr) => {
        advance!(
            $p, $x, $new, $load, $throttle, $store, $distance,
            concat!("movzx eax, byte ptr [rsi + ", $p, "]\n add al, ", $x, "b\n add cl, al")
        )
    };
}

/// Step p stored S\[i\] to S\[i+m+1\], and the ring's copy of that, loaded before, is out of date.
macro_rules! mend {
    ($p:literal, $x:literal, $a:literal, $b:literal, $c:literal) => {
        concat!(
            ".p2align 6\n",
            "3", $p, ":\n",
            "cmp dl, 1\n",
            "cmovb ", $a, "d, ", $x, "d\n",
            "cmove ", $b, "d, ", $x, "d\n",
            "cmova ", $c, "d, ", $x, "d\n",
            "jmp 2", $p, "b\n",
        )
    };
}

/// The slow paths of a turn.
macro_rules! mends {
    () => {
        mends!(1 2 3 4, 5 6 7 8, 9 10 11 12, 13 14 15 16, 17 18 19 20, 21 22 23 24, 25 26 27 28, 29 30 31 32)
    };
    ($($a:literal $b:literal $c:literal $d:literal),+) => {
        concat!($(
            mend!($a, "r9", "r10", "r11", "r8"),
            mend!($b, "r10", "r11", "r8", "r9"),
            mend!($c, "r11", "r8", "r9", "r10"),
            mend!($d, "r8", "r9", "r10", "r11"),
        )+)
    };
}

macro_rules! no_output {
    ($half:literal) => {
        ""
    };
}

/// Joins the banks and writes them. They are clear afterwards, so the next 16 steps need not wait
/// for these.
macro_rules! store {
    ($half:literal) => {
        concat!(
            "pxor xmm0, xmm1\n",
            "movdqu xmmword ptr [r14 + ", $half, "], xmm0\n",
            "pxor xmm0, xmm0\n",
            "pxor xmm1, xmm1\n",
        )
    };
}

macro_rules! xor_and_store {
    ($half:literal) => {
        concat!(
            "movdqu xmm2, xmmword ptr [rsi + ", $half, "]\n",
            "pxor xmm0, xmm2\n",
            store!($half),
        )
    };
}

/// The ring for the first turn: r9, r10, r11 are S\[i+1\], S\[i+2\], S\[i+3\].
macro_rules! preload {
    () => {
        concat!(
            "mov r12, rbp\n",
            "movzx r9d, byte ptr [rbp + 1]\n",
            "movzx r10d, byte ptr [rbp + 2]\n",
            "movzx r11d, byte ptr [rbp + 3]\n",
        )
    };
}

/// The body of a function that makes `rcx` turns of keystream and hands them to `$half`.
macro_rules! stream {
    ($half:ident) => {
        concat!(
            save!(),
            "mov rbx, rdi\n",
            "mov r14, rdx\n",
            "mov r15, rcx\n",
            "movzx ebp, byte ptr [rbx + 256]\n",
            "add rbp, rbx\n",
            "movzx ecx, byte ptr [rbx + 257]\n",
            "add rcx, rbx\n",
            preload!(),
            "pxor xmm0, xmm0\n",
            "pxor xmm1, xmm1\n",
            ".p2align 6\n",
            "5:\n",
            "mov rdi, rbp\n",
            "add dil, 32\n",
            "mov r13, rbp\n",
            "not r13\n",
            turn!(prga, $half, keep),
            "mov rbp, rdi\n",
            "add rsi, 32\n",
            "add r14, 32\n",
            "dec r15\n",
            "jnz 5b\n",
            "mov byte ptr [rbx + 256], bpl\n",
            "mov byte ptr [rbx + 257], cl\n",
            restore!(),
            "ret\n",
            mends!(),
        )
    };
}

/// Writes `turns` × 32 bytes of keystream to `output`.
///
/// # Safety
/// SSE4.1; `rc4` has i ≡ 0 mod 32; `output` is valid for that many bytes; `turns` > 0.
#[unsafe(naked)]
unsafe extern "sysv64" fn fill_turns(rc4: &mut Rc4, _: usize, output: *mut u8, turns: usize) {
    naked_asm!(stream!(store))
}

/// Xors `turns` × 32 bytes of keystream into those at `input` and writes them to `output`, which
/// may be the same place.
///
/// # Safety
/// As [`fill_turns`], and `input` is valid for that many bytes.
#[unsafe(naked)]
unsafe extern "sysv64" fn xor_turns(
    rc4: &mut Rc4,
    input: *const u8,
    output: *mut u8,
    turns: usize,
) {
    naked_asm!(stream!(xor_and_store))
}

/// The 256 steps of the key schedule on `rc4`, whose table must be the identity, in eight turns.
///
/// # Safety
/// SSE4.1; for each turn n of 0 to 7, 32 bytes are valid at `key` + n × `stride`.
#[unsafe(naked)]
unsafe extern "sysv64" fn schedule_turns(rc4: &mut Rc4, key: *const u8, stride: usize) {
    naked_asm!(concat!(
        save!(),
        // Here steps start at i = 0, not 1: the base lies a byte lower, and so does the key's.
        "lea rbp, [rdi - 1]\n",
        "dec rsi\n",
        "mov r14, rdx\n",
        "mov rcx, rdi\n",
        preload!(),
        "call 6f\n call 6f\n call 6f\n call 6f\n call 6f\n call 6f\n call 6f\n call 6f\n",
        restore!(),
        "ret\n",
        ".p2align 6\n",
        "6:\n",
        "lea rdi, [rbp + 32]\n",
        "mov r13, rbp\n",
        "not r13\n",
        turn!(ksa, no_output, renew),
        "mov rbp, rdi\n",
        "add rsi, r14\n",
        "ret\n",
        mends!(),
    ))
}

/// Runs the key schedule.
///
/// # Safety
/// SSE4.1.
pub(super) unsafe fn schedule(rc4: &mut Rc4, key: &[u8]) {
    debug_assert!(rc4.state.s == IDENTITY);
    if TURN.is_multiple_of(key.len()) {
        let mut turn = [0; TURN];
        repeat(key, &mut turn);
        // SAFETY: the caller's promise; with a stride of 0 every turn reads this array.
        unsafe { schedule_turns(rc4, turn.as_ptr(), 0) };
        wipe(&mut turn);
    } else {
        let mut turns = [0; 256];
        repeat(key, &mut turns);
        // SAFETY: the caller's promise; eight turns 32 bytes apart lie in this array.
        unsafe { schedule_turns(rc4, turns.as_ptr(), TURN) };
        wipe(&mut turns);
    }
}

impl Turns for Rc4 {
    fn head(&self) -> usize {
        usize::from(self.state.i).wrapping_neg() % TURN
    }

    fn fill_rest(&mut self, out: &mut [u8]) {
        portable::fill(self, out);
    }

    fn xor_rest(&mut self, data: InOutBuf<'_, '_, u8>) {
        portable::xor(self, data);
    }

    unsafe fn fill_turns(&mut self, output: *mut u8, turns: usize) {
        // SAFETY: the caller's promise.
        unsafe { fill_turns(self, 0, output, turns) }
    }

    unsafe fn xor_turns(&mut self, input: *const u8, output: *mut u8, turns: usize) {
        // SAFETY: the caller's promise.
        unsafe { xor_turns(self, input, output, turns) }
    }
}
