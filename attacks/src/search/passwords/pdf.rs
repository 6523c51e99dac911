//! Tries passwords of a PDF file side by side: ISO 32000-1:2008, §7.6.3, algorithms 2 to 7.

use std::array;

use arcfour::{FirstBytes, KeyLengthError, sample_many};
use arcfour_formats::pdf::{FileKey, PAD, Standard};

use crate::search::{
    document::BATCH,
    hashes::{Hash, Md5, Row, Word, bytes, rows},
};

/// Number of further MD5 rounds of a password, with R 3 and 4.
const ROUNDS: usize = 50;

/// The kind of password that is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The user's password, which opens the document.
    User,
    /// The owner's password, which permits everything. It takes twice the time.
    Owner,
    /// Either password.
    Either,
}

/// The test of passwords by a PDF file's encryption dictionary.
#[derive(Clone, Debug)]
pub struct PdfPasswords {
    standard: Standard,
    whose: Whose,
    /// The hashed bytes after the first 64, padding included; the same for all passwords.
    tail: Vec<[u32; 16]>,
}

impl PdfPasswords {
    /// Makes the test of a file's passwords of this kind.
    pub fn new(standard: Standard, whose: Whose) -> Self {
        let mut tail = [&standard.permissions.to_le_bytes()[..], &standard.id].concat();
        if standard.revision >= 4 && !standard.encrypt_metadata {
            tail.extend([0xff; 4]);
        }
        let bits = 8 * (64 + tail.len() as u64);
        tail.push(0x80);
        tail.resize((tail.len() + 8).next_multiple_of(64) - 8, 0);
        tail.extend(bits.to_le_bytes());
        let tail = tail.as_chunks::<64>().0.iter().map(|block| Md5::words(block)).collect();
        Self { standard, whose, tail }
    }

    /// Returns true if the password is right.
    pub fn passes(&self, password: &[u8]) -> bool {
        match self.whose {
            Whose::User => self.standard.open_user(password).is_some(),
            Whose::Owner => self.standard.open_owner(password).is_some(),
            Whose::Either => self.standard.open(password).is_some(),
        }
    }

    /// Returns the indexes of the right passwords, in order. Passwords are bytes in the encoding of
    /// the file.
    pub fn passing(&self, passwords: &[&[u8]]) -> Vec<usize> {
        let mut first_bytes = FirstBytes::new();
        let mut found = vec![];
        for (batch, passwords) in passwords.chunks(BATCH).enumerate() {
            let padded = rows(passwords.iter().map(|password| padded(password)));
            let fits = self.fitting(&padded, &mut first_bytes);
            found.extend((0..passwords.len()).filter(|&n| fits[n]).map(|n| BATCH * batch + n));
        }
        found
    }

    fn fitting(&self, padded: &[Row; 8], first_bytes: &mut FirstBytes) -> [bool; BATCH] {
        let mut fits = [false; BATCH];
        if self.whose != Whose::Owner {
            self.add_users(padded, first_bytes, &mut fits);
        }
        if self.whose != Whose::User {
            for round_len in self.standard.owner_round_lens() {
                let user = self.user_passwords(padded, round_len);
                self.add_users(&user, first_bytes, &mut fits);
            }
        }
        fits
    }

    /// Marks the lanes whose padded user password is right.
    fn add_users(&self, padded: &[Row; 8], first_bytes: &mut FirstBytes, fits: &mut [bool; BATCH]) {
        let keys = bytes(&self.file_keys(padded));
        // The plaintext of U begins with the same byte for all keys, so only one password in 256 is
        // tested further.
        let expected = match self.standard.revision {
            2 => PAD[0],
            _ => self.standard.user_hash()[0],
        };
        let mut first = [self.standard.user[0] ^ expected; BATCH];
        for round in self.rounds() {
            let mut made = [0; BATCH];
            self.keyed(&keys, round, |keys| first_bytes.fill(keys, &mut made));
            first.iter_mut().zip(made).for_each(|(byte, made)| *byte ^= made);
        }
        for n in (0..BATCH).filter(|&n| first[n] == 0) {
            let key = FileKey::new(&keys[n][..self.standard.key_len]).expect("5 to 16 bytes");
            fits[n] |= self.standard.fits(&key);
        }
    }

    /// Algorithm 2.
    fn file_keys(&self, padded: &[Row; 8]) -> [Row; 4] {
        let owner = Md5::words::<8>(&self.standard.owner);
        let mut state = Md5::start();
        let first = array::from_fn(|at| match at {
            0..8 => Word::Each(&padded[at]),
            _ => Word::Same(owner[at - 8]),
        });
        Md5::compress(&mut state, &first);
        for block in &self.tail {
            Md5::compress(&mut state, &block.map(Word::Same));
        }
        self.hashed_again(state, self.standard.key_len)
    }

    /// Returns the padded user passwords that the owner passwords give (algorithm 7).
    fn user_passwords(&self, padded: &[Row; 8], round_len: usize) -> [Row; 8] {
        let mut block = [Word::Same(0); 16];
        block[..8].copy_from_slice(&padded.each_ref().map(Word::Each));
        block[8] = Word::Same(0x80);
        block[14] = Word::Same(8 * 32);
        let keys = bytes(&self.hashed_again(Md5::of_block(&block), round_len));
        let mut users = [Md5::words::<8>(&self.standard.owner); BATCH];
        let mut keystreams = [[0; 32]; BATCH];
        for round in self.rounds() {
            let mut outs = keystreams.each_mut().map(|keystream| &mut keystream[..]);
            self.keyed(&keys, round, |keys| sample_many(keys, &mut outs));
            for (user, keystream) in users.iter_mut().zip(&keystreams) {
                user.iter_mut()
                    .zip(Md5::words::<8>(keystream))
                    .for_each(|(word, with)| *word ^= with);
            }
        }
        rows(users.into_iter())
    }

    /// Algorithm 2, step h; algorithm 3, step c.
    fn hashed_again(&self, mut digests: [Row; 4], len: usize) -> [Row; 4] {
        if self.standard.revision == 2 {
            return digests;
        }
        let mut end = [0; 64];
        end[len] = 0x80;
        end[56..].copy_from_slice(&(8 * len as u64).to_le_bytes());
        let end = Md5::words::<16>(&end);
        for _ in 0..ROUNDS {
            let mut kept = digests;
            for (at, row) in kept.iter_mut().enumerate() {
                let bytes = len.saturating_sub(4 * at).min(4);
                let mask = u32::MAX.checked_shr(32 - 8 * bytes as u32).unwrap_or(0);
                *row = row.map(|word| word & mask | end[at]);
            }
            let mut block = end.map(Word::Same);
            block[..4].copy_from_slice(&kept.each_ref().map(Word::Each));
            digests = Md5::of_block(&block);
        }
        digests
    }

    /// O and U are encrypted with the key, whose bytes are xored with each of these numbers in
    /// turn.
    fn rounds(&self) -> std::ops::RangeInclusive<u8> {
        0..=if self.standard.revision == 2 { 0 } else { 19 }
    }

    /// Calls `make` with the keys of a round.
    fn keyed(
        &self,
        keys: &[[u8; 16]; BATCH],
        round: u8,
        make: impl FnOnce(&[&[u8]]) -> Result<(), KeyLengthError>,
    ) {
        let keys = keys.map(|key| key.map(|byte| byte ^ round));
        make(&keys.each_ref().map(|key| &key[..self.standard.key_len])).expect("5 to 16 bytes");
    }
}

/// The first 32 bytes of the password and the pad (algorithm 2, step a).
fn padded(password: &[u8]) -> [u32; 8] {
    let len = password.len().min(32);
    let mut bytes = PADS[len];
    bytes[..len].copy_from_slice(&password[..len]);
    Md5::words(&bytes)
}

/// The pad after each number of bytes.
static PADS: [[u8; 32]; 33] = {
    let mut pads = [[0; 32]; 33];
    let mut len = 0;
    while len <= 32 {
        let (_, after) = pads[len].split_at_mut(len);
        after.copy_from_slice(PAD.split_at(32 - len).0);
        len += 1;
    }
    pads
};
