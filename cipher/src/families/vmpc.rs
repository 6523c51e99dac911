//! VMPC (B. Zoltak, *VMPC One-Way Function and Stream Cipher*, FSE 2004), and its author's later
//! key schedule VMPC-KSA3. Tables are numbered as on his page *VMPC Stream Cipher* at
//! vmpcfunction.com: table 1 the stream, table 2 both key schedules.
//!
//! One permutation P, an index n that walks through it and a variable s that jumps. A key and an
//! initialisation vector (IV) each go through 768 steps of the key schedule. **VMPC-KSA3** sends
//! the key through once more after the IV. The author allows keys and IVs of 16 to 64 bytes. The
//! formulas hold for any length, and this crate takes 1 to 256, as for all families.
//!
//! Known attacks are distinguishers on the keystream, so they hold for both key schedules. The
//! first needs 2^39.97 bytes (A. Maximov, *Two Linear Distinguishing Attacks on VMPC and RC4A and
//! Weakness of RC4 Family of Stream Ciphers*, FSE 2005, corrected as IACR ePrint 2007/070). The
//! second needs 2^38 bytes (Y. Tsunoo et al., *The Most Efficient Distinguishing Attack on VMPC and
//! RC4A*, SKEW 2005). S. Sarkar, *Further Non-randomness in RC4, RC4A and VMPC*, has more biases.

use core::marker::PhantomData;

pub use crate::error::LengthError;

use super::{FromKeyIv, Prga, rc4::IDENTITY};
use crate::{
    error::{KeyLengthError, check_key},
    wipe::wiped,
};

/// A key schedule of VMPC.
pub trait KeySchedule {
    /// True if the key goes through the schedule once more after the IV.
    const KEY_AGAIN: bool;
}

/// The key schedule of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ksa;

/// The later key schedule, VMPC-KSA3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ksa3;

impl KeySchedule for Ksa {
    const KEY_AGAIN: bool = false;
}

impl KeySchedule for Ksa3 {
    const KEY_AGAIN: bool = true;
}

/// The permutation P, the variable s and the index n. Wiped when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct State<K = Ksa> {
    p: [u8; 256],
    s: u8,
    n: u8,
    schedule: PhantomData<K>,
}

// Shows no secret.
impl<K> core::fmt::Debug for State<K> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl<K: KeySchedule> State<K> {
    /// Runs the key schedule: the state before the first byte, from a key and an IV of 1 to 256 bytes
    /// each.
    ///
    /// # Errors
    /// If the key or the IV is empty or has more than 256 bytes.
    pub fn ksa(key: &[u8], iv: &[u8]) -> Result<Self, LengthError> {
        check_key(key).map_err(LengthError::Key)?;
        check_key(iv).map_err(|KeyLengthError { given }| LengthError::Iv { given })?;
        let mut state = Self { p: IDENTITY, s: 0, n: 0, schedule: PhantomData };
        state.round(key);
        state.round(iv);
        if K::KEY_AGAIN {
            state.round(key);
        }
        Ok(state)
    }

    /// 768 steps with the key or the IV (table 2): n ends at 0 again, s goes on.
    fn round(&mut self, data: &[u8]) {
        for m in 0..768 {
            let n = m % 256;
            let sum = self.s.wrapping_add(self.p[n]).wrapping_add(data[m % data.len()]);
            self.s = self.p[usize::from(sum)];
            self.p.swap(n, usize::from(self.s));
        }
    }
}

impl<K> Prga for State<K> {
    /// Table 1: s = P\[s + P\[n\]\]; output P\[P\[P\[s\]\] + 1\]; swap P\[n\], P\[s\]; n = n + 1.
    #[inline]
    fn prga(&mut self) -> u8 {
        let p = &mut self.p;
        let n = usize::from(self.n);
        self.s = p[usize::from(self.s.wrapping_add(p[n]))];
        let s = usize::from(self.s);
        let output = p[usize::from(p[usize::from(p[s])].wrapping_add(1))];
        p.swap(n, s);
        self.n = self.n.wrapping_add(1);
        output
    }
}

impl<K: KeySchedule> FromKeyIv for State<K> {
    fn from_key_iv(key: &[u8], iv: &[u8]) -> Result<Self, LengthError> {
        Self::ksa(key, iv)
    }
}

wiped!(State<K> where [K], |state| (state.p, state.s, state.n) = ([0; 256], 0, 0));
