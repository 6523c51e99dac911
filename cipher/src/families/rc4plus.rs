//! RC4+: the generator PRGA+ after the key schedule of RC4 (S. Maitra & G. Paul, *Analysis of RC4
//! and Proposal of Additional Layers for Better Security Margin*, Indocrypt 2008).
//!
//! **What is here.** The paper proposes PRGA+, which adds two look-ups to RC4's one, and KSA+, a
//! key schedule of three layers that can take an IV. This module runs PRGA+ after RC4's key
//! schedule, so that every difference from RC4 comes from the generator. KSA+ is not implemented.
//!
//! A different cipher circulates under the same name: it reads S\[j\] for t'' *before* the swap. In
//! the paper, and here, all lookups follow the swap.
//!
//! Known attacks, S. Banik, S. Sarkar & R. Kacker (*Security Analysis of the RC4+ Stream Cipher*,
//! Indocrypt 2013). The first byte is biased, which distinguishes RC4+ for every even value of the
//! constant 0xAA. A differential fault attack recovers the state.
//!
//! Known attacks, S. Banik & S. Jha (*Some security results of the RC4+ stream cipher*, Security
//! and Communication Networks 8, 2015). The second byte and every later one is biased, and odd
//! constants do not help. The fault attack takes far less.

use super::{FromKey, Prga, rc4};
use crate::{error::KeyLengthError, wipe::wiped};

/// The permutation S and the indexes i and j. Wiped when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct State {
    s: [u8; 256],
    i: u8,
    j: u8,
}

// Shows no secret.
impl core::fmt::Debug for State {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl State {
    /// RC4's key schedule: the state before the first byte, from a key of 1 to 256 bytes.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn ksa(key: &[u8]) -> Result<Self, KeyLengthError> {
        Ok(Self { s: rc4::State::ksa(key)?.s, i: 0, j: 0 })
    }
}

impl Prga for State {
    /// PRGA+: t = S\[i\] + S\[j\];
    /// t' = (S\[i ≫ 3 ⊕ j ≪ 5\] + S\[i ≪ 5 ⊕ j ≫ 3\]) ⊕ 0xAA; t'' = j + S\[j\];
    /// output (S\[t\] + S\[t'\]) ⊕ S\[t''\].
    #[inline]
    fn prga(&mut self) -> u8 {
        self.i = self.i.wrapping_add(1);
        self.j = self.j.wrapping_add(self.s[usize::from(self.i)]);
        self.s.swap(usize::from(self.i), usize::from(self.j));
        let (i, j) = (self.i, self.j);
        let s = |index: u8| self.s[usize::from(index)];
        let t = s(i).wrapping_add(s(j));
        let t1 = s((i >> 3) ^ (j << 5)).wrapping_add(s((i << 5) ^ (j >> 3))) ^ 0xAA;
        let t2 = j.wrapping_add(s(j));
        s(t).wrapping_add(s(t1)) ^ s(t2)
    }
}

impl FromKey for State {
    fn from_key(key: &[u8]) -> Result<Self, KeyLengthError> {
        Self::ksa(key)
    }
}

wiped!(State, |state| (state.s, state.i, state.j) = ([0; 256], 0, 0));
