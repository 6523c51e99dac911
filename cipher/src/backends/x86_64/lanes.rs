//! Five streams in one loop on x86-64.
//!
//! # Diary
//!
//! All figures: AMD Zen 5 (EPYC, family 26), about 4.2 GHz, cycles per byte (c/B) over all streams
//! together, medians with the core clock calibrated in the same process, 2026-11.
//!
//! With other streams to work on while one waits, nothing is preloaded across a store and nothing
//! needs a check, so no branch ever misses. What remains of `stream.rs` is the *throttle*: the load of
//! the next S\[i\] must not run before the stores of its own stream have an address. A copy of the
//! base, made to wait for j by `cmovc rax, rbp`, does it. All streams share i, so one base and one
//! set of displacements serve them all; the tables lie side by side on the stack, with rsp as their
//! base, which frees a register.
//!
//! * Five streams with the next S\[i\] of each in a register: 1.53 to 1.55.
//! * Six: 1.60 (all registers taken). Four: 1.73 to 1.76 (6 cycles of latency for 4 bytes).
//! * A throttled base register per stream instead of S\[i\]: 1.57 with five and six, 1.93 with seven,
//!   1.74 with eight sharing four.
//! * Unrolled 16 as here; 32 or 64 are 0.02 faster on long data, but then the loops of the key
//!   schedule and the keystream do not fit the decoded-instruction cache together: schedule + 256
//!   bytes take 920 cycles a key instead of 800, the schedule alone 450 to 520 instead of 410.
//! * Insertion one or two streams later: 1.55 to 1.57.
//! * Three loads, an insertion and two stores without any dependence take 1.38 on this core; the
//!   same loop without its stores 1.17, without its output 1.56. Nothing waits for decoding: one or
//!   two more instructions a step are free.

use core::{arch::naked_asm, mem::size_of};

use super::{super::LANES, repeated, wipe};
use crate::families::rc4::State;

/// Steps, and bytes of keystream of each stream, in a turn of the unrolled loops.
pub(super) const TURN: usize = 16;

// The assembly below is written out for five lanes.
const _: () = assert!(LANES == 5);

// Registers, in every loop of this file:
//   rsp  &S[0] of lane 0; lane l is 256 l further     rbp  &S[i] of lane 0 before the turn
//   rcx rbx rsi rdi r8      &S[j] of the lanes        r9 to r13   the lanes' next S[i]
//   rax  throttled rbp      rdx  S[j], then the output
//   r14  offset of the data, or the key               r15  turns left
// Above the tables: the caller's rsp, and five pointers to the data.

/// Calls `$step` once per lane, with what comes first and then: the offset of the lane's table, the
/// register of &S[j] and its low byte, the register of S[i] and its low byte, the register that
/// gathers its output, and its number.
macro_rules! lanes {
    ($step:ident $($first:tt)*) => {
        concat!(
            $step!($($first)* "0", "rcx", "cl", "r9d", "r9b", "xmm0", 0),
            $step!($($first)* "256", "rbx", "bl", "r10d", "r10b", "xmm1", 1),
            $step!($($first)* "512", "rsi", "sil", "r11d", "r11b", "xmm2", 2),
            $step!($($first)* "768", "rdi", "dil", "r12d", "r12b", "xmm3", 3),
            $step!($($first)* "1024", "r8", "r8b", "r13d", "r13b", "xmm4", 4),
        )
    };
}

/// Calls `$m` with each number.
macro_rules! each {
    ($m:ident $($n:literal)*) => {
        concat!($($m!($n)),*)
    };
}

/// Swaps S[i], `$at` from the base, and S[j].
macro_rules! swap {
    ($at:expr, $table:literal, $j:literal, $x:literal) => {
        concat!(
            "movzx edx, byte ptr [", $j, "]\n",
            "mov byte ptr [rbp + ", $table, " + ", $at, "], dl\n",
            "mov byte ptr [", $j, "], ", $x, "\n",
        )
    };
}

/// Step p of the keystream: S[i] lies `$at` from the base, the next one `$next`, after `$wrap`
/// has taken the base to the next turn if it lies there.
macro_rules! prga {
    ($p:literal, $at:literal, $next:expr, $wrap:literal,
        $table:literal, $j:literal, $jl:literal, $xd:literal, $x:literal, $xmm:literal, $lane:literal) => {
        concat!(
            "mov rax, rbp\n",
            "add ", $jl, ", ", $x, "\n",
            "cmovc rax, rbp\n",
            $wrap,
            swap!($at, $table, $j, $x),
            "add dl, ", $x, "\n",
            "pinsrb ", $xmm, ", byte ptr [rsp + rdx + ", $table, "], ", $p, " - 1\n",
            "movzx ", $xd, ", byte ptr [rax + ", $table, " + ", $next, "]\n",
        )
    };
}

macro_rules! prga_all {
    ($p:literal) => {
        lanes!(prga $p, $p, concat!($p, " + 1"), "",)
    };
}

/// A step of the key schedule: S[i] lies `$at` from the base. S[i] and the key byte are added
/// first, so that the chain of j stays one add a step.
macro_rules! ksa {
    ($at:literal,
        $table:literal, $j:literal, $jl:literal, $xd:literal, $x:literal, $xmm:literal, $lane:literal) => {
        concat!(
            "mov rax, rbp\n",
            "movzx edx, byte ptr [r14 + 16 * ", $lane, " + ", $at, "]\n",
            "add dl, ", $x, "\n",
            "add ", $jl, ", dl\n",
            "cmovc rax, rbp\n",
            swap!($at, $table, $j, $x),
            "movzx ", $xd, ", byte ptr [rax + ", $table, " + ", $at, " + 1]\n",
        )
    };
}

macro_rules! ksa_all {
    ($at:literal) => {
        lanes!(ksa $at,)
    };
}

/// Writes the 16 bytes gathered, r14 from the start of the lane's data. Clearing the register
/// frees the next 16 insertions from waiting for these.
macro_rules! store {
    ($table:literal, $j:literal, $jl:literal, $xd:literal, $x:literal, $xmm:literal, $lane:literal) => {
        concat!(
            "mov rax, qword ptr [rsp + 1288 + 8 * ", $lane, "]\n",
            "movdqu xmmword ptr [rax + r14], ", $xmm, "\n",
            "pxor ", $xmm, ", ", $xmm, "\n",
        )
    };
}

/// As `store`, xored with what is there.
macro_rules! xor_and_store {
    ($table:literal, $j:literal, $jl:literal, $xd:literal, $x:literal, $xmm:literal, $lane:literal) => {
        concat!(
            "mov rax, qword ptr [rsp + 1288 + 8 * ", $lane, "]\n",
            "movdqu xmm5, xmmword ptr [rax + r14]\n",
            "pxor ", $xmm, ", xmm5\n",
            "movdqu xmmword ptr [rax + r14], ", $xmm, "\n",
            "pxor ", $xmm, ", ", $xmm, "\n",
        )
    };
}

/// The 16 blocks of 16 bytes of a table.
macro_rules! blocks {
    ($m:ident $($first:tt)*) => {
        blocks!(@ $m ($($first)*) 0 16 32 48 64 80 96 112 128 144 160 176 192 208 224 240)
    };
    (@ $m:ident $first:tt $($at:literal)*) => {
        concat!($($m!($at, $first)),*)
    };
}

macro_rules! copy_in {
    ($at:literal, ($table:literal)) => {
        concat!(
            "movaps xmm0, xmmword ptr [rax + ", $at, "]\n",
            "movaps xmmword ptr [rsp + ", $table, " + ", $at, "], xmm0\n",
        )
    };
}

macro_rules! copy_out {
    ($at:literal, ($table:literal)) => {
        concat!(
            "movaps xmm0, xmmword ptr [rsp + ", $table, " + ", $at, "]\n",
            "movaps xmmword ptr [rax + ", $at, "], xmm0\n",
        )
    };
}

/// A block of the identity, pointed at by rax, to all tables.
macro_rules! copy_identity {
    ($at:literal, ()) => {
        concat!("movaps xmm0, xmmword ptr [rax + ", $at, "]\n", store_in_all!($at))
    };
}

macro_rules! clear {
    ($at:literal, ()) => {
        store_in_all!($at)
    };
}

macro_rules! store_in_all {
    ($at:literal) => {
        concat!(
            "movaps xmmword ptr [rsp + ", $at, "], xmm0\n",
            "movaps xmmword ptr [rsp + 256 + ", $at, "], xmm0\n",
            "movaps xmmword ptr [rsp + 512 + ", $at, "], xmm0\n",
            "movaps xmmword ptr [rsp + 768 + ", $at, "], xmm0\n",
            "movaps xmmword ptr [rsp + 1024 + ", $at, "], xmm0\n",
        )
    };
}

/// The lane's state, from the pointers at r9, to the stack and the registers.
macro_rules! take {
    ($table:literal, $j:literal, $jl:literal, $xd:literal, $x:literal, $xmm:literal, $lane:literal) => {
        concat!(
            "mov rax, qword ptr [r9 + 8 * ", $lane, "]\n",
            blocks!(copy_in $table),
            "movzx ", $j, ", byte ptr [rax + 257]\n",
            "lea ", $j, ", [rsp + ", $j, " + ", $table, "]\n",
        )
    };
}

/// The lane's state back to where it came from.
macro_rules! give {
    ($table:literal, $j:literal, $jl:literal, $xd:literal, $x:literal, $xmm:literal, $lane:literal) => {
        concat!(
            "mov rax, qword ptr [r9 + 8 * ", $lane, "]\n",
            blocks!(copy_out $table),
            "mov byte ptr [rax + 256], bpl\n",
            "mov byte ptr [rax + 257], ", $jl, "\n",
        )
    };
}

macro_rules! j_is_0 {
    ($table:literal, $j:literal, $jl:literal, $xd:literal, $x:literal, $xmm:literal, $lane:literal) => {
        concat!("lea ", $j, ", [rsp + ", $table, "]\n")
    };
}

macro_rules! first {
    ($i:literal, $table:literal, $j:literal, $jl:literal, $xd:literal, $x:literal, $xmm:literal, $lane:literal) => {
        concat!("movzx ", $xd, ", byte ptr [rbp + ", $table, " + ", $i, "]\n")
    };
}

/// The lane's data pointer, from those at rsi.
macro_rules! data {
    ($table:literal, $j:literal, $jl:literal, $xd:literal, $x:literal, $xmm:literal, $lane:literal) => {
        concat!(
            "mov rax, qword ptr [rsi + 8 * ", $lane, "]\n",
            "mov qword ptr [rsp + 1288 + 8 * ", $lane, "], rax\n",
        )
    };
}

/// The stack: five tables, then the caller's rsp (1280), the data (1288 to 1327), the states
/// (1328), the stride of the keys (1336) and the turns (1344).
macro_rules! enter {
    () => {
        concat!(
            "push rbx\n push rbp\n push r12\n push r13\n push r14\n push r15\n",
            "mov rax, rsp\n",
            "sub rsp, 1536\n",
            "and rsp, -256\n",
            "mov qword ptr [rsp + 1280], rax\n",
        )
    };
}

/// Wipes the tables and returns.
macro_rules! leave {
    () => {
        concat!(
            "pxor xmm0, xmm0\n",
            blocks!(clear),
            "mov rsp, qword ptr [rsp + 1280]\n",
            "pop r15\n pop r14\n pop r13\n pop r12\n pop rbp\n pop rbx\n",
            "ret\n",
        )
    };
}

/// The key schedules, keys at r14, identity at rax; i and all j are 0 afterwards.
macro_rules! schedule {
    () => {
        concat!(
            blocks!(copy_identity),
            "mov rbp, rsp\n",
            lanes!(j_is_0),
            lanes!(first 0,),
            "mov r15d, 16\n",
            ".p2align 6\n",
            "4:\n",
            each!(ksa_all 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15),
            "add rbp, 16\n",
            "add r14, qword ptr [rsp + 1336]\n",
            "dec r15\n",
            "jnz 4b\n",
            "mov rbp, rsp\n",
            lanes!(j_is_0),
        )
    };
}

/// r15 turns of keystream, handed to `$output`.
macro_rules! generate {
    ($output:ident) => {
        concat!(
            lanes!(first 1,),
            "xor r14d, r14d\n",
            ".p2align 6\n",
            "5:\n",
            each!(prga_all 1 2 3 4 5 6 7 8 9 10 11 12 13 14),
            // Here S[i + 1], and in the last step S[i] too, belong to the next turn.
            lanes!(prga 15, 15, 0, "add al, 16\n",),
            "add bpl, 16\n",
            lanes!(prga 16, 0, 1, "",),
            lanes!($output),
            "add r14, 16\n",
            "dec r15\n",
            "jnz 5b\n",
        )
    };
}

/// The body of a function that hands rdx turns of keystream of the states at rdi to `$output`.
macro_rules! continue_streams {
    ($output:ident) => {
        concat!(
            enter!(),
            "mov qword ptr [rsp + 1328], rdi\n",
            "mov r15, rdx\n",
            lanes!(data),
            "mov r9, rdi\n",
            lanes!(take),
            "movzx ebp, byte ptr [rax + 256]\n",
            "add rbp, rsp\n",
            generate!($output),
            "mov r9, qword ptr [rsp + 1328]\n",
            lanes!(give),
            leave!(),
        )
    };
}

type States<'a> = [&'a mut State; LANES];
type Data = [*mut u8; LANES];

/// Writes `turns` × 16 bytes of keystream of each state to its data.
///
/// # Safety
/// SSE4.1; all states have the same i ≡ 0 mod 16; each of `data` is valid for that many bytes;
/// `turns` > 0.
#[unsafe(naked)]
unsafe extern "sysv64" fn fill_turns(states: &mut States<'_>, data: &Data, turns: usize) {
    naked_asm!(continue_streams!(store))
}

/// Xors `turns` × 16 bytes of keystream of each state into its data.
///
/// # Safety
/// As [`fill_turns`].
#[unsafe(naked)]
unsafe extern "sysv64" fn xor_turns(states: &mut States<'_>, data: &Data, turns: usize) {
    naked_asm!(continue_streams!(xor_and_store))
}

/// The key schedules of `keys` into `states`, whatever those were before.
///
/// # Safety
/// For each turn n of 0 to 15, 80 bytes are valid at `keys` + n × `stride`: the 16 of lane 0, of
/// lane 1 and so on.
#[unsafe(naked)]
unsafe extern "sysv64" fn schedule_turns(
    states: &mut States<'_>,
    keys: *const u8,
    stride: usize,
    identity: &State,
) {
    naked_asm!(concat!(
        enter!(),
        "mov qword ptr [rsp + 1328], rdi\n",
        "mov qword ptr [rsp + 1336], rdx\n",
        "mov r14, rsi\n",
        "mov rax, rcx\n",
        schedule!(),
        "mov r9, qword ptr [rsp + 1328]\n",
        lanes!(give),
        leave!(),
    ))
}

/// The first `turns` × 16 bytes of keystream of `keys` to `data`.
///
/// # Safety
/// SSE4.1; the keys as in [`schedule_turns`], data and turns as in [`fill_turns`].
#[unsafe(naked)]
unsafe extern "sysv64" fn sample_turns(
    keys: *const u8,
    data: &Data,
    stride: usize,
    identity: &State,
    turns: usize,
) {
    naked_asm!(concat!(
        enter!(),
        lanes!(data),
        "mov qword ptr [rsp + 1336], rdx\n",
        "mov qword ptr [rsp + 1344], r8\n",
        "mov r14, rdi\n",
        "mov rax, rcx\n",
        schedule!(),
        "mov r15, qword ptr [rsp + 1344]\n",
        generate!(store),
        leave!(),
    ))
}

/// The common length of the data in turns, none of which may be missing or left over.
fn turns(lens: [usize; LANES]) -> usize {
    assert!(lens == [lens[0]; LANES] && lens[0].is_multiple_of(TURN), "lengths {lens:?}");
    lens[0] / TURN
}

fn assert_aligned(states: &States<'_>) {
    let i = states.each_ref().map(|state| state.i);
    assert!(i == [i[0]; LANES] && usize::from(i[0]).is_multiple_of(TURN), "i = {i:?}");
}

pub(super) fn fill(mut states: States<'_>, outs: [&mut [u8]; LANES]) {
    assert_aligned(&states);
    let turns = turns(outs.each_ref().map(|out| out.len()));
    if turns > 0 {
        // SAFETY: this backend was found available, so there is SSE4.1; the rest was just checked.
        unsafe { fill_turns(&mut states, &outs.map(<[u8]>::as_mut_ptr), turns) };
    }
}

pub(super) fn xor(mut states: States<'_>, data: [&mut [u8]; LANES]) {
    assert_aligned(&states);
    let turns = turns(data.each_ref().map(|data| data.len()));
    if turns > 0 {
        // SAFETY: this backend was found available, so there is SSE4.1; the rest was just checked.
        unsafe { xor_turns(&mut states, &data.map(<[u8]>::as_mut_ptr), turns) };
    }
}

/// A turn of the key schedules: 16 key bytes of each lane.
type KeyTurn = [[u8; TURN]; LANES];

/// Calls `run` with the keys in turns and the stride from one turn to the next, and wipes them.
fn with_keys(keys: [&[u8]; LANES], run: impl FnOnce(*const u8, usize)) {
    if keys.iter().all(|key| TURN.is_multiple_of(key.len())) {
        let mut turn = KeyTurn::default();
        for (bytes, key) in turn.iter_mut().zip(keys) {
            *bytes = repeated(key);
        }
        run(turn.as_ptr().cast(), 0);
        wipe(turn.as_flattened_mut());
    } else {
        let mut turns = [KeyTurn::default(); 256 / TURN];
        for (lane, key) in keys.iter().enumerate() {
            let mut long: [u8; 256] = repeated(key);
            for (turn, bytes) in turns.iter_mut().zip(long.as_chunks().0) {
                turn[lane] = *bytes;
            }
            wipe(&mut long);
        }
        run(turns.as_ptr().cast(), size_of::<KeyTurn>());
        wipe(turns.as_flattened_mut().as_flattened_mut());
    }
}

pub(super) fn schedule(mut states: States<'_>, keys: [&[u8]; LANES]) {
    with_keys(keys, |keys, stride| {
        // SAFETY: `with_keys` gives one turn and stride 0, or sixteen turns and their stride.
        unsafe { schedule_turns(&mut states, keys, stride, &State::new()) }
    });
}

pub(super) fn sample(keys: [&[u8]; LANES], outs: [&mut [u8]; LANES]) {
    let turns = turns(outs.each_ref().map(|out| out.len()));
    if turns > 0 {
        with_keys(keys, |keys, stride| {
            let outs = outs.map(<[u8]>::as_mut_ptr);
            // SAFETY: this backend was found available, so there is SSE4.1; `with_keys` gives one
            // turn and stride 0, or eight turns and their stride; the lengths were just checked.
            unsafe { sample_turns(keys, &outs, stride, &State::new(), turns) }
        });
    }
}
