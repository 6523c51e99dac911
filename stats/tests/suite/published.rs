//! Tests the published probabilities: which bytes, at which i, and how much more likely than chance.

use arcfour_stats::published::{
    ROOS_INDEXES, absab, equalities, fluhrer_mcgrew, roos, single_bytes,
};

fn close(found: f64, right: f64) {
    assert!((found / right - 1.0).abs() < 1e-11, "{found} is not {right}");
}

/// The excess over chance of every published byte: powers of 2 as printed, and c/N of Z_r = 0 from
/// the theorem in exact fractions. c is the printed 1.3471679056 at r = 3, less 254/255.
#[test]
fn every_bias_of_a_byte_has_its_probability() {
    const ISOBE: &str = "Isobe et al. 2013, §3";
    const MAITRA: &str = "Maitra, Paul, Sen Gupta 2011, theorem 1";
    const SEN_GUPTA: &str = "Sen Gupta et al. 2014";
    let right = [
        ((2, 0), 1.0, "Mantin, Shamir 2001, theorem 1"),
        ((1, 129), -0.0067, "AlFardan et al. 2013, §3.1"),
        ((1, 0), -0.0031, "Mironov 2002; Sen Gupta et al. 2014"),
        ((3, 131), 0.003_644_660_123_190_654, ISOBE),
        ((256, 0), -0.001_480_191_959_482_811, ISOBE),
        ((257, 0), 0.001_381_067_932_004_976, ISOBE),
        ((3, 0), 0.351_089_474_275_307_34 / 256.0, SEN_GUPTA),
        ((4, 0), 1.337_057_203_218_629 / 256.0, MAITRA),
        ((5, 0), 1.327_021_574_020_546_4 / 256.0, MAITRA),
        ((128, 0), 0.529_612_444_125_089_9 / 256.0, MAITRA),
        ((255, 0), 0.242_810_980_389_376_85 / 256.0, MAITRA),
        ((16, 240), 0.035_648_866_120_888_24, SEN_GUPTA),
        ((32, 224), 0.024_013_674_707_625_193, ISOBE),
        ((48, 208), 0.016_288_527_513_142_522, ISOBE),
        ((64, 192), 0.011_125_392_153_102_123, ISOBE),
        ((80, 176), 0.006_707_542_472_169_951, ISOBE),
        ((96, 160), 0.004_157_696_025_208_437, ISOBE),
        ((112, 144), 0.002_472_180_847_598_203, ISOBE),
    ];
    let found = single_bytes();
    for ((bytes, times, source), right) in found.iter().zip(right) {
        assert_eq!((*bytes, *source), (right.0, right.2));
        close(times - 1.0, right.1);
    }
    assert_eq!(found.len(), right.len());
}

#[test]
fn equal_bytes_have_the_printed_exponents() {
    let vanhoef = "Vanhoef, Piessens 2015, §3.3";
    for ((bytes, times, source), right) in equalities().into_iter().zip([
        ((1, 2), -1.0 / 256.0, "Paul, Preneel 2004, theorem 1"),
        ((1, 3), -0.001_273_487_046_150_94, vanhoef),
        ((1, 4), 0.002_595_089_480_657_249, vanhoef),
        ((2, 4), -0.001_269_081_115_679_140_6, vanhoef),
    ]) {
        assert_eq!((bytes, source), (right.0, right.2));
        close(times - 1.0, right.1);
    }
}

/// A name, the digraph at i, the values of i it is published for, and its excess.
type Row = (&'static str, fn(u8) -> (u8, u8), fn(u8) -> bool, f64);

/// Table 1 of Fluhrer and McGrew.
pub(crate) const TABLE_1: [Row; 12] = [
    ("(0, 0), i = 1", |_| (0, 0), |i| i == 1, 2.0),
    ("(0, 0), i ≠ 1, 255", |_| (0, 0), |i| ![1, 255].contains(&i), 1.0),
    ("(0, 1), i ≠ 0, 1", |_| (0, 1), |i| ![0, 1].contains(&i), 1.0),
    ("(0, i+1), i ≠ 0, 255", |i| (0, i.wrapping_add(1)), |i| ![0, 255].contains(&i), -1.0),
    ("(i+1, 255), i ≠ 254", |i| (i.wrapping_add(1), 255), |i| i != 254, 1.0),
    ("(129, 129), i = 2", |_| (129, 129), |i| i == 2, 1.0),
    ("(255, i+1), i ≠ 1, 254", |i| (255, i.wrapping_add(1)), |i| ![1, 254].contains(&i), 1.0),
    (
        "(255, i+2), 1 ≤ i ≤ 252",
        |i| (255, i.wrapping_add(2)),
        |i| ![0, 253, 254, 255].contains(&i),
        1.0,
    ),
    ("(255, 0), i = 254", |_| (255, 0), |i| i == 254, 1.0),
    ("(255, 1), i = 255", |_| (255, 1), |i| i == 255, 1.0),
    ("(255, 2), i = 0, 1", |_| (255, 2), |i| [0, 1].contains(&i), 1.0),
    ("(255, 255), i ≠ 254", |_| (255, 255), |i| i != 254, -1.0),
];

#[test]
fn long_term_digraphs_are_those_of_the_table() {
    for (rule, (event, digraph, holds, times)) in fluhrer_mcgrew().iter().zip(TABLE_1) {
        assert_eq!((rule.event, rule.times), (event, times));
        for i in 0..=255 {
            assert_eq!((rule.holds)(i), holds(i), "{event} at {i}");
            if holds(i) {
                assert_eq!((rule.digraph)(i), digraph(i), "{event} at {i}");
            }
        }
    }
}

/// Mantin's ABSAB bias falls with the gap: e^((−4 − 8 gap) / 256) / 256 above chance.
#[test]
fn repeated_digraphs_have_the_probability_of_the_theorem() {
    for (gap, right) in [
        (0, 0.000_015_317_469_622_910_345),
        (1, 0.000_015_315_664_211_867_403),
        (2, 0.000_015_313_914_347_482_693),
    ] {
        close(absab(gap) - 1.0 / 65_536.0, right - 1.0 / 65_536.0);
    }
}

/// The first three are the 0.371, 0.368 and 0.364 of the literature.
#[test]
fn roos_bias_has_the_probability_of_the_formula() {
    for (y, right) in ROOS_INDEXES.into_iter().zip([
        0.371_066_004_891_536_26,
        0.368_203_171_719_698,
        0.363_945_184_628_064_83,
        0.351_456_654_216_608_03,
        0.312_846_526_689_767_2,
        0.206_047_805_940_758_97,
        0.044_585_853_266_425_856,
    ]) {
        close(roos(y), right);
    }
    assert_eq!(ROOS_INDEXES, [0, 1, 2, 4, 8, 16, 32]);
}
