//! RC4A, one stream, on x86-64.
//!
//! # Diary
//!
//! All figures: AMD Zen 5 (EPYC, family 26), about 4.1 GHz, cycles per byte (c/B) of 1 MiB xored in
//! place. They are medians, with the core clock calibrated in the same process, 2026-11.
//!
//! Two tables give two chains of j, so each chain has twice as much time for a byte as in RC4.
//! `stream.rs` explains the technique. The chains take 6 cycles in four bytes with lookahead 1.
//! Only one position in 256 makes a preloaded S\[i\] out of date: j = i + 1.
//!
//! * As here, 1.80 to 1.85, and 1.77 to 1.82 without the xor. No throttle; j is compared with a
//!   register that counts i + 1, before the stores. **S\[i + 1\] is loaded through another register
//!   than S\[i\] is stored through.** With one register for both: 2.18 to 2.21 in the benchmark,
//!   and 2.14 to 2.19 in the harness. Nothing else differs. Eight placements of the code made no
//!   difference. The core seems to predict by the address register which store a load follows. A
//!   register for each table, or the offset of the input in a register instead of memory, changes
//!   nothing.
//! * The same with the check after the stores: 1.77 to 1.82 without the xor. Both loads of a round
//!   first: 1.77 to 1.79. 32 rounds: 1.81.
//! * A throttle a table: 1.89 to 1.95. It makes each load wait for the stores before, as in `stream.rs`; here
//!   the waits cost more than the flushes they save. Renewed in every second round: 1.88 to 1.91.
//! * With a throttle, j - i - 1 computed and tested for 0: 1.95 to 1.98. The check after the
//!   output: 1.94 to 1.97.
//! * Lookahead 2 with one throttle for both tables: 1.97 to 2.02 once a round, 2.08 once a byte.
//!   Lookahead 1 with one throttle: 2.02 a round, 2.45 a byte.
//! * Unrolled 8 or 32 rounds, VEX, the alignment of the slow paths: within the noise.
//! * No check at all: 1.76 with the throttle. The output is then wrong; the figure bounds the gain
//!   of a better check.

use core::{
    arch::naked_asm,
    mem::{align_of, offset_of},
};

use cipher::inout::InOutBuf;

use super::{TURN, Turns};
use crate::families::{self, rc4a::State};

// Assumption of the assembly below: a turn is 16 rounds of two bytes.
const _: () = assert!(TURN == 32);
const _: () = assert!(offset_of!(State, s1) == 0 && offset_of!(State, s2) == 256);
const _: () = assert!(offset_of!(State, i) == 512 && align_of::<State>() == 256);
const _: () = assert!(offset_of!(State, j1) == 513 && offset_of!(State, j2) == 514);

// Registers:
// ```text
// rbx  &S1[0]; S2 is 256 further     rbp  &S1[i] before the turn    rdi  the same of the next turn
// r12  a copy of rbp, for loads
// rcx  &S1[j1]                       rdx  &S2[j2]
// r9 r8    S1[i] and S1[i + 1] in odd rounds, the other way round in even ones
// r11 r10  the same of S2
// rax  S1[j1] or S2[j2], then the output     r14  i + 1 in its low byte
// rsi  the output, [rsp] from there to the input     r15  turns left
// ```

/// Half of round p. `$table` is S1's or S2's offset, and `$other` the other's. `$j` and `$jl` are
/// the register of j and its low byte. `$x` and `$new` are the registers of S\[i\] and S\[i + 1\],
/// and `$load` is where S\[i + 1\] comes from. `$store` is the address of S\[i\], `$bank` and
/// `$lane` the byte's place, and `$name` is for the labels.
macro_rules! half {
    ($table:literal, $other:literal, $j:literal, $jl:literal, $x:literal, $new:literal, $load:expr,
        $store:expr, $bank:literal, $lane:expr, $name:expr) => {
        concat!(
            "movzx ", $new, "d, byte ptr [", $load, " + ", $table, "]\n",
            "add ", $jl, ", ", $x, "b\n",
            "movzx eax, byte ptr [", $j, "]\n",
            "cmp ", $jl, ", r14b\n",
            "je 3", $name, "f\n",
            "2", $name, ":\n",
            "mov byte ptr [", $store, " + ", $table, "], al\n",
            "mov byte ptr [", $j, "], ", $x, "b\n",
            "add al, ", $x, "b\n",
            "pinsrb ", $bank, ", byte ptr [rbx + rax + ", $other, "], ", $lane, "\n",
        )
    };
}

/// Round p, with the registers of S1\[i\], S1\[i + 1\], S2\[i\], S2\[i + 1\].
macro_rules! round {
    ($p:literal: $x1:literal $new1:literal $x2:literal $new2:literal, $load:expr, $store:expr) => {
        concat!(
            "inc r14d\n",
            half!("0", "256", "rcx", "cl", $x1, $new1, $load, $store, "xmm0",
                concat!("2 * ", $p, " - 2"), concat!($p, "1")),
            half!("256", "0", "rdx", "dl", $x2, $new2, $load, $store, "xmm1",
                concat!("2 * ", $p, " - 1"), concat!($p, "2")),
        )
    };
}

/// An odd round whose next S\[i\] lies in the same turn.
macro_rules! odd {
    ($p:literal) => {
        round!($p: "r9" "r8" "r11" "r10", concat!("r12 + 1 + ", $p), concat!("rbp + ", $p))
    };
}

/// An even one.
macro_rules! even {
    ($p:literal) => {
        round!($p: "r8" "r9" "r10" "r11", concat!("r12 + 1 + ", $p), concat!("rbp + ", $p))
    };
}

/// The slow path of half a round: the store changed S\[i + 1\], so the register's copy is out of
/// date.
macro_rules! mend {
    ($($p:literal $x1:literal $new1:literal $x2:literal $new2:literal),+) => {
        concat!($(
            ".p2align 6\n",
            "3", $p, "1:\n mov ", $new1, "d, ", $x1, "d\n jmp 2", $p, "1b\n",
            ".p2align 6\n",
            "3", $p, "2:\n mov ", $new2, "d, ", $x2, "d\n jmp 2", $p, "2b\n",
        )+)
    };
}

macro_rules! store {
    ($half:literal) => {
        concat!(
            "pxor xmm0, xmm1\n",
            "movdqu xmmword ptr [rsi + ", $half, "], xmm0\n",
            "pxor xmm0, xmm0\n",
            "pxor xmm1, xmm1\n",
        )
    };
}

macro_rules! xor_and_store {
    ($half:literal) => {
        concat!(
            "mov rax, qword ptr [rsp]\n",
            "movdqu xmm2, xmmword ptr [rsi + rax + ", $half, "]\n",
            "pxor xmm0, xmm2\n",
            store!($half),
        )
    };
}

/// The body of a function that makes rcx turns of keystream and hands them to `$half`.
macro_rules! stream {
    ($half:ident) => {
        concat!(
            save!(),
            "sub rsi, rdx\n",
            "push rsi\n",
            "mov rsi, rdx\n",
            "mov r15, rcx\n",
            "mov rbx, rdi\n",
            "movzx ebp, byte ptr [rbx + 512]\n",
            "lea r14d, [rbp + 1]\n",
            "add rbp, rbx\n",
            "mov r12, rbp\n",
            "movzx ecx, byte ptr [rbx + 513]\n",
            "add rcx, rbx\n",
            "movzx edx, byte ptr [rbx + 514]\n",
            "lea rdx, [rbx + rdx + 256]\n",
            "movzx r9d, byte ptr [rbp + 1]\n",
            "movzx r11d, byte ptr [rbp + 256 + 1]\n",
            "pxor xmm0, xmm0\n",
            "pxor xmm1, xmm1\n",
            ".p2align 6\n",
            "5:\n",
            "mov rdi, rbp\n",
            "add dil, 16\n",
            odd!(1), even!(2), odd!(3), even!(4), odd!(5), even!(6), odd!(7), even!(8),
            $half!(0),
            odd!(9), even!(10), odd!(11), even!(12), odd!(13), even!(14),
            // The last loads, and the last stores, belong to the next turn.
            "mov r12, rdi\n",
            round!(15: "r9" "r8" "r11" "r10", "r12", "rbp + 15"),
            round!(16: "r8" "r9" "r10" "r11", "r12 + 1", "rdi"),
            $half!(16),
            "mov rbp, rdi\n",
            "add rsi, 32\n",
            "dec r15\n",
            "jnz 5b\n",
            "mov byte ptr [rbx + 512], bpl\n",
            "mov byte ptr [rbx + 513], cl\n",
            "mov byte ptr [rbx + 514], dl\n",
            "pop rax\n",
            restore!(),
            "ret\n",
            mend!(
                1 "r9" "r8" "r11" "r10", 2 "r8" "r9" "r10" "r11",
                3 "r9" "r8" "r11" "r10", 4 "r8" "r9" "r10" "r11",
                5 "r9" "r8" "r11" "r10", 6 "r8" "r9" "r10" "r11",
                7 "r9" "r8" "r11" "r10", 8 "r8" "r9" "r10" "r11",
                9 "r9" "r8" "r11" "r10", 10 "r8" "r9" "r10" "r11",
                11 "r9" "r8" "r11" "r10", 12 "r8" "r9" "r10" "r11",
                13 "r9" "r8" "r11" "r10", 14 "r8" "r9" "r10" "r11",
                15 "r9" "r8" "r11" "r10", 16 "r8" "r9" "r10" "r11"
            ),
        )
    };
}

/// Writes `turns` × 32 bytes of keystream to `output`.
///
/// # Safety
/// SSE4.1; `state` stands before a round with i ≡ 0 mod 16; `output` is valid for that many bytes;
/// `turns` > 0.
#[unsafe(naked)]
unsafe extern "sysv64" fn fill_turns(state: &mut State, _: usize, output: *mut u8, turns: usize) {
    naked_asm!(stream!(store))
}

/// Xors `turns` × 32 bytes of keystream into those at `input` and writes them to `output`, which
/// may be the same place.
///
/// # Safety
/// As [`fill_turns`], and `input` is valid for that many bytes.
#[unsafe(naked)]
unsafe extern "sysv64" fn xor_turns(
    state: &mut State,
    input: *const u8,
    output: *mut u8,
    turns: usize,
) {
    naked_asm!(stream!(xor_and_store))
}

impl Turns for State {
    fn head(&self) -> usize {
        let rounds = usize::from(self.i).wrapping_neg() % (TURN / 2);
        2 * rounds + usize::from(self.second)
    }

    fn fill_rest(&mut self, out: &mut [u8]) {
        families::fill(self, out);
    }

    fn xor_rest(&mut self, data: InOutBuf<'_, '_, u8>) {
        families::xor(self, data);
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
