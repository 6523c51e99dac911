//! The cipher that a [`Variant`] defines.

use alloc::{boxed::Box, sync::Arc, vec::Vec};
use core::fmt;

use super::{
    APPLY, EXPRESSIONS, FILL, OUTPUT, SCHEDULE, START_I, START_J, STEP_I, STEP_J, Variant,
    expression::{Expression, Scope},
};
use crate::{
    DynKeystream, Keystream,
    error::{KeyLengthError, check_key},
    wipe::wipe,
};

impl Variant {
    /// Starts the cipher at position 0, with a key of 1 to 256 bytes.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn start(&self, key: &[u8]) -> Result<Cipher, KeyLengthError> {
        check_key(key)?;
        Ok(Cipher::new(Arc::new(self.clone()), key))
    }

    /// [`start`](Self::start), in a box, as [`Family::start`](crate::Family::start) gives it.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn boxed(&self, key: &[u8]) -> Result<Box<dyn DynKeystream>, KeyLengthError> {
        Ok(Box::new(self.start(key)?))
    }

    /// Returns true if data are xored with the keystream, as in RC4. Then encryption and decryption
    /// are the same.
    pub fn xors(&self) -> bool {
        let (_, xor, variables, tables) = EXPRESSIONS[APPLY];
        Expression::parse(xor, variables, tables).as_ref() == Ok(&self.expressions[APPLY])
    }

    /// The byte written for the byte `x` read at position `n`, where the keystream has `k`.
    pub fn applied(&self, x: u8, k: u8, n: u64) -> u8 {
        self.expressions[APPLY].value(&Applied { x, k, n }) as u8
    }
}

/// The values that `apply` reads.
struct Applied {
    x: u8,
    k: u8,
    n: u64,
}

impl Scope for Applied {
    fn variable(&self, name: u8) -> i64 {
        match name {
            b'x' => self.x.into(),
            b'k' => self.k.into(),
            _ => self.n as i64,
        }
    }

    fn entry(&self, _: u8, _: i64) -> i64 {
        unreachable!("the parser lets no table pass")
    }
}

/// A stream of a [`Variant`]. Its key and table are wiped when dropped.
#[derive(Clone)]
pub struct Cipher {
    variant: Arc<Variant>,
    key: Vec<u8>,
    table: Vec<u8>,
    i: usize,
    j: usize,
    n: u64,
}

impl Scope for Cipher {
    fn variable(&self, name: u8) -> i64 {
        match name {
            b'i' => self.i as i64,
            b'j' => self.j as i64,
            b'n' => self.n as i64,
            b'N' => self.variant.size as i64,
            _ => self.key.len() as i64,
        }
    }

    fn entry(&self, table: u8, index: i64) -> i64 {
        let within = |len: usize| index.rem_euclid(len as i64) as usize;
        match table {
            b'T' => self.table[within(self.table.len())].into(),
            _ => self.key[within(self.key.len())].into(),
        }
    }
}

impl Cipher {
    fn new(variant: Arc<Variant>, key: &[u8]) -> Self {
        let table = Vec::with_capacity(variant.table);
        let mut cipher =
            Self { variant: Arc::clone(&variant), key: key.to_vec(), table, i: 0, j: 0, n: 0 };
        for i in 0..variant.table {
            cipher.i = i;
            cipher.table.push(cipher.value(FILL) as u8);
        }
        for _ in 0..variant.passes {
            for i in 0..variant.table {
                cipher.i = i;
                cipher.j = cipher.index(SCHEDULE);
                variant.swaps[0].apply(&mut cipher.table, i, cipher.j);
            }
        }
        cipher.i = variant.table % variant.size;
        let (i, j) = (cipher.index(START_I), cipher.index(START_J));
        (cipher.i, cipher.j) = (i, j);
        cipher
    }

    fn value(&self, which: usize) -> i64 {
        self.variant.expressions[which].value(self)
    }

    fn index(&self, which: usize) -> usize {
        self.value(which).rem_euclid(self.variant.size as i64) as usize
    }

    /// The next byte of keystream.
    fn prga(&mut self) -> u8 {
        self.i = self.index(STEP_I);
        self.j = self.index(STEP_J);
        self.variant.swaps[1].apply(&mut self.table, self.i, self.j);
        let byte = self.value(OUTPUT) as u8;
        self.n = self.n.wrapping_add(1);
        byte
    }
}

impl Keystream for Cipher {
    fn fill(&mut self, out: &mut [u8]) {
        out.fill_with(|| self.prga());
    }

    /// Changes data as the variant's `apply` says.
    fn apply(&mut self, data: &mut [u8]) {
        for byte in data {
            let n = self.n;
            let k = self.prga();
            *byte = self.variant.applied(*byte, k, n);
        }
    }

    fn position(&self) -> u64 {
        self.n
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        wipe(&mut self.key);
        wipe(&mut self.table);
        (self.i, self.j) = (0, 0);
    }
}

impl fmt::Debug for Cipher {
    /// Shows neither key nor table.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cipher").field("position", &self.n).finish_non_exhaustive()
    }
}
