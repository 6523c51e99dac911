//! Holds the list of checks: each event, its source, its probability, and the counts it reads.

use arcfour_stats::{
    campaign::{Campaign, Kind},
    file::CountsFile,
    published::{absab, equalities, roos, single_bytes},
    verify::{Check, checks},
};

use crate::published::TABLE_1;

/// Keystreams of a filled campaign.
const ALL: u64 = 1_000_000;
/// Counters of the first bytes of 16-byte keys.
const FIRST: &str = "single = 257\ndigraphs = 1\nequal = [[1, 2], [1, 3], [1, 4], [2, 4]]\n";

fn campaign(keys: &str, count: &str) -> Campaign {
    let seed = "6c".repeat(32);
    Campaign::parse(&format!(
        "seed = '{seed}'\nshards = 1\nkeystreams = {ALL}\n{keys}\n[count]\n{count}"
    ))
    .unwrap()
}

/// Counts that differ from cell to cell. The last cell of a group makes up its sum.
fn filled(campaign: Campaign) -> CountsFile {
    let mut state = 1_u32;
    let tables = campaign.sections().into_iter().map(|section| {
        let mut table = vec![];
        for group in 0..section.groups {
            let mut left = campaign.events(section.kind, group) * ALL;
            let mean = left / section.cells as u64;
            for _ in 1..section.cells {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let count = mean * u64::from(state >> 28) / 16;
                table.push(count);
                left -= count;
            }
            table.push(left);
        }
        table
    });
    let tables = tables.collect();
    CountsFile::new(campaign, vec![(0, 0)], None, tables).unwrap()
}

/// The cells of a group.
fn cells(file: &CountsFile, kind: Kind, group: usize) -> &[u64] {
    let (section, table) = file.table(kind).unwrap();
    &table[group * section.cells..][..section.cells]
}

/// The count of a pair of bytes, all counts of its group, and the pair's expectation if its bytes
/// are independent.
fn pair(file: &CountsFile, kind: Kind, group: usize, (x, y): (u8, u8)) -> (u64, u64, f64) {
    let cells = cells(file, kind, group);
    let at = |x: usize, y: usize| cells[256 * x + y];
    let (x, y) = (usize::from(x), usize::from(y));
    let all: u64 = cells.iter().sum();
    let row: u64 = (0..256).map(|y| at(x, y)).sum();
    let column: u64 = (0..256).map(|x| at(x, y)).sum();
    (at(x, y), all, row as f64 * column as f64 / all as f64)
}

/// An event and its source, its probability, count, trials and chance.
type Row = (String, &'static str, f64, u64, u64, f64);

/// The first bytes of 16-byte keys.
fn first_bytes(file: &CountsFile) -> Vec<Row> {
    let bytes = |r: u32| cells(file, Kind::Single, r as usize - 1);
    let mut rows = vec![];
    for ((r, value), times, source) in single_bytes() {
        let count = bytes(r)[usize::from(value)];
        rows.push((format!("Z{r} = {value}"), source, times / 256.0, count, ALL, 1.0 / 256.0));
    }
    for (at, ((a, b), times, source)) in equalities().into_iter().enumerate() {
        let both: u64 = (0..256).map(|byte| bytes(a)[byte] * bytes(b)[byte]).sum();
        let count = cells(file, Kind::Equal, at)[1];
        let chance = both as f64 / (ALL as f64).powi(2);
        rows.push((format!("Z{a} = Z{b}"), source, times / 256.0, count, ALL, chance));
    }
    let (count, _, expected) = pair(file, Kind::Digraphs, 0, (0, 0));
    let (published, chance) = (3.0 / 65_536.0, expected / ALL as f64);
    let source = "Isobe et al. 2013, §3";
    rows.push(("Z1 = Z2 = 0".into(), source, published, count, ALL, chance));
    rows
}

/// Table 1 of Fluhrer and McGrew, each row over its i in the long-term counts.
fn long_term(file: &CountsFile) -> Vec<Row> {
    let rows = TABLE_1.iter().map(|&(event, digraph, holds, times)| {
        let (mut hits, mut trials, mut expected) = (0, 0, 0.0);
        for i in (0..=255).filter(|&i| holds(i)) {
            if file.campaign().events(Kind::LongTerm, i.into()) > 0 {
                let here = pair(file, Kind::LongTerm, i.into(), digraph(i));
                (hits, trials, expected) = (hits + here.0, trials + here.1, expected + here.2);
            }
        }
        let chance = expected / trials as f64;
        let published = chance * (1.0 + times / 256.0);
        (event.to_owned(), "Fluhrer, McGrew 2000, table 1", published, hits, trials, chance)
    });
    rows.filter(|row| row.4 > 0).collect()
}

/// The checks of a file are these rows, in this order.
fn assert_list(file: &CountsFile, right: &[Row]) {
    let found = checks(file);
    for (Check { event, source, published, measured }, right) in found.iter().zip(right) {
        let counts = (&event[..], *source, measured.hits, measured.trials);
        assert_eq!(counts, (&right.0[..], right.1, right.3, right.4));
        for (found, right) in [(published, right.2), (&measured.chance, right.5)] {
            assert!((found / right - 1.0).abs() < 1e-12, "{event}: {found} is not {right}");
        }
    }
    assert_eq!(found.len(), right.len());
}

#[test]
fn every_counter_gives_its_checks() {
    let count = "pairs = [[3, 1], [512, 514]]\nlong-term = 300\nabsab = [10, 2]\nroos = 33\n\
                 roos-output = true\nglimpse = 2";
    let file = filled(campaign("key-length = 16", &format!("{FIRST}{count}")));
    let mut right = first_bytes(&file);
    let (hits, _, expected) = pair(&file, Kind::Pairs, 1, (0, 0));
    let chance = expected / ALL as f64;
    let published = chance * 257.0 / 256.0;
    right.push(("Z512 = Z514 = 0".into(), "Sen Gupta et al. 2014", published, hits, ALL, chance));
    right.extend(long_term(&file));
    for gap in 0..2 {
        let hits = cells(&file, Kind::Absab, gap)[1];
        let (event, published) = (format!("ABSAB, gap {gap}"), absab(gap as u32));
        let chance = 1.0 / 65_536.0;
        right.push((event, "Mantin 2005, theorem 1", published, hits, 10 * ALL, chance));
    }
    for (y, event) in [
        (0, "S[0] = K[0]"),
        (1, "S[1] = 1 + K[0] + K[1]"),
        (2, "S[2] = 3 + ΣK[0…2]"),
        (4, "S[4] = 10 + ΣK[0…4]"),
        (8, "S[8] = 36 + ΣK[0…8]"),
        (16, "S[16] = 136 + ΣK[0…16]"),
        (32, "S[32] = 528 + ΣK[0…32]"),
    ] {
        let (hits, source) = (cells(&file, Kind::Roos, y)[0], "Roos 1995; Paul, Maitra 2007");
        right.push((event.into(), source, roos(y as u32), hits, ALL, 1.0 / 256.0));
    }
    let weak = &cells(&file, Kind::RoosOutput, 0)[..256];
    let (event, all) = ("Z1 = K[2] + 3, weak key".into(), weak.iter().sum());
    right.push((event, "Roos 1995", 0.137, weak[0], all, 1.0 / 256.0));
    let hits = cells(&file, Kind::Glimpse, 0)[0] + cells(&file, Kind::Glimpse, 1)[0];
    let chance = 1.0 / 256.0;
    right.push(("S[j] = i − Z_r".into(), "Jenkins 1996", 2.0 / 256.0, hits, 2 * ALL, chance));
    assert_list(&file, &right);
}

/// The biases of the first bytes are published for 16-byte keys without pattern and drop.
#[test]
fn other_keys_have_no_check_of_the_first_bytes() {
    let file = filled(campaign("key-length = 16", FIRST));
    assert_list(&file, &first_bytes(&file));
    for keys in
        ["key-length = 15", "key-length = 16\nkey-pattern = 'tkip'", "key-length = 16\ndrop = 1"]
    {
        assert_list(&filled(campaign(keys, FIRST)), &[]);
    }
}

/// Two zeros are checked at multiples of 256, counted from the start of the keystream.
#[test]
fn the_drop_moves_the_multiples_of_256() {
    let count = "pairs = [[6, 4], [4, 5], [3, 5], [4, 6], [256, 258]]";
    let file = filled(campaign("key-length = 5\ndrop = 252", count));
    let (hits, _, expected) = pair(&file, Kind::Pairs, 3, (0, 0));
    let chance = expected / ALL as f64;
    let (event, source) = ("Z256 = Z258 = 0".into(), "Sen Gupta et al. 2014");
    assert_list(&file, &[(event, source, chance * 257.0 / 256.0, hits, ALL, chance)]);
}

/// One position of the long-term digraphs has one i.
#[test]
fn digraphs_of_an_i_without_counts_are_not_checked() {
    let file = filled(campaign("key-length = 5\ndrop = 1", "long-term = 1"));
    let right = long_term(&file);
    assert_eq!(right.len(), 8);
    assert_list(&file, &right);
}

/// Equal bytes are compared with 1/256 where the single bytes were not counted.
#[test]
fn equal_bytes_without_single_bytes_have_the_chance_of_uniform_bytes() {
    let file = filled(campaign("key-length = 16", "single = 2\nequal = [[1, 3]]"));
    let equal = checks(&file).into_iter().find(|check| check.event == "Z1 = Z3").unwrap();
    assert_eq!(equal.measured.chance, 1.0 / 256.0);
    assert_eq!(equal.measured.hits, cells(&file, Kind::Equal, 0)[1]);
}

#[test]
fn without_weak_keys_their_first_byte_is_not_checked() {
    let mut table = vec![0; 1 << 16];
    table[256] = ALL; // K[0] + K[1] = 1
    let campaign = campaign("key-length = 5", "roos-output = true");
    let file = CountsFile::new(campaign, vec![(0, 0)], None, vec![table]).unwrap();
    assert_list(&file, &[]);
}
