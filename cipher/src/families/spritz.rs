//! Spritz (R. Rivest & J. Schuldt, *Spritz: a spongy RC4-like stream cipher and hash function*,
//! 2014, also IACR ePrint 2016/856). The functions are named as in its figure of pseudocode, for N
//! = 256.
//!
//! A sponge: `Absorb` takes data, `Squeeze` gives bytes. The paper takes keys of any length; this
//! crate takes 1 to 256 bytes, as for all families. Its `Encrypt` *adds* the squeezed bytes to the
//! message modulo 256. The stream of this crate is *xored*, like every other family's. The squeezed
//! bytes are the paper's.
//!
//! Known attacks: distinguishers from the first two bytes of 2^44.8 keys, or from 2^60.8 bytes of
//! one key. The designers expected 2^81 bytes to be needed (S. Banik & T. Isobe, *Cryptanalysis of
//! the Full Spritz Stream Cipher*, FSE 2016). State recovery takes 2^1400 steps, of no practical
//! concern (R. Ankele, S. Kölbl & C. Rechberger, *State-recovery analysis of Spritz*, Latincrypt
//! 2015).

use super::{FromKey, Prga, rc4::IDENTITY};
use crate::{
    error::{KeyLengthError, check_key},
    wipe::wiped,
};

const N: usize = 256;

/// The permutation S, the indexes i, j and k, the last output z, the count a of nibbles absorbed
/// and the step w of i. Wiped when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct State {
    s: [u8; N],
    i: u8,
    j: u8,
    k: u8,
    z: u8,
    a: u8,
    w: u8,
}

// Shows no secret.
impl core::fmt::Debug for State {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl State {
    /// `KeySetup`: the state that has absorbed a key of 1 to 256 bytes.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn key_setup(key: &[u8]) -> Result<Self, KeyLengthError> {
        check_key(key)?;
        let mut state = Self::initialize_state();
        state.absorb(key);
        Ok(state)
    }

    /// `InitializeState`.
    pub fn initialize_state() -> Self {
        Self { s: IDENTITY, i: 0, j: 0, k: 0, z: 0, a: 0, w: 1 }
    }

    /// `Absorb`: each byte as two nibbles, the low one first.
    pub fn absorb(&mut self, data: &[u8]) {
        for byte in data {
            self.absorb_nibble(byte & 15);
            self.absorb_nibble(byte >> 4);
        }
    }

    fn absorb_nibble(&mut self, x: u8) {
        if usize::from(self.a) == N / 2 {
            self.shuffle();
        }
        self.s.swap(usize::from(self.a), N / 2 + usize::from(x));
        self.a += 1;
    }

    /// `AbsorbStop`: separates what was absorbed from what follows.
    pub fn absorb_stop(&mut self) {
        if usize::from(self.a) == N / 2 {
            self.shuffle();
        }
        self.a += 1;
    }

    fn shuffle(&mut self) {
        self.whip(2 * N);
        self.crush();
        self.whip(2 * N);
        self.crush();
        self.whip(2 * N);
        self.a = 0;
    }

    fn whip(&mut self, r: usize) {
        (0..r).for_each(|_| self.update());
        // The next w with gcd(w, N) = 1.
        self.w = self.w.wrapping_add(2);
    }

    fn crush(&mut self) {
        for v in 0..N / 2 {
            if self.s[v] > self.s[N - 1 - v] {
                self.s.swap(v, N - 1 - v);
            }
        }
    }

    #[inline]
    fn update(&mut self) {
        let s = &mut self.s;
        self.i = self.i.wrapping_add(self.w);
        let inner = self.j.wrapping_add(s[usize::from(self.i)]);
        self.j = self.k.wrapping_add(s[usize::from(inner)]);
        self.k = self.i.wrapping_add(self.k).wrapping_add(s[usize::from(self.j)]);
        s.swap(usize::from(self.i), usize::from(self.j));
    }

    /// z = S\[j + S\[i + S\[z + k\]\]\].
    #[inline]
    fn output(&mut self) -> u8 {
        let s = |index: u8| self.s[usize::from(index)];
        self.z = s(self.j.wrapping_add(s(self.i.wrapping_add(s(self.z.wrapping_add(self.k))))));
        self.z
    }
}

impl Prga for State {
    /// `Drip`: one byte of `Squeeze`.
    #[inline]
    fn prga(&mut self) -> u8 {
        if self.a > 0 {
            self.shuffle();
        }
        self.update();
        self.output()
    }
}

/// `Hash` to 256 bits: absorb the message, stop, absorb the number of bytes wanted, squeeze them.
pub fn hash_256(message: &[u8]) -> [u8; 32] {
    let mut state = State::initialize_state();
    state.absorb(message);
    state.absorb_stop();
    state.absorb(&[32]);
    core::array::from_fn(|_| state.prga())
}

impl FromKey for State {
    fn from_key(key: &[u8]) -> Result<Self, KeyLengthError> {
        Self::key_setup(key)
    }
}

wiped!(State, |state| {
    state.s = [0; N];
    (state.i, state.j, state.k, state.z, state.a, state.w) = (0, 0, 0, 0, 0, 0);
});
