//! `trials weak`

use std::fmt::Write as _;

use arcfour_attacks::{
    experiment::{Random, Success},
    weak::{CHANGED, PATTERN, Parities, klein_votes, near_collision, pattern, weak_key},
};
use data_encoding::HEXLOWER;
use rayon::prelude::*;
use serde_json::json;

use super::trials::Options;
use arcfour_console::{failure::Failure, output::print, size::within};

/// Length of the keys of a colliding pair, in bytes.
const COLLIDING: usize = 128;
/// Number of keystream bytes that are printed.
const SHOWN: [usize; 10] = [1, 2, 4, 8, 16, 32, 48, 64, 96, PATTERN];

/// Measure the effects of weak keys, colliding keys and an IV after the key
///
/// Makes random 16-byte keys of the weak class, to which one key in 2^24 belongs, and the same
/// number of other keys. Counts how often the lowest bits of the keystream follow the pattern of
/// the class. This is the invariance weakness, the base of the Bar Mitzvah attack. Counts how often
/// Klein's vote for a key byte is right with an IV before the key and after it. Looks for two long
/// keys with nearly the same table.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  trials weak --keys 1000000
  trials weak --keys 1000000 --seed 7 --json

Weak keys: S. Fluhrer, I. Mantin, A. Shamir, SAC 2001, section 4. Their use: I. Mantin, Bar Mitzvah Attack, Black \
Hat Asia 2015. Collisions: M. Matsui, Key Collisions of the RC4 Stream Cipher, FSE 2009.")]
pub(crate) struct Args {
    /// Keys of each kind, 1 to 1000000000
    #[arg(long, value_name = "N", default_value = "100000", allow_negative_numbers = true,
        value_parser = within(1..=1_000_000_000_u64))]
    keys: u64,
    #[command(flatten)]
    options: Options,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        const LENGTH: usize = 16;
        let Options { seed, json } = self.options;
        let weak = self.count("weak keys", |random| weak_key(LENGTH, random));
        let others = self.count("other keys", |random| random.bytes(LENGTH));
        let klein = self.klein();
        let value = |success: Success| json!({"rate": success.rate(), "wilson": success.wilson()});
        // About one pair in several thousand succeeds.
        let mut random = Random::new("colliding keys", seed, 0);
        let pair = near_collision(COLLIDING, 4, 1 << 24, &mut random);
        if json {
            let follows = |of: &Parities| -> Vec<_> { of.follows.map(value).into() };
            let line = json!({
                "attack": "weak", "keys": self.keys, "key_length": LENGTH, "seed": seed,
                "kept": value(weak.kept), "follows": follows(&weak),
                "kept_by_others": value(others.kept), "follows_by_others": follows(&others),
                "klein": {"iv_before": value(klein[0]), "iv_after": value(klein[1])},
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
        let of_256 = |success: Success| {
            let (low, high) = success.wilson();
            let [rate, low, high] = [success.rate(), low, high].map(|rate| 256.0 * rate);
            format!("{rate:.3} ({low:.3} to {high:.3})")
        };
        let _ = writeln!(
            text,
            "\n{:<28} {:<28} IV after the key\n{:<28} {:<28} {}",
            "",
            "IV before the key",
            "Klein's vote right, of 256",
            of_256(klein[0]),
            of_256(klein[1])
        );
        if let Some(pair) = pair {
            let _ = writeln!(
                text,
                "\ntwo keys of {COLLIDING} bytes that differ by 1 in byte {} have tables that differ in {} entries\n\
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
            parities.add(&key(&mut Random::new(name, self.options.seed, number)));
            parities
        };
        let parts = (0..self.keys).into_par_iter().fold(Parities::default, one);
        parts.reduce(Parities::default, |all, more| all.merge(&more))
    }

    /// Klein's votes with the IV before the key and after it.
    fn klein(&self) -> [Success; 2] {
        let one = |number| klein_votes(&mut Random::new("IVs", self.options.seed, number));
        let add = |a: [Success; 2], b: [Success; 2]| [a[0] + b[0], a[1] + b[1]];
        (0..self.keys).into_par_iter().map(one).reduce(Default::default, add)
    }
}
