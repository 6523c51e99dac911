//! The evidence of a table after the key schedule about the sums of its key.
//!
//! A. Roos (sci.crypt, 1995) saw, and G. Paul and S. Maitra (SAC 2007, theorem 1) proved, that
//! S\[y\] is often f_y = y (y+1)/2 + K\[0\] + … + K\[y\]. The reason is that S\[y\] often is j
//! after step y. Until a step x finds another value than x at place x, j is f_y. E. Biham and Y.
//! Carmeli (FSE 2008, §3) use differences of these sums, which such a step does not spoil. M.
//! Akgün, P. Kavak and H. Demirci (Indocrypt 2008, §3) add the inverse table, because y went to
//! place j. Looking up either table twice gives the same vote with a lower success rate.
//!
//! Here all votes are in one model: j = f_y + d_y. The shift d_y begins at 0, and changes by −1 to
//! −y at the steps that find another value. Given the sum of all key bytes, message passing between
//! the sums and the chain of shifts gives the likelihood of each prefix sum. The success rate of
//! each vote is measured once, over random keys.

use std::sync::LazyLock;

use crate::experiment::Random;

/// Maximum length of a key, in bytes.
pub const MAX_LENGTH: usize = 32;

/// Kinds of votes: S\[y\], S\[S\[y\]\], S⁻¹\[y\], S⁻¹\[S⁻¹\[y\]\].
const KINDS: usize = 4;
/// Number of keys over which the votes are measured.
const SAMPLE: u64 = 1 << 13;

/// For each y: the success rate of each kind of vote for j.
static RIGHT: LazyLock<[[f64; KINDS]; 256]> = LazyLock::new(|| {
    let mut right = [[0_u32; KINDS]; 256];
    for trial in 0..SAMPLE {
        let key = Random::new("votes", 0, trial).bytes(16);
        let mut s: [u8; 256] = std::array::from_fn(|y| y as u8);
        let mut j = 0_u8;
        let js: [u8; 256] = std::array::from_fn(|y| {
            j = j.wrapping_add(s[y]).wrapping_add(key[y % 16]);
            s.swap(y, usize::from(j));
            j
        });
        for ((right, votes), j) in right.iter_mut().zip(values(&s)).zip(js) {
            for (right, vote) in right.iter_mut().zip(votes) {
                *right += u32::from(vote == j);
            }
        }
    }
    // Neighbours have nearly the same probability, so the mean of 9 is less noisy.
    std::array::from_fn(|y| {
        let near = &right[y.saturating_sub(4)..(y + 5).min(256)];
        std::array::from_fn(|kind| {
            let right: u32 = near.iter().map(|right| right[kind]).sum();
            f64::from(right) / (near.len() as u64 * SAMPLE) as f64
        })
    })
});

/// Returns the votes of each kind for j, for each y.
fn values(s: &[u8; 256]) -> [[u8; KINDS]; 256] {
    let mut inverse = [0_u8; 256];
    for (y, &value) in s.iter().enumerate() {
        inverse[usize::from(value)] = y as u8;
    }
    std::array::from_fn(|y| {
        [s[y], s[usize::from(s[y])], inverse[y], inverse[usize::from(inverse[y])]]
    })
}

/// The votes of a table.
pub(super) struct Votes {
    /// For each y: the values with votes. Each has its likelihood ratio against a value without
    /// votes, minus 1.
    values: Vec<Vec<(u8, f32)>>,
    /// For each y: the log-likelihood ratio of the values without votes against a random
    /// permutation.
    base: Vec<f64>,
}

/// The evidence of the votes, given the sum of all key bytes.
#[derive(Clone)]
pub(super) struct Beliefs {
    /// The log-likelihood ratio of the table against a random permutation.
    pub(super) evidence: f64,
    /// For each prefix sum of the key, K\[0\] to K\[0\] + … + K\[length − 2\]: the log-likelihoods
    /// of its values.
    pub(super) sums: Vec<[f32; 256]>,
}

/// Number of places of the table that are used first.
const FIRST: usize = 96;

/// 256 numbers, one for each residue modulo 256.
type Table = [f32; 256];

impl Votes {
    pub(super) fn of(s: &[u8; 256]) -> Self {
        let of_y = |(votes, right): ([u8; KINDS], &[f64; KINDS])| {
            let mut base = 0.0;
            let mut all: Vec<(u8, f32)> = vec![];
            for (vote, &p) in votes.into_iter().zip(right) {
                let other = (1.0 - p) / 255.0;
                let ratio = p / other;
                base += (256.0 * other).ln();
                match all.iter_mut().find(|known| known.0 == vote) {
                    Some(known) => known.1 *= ratio as f32,
                    None => all.push((vote, ratio as f32)),
                }
            }
            all.iter_mut().for_each(|vote| vote.1 -= 1.0);
            (all, base)
        };
        let (values, base) = values(s).into_iter().zip(RIGHT.iter()).map(of_y).unzip();
        Self { values, base }
    }

    /// Returns the log-likelihood ratio of the table's first places: for a key of `length` bytes
    /// with sum `total`, against a random permutation.
    pub(super) fn evidence(&self, length: usize, total: u8) -> f64 {
        Chain::new(self, length, total, FIRST, false).forward()
    }

    /// Returns the beliefs about the prefix sums of a key of `length` bytes that add up to `total`, from all table
    /// positions, after `sweeps` backward and forward passes.
    pub(super) fn beliefs(&self, length: usize, total: u8, sweeps: usize) -> Beliefs {
        let mut chain = Chain::new(self, length, total, 256, true);
        let evidence = chain.forward();
        for _ in 0..sweeps {
            chain.backward();
            chain.forward();
        }
        chain.beliefs(evidence)
    }
}

/// Message passing for one total.
struct Chain<'a> {
    votes: &'a Votes,
    length: usize,
    total: u8,
    /// Number of places of the table that are used.
    places: usize,
    /// Beliefs in the values of each prefix sum, scaled so that the largest is 1.
    sums: Vec<Table>,
    /// The last message of each y to its sum; empty if the table is passed once.
    said: Vec<Table>,
    /// The message of the steps after y about d_y; likewise.
    later: Vec<Table>,
}

impl<'a> Chain<'a> {
    fn new(votes: &'a Votes, length: usize, total: u8, places: usize, again: bool) -> Self {
        let mut sums = vec![[1.0; 256]; length];
        sums[length - 1] = [0.0; 256];
        sums[length - 1][usize::from(total)] = 1.0; // it is the whole sum
        let none = vec![[1.0; 256]; if again { places } else { 0 }];
        Self { votes, length, total, places, sums, said: none.clone(), later: none }
    }

    fn beliefs(mut self, evidence: f64) -> Beliefs {
        self.sums.pop(); // the whole sum
        let log = |sum: Table| sum.map(f32::ln);
        Beliefs { evidence, sums: self.sums.into_iter().map(log).collect() }
    }

    /// Returns f_y minus the prefix sum of y.
    fn offset(&self, y: usize) -> u8 {
        ((y * (y + 1) / 2) as u8).wrapping_add(self.total.wrapping_mul((y / self.length) as u8))
    }

    /// Returns the evidence of the votes at y about d_y, given the other messages about its sum.
    fn of_shift(&self, y: usize) -> Table {
        let sum = &self.sums[y % self.length];
        let mut others = *sum;
        if let Some(said) = self.said.get(y) {
            others.iter_mut().zip(said).for_each(|(other, said)| *other /= said);
        }
        normalise(&mut others);
        self.convolved(y, &others)
    }

    /// Returns 1 + the sum of w · other\[vote − offset − x\] over the votes at y, for each x.
    fn convolved(&self, y: usize, other: &Table) -> Table {
        // other[-x] at x and at x + 256
        let mut backwards = [0.0; 512];
        for (to, from) in backwards[1..].iter_mut().zip(other.iter().rev()) {
            *to = *from;
        }
        backwards[0] = other[0];
        backwards.copy_within(..256, 256);
        let mut out = [1.0; 256];
        let offset = self.offset(y);
        for &(vote, weight) in &self.votes.values[y] {
            let from = usize::from(offset.wrapping_sub(vote));
            for (out, other) in out.iter_mut().zip(&backwards[from..from + 256]) {
                *out += weight * other;
            }
        }
        out
    }

    /// Passes through the table from y = 0. Returns the log-likelihood.
    fn forward(&mut self) -> f64 {
        let mut shift = [0.0; 256];
        shift[0] = 1.0;
        let mut evidence = 0.0;
        for y in 0..self.places {
            changed(&mut shift, y, false);
            let votes = self.of_shift(y);
            let mut known = shift;
            if let Some(later) = self.later.get(y) {
                known.iter_mut().zip(later).for_each(|(known, later)| *known *= later);
                normalise(&mut known);
            }
            let at = y % self.length;
            if at != self.length - 1 {
                let says = self.convolved(y, &known);
                let sum = &mut self.sums[at];
                sum.iter_mut().zip(&says).for_each(|(sum, says)| *sum *= says);
                if let Some(said) = self.said.get_mut(y) {
                    sum.iter_mut().zip(&*said).for_each(|(sum, said)| *sum /= said);
                    *said = says;
                }
                let scale = 1.0 / sum.iter().copied().fold(0.0, f32::max);
                sum.iter_mut().for_each(|v| *v = (*v * scale).max(1e-30));
            }
            for d in 0..256 {
                shift[d] *= votes[d];
            }
            evidence += self.votes.base[y] + f64::from(normalise(&mut shift)).ln();
        }
        evidence
    }

    /// Stores for each y the message of the later steps about its shift.
    fn backward(&mut self) {
        let mut later = [1.0; 256];
        for y in (0..self.places).rev() {
            self.later[y] = later;
            let votes = self.of_shift(y);
            for d in 0..256 {
                later[d] *= votes[d];
            }
            changed(&mut later, y, true);
            normalise(&mut later);
        }
    }
}

/// Normalises the weights to sum 1, and returns the old sum.
fn normalise(table: &mut Table) -> f32 {
    // Adds up eight partial sums side by side.
    let mut sums = [0.0; 8];
    for values in table.as_chunks::<8>().0 {
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    let sum: f32 = sums.iter().sum();
    let scale = 1.0 / sum;
    table.iter_mut().for_each(|value| *value *= scale);
    sum
}

/// Updates the distribution of the shift for the chance that step `y` met a value that had already
/// moved, most likely from a position before `y`. With `backwards`, carries the evidence of later
/// steps back over the step.
fn changed(shift: &mut Table, y: usize, backwards: bool) {
    if y == 0 {
        return;
    }
    let changes = 1.0 - (255.0_f32 / 256.0).powi(y as i32);
    let (stays, each) = (1.0 - changes, changes / y as f32);
    let mut up_to = [0.0_f32; 257]; // sums of the first values
    for d in 0..256 {
        up_to[d + 1] = up_to[d] + shift[d];
    }
    let all = up_to[256];
    // Returns the y values from `first` on, cyclically modulo 256.
    let mut mix = |d: std::ops::Range<usize>, first: usize| {
        let whole = if first + d.len() - 1 + y > 256 { all } else { 0.0 };
        let end = if whole > 0.0 { first + y - 256 } else { first + y };
        let (starts, ends) = (&up_to[first..][..d.len()], &up_to[end..][..d.len()]);
        for ((shift, start), end) in shift[d].iter_mut().zip(starts).zip(ends) {
            *shift = (stays * *shift + each * (whole + end - start)).max(0.0);
        }
    };
    match backwards {
        false => {
            mix(0..256 - y, 1);
            mix(256 - y..256, 257 - y);
        }
        true => {
            mix(0..y, 256 - y);
            mix(y..256, 0);
        }
    }
}

#[cfg(test)]
mod tests;
