//! `arcfour attack weak`

use std::fmt::Write as _;

use arcfour_attacks::{
    experiment::{Random, Success},
    weak::{CHANGED, PATTERN, Parities, near_collision, pattern, weak_key},
};
use data_encoding::HEXLOWER;
use rayon::prelude::*;
use serde_json::json;

use crate::{failure::Failure, size::within, toolbox::print};

/// Bytes of the keys of a colliding pair.
const COLLIDING: usize = 128;
/// Bytes of keystream that are printed, from 1.
const SHOWN: [usize; 10] = [1, 2, 4, 8, 16, 32, 48, 64, 96, PATTERN];

/// Show which bits of keystream weak keys give away: the weakness that the Bar Mitzvah attack uses
///
/// One key of 16 bytes in 2^24 is in the class. For many of them, every entry of the table is as even or odd as its place after the key
/// schedule, and the lowest bits of the keystream follow a pattern. Two long keys with nearly the same table are printed too.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  arcfour attack weak --keys 1000000

Sources: S. Fluhrer, I. Mantin, A. Shamir, SAC 2001, section 4; I. Mantin, Bar Mitzvah Attack, Black Hat Asia 2015; \
M. Matsui, Key Collisions of the RC4 Stream Cipher, FSE 2009.")]
pub(super) struct Args {
    /// Keys of the class, and as many others, 1 to 1000000000
    #[arg(long, value_name = "N", default_value = "100000", allow_negative_numbers = true,
        value_parser = within(1..=1_000_000_000_u64))]
    keys: u64,
    /// The seed of all keys
    #[arg(long, value_name = "N", default_value = "1", allow_negative_numbers = true,
        value_parser = within(0..=u64::MAX))]
    seed: u64,
    /// Print a line of JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        const LENGTH: usize = 16;
        let weak = self.count("weak keys", |random| weak_key(LENGTH, random));
        let others = self.count("other keys", |random| random.bytes(LENGTH));
        let value = |success: Success| json!({"rate": success.rate(), "wilson": success.wilson()});
        // One pair in some thousands.
        let mut random = Random::new("colliding keys", self.seed, 0);
        let pair = near_collision(COLLIDING, 4, 1 << 24, &mut random);
        if self.json {
            let follows = |of: &Parities| -> Vec<_> { of.follows.map(value).into() };
            let line = json!({
                "attack": "weak", "keys": self.keys, "key_length": LENGTH, "seed": self.seed,
                "kept": value(weak.kept), "follows": follows(&weak),
                "kept_by_others": value(others.kept), "follows_by_others": follows(&others),
                "near_collision": pair.map(|pair| json!({
                    "keys": pair.keys.map(|key| HEXLOWER.encode(&key)), "entries": pair.entries,
                    "tried": pair.tried,
                })),
            });
            return print(format!("{line}\n").as_bytes());
        }
        let percent = |success: Success| {
            let (low, high) = success.wilson();
            format!("{:.2} % ({:.2} to {:.2})", 100.0 * success.rate(), 100.0 * low, 100.0 * high)
        };
        let mut text = format!(
            "{} keys of {LENGTH} bytes of the class, 1 in 2^24, and as many others\n\
             {:<28} {:<28} other keys\n{:<28} {:<28} {}\n",
            self.keys,
            "",
            "weak keys",
            "table keeps its parities",
            percent(weak.kept),
            percent(others.kept)
        );
        for t in SHOWN {
            let _ = writeln!(
                text,
                "{:<28} {:<28} {}",
                format!("lowest bit of byte {t} is {}", pattern(t)),
                percent(weak.follows[t - 1]),
                percent(others.follows[t - 1])
            );
        }
        if let Some(pair) = pair {
            let _ = writeln!(
                text,
                "two keys of {COLLIDING} bytes that differ by 1 in byte {} have tables that differ in {} entries\n\
                 (the first of {} pairs tried): {}",
                CHANGED + 1,
                pair.entries,
                pair.tried,
                HEXLOWER.encode(&pair.keys[0])
            );
        }
        print(text.as_bytes())
    }

    fn count(&self, name: &str, key: impl Fn(&mut Random) -> Vec<u8> + Sync) -> Parities {
        let one = |mut parities: Parities, number| {
            parities.add(&key(&mut Random::new(name, self.seed, number)));
            parities
        };
        let parts = (0..self.keys).into_par_iter().fold(Parities::default, one);
        parts.reduce(Parities::default, |all, more| all.merge(&more))
    }
}
