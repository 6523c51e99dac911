//! Five streams in one loop on x86-64.
//!
//! # Diary
//!
//! All figures: AMD Zen 5 (EPYC, family 26), about 4.2 GHz, cycles per byte (c/B) over all streams
//! together. They are medians, with the core clock calibrated in the same process, 2026-11.
//!
//! While one stream waits, the others work. So nothing is preloaded across a store, nothing needs a
//! check, and no branch is mispredicted. `stream.rs`'s *throttle* remains: the load of the next
//! S\[i\] must not run before the stores of the same stream have an address. A copy of the base
//! waits for j by `cmovc rax, rbp`. All streams share i, and lie in an array, so one base and one
//! set of displacements serve them all.
//!
//! * Five streams with the next S\[i\] of each in a register: 1.53 to 1.55.
//! * Six: 1.60 (all registers taken). Four: 1.73 to 1.76 (6 cycles of latency for 4 bytes).
//! * A throttled base register per stream instead of S\[i\]: 1.57 with five and six, 1.93 with seven,
//!   1.74 with eight sharing four.
//! * Unrolled 16 as here. Unrolled 32 or 64, long data take 0.02 less. But then the loops of the
//!   key schedule and the keystream do not fit the decoded-instruction cache together. Schedule and
//!   256 bytes take 920 cycles a key instead of 800, and the schedule alone 450 to 520 instead of
//!   410.
//! * Insertion one or two streams later: 1.55 to 1.57.
//! * Key schedule: a load of a key byte waits for a store to a table if both share the low twelve
//!   bits of their addresses. So the keys lie at page offsets that no table has. The loop is
//!   written out until the key begins anew: 5 turns for 5 bytes. Writing out all 16 turns would
//!   cost a third of the schedule. Keys of up to 16 bytes are turned in a register by `pshufb`.
//!   Cycles per key, of many prepared keys: 412 for 5 bytes, 423 for 9, 436 for 13, 400 for 16 and
//!   for 32. (Least of many samples, at 3.75 GHz beside other work.)
//! * Three loads, an insertion and two stores without any dependence take 1.38 on this core. The
//!   same loop takes 1.17 without its stores, 1.56 without its output. Nothing waits for decoding:
//!   one or two more instructions a step are free.

use core::{
    arch::{
        naked_asm,
        x86_64::{
            __m128i, _mm_add_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_set1_epi8, _mm_set_epi64x,
            _mm_shuffle_epi8, _mm_storeu_si128, _mm_sub_epi8,
        },
    },
    mem::{MaybeUninit, offset_of, size_of},
    slice,
};

use super::{super::LANES, wipe, wipe_stack};
use crate::{Rc4, families::rc4::{IDENTITY, State}};

/// Steps, and bytes of keystream of each stream, in a turn of the unrolled loops.
pub(super) const TURN: usize = 16;

/// Bytes from a stream's table to the next stream's table.
const STRIDE: usize = size_of::<Rc4>();

// The assembly below is written out for five lanes.
const _: () = assert!(LANES == 5);
const _: () = assert!(offset_of!(Rc4, state) == 0 && offset_of!(State, s) == 0);
const _: () = assert!(offset_of!(State, i) == 256 && offset_of!(State, j) == 257);

// Registers, in both loops of this file:
// ```text
// r15  &S[0] of lane 0; lane l is l x {stride} further      rbp  &S[i] of lane 0 before the turn
// rcx rbx rsi rdi r8  &S[j] of the lanes                    r9 to r13  the lanes' next S[i]
// rax  throttled rbp                                        rdx  S[j], then the output
// r14  offset of the data; in the key schedule, the key
// ```

/// Calls `$step` once per lane, with the `$first` arguments and five more. These are the offset of
/// the lane's table, the registers of &S\[j\], S\[i\] and the output, and the lane's number. The
/// first two registers come with their low bytes.
macro_rules! lanes {
    ($step:ident $($first:tt)*) => {
        concat!(
            $step!($($first)* "{stride} * 0", "rcx", "cl", "r9d", "r9b", "xmm0", 0),
            $step!($($first)* "{stride} * 1", "rbx", "bl", "r10d", "r10b", "xmm1", 1),
            $step!($($first)* "{stride} * 2", "rsi", "sil", "r11d", "r11b", "xmm2", 2),
            $step!($($first)* "{stride} * 3", "rdi", "dil", "r12d", "r12b", "xmm3", 3),
            $step!($($first)* "{stride} * 4", "r8", "r8b", "r13d", "r13b", "xmm4", 4),
        )
    };
}

/// Calls `$m` with each number.
macro_rules! each {
    ($m:ident $($n:literal)*) => {
        concat!($($m!($n)),*)
    };
}

/// Swaps S\[i\], `$at` from the base, and S\[j\].
macro_rules! swap {
    ($at:expr, $table:literal, $j:literal, $x:literal) => {
        concat!(
            "movzx edx, byte ptr [", $j, "]\n",
            "mov byte ptr [rbp + ", $table, " + ", $at, "], dl\n",
            "mov byte ptr [", $j, "], ", $x, "\n",
        )
    };
}

/// Step p of the keystream. S\[i\] lies `$at` from the base, and the next one `$next`. If the next
/// one is in the next turn, `$wrap` has taken the base there.
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
            "pinsrb ", $xmm, ", byte ptr [r15 + rdx + ", $table, "], ", $p, " - 1\n",
            "movzx ", $xd, ", byte ptr [rax + ", $table, " + ", $next, "]\n",
        )
    };
}

macro_rules! prga_all {
    ($p:literal) => {
        lanes!(prga $p, $p, concat!($p, " + 1"), "",)
    };
}

/// A step of the key schedule: S\[i\] lies `$at` from the base. The key byte is added to j first,
/// because S\[i\] arrives late.
macro_rules! ksa {
    ($at:literal,
        $table:literal, $j:literal, $jl:literal, $xd:literal, $x:literal, $xmm:literal, $lane:literal) => {
        concat!(
            "mov rax, rbp\n",
            "add ", $jl, ", byte ptr [r14 + 16 * ", $lane, " + ", $at, "]\n",
            "add ", $jl, ", ", $x, "\n",
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
            "mov rax, qword ptr [rsp + 8]\n",
            "mov rax, qword ptr [rax + 8 * ", $lane, "]\n",
            "movdqu xmmword ptr [rax + r14], ", $xmm, "\n",
            "pxor ", $xmm, ", ", $xmm, "\n",
        )
    };
}

/// Xors the bytes with those in memory and stores them.
macro_rules! xor_and_store {
    ($table:literal, $j:literal, $jl:literal, $xd:literal, $x:literal, $xmm:literal, $lane:literal) => {
        concat!(
            "mov rax, qword ptr [rsp + 8]\n",
            "mov rax, qword ptr [rax + 8 * ", $lane, "]\n",
            "movdqu xmm5, xmmword ptr [rax + r14]\n",
            "pxor ", $xmm, ", xmm5\n",
            "movdqu xmmword ptr [rax + r14], ", $xmm, "\n",
            "pxor ", $xmm, ", ", $xmm, "\n",
        )
    };
}

/// The lane's &S\[j\], from its state.
macro_rules! take_j {
    ($table:literal, $j:literal, $jl:literal, $xd:literal, $x:literal, $xmm:literal, $lane:literal) => {
        concat!(
            "movzx ", $j, ", byte ptr [r15 + ", $table, " + 257]\n",
            "lea ", $j, ", [r15 + ", $j, " + ", $table, "]\n",
        )
    };
}

/// Stores i and j to the lane's state.
macro_rules! give_i_and_j {
    ($table:literal, $j:literal, $jl:literal, $xd:literal, $x:literal, $xmm:literal, $lane:literal) => {
        concat!(
            "mov byte ptr [r15 + ", $table, " + 256], bpl\n",
            "mov byte ptr [r15 + ", $table, " + 257], ", $jl, "\n",
        )
    };
}

macro_rules! j_is_0 {
    ($table:literal, $j:literal, $jl:literal, $xd:literal, $x:literal, $xmm:literal, $lane:literal) => {
        concat!("lea ", $j, ", [rbp + ", $table, "]\n")
    };
}

/// S\[i\] of the first step, `$at` from the base.
macro_rules! first {
    ($at:literal, $table:literal, $j:literal, $jl:literal, $xd:literal, $x:literal, $xmm:literal, $lane:literal) => {
        concat!("movzx ", $xd, ", byte ptr [rbp + ", $table, " + ", $at, "]\n")
    };
}

/// The body of a function that makes rdx bytes of keystream of each of the streams at rdi and
/// hands them to `$output`.
macro_rules! keystream {
    ($output:ident) => {
        concat!(
            save!(),
            "push rsi\n",
            "push rdx\n",
            "mov r15, rdi\n",
            lanes!(take_j),
            "movzx ebp, byte ptr [r15 + 256]\n",
            "add rbp, r15\n",
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
            "cmp r14, qword ptr [rsp]\n",
            "jne 5b\n",
            lanes!(give_i_and_j),
            "add rsp, 16\n",
            restore!(),
            "ret\n",
        )
    };
}

/// Writes `len` bytes of keystream of each stream to its data.
///
/// # Safety
/// SSE4.1; all streams have the same i ≡ 0 mod 16; each of `data` is valid for `len` bytes, a
/// multiple of 16 and not 0.
#[unsafe(naked)]
unsafe extern "sysv64" fn fill_turns(streams: &mut [Rc4; LANES], data: &[*mut u8; LANES], len: usize) {
    naked_asm!(keystream!(store), stride = const STRIDE)
}

/// Xors `len` bytes of keystream of each stream into its data.
///
/// # Safety
/// As [`fill_turns`].
#[unsafe(naked)]
unsafe extern "sysv64" fn xor_turns(streams: &mut [Rc4; LANES], data: &[*mut u8; LANES], len: usize) {
    naked_asm!(keystream!(xor_and_store), stride = const STRIDE)
}

/// The key schedules, in sixteen turns.
///
/// The tables must be the identity.
///
/// # Safety
/// SSE4.1. The bytes from `keys` to `end` are valid, and their number is a positive multiple of
/// [`KEY_TURN`]. Each turn has 16 bytes of lane 0, of lane 1 and so on. After the last turn comes
/// the first again.
#[unsafe(naked)]
unsafe extern "sysv64" fn schedule_turns(streams: &mut [Rc4; LANES], keys: *const u8, end: *const u8) {
    naked_asm!(concat!(
        save!(),
        "push rsi\n",
        "mov rbp, rdi\n",
        "mov r14, rsi\n",
        "mov r15, rdx\n",
        lanes!(j_is_0),
        lanes!(first 0,),
        ".p2align 6\n",
        "4:\n",
        each!(ksa_all 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15),
        "add r14, {key_turn}\n",
        "cmp r14, r15\n",
        "cmove r14, qword ptr [rsp]\n",
        // The table is aligned to 256: after its last turn the low byte is 0 again.
        "add rbp, 16\n",
        "test bpl, bpl\n",
        "jne 4b\n",
        "pop rsi\n",
        restore!(),
        "ret\n",
    ), stride = const STRIDE, key_turn = const KEY_TURN)
}

/// Checks the conditions of [`fill_turns`] and [`xor_turns`]. Returns the pointers to the data and
/// their common length.
fn checked(streams: &[Rc4; LANES], data: [&mut [u8]; LANES]) -> ([*mut u8; LANES], usize) {
    let i = streams.each_ref().map(|stream| stream.state.i);
    assert!(i == [i[0]; LANES] && usize::from(i[0]).is_multiple_of(TURN), "i = {i:?}");
    let lens = data.each_ref().map(|data| data.len());
    assert!(lens == [lens[0]; LANES] && lens[0].is_multiple_of(TURN), "lengths {lens:?}");
    (data.map(<[u8]>::as_mut_ptr), lens[0])
}

/// # Safety
/// SSE4.1.
pub(super) unsafe fn fill(streams: &mut [Rc4; LANES], outs: [&mut [u8]; LANES]) {
    let (outs, len) = checked(streams, outs);
    if len > 0 {
        // SAFETY: the caller's promise; `checked` checks the rest.
        unsafe { fill_turns(streams, &outs, len) };
    }
}

/// # Safety
/// SSE4.1.
pub(super) unsafe fn xor(streams: &mut [Rc4; LANES], data: [&mut [u8]; LANES]) {
    let (data, len) = checked(streams, data);
    if len > 0 {
        // SAFETY: the caller's promise; `checked` checks the rest.
        unsafe { xor_turns(streams, &data, len) };
    }
}

/// Bytes of the keys in a turn of the key schedules: 16 of each lane.
const KEY_TURN: usize = LANES * TURN;
/// Turns of a schedule.
const TURNS: usize = 256 / TURN;
/// The core may confuse loads and stores whose addresses are equal modulo this.
const PAGE: usize = 4096;

// The keys and the tables fit in a page side by side.
const _: () = assert!(TURNS * KEY_TURN + LANES * STRIDE <= PAGE);

/// Runs the key schedules.
///
/// # Safety
/// SSE4.1.
#[target_feature(enable = "sse4.1")]
pub(super) unsafe fn schedule(streams: &mut [Rc4; LANES], keys: [&[u8]; LANES]) {
    debug_assert!(streams.iter().all(|stream| stream.state.s == IDENTITY));
    let len = keys[0].len();
    let alike = keys.iter().all(|key| key.len() == len);
    let turns = if alike { turns(len) } else { TURNS };
    let mut room = [const { MaybeUninit::<u8>::uninit() }; PAGE + TURNS * KEY_TURN];
    // The keys begin at a page offset after the end of the tables.
    let at = streams.as_ptr_range().end.addr().wrapping_sub(room.as_ptr().addr()) % PAGE;
    let room = &mut room[at..][..turns * KEY_TURN];
    repeat_all(&keys, room);
    wipe_stack::<512>();
    let range = room.as_ptr_range();
    // SAFETY: the caller's promise; each lane has written its 16 bytes of each of the turns.
    unsafe { schedule_turns(streams, range.start.cast(), range.end.cast()) };
    // SAFETY: as above.
    wipe(unsafe { slice::from_raw_parts_mut(room.as_mut_ptr().cast(), room.len()) });
}

/// Writes the keys repeatedly, 16 bytes of each in turn. A separate function, so that the compiler
/// spills key bytes only where [`wipe_stack`] overwrites them.
#[inline(never)]
#[target_feature(enable = "ssse3")]
fn repeat_all(keys: &[&[u8]; LANES], room: &mut [MaybeUninit<u8>]) {
    let (slots, _) = room.as_chunks_mut::<TURN>();
    for (lane, key) in keys.iter().enumerate() {
        let slots = slots[lane..].iter_mut().step_by(LANES);
        if key.len() <= TURN { repeat_short(key, slots) } else { repeat_long(key, slots) }
    }
}

/// Returns the number of turns after which the key begins anew at a turn's first byte, at most 16.
fn turns(len: usize) -> usize {
    (len >> len.trailing_zeros().min(TURN.trailing_zeros())).min(TURNS)
}

/// Destination of 16 bytes of a key.
type Slot = [MaybeUninit<u8>; TURN];

/// Writes a key of 1 to 16 bytes repeatedly.
#[target_feature(enable = "ssse3")]
fn repeat_short<'a>(key: &[u8], slots: impl Iterator<Item = &'a mut Slot>) {
    /// For each key length, the index of the key byte at each place of the first turn.
    const FIRST: [[u8; TURN]; TURN + 1] = {
        let mut first = [[0; TURN]; TURN + 1];
        let mut n = 0;
        while n < TURN * TURN {
            let (len, at) = (n / TURN + 1, n % TURN);
            first[len][at] = (at % len) as u8;
            n += 1;
        }
        first
    };
    let len = key.len();
    // From one turn to the next, all places go on by 16 bytes, and back by the length if this is
    // past the end. The lesser of the two is right, because going back from before the end wraps to
    // a large one.
    let (on, back) = (_mm_set1_epi8((TURN % len) as i8), _mm_set1_epi8(len as i8));
    let (key, mut places) = (short(key), load(&FIRST[len]));
    for slot in slots {
        store(slot, _mm_shuffle_epi8(key, places));
        let next = _mm_add_epi8(places, on);
        places = _mm_min_epu8(next, _mm_sub_epi8(next, back));
    }
}

/// Writes a key of 17 bytes or more repeatedly.
#[target_feature(enable = "sse2")]
fn repeat_long<'a>(key: &[u8], slots: impl Iterator<Item = &'a mut Slot>) {
    let len = key.len();
    let (first, last) = (key.first_chunk::<TURN>(), key.last_chunk::<TURN>());
    let mut seam = [[0; TURN]; 2];
    (seam[0], seam[1]) = (*last.expect("17 bytes"), *first.expect("17 bytes"));
    let mut at = 0;
    for slot in slots {
        let bytes = match key.get(at..).and_then(<[u8]>::first_chunk) {
            Some(bytes) => bytes,
            None => seam.as_flattened()[at + TURN - len..].first_chunk().expect("the turn ends in it"),
        };
        store(slot, load(bytes));
        at += TURN;
        if at >= len {
            at -= len;
        }
    }
    wipe(seam.as_flattened_mut());
}

/// Loads a key of 1 to 16 bytes; the bytes after it are arbitrary.
#[target_feature(enable = "sse2")]
#[inline]
fn short(key: &[u8]) -> __m128i {
    let word = |at: usize| key[at..].first_chunk().map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)));
    let long = |at: usize| key[at..].first_chunk().map_or(0, |bytes| u128::from(u64::from_le_bytes(*bytes)));
    // Two overlapping loads avoid the call that a copy of variable length would be.
    let number = match key.len() {
        len @ 8.. => long(0) | long(len - 8) << (8 * (len - 8)),
        len @ 4.. => u128::from(word(0) | word(len - 4) << (8 * (len - 4))),
        _ => key.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte)),
    };
    _mm_set_epi64x((number >> 64) as i64, number as i64)
}

#[target_feature(enable = "sse2")]
#[inline]
fn load(bytes: &[u8; TURN]) -> __m128i {
    // SAFETY: 16 bytes, of any alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "sse2")]
#[inline]
fn store(slot: &mut Slot, bytes: __m128i) {
    // SAFETY: 16 bytes, of any alignment.
    unsafe { _mm_storeu_si128(slot.as_mut_ptr().cast(), bytes) }
}
