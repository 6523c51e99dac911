//! The checks that the counters of a campaign allow.

use super::check::Check;
use crate::{
    campaign::Kind,
    cells::{Cells, Group, Proportion},
    file::CountsFile,
    published::{self, N},
};

/// Returns every published bias that the campaign's counters can show.
pub fn checks(file: &CountsFile) -> Vec<Check> {
    let campaign = file.campaign();
    let mut checks = vec![];
    if campaign.drop() == 0 && campaign.key_pattern().is_none() && campaign.key_length() == 16 {
        checks.extend(first_bytes(file));
    }
    checks.extend(zeros_far_on(file));
    checks.extend(long_term_digraphs(file));
    checks.extend(repeated_digraphs(file));
    checks.extend(roos(file));
    checks.extend(roos_output(file));
    checks.extend(glimpse(file));
    checks
}

/// True for 16-byte keys without a drop.
fn first_bytes(file: &CountsFile) -> Vec<Check> {
    let singles = published::single_bytes().into_iter().map(|((r, value), times, source)| {
        let group = Group::at(Kind::Single, r);
        (group, usize::from(value), format!("Z{r} = {value}"), times / N, source)
    });
    let equalities = published::equalities().into_iter().map(|((a, b), times, source)| {
        let group = Group::of(file.campaign(), Kind::Equal, a, b);
        (group, 1, format!("Z{a} = Z{b}"), times / N, source)
    });
    let ((), times, source) = published::TWO_ZEROS;
    let first = Group::at(Kind::Digraphs, 1);
    let zeros = (first, 0, "Z1 = Z2 = 0".to_owned(), times / (N * N), source);
    singles
        .chain(equalities)
        .chain([zeros])
        .filter_map(|(group, cell, event, published, source)| {
            let measured = Cells::of(file, group?)?.proportion(cell);
            Some(Check { event, source, published, measured })
        })
        .collect()
}

/// Z_wN = 0 and Z_wN+2 = 0.
fn zeros_far_on(file: &CountsFile) -> Vec<Check> {
    let drop = file.campaign().drop();
    let pairs = file.campaign().count().pairs.iter();
    pairs
        .filter(|&&(a, b)| b == a + 2 && (a + drop).is_multiple_of(256))
        .filter_map(|&(a, b)| {
            let group = Group::of(file.campaign(), Kind::Pairs, a, b)?;
            let measured = Cells::of(file, group)?.proportion(0);
            let published = measured.chance * (1.0 + 2_f64.powi(-8));
            let event = format!("Z{} = Z{} = 0", a + drop, b + drop);
            Some(Check { event, source: published::SEN_GUPTA, published, measured })
        })
        .collect()
}

/// The long-term digraphs, each over all published i.
fn long_term_digraphs(file: &CountsFile) -> Vec<Check> {
    let kind = Kind::LongTerm;
    let tables: Vec<_> = (0..256).map(|index| Cells::of(file, Group { kind, index })).collect();
    let check = |rule: published::Rule| {
        let mut measured = Proportion { hits: 0, trials: 0, chance: 0.0 };
        for i in (0..=255).filter(|&i| (rule.holds)(i)) {
            let Some(cells) = &tables[usize::from(i)] else { continue };
            let (x, y) = (rule.digraph)(i);
            let here = cells.proportion(usize::from(x) << 8 | usize::from(y));
            measured.hits += here.hits;
            measured.trials += here.trials;
            measured.chance += here.trials as f64 * here.chance;
        }
        measured.chance /= measured.trials as f64;
        let published = measured.chance * (1.0 + rule.times / N);
        Check { event: rule.event.into(), source: published::FLUHRER, published, measured }
    };
    let checks = published::fluhrer_mcgrew().into_iter().map(check);
    checks.filter(|check| check.measured.trials > 0).collect()
}

/// A digraph that is repeated after a gap.
fn repeated_digraphs(file: &CountsFile) -> Vec<Check> {
    let check = |gap| {
        let cells = Cells::of(file, Group { kind: Kind::Absab, index: gap as usize })?;
        let (measured, published) = (cells.proportion(1), published::absab(gap));
        let event = format!("ABSAB, gap {gap}");
        Some(Check { event, source: published::MANTIN, published, measured })
    };
    (0..file.campaign().count().absab.1).filter_map(check).collect()
}

/// S\[y\] after the key schedule.
fn roos(file: &CountsFile) -> Vec<Check> {
    let check = |y| {
        let cells = Cells::of(file, Group { kind: Kind::Roos, index: y as usize })?;
        let (measured, published) = (cells.proportion(0), published::roos(y));
        let event = match y {
            0 => "S[0] = K[0]".into(),
            1 => "S[1] = 1 + K[0] + K[1]".into(),
            _ => format!("S[{y}] = {} + ΣK[0…{y}]", y * (y + 1) / 2),
        };
        Some(Check { event, source: published::PAUL_MAITRA, published, measured })
    };
    published::ROOS_INDEXES.into_iter().filter_map(check).collect()
}

/// The first byte of keystreams of weak keys, with K\[0\] + K\[1\] = 0.
fn roos_output(file: &CountsFile) -> Option<Check> {
    let cells = Cells::of(file, Group { kind: Kind::RoosOutput, index: 0 })?;
    let weak = &cells.counts[..256];
    let measured = Proportion { hits: weak[0], trials: weak.iter().sum(), chance: 1.0 / N };
    let event = "Z1 = K[2] + 3, weak key".into();
    let check =
        Check { event, source: published::ROOS, published: published::ROOS_OUTPUT, measured };
    (measured.trials > 0).then_some(check)
}

/// S\[j\] = i − Z_r, over all positions.
fn glimpse(file: &CountsFile) -> Option<Check> {
    let positions = 0..file.campaign().count().glimpse as usize;
    let groups = positions.map(|index| Cells::of(file, Group { kind: Kind::Glimpse, index }));
    let mut measured = Proportion { hits: 0, trials: 0, chance: 1.0 / N };
    for cells in groups.flatten() {
        measured.hits += cells.counts[0];
        measured.trials += cells.trials;
    }
    let (event, source) = ("S[j] = i − Z_r".into(), published::JENKINS);
    let check = Check { event, source, published: published::GLIMPSE, measured };
    (measured.trials > 0).then_some(check)
}
