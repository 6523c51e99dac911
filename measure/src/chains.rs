//! Loops whose cost in cycles is known, or at least constant. The compiler can neither fold nor
//! vectorise them, and keeps them in registers. `black_box` stands outside the loops, because it
//! goes through memory.

use std::hint::black_box;

/// Latency of a 64-bit multiply, low half, in core cycles: 3 on AMD since Zen and on Intel since
/// Nehalem. Other processors differ: LLVM's models of Arm's Neoverse V1 and N2 have 2.
pub const MULTIPLY_CYCLES: f64 = 3.0;

/// `steps` multiplies, each waiting for the one before it: `3 * steps` cycles.
///
/// A squaring has no closed form the compiler would look for, and no constant to combine.
#[inline(never)]
pub fn multiplies(steps: u64) {
    let mut x = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..steps / 16 {
        for _ in 0..16 {
            x = x.wrapping_mul(x);
        }
    }
    black_box(x);
}

/// `steps` times a multiply and a rotate, each waiting for the one before it. A rotate takes one
/// cycle, so this takes 4/3 of the time of [`multiplies`] if and only if a multiply takes three.
#[inline(never)]
pub fn multiplies_and_rotates(steps: u64) {
    let mut x = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..steps / 16 {
        for _ in 0..16 {
            x = x.wrapping_mul(x).rotate_left(23);
        }
    }
    black_box(x);
}

/// `steps` rounds of 32 sums, in eight independent chains, each over words of a small table. This is
/// more work than the core can start at once. So a neighbour that shares the core's ports, decoders or
/// first-level cache slows the chains. The multiply chains leave most of the core idle and do not slow
/// down.
#[inline(never)]
pub fn filled(steps: u64) {
    static TABLE: [u64; 32] = [0x0123_4567_89ab_cdef; 32];
    let table = black_box(&TABLE);
    let mut sums = black_box([1_u64, 2, 3, 5, 7, 11, 13, 17]);
    for _ in 0..steps {
        for words in table.as_chunks::<8>().0 {
            // Every other chain rotates, each by another amount. Equal rotations would become
            // vector instructions, and leave ports free. A rotation in every chain would wait for
            // the two shifters.
            for (lane, (sum, word)) in (1..).zip(sums.iter_mut().zip(words)) {
                let turn = if lane % 2 == 0 { lane } else { 0 };
                *sum = (sum.rotate_left(turn) ^ 0x5555).wrapping_add(*word);
            }
        }
    }
    black_box(sums);
}

/// Walks `steps` steps through a table and swaps two bytes at each. Every load waits for the sum of
/// the step before, and may read a byte that this step stored. The walk is the same each time.
///
/// A neighbour on the same core that writes memory slows this walk. [`filled`] uses only registers and
/// is not affected.
#[inline(never)]
pub fn walked(steps: u64) {
    #[repr(align(4096))]
    struct Table([u8; 256]);
    let mut table = Table(std::array::from_fn(|i| (i as u8).wrapping_mul(167).wrapping_add(13)));
    let table = &mut black_box(&mut table).0;
    let (mut i, mut j) = (0_u8, 0_u8);
    for _ in 0..steps {
        i = i.wrapping_add(1);
        let a = table[usize::from(i)];
        j = j.wrapping_add(a);
        table[usize::from(i)] = table[usize::from(j)];
        table[usize::from(j)] = a;
    }
    black_box(j);
}
