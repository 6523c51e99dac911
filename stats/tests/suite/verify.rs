//! Looks for published biases in samples of RC4, in samples that are too small, and in random
//! bytes.

use arcfour_stats::{
    campaign::Campaign,
    compare,
    file::CountsFile,
    sampler::Sampler,
    table,
    verify::{Check, Uniformity, Verdict, checks, holm, uniformity, verdicts},
};

use crate::empty_tables;

fn campaign(keystreams: u64, single: u32, more: &str) -> Campaign {
    seeded(keystreams, 0xb1, single, more)
}

fn seeded(keystreams: u64, seed: u8, single: u32, more: &str) -> Campaign {
    let seed = format!("{seed:02x}a5").repeat(16);
    Campaign::parse(&format!(
        "seed = '{seed}'\nshards = 1\nkeystreams = {keystreams}\nkey-length = 16\n[count]\n\
         single = {single}\ndigraphs = 1\nequal = [[1, 2], [1, 3], [1, 4], [2, 4]]\n{more}"
    ))
    .unwrap()
}

fn counted(campaign: Campaign) -> CountsFile {
    let mut sampler = Sampler::start(campaign, 0).unwrap();
    while sampler.step() {}
    sampler.counts()
}

/// The counts of a table, by position from 0 and value.
fn singles(positions: usize, count: impl Fn(usize, usize) -> u64) -> CountsFile {
    let line = |cell| format!("{} {} {}\n", cell >> 8, cell & 0xff, count(cell >> 8, cell & 0xff));
    table::parse(&(0..positions << 8).map(line).collect::<String>()).unwrap()
}

fn verdict_on(event: &str, checks: &[Check], verdicts: &[Verdict]) -> Verdict {
    verdicts[checks.iter().position(|check| check.event == event).unwrap()]
}

#[test]
fn known_biases_are_seen_in_keystreams() {
    let campaign = campaign(1 << 23, 16, "");
    let file = counted(campaign);
    let checks = checks(&file);
    let verdicts = verdicts(&checks);
    for event in ["Z2 = 0", "Z16 = 240", "Z1 = Z2 = 0"] {
        assert_eq!(verdict_on(event, &checks, &verdicts), Verdict::Seen, "{event}");
    }
    assert!(!verdicts.contains(&Verdict::Missing));
    let Uniformity { biased, tested } = uniformity(&file);
    assert_eq!((biased, tested), (vec![2], 16));
}

#[test]
fn biases_of_key_and_state_are_seen() {
    let text = "roos = 33\nroos-output = true\nglimpse = 2";
    let file = counted(campaign(1 << 18, 257, text));
    let checks = checks(&file);
    let verdicts = verdicts(&checks);
    for event in
        ["S[0] = K[0]", "S[16] = 136 + ΣK[0…16]", "Z1 = K[2] + 3, weak key", "S[j] = i − Z_r"]
    {
        assert_eq!(verdict_on(event, &checks, &verdicts), Verdict::Seen, "{event}");
    }
    let close = |event: &str, measured: f64| {
        let check = checks.iter().find(|check| check.event == event).unwrap();
        assert!((check.measured.probability().unwrap() / measured - 1.0).abs() < 0.05, "{event}");
    };
    close("S[0] = K[0]", 0.3686);
    close("S[2] = 3 + ΣK[0…2]", 0.3613);
    close("S[16] = 136 + ΣK[0…16]", 0.2017);
}

/// Runs the same list on a generator without biases: no bias is seen, and all required biases are
/// missing.
#[test]
fn random_bytes_show_no_bias() {
    use chacha20::rand_core::{Rng, SeedableRng};
    let campaign = campaign(1 << 18, 257, "");
    for seed in 0..3 {
        let mut random = chacha20::ChaCha8Rng::from_seed([seed; 32]);
        let mut tables = empty_tables(&campaign);
        let mut z = [0; 257];
        for _ in 0..campaign.keystreams() {
            random.fill_bytes(&mut z);
            for (position, &z) in z.iter().enumerate() {
                tables[0][position << 8 | usize::from(z)] += 1;
            }
            tables[1][usize::from(z[0]) << 8 | usize::from(z[1])] += 1;
            for (at, (a, b)) in [(0, 1), (0, 2), (0, 3), (1, 3)].into_iter().enumerate() {
                tables[2][2 * at + usize::from(z[a] == z[b])] += 1;
            }
        }
        let file = CountsFile::new(campaign.clone(), vec![(0, 0)], None, tables).unwrap();
        let checks = checks(&file);
        let verdicts = verdicts(&checks);
        for (check, verdict) in checks.iter().zip(verdicts) {
            let right = if check.event == "Z2 = 0" { Verdict::Missing } else { Verdict::TooFew };
            assert_eq!(verdict, right, "seed {seed}: {}", check.event);
        }
        assert!(uniformity(&file).biased.is_empty(), "seed {seed}");
    }
}

#[test]
fn holm_steps_down_until_the_first_that_stands() {
    assert_eq!(holm(&[0.01, 0.04, 0.03, 0.005], 0.05), [true, false, false, true]);
    assert_eq!(holm(&[0.02, 0.02], 0.05), [true, true]);
    assert_eq!(holm(&[0.025, 0.05], 0.05), [true, true]);
    assert_eq!(holm(&[], 0.05), [] as [bool; 0]);
}

#[test]
fn what_is_not_a_number_is_not_rejected() {
    for nan in [f64::NAN, -f64::NAN] {
        assert_eq!(holm(&[nan, 0.001, 0.5], 0.05), [false, true, false]);
        assert_eq!(holm(&[nan], 0.05), [false]);
    }
}

/// Samples of RC4 of every size below the checks' need. No bias is missing, only the large biases
/// of the key schedule are seen, and no position is called biased. Every figure is a number.
#[test]
fn small_samples_show_too_little() {
    let more = "pairs = [[256, 258]]\nabsab = [2, 2]\nroos = 33\nroos-output = true";
    let flat = [40, 1_000_000].map(|flat| singles(257, |_, _| flat));
    for keystreams in [1, 2, 3, 5, 10, 20, 50, 100, 300, 1000, 3000] {
        for seed in 0..4 {
            let file = counted(seeded(keystreams, seed, 257, more));
            let checks = checks(&file);
            for (check, verdict) in checks.iter().zip(verdicts(&checks)) {
                let Check { event, measured, .. } = check;
                assert_ne!(verdict, Verdict::Missing, "{keystreams}: {event}: {measured:?}");
                let large =
                    event == "Z2 = 0" || event.starts_with("S[") || event.ends_with("weak key");
                assert!(verdict != Verdict::Seen || large, "{keystreams}: {event}");
                let figures = [measured.probability(), measured.z(), check.expected_z()];
                assert!(figures.iter().flatten().all(|figure| figure.is_finite()));
            }
            assert_eq!(uniformity(&file).biased, [] as [u32; 0], "{keystreams}, {seed}");
            for flat in &flat {
                let differs = |position: &compare::Agreement| {
                    let differs = position.verdict == compare::Verdict::Differs;
                    differs && position.position != 2 || position.chi_square.is_nan()
                };
                let positions = compare::compare(&file, flat).unwrap();
                let found = positions.iter().find(|position| differs(position));
                assert!(found.is_none(), "{keystreams}, {seed}: {found:?}");
            }
        }
    }
}

/// If m of 400 bytes move from one value to another, chi-squared is 2 m² / 400. Its tail of 255
/// degrees is 0.00142 for m = 256, 0.00075 for 258, 0.00038 for 260 and 0.00009 for 264.
#[test]
fn a_position_is_biased_from_the_critical_chi_squared_on() {
    for (moved, biased) in [
        (&[256][..], &[][..]),
        (&[258], &[1]),
        (&[258, 0], &[]),
        (&[260, 0], &[1]),
        (&[0, 258, 264], &[3]),
        (&[0, 260, 264], &[2, 3]),
    ] {
        let file = singles(moved.len(), |at, value| match value {
            7 => 400 + moved[at],
            9 => 400 - moved[at],
            _ => 400,
        });
        let right = Uniformity { biased: biased.to_vec(), tested: moved.len() };
        assert_eq!(uniformity(&file), right, "{moved:?}");
    }
    for (last, tested) in [(20, 2), (19, 0)] {
        let file = singles(2, |_, value| if value == 255 { last } else { 20 });
        assert_eq!(uniformity(&file).tested, tested);
    }
}
