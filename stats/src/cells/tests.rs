//! The names and groups of cells, and tails of binomial distributions beside exact sums.

use super::{proportion::NORMAL, *};
use crate::campaign::Campaign;

fn campaign() -> Campaign {
    Campaign::parse(&format!(
        "seed = '{}'\nshards = 1\nkeystreams = 1\nkey-length = 16\ndrop = 254\n[count]\n\
         single = 4\npairs = [[1, 3], [9, 7]]\nequal = [[1, 2]]\nlong-term = 1\nroos-output = true",
        "00".repeat(32)
    ))
    .unwrap()
}

#[test]
fn selections_name_groups() {
    let campaign = campaign();
    let names = |text: &str| -> Result<Vec<String>, String> {
        let selection: Selection =
            text.parse().map_err(|error: SelectionError| error.to_string())?;
        let groups = selection.groups(&campaign).map_err(|error| error.to_string())?;
        Ok(groups.iter().map(|group| group.name(&campaign)).collect())
    };
    assert_eq!(names("single:2-3").unwrap(), ["single:2", "single:3"]);
    assert_eq!(names("pair").unwrap(), ["pair:1,3", "pair:9,7"]);
    assert_eq!(names("pair:9,7").unwrap(), ["pair:9,7"]);
    assert_eq!(names("roos-output").unwrap(), ["roos-output"]);
    assert_eq!(names("long-term").unwrap().len(), 256);
    for text in ["single:0", "single:3-5", "pair:7,9", "pair:1-3", "digraph", "single:1,2"] {
        assert_eq!(names(text).unwrap_err(), format!("the campaign did not count {text}"));
    }
    for text in ["", "singel", "single:", "single:2-1", "single:x", "single:-1"] {
        assert!(names(text).unwrap_err().starts_with("groups are single:R"), "{text}");
    }
}

#[test]
fn cells_are_named_by_bytes_or_from_i() {
    let campaign = campaign();
    let cell = |kind, index, cells, text: &str| {
        let name = text.parse::<CellName>().unwrap();
        name.cell(Group { kind, index }, cells, &campaign)
    };
    assert_eq!(cell(Kind::LongTerm, 255, 65_536, "255,i+2"), Ok(255 << 8 | 1));
    assert_eq!(cell(Kind::Single, 1, 256, "i"), Ok(0)); // r = 2 after 254 bytes
    assert_eq!(cell(Kind::Single, 1, 256, "i-1"), Ok(255));
    assert_eq!(cell(Kind::Equal, 0, 2, "1"), Ok(1));
    for (kind, cells, text) in [
        (Kind::Single, 256, "1,2"),
        (Kind::Pairs, 65_536, "7"),
        (Kind::Pairs, 65_536, "i,7"),
        (Kind::Equal, 2, "2"),
    ] {
        assert!(cell(kind, 0, cells, text).is_err(), "{text}");
    }
    for text in ["256", "", "1,2,3", "i1", "i+256", "-1"] {
        assert!(text.parse::<CellName>().is_err(), "{text}");
    }
}

/// Of 10 trials at 1/2: at most 2 come with (1 + 10 + 45) / 1024.
#[test]
fn small_tails_are_exact() {
    let close = |found: f64, right: f64| {
        assert!((found / right - 1.0).abs() < 1e-12, "{found} is not {right}");
    };
    close(tails(2, 10, 0.5).0, 56.0 / 1024.0);
    close(tails(2, 10, 0.5).1, 1013.0 / 1024.0);
    close(tails(8, 10, 0.5).1, 56.0 / 1024.0);
    close(tails(0, 1000, 0.001).0, 0.999_f64.powi(1000));
    close(tails(1, 1, 1e-9).1, 1e-9);
    assert_eq!(tails(0, 1000, 0.0), (1.0, 1.0));
    assert_eq!(tails(3, 3, 1.0), (1.0, 1.0));
}

/// The binomial distribution of `n` trials, trial by trial.
pub(crate) fn binomial(n: usize, p: f64) -> Vec<f64> {
    let mut all = vec![1.0];
    for _ in 0..n {
        let hits = all.iter().map(|before| before * p);
        let mut next: Vec<f64> = all.iter().map(|before| before * (1.0 - p)).collect();
        next.push(0.0);
        next[1..].iter_mut().zip(hits).for_each(|(sum, hit)| *sum += hit);
        all = next;
    }
    all
}

/// The larger tail is 1 less the smaller, so that only its absolute error is small.
#[test]
fn every_tail_is_the_sum_of_its_counts() {
    for (n, p) in [(10, 0.3), (60, 0.5), (60, 0.9), (99, 1.0 / 256.0), (99, 255.0 / 256.0)] {
        let all = binomial(n, p);
        for hits in 0..=n {
            let (lower, upper) = tails(hits as u64, n as u64, p);
            let right: [f64; 2] = [all[..=hits].iter().sum(), all[hits..].iter().sum()];
            let smaller = right[0].min(right[1]);
            assert!((lower.min(upper) / smaller - 1.0).abs() < 1e-11, "{hits} of {n}, {p}");
            for (found, right) in [(lower, right[0]), (upper, right[1])] {
                assert!((found - right).abs() < 1e-11, "{hits} of {n}, {p}: {found}, {right}");
            }
        }
    }
    for (tails, right) in [
        (tails(1, 1000, 0.0), (1.0, 0.0)),
        (tails(2, 3, 1.0), (0.0, 1.0)),
        (tails(0, 0, 0.5), (1.0, 1.0)),
        (tails(0, 0, 0.9), (1.0, 1.0)),
    ] {
        assert_eq!(tails, right);
    }
}

/// Tails of 30,000 trials from exact fractions. Their variances are below 1000, although the hits,
/// their distance from the mean, or the number of trials are large.
#[test]
fn tails_are_exact_where_the_variance_is_small() {
    for (hits, p, right) in
        [(29_650, 0.99, 0.002_490_459_357_115_767_6), (100, 1.0 / 256.0, 0.058_475_681_975_467_67)]
    {
        let (lower, _) = tails(hits, 30_000, p);
        assert!((lower / right - 1.0).abs() < 1e-9, "{lower} is not {right}");
    }
    assert_eq!(tails(30_000, 1_000_000, 1e-4), (1.0, 0.0));
}

/// Both formulas agree at the point where the code switches between them.
#[test]
fn large_tails_go_over_into_the_normal_ones() {
    let trials = 4 * NORMAL as u64;
    for z in [-4, -1, 0, 1, 4] {
        let hits = (trials / 2).saturating_add_signed(z * NORMAL.sqrt() as i64);
        let (lower, upper) = tails(hits, trials - 1, 0.5);
        let normal = tails(hits, trials, 0.5);
        for (exact, normal) in [(lower, normal.0), (upper, normal.1)] {
            assert!((exact / normal - 1.0).abs() < 0.2, "z = {z}: {exact} and {normal}");
        }
    }
}

/// One hit is no discovery where 0.015 were expected, although the z-score is 8. A proportion
/// without variance has no z-score, instead of NaN.
#[test]
fn few_trials_prove_nothing() {
    let once = Proportion { hits: 1, trials: 1000, chance: 2_f64.powi(-16) };
    assert!(once.z().unwrap() > 7.9 && once.p_value() > 0.01);
    let none = Proportion { hits: 0, trials: 1000, chance: 0.0 };
    assert_eq!((none.relative_bias(), none.z(), none.p_value()), (None, None, 1.0));
    let empty = Proportion { hits: 0, trials: 0, chance: 0.5 };
    assert_eq!((empty.probability(), empty.z(), empty.p_value()), (None, None, 1.0));
}
