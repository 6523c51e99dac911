//! RC4 (R. Rivest, 1987), as Galvane & Uzel describe it in *Cryptography: RC4 Algorithm* (2012),
//! §2.3 (key schedule) and §2.4 (keystream). Test vectors: RFC 6229.
//!
//! **RC4-drop\[n\]** is the same cipher with the first n bytes of keystream discarded
//! (I. Mironov, *(Not So) Random Shuffles of RC4*, CRYPTO 2002).
//!
//! Broken for new designs: RFC 7465 (2015) forbids it in TLS. The first bytes are biased (Mantin &
//! Shamir, FSE 2001). The key schedule leaks keys that share a part (Fluhrer, Mantin & Shamir, SAC
//! 2001). The biases never end (Fluhrer & McGrew, FSE 2000).

use crate::{
    error::{KeyLengthError, check_key},
    wipe::wiped,
};

/// The longer of the two drops that Mironov advises. PARC4-R and the sealed file discard this many bytes.
pub const RECOMMENDED_DROP: usize = 3072;

pub(crate) const IDENTITY: [u8; 256] = {
    let mut s = [0; 256];
    let mut i = 0;
    while i < 256 {
        s[i] = i as u8;
        i += 1;
    }
    s
};

/// The whole state of RC4: the permutation S of 0 to 255 and the indexes i and j. Wiped when
/// dropped.
#[derive(Clone, PartialEq, Eq)]
#[repr(C)]
pub struct State {
    pub(crate) s: [u8; 256],
    pub(crate) i: u8,
    pub(crate) j: u8,
}

// Shows no secret.
impl core::fmt::Debug for State {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl State {
    /// The key-scheduling algorithm (§2.3): the state before the first byte, from a key of 1 to
    /// 256 bytes.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn ksa(key: &[u8]) -> Result<Self, KeyLengthError> {
        check_key(key)?;
        let mut state = Self::new();
        state.schedule(key);
        Ok(state)
    }

    /// Runs [`ksa`](Self::ksa) on the initial state with a key whose length was checked.
    pub(crate) fn schedule(&mut self, key: &[u8]) {
        let mut j = 0u8;
        for i in 0..256 {
            j = j.wrapping_add(self.s[i]).wrapping_add(key[i % key.len()]);
            self.s.swap(i, usize::from(j));
        }
    }

    /// The state before the key schedule: S\[i\] = i.
    pub(crate) const fn new() -> Self {
        Self { s: IDENTITY, i: 0, j: 0 }
    }

    /// Resets to the state before the key schedule.
    pub(crate) fn reset(&mut self) {
        (self.s, self.i, self.j) = (IDENTITY, 0, 0);
    }

    /// One step of the pseudo-random generation algorithm (§2.4): the next byte of keystream.
    #[inline]
    pub fn prga(&mut self) -> u8 {
        let s = &mut self.s;
        self.i = self.i.wrapping_add(1);
        self.j = self.j.wrapping_add(s[usize::from(self.i)]);
        s.swap(usize::from(self.i), usize::from(self.j));
        s[usize::from(s[usize::from(self.i)].wrapping_add(s[usize::from(self.j)]))]
    }

    /// The permutation S and the indexes i and j, for tests and teaching.
    pub fn parts(&self) -> (&[u8; 256], u8, u8) {
        (&self.s, self.i, self.j)
    }
}

wiped!(State, |state| (state.s, state.i, state.j) = ([0; 256], 0, 0));
