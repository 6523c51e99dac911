//! `trials broadcast`

use arcfour_attacks::{
    broadcast::{MAX_CIPHERTEXTS, POSITIONS, ciphertexts, likeliest, recorded_keystreams},
    experiment::{Random, Success},
};
use serde_json::json;

use super::trials::Trials;
use arcfour_console::{failure::Failure, size::within};

/// Recover a plaintext that was encrypted under many keys, from the biases of single bytes
///
/// Each trial encrypts the same 256 random bytes under N random keys of 16 bytes (--ciphertexts),
/// and takes the likeliest byte at each position. Each of the 256 positions of a trial counts.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  trials broadcast --ciphertexts 268435456 --trials 2

Method: N. AlFardan, D. Bernstein, K. Paterson, B. Poettering, J. Schuldt, On the Security of RC4 in TLS, USENIX \
Security 2013, section 4.1.")]
pub(crate) struct Args {
    /// Ciphertexts of each trial, 1 to 68719476736; about 3.5 million a second and core
    #[arg(long, value_name = "N", default_value = "16777216", allow_negative_numbers = true,
        value_parser = within(1..=MAX_CIPHERTEXTS))]
    ciphertexts: u64,
    #[command(flatten)]
    trials: Trials,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (n, seed, recorded) =
            (self.ciphertexts, self.trials.options.seed, recorded_keystreams());
        let what = format!(
            "plaintext bytes 1 to {POSITIONS}, {n} ciphertexts, distribution counted over {recorded} keystreams"
        );
        let facts = json!({"ciphertexts": n, "positions": POSITIONS, "keystreams": recorded});
        self.trials.run("broadcast", &what, &facts, None, |trial| {
            let mut random = Random::new("broadcast", seed, trial);
            let mut plain = [0; POSITIONS];
            random.fill(&mut plain);
            let found = likeliest(&ciphertexts(&plain, n, &mut random));
            found.iter().zip(&plain).map(|(found, plain)| found == plain).collect::<Success>()
        })
    }
}
