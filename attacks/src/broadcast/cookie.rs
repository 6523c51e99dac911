//! A cookie in the middle of requests that are sent again and again.
//!
//! M. Vanhoef and F. Piessens (*All Your Biases Belong to Us*, USENIX Security 2015, §4 and §6).
//! The cookie has 16 characters between known bytes, always at the same place of the keystream
//! modulo 256. Each pair of neighbours has a likelihood from two sources. The first is the digraphs
//! of Fluhrer and McGrew. The second is Mantin's ABSAB against each known pair within [`GAPS`]
//! bytes before and after. The cookies are the paths through the pairs.
//!
//! The counts of ciphertext bytes are drawn, not counted: each cell has the mean and the variance of the published
//! probabilities, as a normal distribution. 2^30 real requests of 512 bytes would take a core two days.

use arcfour_stats::published::{absab, fluhrer_mcgrew};

use super::list;
use crate::experiment::Random;

/// Characters of a cookie.
pub const COOKIE: usize = 16;
/// Bytes of known plaintext on either side, beyond those next to the cookie.
const GAPS: usize = 128;
/// Known bytes around the cookie.
const AROUND: (u8, u8) = (b'=', b'\r');
/// Pairs of neighbours, those with the known bytes included.
const PAIRS: usize = COOKIE + 1;
/// Pairs of byte values.
const CELLS: usize = 1 << 16;

/// The characters a cookie may have.
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

/// Which pairs of plaintext are known, for ABSAB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surroundings {
    /// Those before the cookie and after it.
    Around,
    /// As if known bytes stood at every gap on both sides of each pair. True only if two bytes
    /// alone are unknown, so the result is an upper bound.
    Everywhere,
}

/// A cookie, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cookie {
    /// Its characters.
    pub text: [u8; COOKIE],
    /// Those it may have.
    pub alphabet: Alphabet,
    /// RC4's i at its first character.
    pub i: u8,
}

impl Cookie {
    /// A random one, anywhere.
    pub fn random(alphabet: Alphabet, random: &mut Random) -> Self {
        let characters = alphabet.characters();
        let text =
            std::array::from_fn(|_| characters[random.below(characters.len() as u32) as usize]);
        Self { text, alphabet, i: random.below(256) as u8 }
    }

    /// What `requests` with it say of each pair of neighbours.
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
    /// For each place, the known one before the cookie first: the characters it may have.
    choices: Vec<Vec<u8>>,
    /// For each pair: a row for each choice of its first character.
    pairs: Vec<Vec<f64>>,
}

impl Likelihoods {
    /// The `most` likeliest cookies, likeliest first.
    pub fn likeliest(&self, most: usize) -> Vec<[u8; COOKIE]> {
        let text = |path: Vec<usize>| -> [u8; COOKIE] {
            std::array::from_fn(|at| self.choices[at + 1][path[at + 1]])
        };
        list::best_paths(&self.pairs, &self.sizes(), most).into_iter().map(text).collect()
    }

    /// The place of this cookie among all, the likeliest being 1: counted with rounded likelihoods, so it is not exact.
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
        // What all cells have alike says nothing of the plaintext.
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

/// The evidence of the known pairs about pair number `at`, by ABSAB. One sum over all gaps; each
/// plaintext has its own cells.
struct Again {
    /// Expected score advantage of the correct pair over a wrong pair.
    lead: f64,
    deviation: f64,
}

impl Again {
    fn new(at: usize, requests: f64, known: Surroundings) -> Self {
        // From the nearest known pair after the cookie on, and from that before it.
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
