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
    for (r, c) in [(3, 0.355), (4, 1.307), (5, 1.330), (128, 0.535), (255, 0.245)] {
        events.push(((r, 0), 1.0 + c / N, MAITRA));
    }
    events.push(((16, 240), 1.0 + power(-4.81), SEN_GUPTA));
    for (x, exponent) in (2_u8..).zip([-5.38, -5.94, -6.49, -7.22, -7.91, -8.66]) {
        events.push(((16 * u32::from(x), (16 * x).wrapping_neg()), 1.0 + power(exponent), ISOBE));
    }
    events
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
