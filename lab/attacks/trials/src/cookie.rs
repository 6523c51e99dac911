//! `trials cookie`

use arcfour_attacks::{
    broadcast::{self, COOKIE, Cookie, Surroundings},
    experiment::{Published, Random, Success},
};
use serde_json::json;

use super::trials::Trials;
use arcfour_console::{failure::Failure, output::print, size::within};

/// The published number of requests, and the length of the list.
const PUBLISHED: (u64, u64) = (9 << 27, 1 << 23);

/// Recover a cookie from repeated requests, by the biases of pairs of bytes
///
/// Each trial chooses a cookie of 16 characters between known bytes, at any place of the keystream
/// modulo 256. It succeeds if the cookie is among the likeliest cookies that a server would be
/// asked for. The counts of ciphertext bytes are drawn from the published probabilities, without
/// encryption.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  trials cookie --requests 1207959552 --trials 100
  trials cookie --alphabet hex --show 5 --trials 1

Published: 94 % with 9 * 2^27 requests and a list of 2^23 cookies. Source: \
M. Vanhoef, F. Piessens, All Your Biases Belong to Us, USENIX Security 2015, section 6.3.")]
pub(crate) struct Args {
    /// Requests of each trial, 1 to 1099511627776
    #[arg(long, value_name = "N", default_value = "1207959552", allow_negative_numbers = true,
        value_parser = within(1..=1_u64 << 40))]
    requests: u64,
    /// Number of cookies that may be tried, 1 to 1099511627776
    #[arg(long, value_name = "N", default_value = "8388608", allow_negative_numbers = true,
        value_parser = within(1..=1_u64 << 40))]
    list: u64,
    /// The characters of the cookie
    #[arg(long, value_name = "NAME", default_value = "rfc6265")]
    alphabet: Alphabet,
    /// Assume known plaintext at every gap on both sides of each pair of bytes, not only around the
    /// cookie
    #[arg(long)]
    known_everywhere: bool,
    /// Also print the N likeliest cookies of the first trial, 1 to 4096
    #[arg(long, value_name = "N", conflicts_with = "json", allow_negative_numbers = true,
        value_parser = within(1..=4096_u64))]
    show: Option<u64>,
    #[command(flatten)]
    trials: Trials,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Alphabet {
    /// 16 hexadecimal digits
    Hex,
    /// 64 characters
    Base64url,
    /// The 90 characters of RFC 6265
    Rfc6265,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (requests, seed) = (self.requests, self.trials.options.seed);
        let (alphabet, name) = match self.alphabet {
            Alphabet::Hex => (broadcast::Alphabet::Hex, "hex"),
            Alphabet::Base64url => (broadcast::Alphabet::Base64Url, "base64url"),
            Alphabet::Rfc6265 => (broadcast::Alphabet::Rfc6265, "rfc6265"),
        };
        let known = match self.known_everywhere {
            false => Surroundings::Around,
            true => Surroundings::Everywhere,
        };
        let data = |trial| {
            let mut random = Random::new("cookie", seed, trial);
            let cookie = Cookie::random(alphabet, &mut random);
            let likelihoods = cookie.requests(requests as f64, known, &mut random);
            (cookie, likelihoods)
        };
        if let Some(show) = self.show {
            let (cookie, likelihoods) = data(0);
            let line = |text: [u8; COOKIE]| {
                let mark = if text == cookie.text { "  <- the cookie" } else { "" };
                format!("{}{mark}\n", String::from_utf8_lossy(&text))
            };
            let lines = likelihoods.likeliest(show as usize).into_iter().map(line);
            print(lines.collect::<String>().as_bytes())?;
        }
        let (mut ranks, seconds) = self.trials.results(|trial| {
            let (cookie, likelihoods) = data(trial);
            likelihoods.rank(&cookie.text)
        });
        let success: Success = ranks.iter().map(|&rank| rank <= self.list as f64).collect();
        ranks.sort_by(f64::total_cmp);
        let median = ranks[ranks.len() / 2].log2();
        let published = ((requests, self.list, name, self.known_everywhere)
            == (PUBLISHED.0, PUBLISHED.1, "rfc6265", false))
            .then_some(Published {
                rate: 0.94,
                source: "Vanhoef & Piessens, USENIX Security 2015, abstract",
            });
        let what = format!(
            "cookies of {COOKIE} characters of {}, {requests} requests, the likeliest {} cookies tried\n\
             median     place 2^{median:.1}",
            alphabet.characters().len(),
            self.list
        );
        let facts = json!({
            "requests": requests, "list": self.list, "alphabet": name, "median_log2": median,
            "known_everywhere": self.known_everywhere,
        });
        self.trials.report("cookie", &what, &facts, published, success, seconds)
    }
}
