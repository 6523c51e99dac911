//! `handa2015 broadcast`: one plaintext under many keys. RC4's second byte is 0 twice as often as any
//! other (Mantin & Shamir, FSE 2001), so the commonest ciphertext byte there is likely the plaintext.

use std::io::Write;

use anyhow::{Result, ensure};
use arcfour::Family;
use rayon::prelude::*;

use crate::cipher::{Cipher, Keys};

#[derive(clap::Args)]
pub struct Args {
    cipher: Cipher,
    /// The logarithm to base 2 of the largest number of ciphertexts
    #[arg(long)]
    log_keys: u32,
    /// How many plaintexts are tried
    #[arg(long)]
    trials: u64,
    /// What keys and plaintexts are drawn from
    #[arg(long, default_value_t = 2001)]
    seed: u64,
}

impl Args {
    pub fn run(&self, out: &mut Vec<u8>) -> Result<()> {
        ensure!(
            (4..=20).contains(&self.log_keys),
            "--log-keys {}: it must be 4 to 20",
            self.log_keys
        );
        let hits: Vec<Vec<u64>> =
            (0..self.trials).into_par_iter().map(|trial| self.attack(trial)).collect();
        for (at, log_keys) in (4..=self.log_keys).enumerate() {
            let sum: u64 = hits.iter().map(|hits| hits[at]).sum();
            let trials = self.trials * self.round().len() as u64;
            writeln!(out, "{},{},{sum},{trials}", self.cipher, 1_u64 << log_keys)?;
        }
        Ok(())
    }

    /// The bytes of the second round; RC4's is one.
    fn round(&self) -> std::ops::Range<usize> {
        let lanes =
            if self.cipher == Cipher::Family(Family::Rc4) { 1 } else { self.cipher.lanes() };
        lanes..2 * lanes
    }

    /// How many bytes of the second round are recovered from 16, 32, 64 … ciphertexts.
    fn attack(&self, trial: u64) -> Vec<u64> {
        let mut keys = Keys::new(self.seed, trial);
        let plaintext = keys.draw();
        let round = self.round();
        let mut counts = vec![[0_u32; 256]; round.len()];
        let mut hits = vec![];
        for number in 1..=1_u64 << self.log_keys {
            let mut message = plaintext;
            let mut stream = self.cipher.start(&keys.draw()).expect("16 bytes are a valid key");
            stream.apply(&mut message);
            for (counts, &byte) in counts.iter_mut().zip(&message[round.clone()]) {
                counts[usize::from(byte)] += 1;
            }
            if number.is_power_of_two() && number >= 16 {
                let recovered =
                    counts.iter().zip(&plaintext[round.clone()]).filter(|(counts, byte)| {
                        let commonest =
                            (0..256).max_by_key(|&value| counts[value]).expect("there are 256");
                        commonest == usize::from(**byte)
                    });
                hits.push(recovered.count() as u64);
            }
        }
        hits
    }
}
