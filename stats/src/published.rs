//! The published biases of RC4: each event, its probability and its source.
//!
//! N is 256. A value `times` means the probability times / N for single bytes, and times / N² for
//! pairs. A source is cited as author, year, and the theorem, table or section; the README lists
//! the sources in full.

/// The number of values of a byte.
pub const N: f64 = 256.0;

/// An event of some bytes, its probability in units of chance, and its source.
pub type Event<Bytes> = (Bytes, f64, &'static str);

const MAITRA: &str = "Maitra, Paul, Sen Gupta 2011, theorem 1";
const ALFARDAN: &str = "AlFardan et al. 2013, §3.1";
const ISOBE: &str = "Isobe et al. 2013, §3";
const VANHOEF: &str = "Vanhoef, Piessens 2015, §3.3";
/// The sources of checks that are computed by rules.
pub(crate) const SEN_GUPTA: &str = "Sen Gupta et al. 2014";
pub(crate) const FLUHRER: &str = "Fluhrer, McGrew 2000, table 1";
pub(crate) const MANTIN: &str = "Mantin 2005, theorem 1";
pub(crate) const PAUL_MAITRA: &str = "Roos 1995; Paul, Maitra 2007";
pub(crate) const ROOS: &str = "Roos 1995";
pub(crate) const JENKINS: &str = "Jenkins 1996";

fn power(exponent: f64) -> f64 {
    2_f64.powf(exponent)
}

/// Z_r = value, of 16-byte keys.
pub fn single_bytes() -> Vec<Event<(u32, u8)>> {
    let mut events = vec![
        ((2, 0), 2.0, "Mantin, Shamir 2001, theorem 1"),
        ((1, 129), 0.9933, ALFARDAN),
        ((1, 0), 0.9969, "Mironov 2002; Sen Gupta et al. 2014"),
        ((3, 131), 1.0 + power(-8.1), ISOBE),
        ((256, 0), 1.0 - power(-9.4), ISOBE),
        ((257, 0), 1.0 + power(-9.5), ISOBE),
    ];
    events.push(((3, 0), 1.0 + zero(3) / N, SEN_GUPTA));
    events.extend([4, 5, 128, 255].map(|r| ((r, 0), 1.0 + zero(r) / N, MAITRA)));
    events.push(((16, 240), 1.0 + power(-4.81), SEN_GUPTA));
    for (x, exponent) in (2_u8..).zip([-5.38, -5.94, -6.49, -7.22, -7.91, -8.66]) {
        events.push(((16 * u32::from(x), (16 * x).wrapping_neg()), 1.0 + power(exponent), ISOBE));
    }
    events
}

/// Returns c of Z_r = 0 with the probability 1/N + c/N², for r from 3 to 255.
///
/// Maitra, Paul, Sen Gupta 2011, theorem 1. Sen Gupta et al. 2014 correct it for r = 3.
fn zero(r: u32) -> f64 {
    let correction = if r == 3 { (N - 2.0) / (N - 1.0) } else { 0.0 };
    N / (N - 1.0) * (N * stays(r) - 1.0) - correction
}

/// Returns the probability that S\[r\] = r before step r.
fn stays(r: u32) -> f64 {
    let kept = 1.0 - 1.0 / N;
    let untouched = stepped(r, r) * kept.powf(f64::from(r) - 2.0);
    (2..r).fold(untouched, |sum, from| {
        let between = f64::from(r - from - 1) / N;
        // The value moves from S[from] to S[r] in `moves` further swaps.
        let (mut ways, mut moved) = (1.0, 0.0);
        for moves in 0..=r - from {
            moved += ways * kept.powf(f64::from(r) - 3.0 - f64::from(moves));
            ways *= between / f64::from(moves + 1);
        }
        sum + stepped(from, r) / N * moved
    })
}

/// Returns the probability that S\[u\] = v after the first step, for u > 1.
fn stepped(u: u32, v: u32) -> f64 {
    let hit = scheduled(1, u);
    if u == v { hit + (1.0 - hit) * scheduled(v, v) } else { (1.0 - hit) * scheduled(u, v) }
}

/// Returns the probability that S\[u\] = v after the key schedule (Mantin 2001).
fn scheduled(u: u32, v: u32) -> f64 {
    let kept = 1.0 - 1.0 / N;
    let (value, rest) = (kept.powf(f64::from(v)), kept.powf(N - 1.0 - f64::from(u)));
    if v <= u { (value + (1.0 - value) * rest) / N } else { (rest + value) / N }
}

/// Z_a = Z_b, of 16-byte keys.
pub fn equalities() -> [Event<(u32, u32)>; 4] {
    [
        ((1, 2), 1.0 - 1.0 / N, "Paul, Preneel 2004, theorem 1"),
        ((1, 3), 1.0 - power(-9.617), VANHOEF),
        ((1, 4), 1.0 + power(-8.590), VANHOEF),
        ((2, 4), 1.0 - power(-9.622), VANHOEF),
    ]
}

/// Z1 = Z2 = 0, of 16-byte keys.
pub const TWO_ZEROS: Event<()> = ((), 3.0, ISOBE);

/// A digraph by i, the i it is published for, and its relative bias in 1/256.
#[derive(Debug)]
pub struct Rule {
    /// Name of the event.
    pub event: &'static str,
    /// The digraph at this i.
    pub digraph: fn(u8) -> (u8, u8),
    /// Returns true if the bias exists at this i.
    pub holds: fn(u8) -> bool,
    /// Relative bias in units of 1/256.
    pub times: f64,
}

/// The long-term digraphs.
pub fn fluhrer_mcgrew() -> [Rule; 12] {
    let rule = |event, digraph, holds, times| Rule { event, digraph, holds, times };
    [
        rule("(0, 0), i = 1", |_| (0, 0), |i| i == 1, 2.0),
        rule("(0, 0), i ≠ 1, 255", |_| (0, 0), |i| i != 1 && i != 255, 1.0),
        rule("(0, 1), i ≠ 0, 1", |_| (0, 1), |i| i > 1, 1.0),
        rule("(0, i+1), i ≠ 0, 255", |i| (0, i.wrapping_add(1)), |i| i != 0 && i != 255, -1.0),
        rule("(i+1, 255), i ≠ 254", |i| (i.wrapping_add(1), 255), |i| i != 254, 1.0),
        rule("(129, 129), i = 2", |_| (129, 129), |i| i == 2, 1.0),
        rule("(255, i+1), i ≠ 1, 254", |i| (255, i.wrapping_add(1)), |i| i != 1 && i != 254, 1.0),
        rule(
            "(255, i+2), 1 ≤ i ≤ 252",
            |i| (255, i.wrapping_add(2)),
            |i| (1..=252).contains(&i),
            1.0,
        ),
        rule("(255, 0), i = 254", |_| (255, 0), |i| i == 254, 1.0),
        rule("(255, 1), i = 255", |_| (255, 1), |i| i == 255, 1.0),
        rule("(255, 2), i = 0, 1", |_| (255, 2), |i| i < 2, 1.0),
        rule("(255, 255), i ≠ 254", |_| (255, 255), |i| i != 254, -1.0),
    ]
}

/// Returns the probability that a digraph is repeated after a gap of `gap` bytes.
pub fn absab(gap: u32) -> f64 {
    (1.0 + ((-4.0 - 8.0 * f64::from(gap)) / N).exp() / N) / (N * N)
}

/// The indexes y whose S\[y\] is checked after the key schedule.
pub const ROOS_INDEXES: [u32; 7] = [0, 1, 2, 4, 8, 16, 32];

/// The probability that S\[y\] = y (y + 1) / 2 + K\[0\] + … + K\[y\] after the key schedule.
pub fn roos(y: u32) -> f64 {
    let y = f64::from(y);
    (1.0 - y / N) * (1.0 - 1.0 / N).powf(y * (y + 1.0) / 2.0 + N) + 1.0 / N
}

/// The probability that Z1 = K\[2\] + 3 if K\[0\] + K\[1\] = 0.
pub const ROOS_OUTPUT: f64 = 0.137;

/// The probability that S\[j\] = i − Z_r after step r.
pub const GLIMPSE: f64 = 2.0 / N;

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper of 2011 prints the largest and the smallest c: 1.3471679056 at r = 3, before the
    /// correction, and 0.2428109804 at r = 255.
    #[test]
    fn zeros_have_the_printed_probabilities() {
        assert!((zero(3) + 254.0 / 255.0 - 1.347_167_905_6).abs() < 1e-9);
        assert!((zero(255) - 0.242_810_980_4).abs() < 1e-9);
    }
}
