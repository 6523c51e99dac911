//! `trials key`

use arcfour::Rc4;
use arcfour_attacks::{
    experiment::{Published, Random},
    state::{MAX_LENGTH, find_key},
};
use serde_json::json;

use super::trials::Trials;
use arcfour_console::{failure::Failure, size::within};

/// Recover the key from the state after the key schedule
///
/// Each trial schedules a random key and looks for it, given the table alone. It succeeds if the key is among
/// the likeliest ones; each is tested by its whole schedule.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  trials key --key-length 16 --tests 16384 --trials 1000 --seed 7

Published: E. Biham, Y. Carmeli, Efficient Reconstruction of RC4 Keys from Internal States, FSE 2008.")]
pub(crate) struct Args {
    /// Bytes of the keys, 1 to 32
    #[arg(long, value_name = "N", default_value = "5", allow_negative_numbers = true,
        value_parser = within(1..=MAX_LENGTH as u64))]
    key_length: u64,
    /// Most keys tested in a trial, 1 to 1048576
    #[arg(long, value_name = "N", default_value = "16384", allow_negative_numbers = true,
        value_parser = within(1..=1_u64 << 20))]
    tests: u64,
    #[command(flatten)]
    trials: Trials,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (length, seed) = (self.key_length as usize, self.trials.options.seed);
        let published = (length == 5)
            .then_some(Published { rate: 0.864, source: "Biham & Carmeli, FSE 2008, abstract" });
        let what = format!("keys of {length} bytes, at most {} tested in a trial", self.tests);
        let facts = json!({"key_length": length, "tests": self.tests});
        self.trials.run("key", &what, &facts, published, |trial| {
            let key = Random::new("key", seed, trial).bytes(length);
            let rc4 = Rc4::from_key(&key).expect("1 to 32 bytes");
            find_key(rc4.state().parts().0, length, self.tests).is_some().into()
        })
    }
}
