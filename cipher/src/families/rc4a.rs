//! RC4A (S. Paul & B. Preneel, *A New Weakness in the RC4 Keystream Generator and an Approach to
//! Improve the Security of the Cipher*, FSE 2004).
//!
//! Two tables S1 and S2, each with its own j, and one i between them. Each round looks up the sum
//! of one table's elements in the other table, and so makes two bytes.
//!
//! **The paper leaves the key of S2 open.** It asks for a second key "from" the first by a
//! generator such as RC4. Here S1 = KSA(K) and S2 = KSA(K2), where K2 is the first `len(K)` bytes
//! of RC4(K) keystream. S1 is scheduled afresh, so the state that made K2 is not used again.
//!
//! [`State::ksa_equal_keys`] uses K for both tables, as other programs do. It is kept to show that
//! this fails. S1 and S2 then stay equal for ever, and the second byte of every round is exactly
//! RC4. The first byte agrees with RC4 unless the index looked up is i or j (254 of 256 times).
//!
//! Known attacks: distinguishers that need 2^58 bytes (A. Maximov, *Two Linear Distinguishing
//! Attacks on VMPC and RC4A and Weakness of RC4 Family of Stream Ciphers*, FSE 2005). Others need
//! 2^23 bytes (Y. Tsunoo et al., *The Most Efficient Distinguishing Attack on VMPC and RC4A*, SKEW
//! 2005). S. Sarkar, *Further Non-randomness in RC4, RC4A and VMPC*, has more biases.

use super::{FromKey, Prga, rc4};
use crate::{
    error::{KeyLengthError, MAX_KEY},
    wipe::{WipedBytes, wiped},
};

/// The permutations S1 and S2, the indexes i, j1 and j2, and the number of the next table.
///
/// `S1` and `S2` lie on multiples of 256, so that backends may keep j1 and j2 in the low byte of
/// an address. Wiped when dropped.
#[derive(Clone, PartialEq, Eq)]
#[repr(C, align(256))]
pub struct State {
    pub(crate) s1: [u8; 256],
    pub(crate) s2: [u8; 256],
    pub(crate) i: u8,
    pub(crate) j1: u8,
    pub(crate) j2: u8,
    /// The next byte is the second of its round.
    pub(crate) second: bool,
}

// Shows no secret.
impl core::fmt::Debug for State {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl State {
    /// The state before the first byte, from a key of 1 to 256 bytes. The paper sets no limits of
    /// its own.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn ksa(key: &[u8]) -> Result<Self, KeyLengthError> {
        let mut rc4 = rc4::State::ksa(key)?;
        let mut k2 = WipedBytes([0; MAX_KEY]);
        let k2 = &mut k2.0[..key.len()];
        k2.fill_with(|| rc4.prga());
        Self::from_keys(key, k2)
    }

    /// Schedules both tables with the same key, which is insecure as the head of this page
    /// explains.
    ///
    /// # Errors
    /// Fails for the same keys as [`ksa`](Self::ksa).
    pub fn ksa_equal_keys(key: &[u8]) -> Result<Self, KeyLengthError> {
        Self::from_keys(key, key)
    }

    fn from_keys(k1: &[u8], k2: &[u8]) -> Result<Self, KeyLengthError> {
        let (first, second) = (rc4::State::ksa(k1)?, rc4::State::ksa(k2)?);
        Ok(Self { s1: first.s, s2: second.s, i: 0, j1: 0, j2: 0, second: false })
    }

    /// The first half of a round: i moves, S1 is shuffled, S2 looked up.
    #[inline]
    fn prga1(&mut self) -> u8 {
        let (s1, s2) = (&mut self.s1, &self.s2);
        self.i = self.i.wrapping_add(1);
        self.j1 = self.j1.wrapping_add(s1[usize::from(self.i)]);
        s1.swap(usize::from(self.i), usize::from(self.j1));
        s2[usize::from(s1[usize::from(self.i)].wrapping_add(s1[usize::from(self.j1)]))]
    }

    /// The second half: i stays, S2 is shuffled, S1 looked up.
    #[inline]
    fn prga2(&mut self) -> u8 {
        let (s1, s2) = (&self.s1, &mut self.s2);
        self.j2 = self.j2.wrapping_add(s2[usize::from(self.i)]);
        s2.swap(usize::from(self.i), usize::from(self.j2));
        s1[usize::from(s2[usize::from(self.i)].wrapping_add(s2[usize::from(self.j2)]))]
    }
}

impl Prga for State {
    #[inline]
    fn prga(&mut self) -> u8 {
        self.second = !self.second;
        if self.second { self.prga1() } else { self.prga2() }
    }
}

impl FromKey for State {
    fn from_key(key: &[u8]) -> Result<Self, KeyLengthError> {
        Self::ksa(key)
    }
}

wiped!(State, |state| {
    (state.s1, state.s2) = ([0; 256], [0; 256]);
    (state.i, state.j1, state.j2, state.second) = (0, 0, 0, false);
});
