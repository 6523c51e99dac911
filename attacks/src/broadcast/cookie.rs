//! Recovers a cookie in the middle of requests that are sent repeatedly.
//!
//! M. Vanhoef and F. Piessens (*All Your Biases Belong to Us*, USENIX Security 2015, §4 and §6).
//! The cookie has 16 characters between known bytes, always at the same place of the keystream
//! modulo 256. Each pair of neighbours has a likelihood from two sources. The first is the digraphs
//! of Fluhrer and McGrew. The second is Mantin's ABSAB against each known pair within [`GAPS`]
//! bytes before and after. A cookie is a path through the pairs.
//!
//! The counts of ciphertext bytes are drawn, not counted: each cell has the mean and the variance
//! of the published probabilities, as a normal distribution. Drawing them takes far less time than
//! encrypting and counting 2^30 requests.

use arcfour_stats::published::{absab, fluhrer_mcgrew};

use super::list;
use crate::experiment::Random;

/// Number of characters of a cookie.
pub const COOKIE: usize = 16;
/// Number of known plaintext bytes on either side, without the bytes next to the cookie.
const GAPS: usize = 128;
/// Number of known bytes around the cookie.
const AROUND: (u8, u8) = (b'=', b'\r');
/// Number of pairs of neighbours, including the two pairs with a known byte.
const PAIRS: usize = COOKIE + 1;
/// Number of pairs of byte values.
const CELLS: usize = 1 << 16;

/// The alphabet of a cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alphabet {
    /// The 16 hexadecimal digits.
    Hex,
    /// The 64 of base64url.
    Base64Url,
    /// The 90 that RFC 6265 allows.
    Rfc6265,
}

impl Alphabet {
    /// The characters.
    pub fn characters(self) -> Vec<u8> {
        let all = 0x21..=0x7e_u8;
        match self {
            Self::Hex => all.filter(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f')).collect(),
            Self::Base64Url => {
                all.filter(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_')).collect()
            }
            Self::Rfc6265 => all.filter(|c| !matches!(c, b'"' | b',' | b';' | b'\\')).collect(),
        }
    }
}

/// The known plaintext pairs, for ABSAB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surroundings {
    /// The pairs before and after the cookie.
    Around,
    /// Assumes known bytes at every gap on both sides of each pair. This holds only if just two
    /// bytes are unknown, so the result is an upper bound.
    Everywhere,
}

/// A cookie and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cookie {
    /// Its characters.
    pub text: [u8; COOKIE],
    /// Its alphabet.
    pub alphabet: Alphabet,
    /// RC4's i at its first character.
    pub i: u8,
}

impl Cookie {
    /// Returns a random cookie at a random place.
    pub fn random(alphabet: Alphabet, random: &mut Random) -> Self {
        let characters = alphabet.characters();
        let text =
            std::array::from_fn(|_| characters[random.below(characters.len() as u32) as usize]);
        Self { text, alphabet, i: random.below(256) as u8 }
    }

    /// Returns the evidence of `requests` requests about each pair of neighbours.
    pub fn requests(&self, requests: f64, known: Surroundings, random: &mut Random) -> Likelihoods {
        let whole: Vec<u8> = [AROUND.0].into_iter().chain(self.text).chain([AROUND.1]).collect();
        let characters = self.alphabet.characters();
        let choices: Vec<Vec<u8>> = (0..=PAIRS)
            .map(|at| if at == 0 || at == PAIRS { vec![whole[at]] } else { characters.clone() })
            .collect();
        let pair = |at: usize| {
            let (first, second) = (&choices[at], &choices[at + 1]);
            let i = self.i.wrapping_add(at as u8).wrapping_sub(1);
            let digraphs = Digraphs::draw(i, (whole[at], whole[at + 1]), requests, random);
            let again = Again::new(at, requests, known);
            let mut likelihoods = Vec::with_capacity(first.len() * second.len());
            for &a in first {
                for &b in second {
                    let right = (a, b) == (whole[at], whole[at + 1]);
                    likelihoods.push(digraphs.likelihood(a, b) + again.draw(right, random));
                }
            }
            likelihoods
        };
        let pairs = (0..PAIRS).map(pair).collect();
        Likelihoods { choices, pairs }
    }
}

/// The likelihoods of the pairs of neighbours, as logarithms.
#[derive(Debug)]
pub struct Likelihoods {
    /// For each place, beginning with the known byte before the cookie: the possible characters.
    choices: Vec<Vec<u8>>,
    /// For each pair: a row for each value of its first character.
    pairs: Vec<Vec<f64>>,
}

impl Likelihoods {
    /// Returns the `most` likeliest cookies, likeliest first.
    pub fn likeliest(&self, most: usize) -> Vec<[u8; COOKIE]> {
        let text = |path: Vec<usize>| -> [u8; COOKIE] {
            std::array::from_fn(|at| self.choices[at + 1][path[at + 1]])
        };
        list::best_paths(&self.pairs, &self.sizes(), most).into_iter().map(text).collect()
    }

    /// Returns the rank of this cookie among all, from 1. The rank is approximate, because
    /// likelihoods are rounded.
    ///
    /// # Panics
    /// If it has a character that is not in the alphabet.
    pub fn rank(&self, text: &[u8; COOKIE]) -> f64 {
        let choice = |(at, &character): (usize, &u8)| {
            let place = self.choices[at + 1].iter().position(|&choice| choice == character);
            place.expect("a character of the alphabet")
        };
        let path: Vec<usize> =
            [0].into_iter().chain(text.iter().enumerate().map(choice)).chain([0]).collect();
        list::rank(&self.pairs, &self.sizes(), &path)
    }

    fn sizes(&self) -> Vec<usize> {
        self.choices.iter().map(Vec::len).collect()
    }
}

/// Counts of pairs of ciphertext bytes above their mean, and the weights of the biased digraphs.
struct Digraphs {
    counts: Vec<f64>,
    /// The biased digraphs. Each weight is the logarithm of a digraph's probability divided by the
    /// unbiased digraphs' probability.
    weights: Vec<(usize, f64)>,
}

fn cell(a: u8, b: u8) -> usize {
    usize::from(a) << 8 | usize::from(b)
}

impl Digraphs {
    fn draw(i: u8, (a, b): (u8, u8), requests: f64, random: &mut Random) -> Self {
        let mut bias = std::collections::BTreeMap::new();
        for rule in fluhrer_mcgrew().iter().filter(|rule| (rule.holds)(i)) {
            let (first, second) = (rule.digraph)(i);
            *bias.entry(cell(first, second)).or_insert(0.0) += rule.times / 256.0;
        }
        let chance = 1.0 / CELLS as f64;
        let biased: f64 = bias.values().map(|bias| (1.0 + bias) * chance).sum();
        let other = (1.0 - biased) / (CELLS - bias.len()) as f64;
        let probability = |digraph: &usize| bias.get(digraph).map_or(other, |b| (1.0 + b) * chance);
        let plain = cell(a, b);
        // A constant over all cells is no evidence about the plaintext.
        let count = |c: usize| {
            let mean = requests * probability(&(c ^ plain));
            mean - requests * chance + mean.sqrt() * random.standard_normal()
        };
        let counts = (0..CELLS).map(count).collect();
        let weight = |digraph: &usize| (*digraph, (probability(digraph) / other).ln());
        Self { counts, weights: bias.keys().map(weight).collect() }
    }

    fn likelihood(&self, a: u8, b: u8) -> f64 {
        let plain = cell(a, b);
        self.weights.iter().map(|(digraph, weight)| weight * self.counts[digraph ^ plain]).sum()
    }
}

/// Returns the evidence of the known pairs about pair number `at`, by ABSAB. One sum covers all
/// gaps, and each plaintext has separate cells.
struct Again {
    /// Expected score advantage of the correct pair over a wrong pair.
    lead: f64,
    deviation: f64,
}

impl Again {
    fn new(at: usize, requests: f64, known: Surroundings) -> Self {
        // Starts at the nearest known pair after the cookie, and at the nearest before it.
        let nearest = match known {
            Surroundings::Around => [(PAIRS - 1).saturating_sub(at + 1), at.saturating_sub(1)],
            Surroundings::Everywhere => [0, 0],
        };
        let (mut lead, mut variance) = (0.0, 0.0);
        for gap in nearest.into_iter().flat_map(|nearest| nearest..=GAPS) {
            let p = absab(gap as u32);
            let other = (1.0 - p) / (CELLS - 1) as f64;
            let weight = (p / other).ln();
            lead += weight * requests * (p - other);
            variance += weight * weight * requests * other;
        }
        Self { lead, deviation: variance.sqrt() }
    }

    fn draw(&self, right: bool, random: &mut Random) -> f64 {
        (if right { self.lead } else { 0.0 }) + self.deviation * random.standard_normal()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deviations(expected: f64, got: f64, variance: f64) -> f64 {
        ((got - expected) / variance.sqrt()).abs()
    }

    /// The probability of each digraph at i: the rules' times, and the rest for all others.
    fn probabilities(i: u8) -> Vec<f64> {
        let mut probabilities = vec![f64::NAN; CELLS];
        for rule in fluhrer_mcgrew().iter().filter(|rule| (rule.holds)(i)) {
            let (first, second) = (rule.digraph)(i);
            let at = &mut probabilities[256 * usize::from(first) + usize::from(second)];
            *at = if at.is_nan() { 1.0 } else { *at * 65_536.0 } + rule.times / 256.0;
            *at /= 65_536.0;
        }
        let (mut sum, mut others) = (1.0, 0.0);
        probabilities.iter().for_each(|p| if p.is_nan() { others += 1.0 } else { sum -= p });
        probabilities.iter_mut().filter(|p| p.is_nan()).for_each(|p| *p = sum / others);
        probabilities
    }

    /// The cells have the mean and the variance of the digraphs' probabilities. The likelihood of a
    /// pair is the sum of the digraphs that it makes of the cells.
    #[test]
    fn digraphs_are_drawn_and_weighed_by_their_probabilities() {
        for (i, a, b) in
            [(0, b'e', b'0'), (1, b'=', b'a'), (2, b'0', b'e'), (254, b'f', b'\r'), (77, 1, 2)]
        {
            let (a, b): (u8, u8) = (a, b);
            let probabilities = probabilities(i);
            let encrypted =
                |x: u8, y: u8, c: usize| probabilities[(256 * usize::from(x) + usize::from(y)) ^ c];
            // With 2^80 requests even the rest of the biases is above the noise.
            for requests in [20, 80].map(|power| f64::from(power).exp2()) {
                let mut random = Random::new("test of digraphs", 0, i.into());
                let digraphs = Digraphs::draw(i, (a, b), requests, &mut random);
                let mut squares = 0.0;
                for (c, &count) in digraphs.counts.iter().enumerate() {
                    let p = encrypted(a, b, c);
                    let off = deviations(requests * (p - 1.0 / 65_536.0), count, requests * p);
                    assert!(off < 6.0, "{i}, cell {c}: {off}");
                    squares += off * off;
                }
                // The sum of n squares has the deviation √(2n).
                assert!((squares - 65_536.0).abs() < 5.0 * 131_072_f64.sqrt(), "{i}: {squares}");
                for (x, y) in [(a, b), (b, a), (a, a), (0, 1), (255, 3)] {
                    let unbiased = encrypted(255, 200, 0);
                    let weight = |c: usize| (encrypted(x, y, c) / unbiased).ln();
                    let sum: f64 = (0..CELLS).map(|c| weight(c) * digraphs.counts[c]).sum();
                    let got = digraphs.likelihood(x, y);
                    assert!((got / sum - 1.0).abs() < 1e-6, "{i} {x} {y}: {got} {sum}");
                }
            }
        }
    }

    /// The evidence of ABSAB is of every known pair, up to 128 bytes after and before.
    #[test]
    fn absab_counts_every_known_pair() {
        let requests = 33_f64.exp2();
        for at in 0..PAIRS {
            for (known, everywhere) in
                [(Surroundings::Around, false), (Surroundings::Everywhere, true)]
            {
                // The cookie's bytes are 1 to 16. A pair is known if it has none of them.
                let known_pair = |first: i32| everywhere || first > 16 || first + 1 < 1;
                let gap = |first: i32| (first - at as i32).abs() - 2;
                let pairs = (-200..200)
                    .filter(|&first| known_pair(first) && (0..=128).contains(&gap(first)));
                let (mut lead, mut variance) = (0.0, 0.0);
                for pair in pairs {
                    let p = absab(gap(pair) as u32);
                    let other = (1.0 - p) / 65_535.0;
                    let weight = (p / other).ln();
                    lead += weight * requests * (p - other);
                    variance += weight * weight * requests * other;
                }
                let again = Again::new(at, requests, known);
                assert!((again.lead / lead - 1.0).abs() < 1e-9, "{at} {known:?}");
                assert!((again.deviation / variance.sqrt() - 1.0).abs() < 1e-9, "{at} {known:?}");
                let random = || Random::new("test of ABSAB", 0, at as u64);
                let noise = random().standard_normal() * again.deviation;
                assert_eq!(again.draw(false, &mut random()), noise);
                assert_eq!(again.draw(true, &mut random()), again.lead + noise);
            }
        }
    }

    /// With very many requests the score of each right pair is its digraphs' and ABSAB's, at the i
    /// of its place.
    #[test]
    fn each_pair_has_the_evidence_of_its_place() {
        let requests = 60_f64.exp2();
        let mut random = Random::new("test of requests", 0, 0);
        let text = *b"0123456789abcdef";
        let cookie = Cookie { text, alphabet: Alphabet::Hex, i: 250 };
        let likelihoods = cookie.requests(requests, Surroundings::Around, &mut random);
        for at in 0..PAIRS {
            let probabilities = probabilities(249_u8.wrapping_add(at as u8));
            let unbiased = probabilities[256 * 255 + 200];
            let digraphs: f64 = probabilities
                .iter()
                .map(|p| (p / unbiased).ln() * requests * (p - 1.0 / 65_536.0))
                .sum();
            let expected = digraphs + Again::new(at, requests, Surroundings::Around).lead;
            let row = if at == 0 { 0 } else { at - 1 };
            let place = if at == 16 { row } else { (if at == 0 { 1 } else { 16 }) * row + at };
            let pairs = &likelihoods.pairs[at];
            let got = pairs[place];
            assert!((got / expected - 1.0).abs() < 1e-3, "{at}: {got} {expected}");
            assert!(pairs.iter().all(|pair| *pair <= got));
        }
        assert_eq!(likelihoods.likeliest(1), [text]);
        assert_eq!(likelihoods.rank(&text), 1.0);
    }
}
