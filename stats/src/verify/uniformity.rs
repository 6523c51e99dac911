//! Tests whether the bytes at each position are uniform.

use super::check::{ALPHA, holm};
use crate::{
    campaign::Kind,
    cells::{Cells, Group},
    ent::chi_square_tail,
    file::CountsFile,
    published::N,
};

/// The least expected count of a cell for Pearson's approximation. The usual 5 serve at a level of
/// a few percent. At [`ALPHA`] over hundreds of positions they would double the false positives.
pub const LEAST_EXPECTED: f64 = 20.0;

/// The positions whose bytes are not uniform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uniformity {
    /// The positions, from 1, by Pearson's test and Holm's method.
    pub biased: Vec<u32>,
    /// Number of positions tested: all counted positions, or 0 if the sample is too small.
    pub tested: usize,
}

/// Tests single bytes for uniformity, position by position. A sample that expects fewer than
/// [`LEAST_EXPECTED`] of each byte is not tested.
pub fn uniformity(file: &CountsFile) -> Uniformity {
    let groups = (0..file.campaign().count().single as usize)
        .map(|index| Cells::of(file, Group { kind: Kind::Single, index }));
    let large = |cells: &Cells| cells.trials as f64 / N >= LEAST_EXPECTED;
    let p_values: Vec<f64> = groups
        .flatten()
        .filter(large)
        .map(|cells| {
            let expected = cells.trials as f64 / N;
            let counts = cells.counts.iter().map(|&count| count as f64);
            chi_square_tail(counts.map(|count| (count - expected).powi(2) / expected).sum(), 255)
        })
        .collect();
    let positions = (1..).zip(holm(&p_values, ALPHA)).filter(|&(_, biased)| biased);
    Uniformity { biased: positions.map(|(r, _)| r).collect(), tested: p_values.len() }
}
