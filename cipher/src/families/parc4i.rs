//! PARC4-I (D. Handa & B. Kapoor, *PARC4-I: Parallel Implementation of Enhanced RC4A using PASCs and
//! Loop Unrolling Mechanism*, 2015), both readings of §6.
//!
//! Four tables, each with its own j, and one i between them. Each round makes four bytes. The paper
//! says twice in which tables the bytes are looked up, and contradicts itself:
//!
//! | after the shuffle of | S1 | S2 | S3 | S4 |
//! |---|---|---|---|---|
//! | [`Printed`], Algorithm 2 | S2 | **S3** | S4 | S3 |
//! | [`Text`], the paragraph above it | S2 | **S1** | S4 | S3 |
//!
//! **Broken: byte 4 of each round is RC4's byte, and all four are equal in 99.2 % of rounds.** The
//! key schedule (Algorithm 1) gives all four tables the same key, so they are equal at the start.
//! Each table is shuffled by its own j alone. So the tables stay equal, and j1 = j2 = j3 = j4 for
//! ever.
//!
//! A lane that looks up a table already shuffled in this round is exactly RC4. As printed this is
//! lane 4; in the text it is lanes 2 and 4. Any other lane looks up a table that is one swap late.
//! It differs from RC4 only where the index looked up is i or j. So it agrees in 254 of 256 bytes,
//! exactly 99.21875 %. Key 0102030405 gives b2b2b2b2 39393939 63636363 05050505, where RC4 gives b2
//! 39 63 05.
//!
//! The paper also cuts the data into blocks of 256 bytes for several cores. The description starts
//! all blocks with the same state, which is a many-time pad, and gives no other rule. Here the
//! keystream is one stream. [`parc4r`](super::parc4r) is the repair.

use core::marker::PhantomData;

use super::{FromKey, Prga, rc4};
use crate::{error::KeyLengthError, wipe::wiped};

/// A reading of the paper. It chooses the tables in which the sums are looked up.
pub trait Reading {
    /// The table looked up after the shuffle of each, counted from 0.
    const LOOKUP: [usize; 4];
}

/// The lookups of Algorithm 2 as printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printed;

/// The lookups of the paragraph above Algorithm 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text;

impl Reading for Printed {
    const LOOKUP: [usize; 4] = [1, 2, 3, 2];
}

impl Reading for Text {
    const LOOKUP: [usize; 4] = [1, 0, 3, 2];
}

/// The permutations S1 to S4, the indexes i and j1 to j4, and the number of the next table. Wiped
/// when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct State<R = Printed> {
    s: [[u8; 256]; 4],
    i: u8,
    j: [u8; 4],
    turn: usize,
    reading: PhantomData<R>,
}

// Shows no secret.
impl<R> core::fmt::Debug for State<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl<R> State<R> {
    /// Algorithm 1: the state before the first byte, from a key of 1 to 256 bytes, the paper's own
    /// limits.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn ksa(key: &[u8]) -> Result<Self, KeyLengthError> {
        let s = [rc4::State::ksa(key)?.s; 4];
        Ok(Self { s, i: 0, j: [0; 4], turn: 0, reading: PhantomData })
    }
}

impl<R: Reading> Prga for State<R> {
    /// A quarter of a round of Algorithm 2: steps 3 to 6, 7 to 9, 10 to 12 or 13 to 15.
    #[inline]
    fn prga(&mut self) -> u8 {
        let turn = self.turn;
        self.turn = (turn + 1) % 4;
        if turn == 0 {
            self.i = self.i.wrapping_add(1);
        }
        let (s, j) = (&mut self.s[turn], &mut self.j[turn]);
        *j = j.wrapping_add(s[usize::from(self.i)]);
        s.swap(usize::from(self.i), usize::from(*j));
        let sum = s[usize::from(self.i)].wrapping_add(s[usize::from(*j)]);
        self.s[R::LOOKUP[turn]][usize::from(sum)]
    }
}

impl<R: Reading> FromKey for State<R> {
    fn from_key(key: &[u8]) -> Result<Self, KeyLengthError> {
        Self::ksa(key)
    }
}

wiped!(State<R> where [R], |state| {
    (state.s, state.i, state.j, state.turn) = ([[0; 256]; 4], 0, [0; 4], 0);
});
