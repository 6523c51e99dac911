//! `handa2015 structure`: what the bytes of a round have to do with one another and with RC4.

use std::{io::Write, ops::AddAssign};

use anyhow::{Result, ensure};
use arcfour::Rc4;
use rayon::prelude::*;

use crate::cipher::{Cipher, Keys};

/// The most lanes of a cipher.
const LANES: usize = 4;
/// How much of a stream is counted at a time.
const BLOCK: usize = 1 << 14;

#[derive(clap::Args)]
pub struct Args {
    cipher: Cipher,
    /// How many keys, of 16 random bytes
    #[arg(long)]
    keys: u64,
    /// How many bytes of keystream a key, a multiple of 16384
    #[arg(long)]
    bytes: u64,
    /// What the keys are drawn from
    #[arg(long, default_value_t = 2015)]
    seed: u64,
}

/// How often what came; `rounds` is the number of trials of all but `successive`.
#[derive(Clone, Copy, Default)]
struct Counts {
    rounds: u64,
    /// All bytes of a round are equal.
    all_equal: u64,
    /// Byte `lane` of round r is byte r of RC4 with the same key.
    is_rc4: [u64; LANES],
    /// Two bytes of a round are equal.
    pairs: [[u64; LANES]; LANES],
    /// A byte equals the one after it, within the keystream of a key.
    successive: u64,
    neighbours: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.rounds += other.rounds;
        self.all_equal += other.all_equal;
        self.successive += other.successive;
        self.neighbours += other.neighbours;
        for lane in 0..LANES {
            self.is_rc4[lane] += other.is_rc4[lane];
            for later in 0..LANES {
                self.pairs[lane][later] += other.pairs[lane][later];
            }
        }
    }
}

impl Args {
    pub fn run(&self, out: &mut Vec<u8>) -> Result<()> {
        ensure!(
            self.bytes > 0 && self.bytes.is_multiple_of(BLOCK as u64),
            "--bytes {}: it must be a multiple of {BLOCK}, and more than 0",
            self.bytes
        );
        let per_key: Vec<Counts> =
            (0..self.keys).into_par_iter().map(|number| self.count(number)).collect();
        let mut sum = Counts::default();
        per_key.into_iter().for_each(|counts| sum += counts);

        let mut line = |quantity: &str, a: usize, b: usize, hits: u64, trials: u64| {
            writeln!(out, "{},{quantity},{a},{b},{hits},{trials}", self.cipher)
        };
        line("cipher", 0, 0, self.keys, self.bytes)?;
        line("all-equal", 0, 0, sum.all_equal, sum.rounds)?;
        line("successive", 0, 0, sum.successive, sum.neighbours)?;
        for a in 0..self.cipher.lanes() {
            line("is-rc4", a + 1, 0, sum.is_rc4[a], sum.rounds)?;
            for b in a + 1..self.cipher.lanes() {
                line("pair", a + 1, b + 1, sum.pairs[a][b], sum.rounds)?;
            }
        }
        Ok(())
    }

    /// The counts of one key.
    fn count(&self, number: u64) -> Counts {
        let key = Keys::new(self.seed, number).draw();
        let mut stream = self.cipher.start(&key).expect("16 bytes are a valid key");
        let mut rc4 = Rc4::from_key(&key).expect("16 bytes are a valid key");
        let lanes = self.cipher.lanes();
        let mut counts = Counts::default();
        let (mut block, mut plain) = (vec![0; BLOCK], vec![0; BLOCK / lanes]);
        let mut before: Option<u8> = None;
        for _ in 0..self.bytes / BLOCK as u64 {
            stream.fill(&mut block);
            rc4.fill(&mut plain);
            for (round, &rc4) in block.chunks_exact(lanes).zip(&plain) {
                counts.all_equal += u64::from(round.iter().all(|&byte| byte == round[0]));
                for (a, &byte) in round.iter().enumerate() {
                    counts.is_rc4[a] += u64::from(byte == rc4);
                    for (b, &other) in round.iter().enumerate().skip(a + 1) {
                        counts.pairs[a][b] += u64::from(byte == other);
                    }
                }
            }
            counts.rounds += (BLOCK / lanes) as u64;
            counts.successive += block.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
            counts.neighbours += BLOCK as u64 - 1;
            if let Some(before) = before {
                counts.successive += u64::from(before == block[0]);
                counts.neighbours += 1;
            }
            before = block.last().copied();
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(cipher: &str) -> Counts {
        Args { cipher: cipher.parse().unwrap(), keys: 1, bytes: 4 * BLOCK as u64, seed: 1 }.count(0)
    }

    #[test]
    fn exact_lanes_are_rc4_to_the_last_byte() {
        let (printed, text, equal) =
            (counts("parc4i"), counts("parc4i-text"), counts("rc4a-equal"));
        assert_eq!(printed.is_rc4[3], printed.rounds);
        assert_eq!([text.is_rc4[1], text.is_rc4[3]], [text.rounds; 2]);
        assert_eq!(equal.is_rc4[1], equal.rounds);
    }

    #[test]
    fn lanes_one_swap_behind_agree_with_each_other_and_not_always_with_rc4() {
        let printed = counts("parc4i");
        assert_eq!([printed.pairs[0][1], printed.pairs[1][2]], [printed.rounds; 2]);
        assert!((0.98..1.0).contains(&(printed.is_rc4[0] as f64 / printed.rounds as f64)));
        assert_eq!(printed.all_equal, printed.is_rc4[0]);
    }

    #[test]
    fn the_repair_has_none_of_it() {
        let repaired = counts("parc4r");
        assert!(repaired.is_rc4.iter().all(|&hits| hits < repaired.rounds / 100));
        assert!(repaired.all_equal < 10);
    }
}
