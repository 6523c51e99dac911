//! The tests of the program `ent` (John Walker, 2008), as exact sums over a stream of any length.

use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// Number of bytes whose squares can be summed in 32 bits: 2^16 × 255² is below 2^32.
const PIECE: usize = 1 << 16;
/// Number of histograms used in turn, so that equal bytes close together do not wait for each
/// other's stores.
const HISTOGRAMS: usize = 4;
/// Bytes of one point of the Monte Carlo test: two coordinates of 24 bits.
const POINT: usize = 6;

/// Collects the exact sums that the tests need from a stream, in constant memory.
#[derive(Clone, Debug)]
pub struct Tally {
    counts: [u64; 256],
    /// `Σ x[k] x[k+1]`, without the product of the last byte and the first.
    products: u128,
    /// Number of bytes whose lowest bit and the next byte's highest are both set.
    bit_bridges: u64,
    ends: Option<(u8, u8)>,
    partial_point: ([u8; POINT], usize),
    points: u64,
    points_inside: u64,
}

/// The unit of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// A byte.
    Byte,
    /// A bit, the highest of each byte first.
    Bit,
}

/// The results of the tests. A figure that needs more samples is NaN.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The unit of a sample.
    pub unit: Unit,
    /// Number of samples.
    pub samples: u128,
    /// Shannon's entropy in bits per sample.
    pub entropy: f64,
    /// Share of bytes that the best code for single samples would save, in percent.
    pub compression_percent: f64,
    /// Pearson's statistic against the uniform distribution.
    pub chi_square: f64,
    /// Share of random data that exceed this chi-square, in percent.
    pub chi_square_percent: f64,
    /// The arithmetic mean of the samples.
    pub mean: f64,
    /// Four times the fraction of points in a quarter circle.
    pub pi: f64,
    /// Error of the estimate, in percent of π.
    pub pi_error_percent: f64,
    /// The correlation of each sample with the next, the first being next to the last; none if
    /// all samples are equal.
    pub serial_correlation: Option<f64>,
}

impl Tally {
    /// Makes a collector without bytes.
    pub fn new() -> Self {
        Self {
            counts: [0; 256],
            products: 0,
            bit_bridges: 0,
            ends: None,
            partial_point: ([0; POINT], 0),
            points: 0,
            points_inside: 0,
        }
    }

    /// Adds the next bytes of the stream.
    pub fn add(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(PIECE) {
            self.count(piece);
            self.correlate(piece);
        }
        self.throw(bytes);
    }

    fn count(&mut self, piece: &[u8]) {
        let mut histograms = [[0_u32; 256]; HISTOGRAMS];
        let (words, rest) = piece.as_chunks::<8>();
        for word in words {
            let word = u64::from_le_bytes(*word);
            for at in 0..8 {
                histograms[at % HISTOGRAMS][usize::from((word >> (8 * at)) as u8)] += 1;
            }
        }
        for &byte in rest {
            histograms[0][usize::from(byte)] += 1;
        }
        for histogram in &histograms {
            for (total, &count) in self.counts.iter_mut().zip(histogram) {
                *total += u64::from(count);
            }
        }
    }

    fn correlate(&mut self, piece: &[u8]) {
        let (&[first, ..], &[.., last]) = (piece, piece) else { return };
        if let Some((_, before)) = self.ends {
            self.products += u128::from(u32::from(before) * u32::from(first));
            self.bit_bridges += u64::from(before & (first >> 7));
        }
        let neighbours = || piece.iter().zip(&piece[1..]);
        let products: u32 = neighbours().map(|(&a, &b)| u32::from(a) * u32::from(b)).sum();
        let bridges: u32 = neighbours().map(|(&a, &b)| u32::from(a & (b >> 7))).sum();
        self.products += u128::from(products);
        self.bit_bridges += u64::from(bridges);
        self.ends = Some((self.ends.map_or(first, |(first, _)| first), last));
    }

    fn throw(&mut self, bytes: &[u8]) {
        let (partial, have) = &mut self.partial_point;
        let (missing, bytes) = bytes.split_at(bytes.len().min(POINT - *have));
        partial[*have..][..missing.len()].copy_from_slice(missing);
        *have += missing.len();
        if *have < POINT {
            return;
        }
        self.points += 1;
        self.points_inside += u64::from(is_inside(partial));
        let (points, rest) = bytes.as_chunks::<POINT>();
        self.points += points.len() as u64;
        self.points_inside += points.iter().map(|point| u64::from(is_inside(point))).sum::<u64>();
        partial[..rest.len()].copy_from_slice(rest);
        *have = rest.len();
    }

    /// Returns the number of occurrences of each value: 256 counts of bytes or 2 of bits.
    pub fn counts(&self, unit: Unit) -> Vec<u128> {
        match unit {
            Unit::Byte => self.counts.map(u128::from).into(),
            Unit::Bit => {
                let ones = self.sum(|byte| byte.count_ones());
                vec![self.sum(|_| 8) - ones, ones]
            }
        }
    }

    /// Σ `value`(x) over all bytes.
    fn sum(&self, value: fn(u8) -> u32) -> u128 {
        let each = (0..=255).zip(self.counts);
        each.map(|(byte, count)| u128::from(count) * u128::from(value(byte))).sum()
    }

    /// Returns the results so far.
    pub fn report(&self, unit: Unit) -> Report {
        let counts = self.counts(unit);
        let values = counts.len() as f64;
        let samples: u128 = counts.iter().sum();
        let n = samples as f64;
        let expected = n / values;
        let chi_square =
            counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum();
        let entropy = counts
            .iter()
            .filter(|&&count| count > 0)
            .map(|&count| count as f64 / n)
            .fold(0.0, |sum, p| sum + p * p.recip().log2());
        let pi = 4.0 * self.points_inside as f64 / self.points as f64;
        let (sum, squares, products) = self.moments(unit);
        let spread = samples * squares - sum * sum;
        let common = (samples * products).cast_signed() - (sum * sum).cast_signed();
        Report {
            unit,
            samples,
            entropy,
            compression_percent: 100.0 * (1.0 - entropy / values.log2()),
            chi_square,
            chi_square_percent: 100.0 * chi_square_tail(chi_square, counts.len() - 1),
            mean: sum as f64 / n,
            pi,
            pi_error_percent: 100.0 * (1.0 - pi / std::f64::consts::PI).abs(),
            serial_correlation: (spread > 0).then(|| common as f64 / spread as f64),
        }
    }

    /// Σ x, Σ x² and `Σ x[k] x[k+1]` around the stream.
    fn moments(&self, unit: Unit) -> (u128, u128, u128) {
        let (first, last) = self.ends.unwrap_or((0, 0));
        match unit {
            Unit::Byte => (
                self.sum(u32::from),
                self.sum(|byte| u32::from(byte).pow(2)),
                self.products + u128::from(last) * u128::from(first),
            ),
            Unit::Bit => {
                let ones = self.sum(|byte| byte.count_ones());
                let within = self.sum(|byte| (byte & (byte >> 1)).count_ones());
                let around = u128::from(last & (first >> 7));
                (ones, ones, within + u128::from(self.bit_bridges) + around)
            }
        }
    }
}

impl Default for Tally {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns true if a point lies in the quarter circle of radius 2^24 − 1.
fn is_inside(&[x2, x1, x0, y2, y1, y0]: &[u8; POINT]) -> bool {
    let x = u64::from(u32::from_be_bytes([0, x2, x1, x0]));
    let y = u64::from(u32::from_be_bytes([0, y2, y1, y0]));
    x * x + y * y <= ((1 << 24) - 1_u64).pow(2)
}

/// Returns the probability that a chi-squared variable of `freedom` degrees exceeds `x`.
pub(crate) fn chi_square_tail(x: f64, freedom: usize) -> f64 {
    if x.is_nan() {
        return x;
    }
    ChiSquared::new(freedom as f64).expect("there are degrees of freedom").sf(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tests by their definitions, sample by sample.
    fn plainly(bytes: &[u8], unit: Unit) -> (Vec<u128>, (u128, u128, u128), (u64, u64)) {
        let samples: Vec<u8> = match unit {
            Unit::Byte => bytes.to_vec(),
            Unit::Bit => {
                bytes.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1)).collect()
            }
        };
        let mut counts = vec![0; if unit == Unit::Byte { 256 } else { 2 }];
        let mut moments = (0, 0, 0);
        for (at, &sample) in samples.iter().enumerate() {
            counts[usize::from(sample)] += 1;
            let x = u128::from(sample);
            moments.0 += x;
            moments.1 += x * x;
            moments.2 += x * u128::from(samples[(at + 1) % samples.len()]);
        }
        let coordinate = |three: &[u8]| three.iter().fold(0, |x, &b| x * 256 + f64::from(b) as u64);
        let radius = coordinate(&[255; 3]);
        let points =
            bytes.chunks_exact(6).map(|six| (coordinate(&six[..3]), coordinate(&six[3..])));
        let inside = points.filter(|(x, y)| x * x + y * y <= radius * radius).count();
        (counts, moments, (bytes.len() as u64 / 6, inside as u64))
    }

    #[test]
    fn sums_are_those_of_the_definition_however_the_stream_is_cut() {
        let mut bytes = vec![255; 2 * PIECE + 77];
        arcfour::Rc4::from_key(b"cut").unwrap().fill(&mut bytes[PIECE + 5..]);
        for len in [0, 1, 2, 5, 6, 7, 8, 9, 1000, PIECE, PIECE + 1, bytes.len()] {
            let right = [Unit::Byte, Unit::Bit].map(|unit| plainly(&bytes[..len], unit));
            for cut in [1, 5, 6, 7, 13, 4096, PIECE + 3] {
                let mut tally = Tally::new();
                bytes[..len].chunks(cut).for_each(|part| tally.add(part));
                for (unit, right) in [Unit::Byte, Unit::Bit].into_iter().zip(&right) {
                    let points = (tally.points, tally.points_inside);
                    let found = (tally.counts(unit), tally.moments(unit), points);
                    assert_eq!(&found, right, "{len} bytes by {cut}");
                }
            }
        }
    }

    #[test]
    fn equal_bytes_have_no_correlation_and_no_entropy() {
        let mut tally = Tally::new();
        tally.add(&[200; 1000]);
        let report = tally.report(Unit::Byte);
        assert_eq!((report.serial_correlation, report.entropy), (None, 0.0));
    }
}
