//! Files of counts: written and read again, merged, and refused with each fault.

use std::io::{self, Read};

use proptest::strategy::Strategy;
use sha2::{Digest, Sha256};

use super::{
    layout::{BLOCK, MAGIC, MAX_HEADER, SUM},
    *,
};
use crate::{
    campaign::{MAX_CELLS, Plan},
    sampler::Sampler,
};

fn shard(index: u64, single: u32) -> CountsFile {
    let text = format!(
        "seed = '{}'\nshards = 4\nkeystreams = 70\nkey-length = 16\n\
         [count]\nsingle = {single}\nequal = [[1, 2]]\nabsab = [3, 2]",
        "01".repeat(32)
    );
    let campaign = Campaign::parse(&text).unwrap();
    let mut sampler = Sampler::start(campaign, index).unwrap();
    while sampler.step() {}
    sampler.counts()
}

#[test]
fn what_is_written_is_read() {
    let long = shard(3, 200); // more cells than a block, but not two blocks
    assert_eq!(CountsFile::parse(&long.to_bytes()).as_ref(), Ok(&long));
    let mut file = shard(3, 5);
    for scale in [1, 1000, 1 << 20] {
        let mut plan = Plan::from(file.campaign.clone());
        plan.keystreams *= scale;
        file.campaign = plan.try_into().unwrap();
        file.tables.iter_mut().flatten().for_each(|cell| *cell *= scale);
        assert_eq!(CountsFile::parse(&file.to_bytes()).as_ref(), Ok(&file));
    }
}

/// A table of two cells that adds up to the largest count.
#[test]
fn cells_have_the_fewest_bytes_that_hold_the_largest() {
    for (largest, width) in
        [(0xffff, 2), (0x1_0000, 4), (0xffff_ffff, 4), (0x1_0000_0000, 8), (1 << 62, 8)]
    {
        let campaign = Campaign::parse(&format!(
            "seed = '{}'\nshards = 1\nkeystreams = {largest}\nkey-length = 5\n[count]\n\
             equal = [[1, 2]]",
            "01".repeat(32)
        ));
        let tables = vec![vec![0, largest]];
        let file = CountsFile::new(campaign.unwrap(), vec![(0, 0)], None, tables).unwrap();
        let bytes = file.to_bytes();
        let cells = &largest.to_le_bytes()[..width];
        let right = [&[width as u8][..], &vec![0; width], cells].concat();
        assert!(bytes[..bytes.len() - SUM].ends_with(&right), "{largest}");
        assert_eq!(CountsFile::parse(&bytes).as_ref(), Ok(&file));
    }
}

#[test]
fn every_flipped_bit_and_every_cut_is_seen() {
    let bytes = shard(0, 1).to_bytes();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        let error = CountsFile::parse(&damaged).unwrap_err();
        let expected = if at < MAGIC.len() { FileError::Magic } else { FileError::Checksum };
        assert_eq!(error, expected, "byte {at}");
        assert!(CountsFile::parse(&bytes[..at]).is_err(), "{at} bytes");
    }
    assert!(CountsFile::parse(&[&bytes[..], &[0]].concat()).is_err());
}

/// A file with wrong contents and a right checksum. Only a program that writes files can make one.
#[test]
fn counts_that_do_not_add_up_are_refused() {
    let mut file = shard(0, 2);
    file.tables[0][256] += 1;
    let error = CountsFile::parse(&file.to_bytes()).unwrap_err();
    assert_eq!(error, FileError::Sum { table: 0, group: 1, found: 71, expected: 70 });
    let mut file = shard(0, 2);
    file.shards = vec![(4, 4)];
    assert!(matches!(CountsFile::parse(&file.to_bytes()), Err(FileError::Header(_))));
    let mut file = shard(0, 2);
    file.tables[2].pop();
    assert!(matches!(CountsFile::parse(&file.to_bytes()), Err(FileError::Short)));
}

/// A file whose header or tables were changed by `change`, with a new checksum.
fn changed(change: fn(&mut serde_json::Value, &mut Vec<u8>)) -> Vec<u8> {
    let bytes = shard(1, 2).to_bytes();
    let content = &bytes[MAGIC.len()..bytes.len() - SUM];
    let length = u32::from_le_bytes(content[..4].try_into().unwrap()) as usize;
    let mut header = serde_json::from_slice(&content[4..4 + length]).unwrap();
    let mut cells = content[4 + length..].to_vec();
    change(&mut header, &mut cells);
    let header = serde_json::to_vec(&header).unwrap();
    let length = (header.len() as u32).to_le_bytes();
    let content = [&MAGIC[..], &length, &header, &cells].concat();
    [&content[..], &Sha256::digest(&content)].concat()
}

/// Refuses files with one fault each under a right checksum.
#[test]
fn every_fault_of_a_sealed_file_is_named() {
    type Change = fn(&mut serde_json::Value, &mut Vec<u8>);
    let faults: [(Change, &str); 16] = [
        (|header, _| header["hash"] = "00".into(), "the hash is not the campaign's"),
        (|header, _| header["campaign"]["shards"] = 5.into(), "the hash is not the campaign's"),
        (|header, _| header["campaign"]["shards"] = 0.into(), "shards is 0; it must be 1 to"),
        (|header, _| header["shards"] = serde_json::json!([[4, 4]]), "not the campaign's"),
        (|header, _| header["shards"] = serde_json::json!([[2, 1]]), "not in order"),
        (|header, _| header["shards"] = serde_json::json!([[0, 0], [1, 1]]), "not in order"),
        (|header, _| header["shards"] = serde_json::json!([]), "it has no shards"),
        (
            |header, _| header["shards"] = serde_json::json!([[0, 1]]),
            "add up to 70; they must to 140",
        ),
        (|header, _| header["unfinished"] = 0.into(), "only one shard can be unfinished"),
        (|header, _| header["unfinished"] = 70.into(), "only one shard can be unfinished"),
        (|header, _| header["unfinished"] = 69.into(), "add up to 70; they must to 69"),
        (|header, _| header["extra"] = 1.into(), "unknown field `extra`"),
        (|_, cells| cells[0] = 3, "cells of 3 bytes; they have 2, 4 or 8"),
        (|_, cells| cells.push(0), "its tables have more cells than"),
        (|_, cells| cells.truncate(cells.len() - 1), "its tables have fewer cells than"),
        (|header, _| header["\u{1b}]0;\n"] = 1.into(), "unknown field `\\u{1b}]0;\\n`"),
    ];
    assert!(CountsFile::parse(&changed(|_, _| ())).is_ok());
    for (change, message) in faults {
        let error = CountsFile::parse(&changed(change)).unwrap_err().to_string();
        assert!(error.contains(message), "{error} is not: {message}");
    }
    let long = [&MAGIC[..], &[0xff; 4], &[b' '; 40]].concat();
    let sealed = [&long[..], &Sha256::digest(&long)].concat();
    let error = FileError::Header("it has 4294967295 bytes; it may have 67108864".into());
    assert_eq!(CountsFile::parse(&sealed), Err(error));
    let longest = [&MAGIC[..], &MAX_HEADER.to_le_bytes(), &[b' '; 40]].concat();
    let sealed = [&longest[..], &Sha256::digest(&longest)].concat();
    let error = FileError::Header("it ends too soon".into());
    assert_eq!(CountsFile::parse(&sealed), Err(error));
}

/// Reading stops at the first wrong byte of an endless reader. A failing reader's error is
/// returned.
#[test]
fn no_input_is_read_without_end() {
    struct Counted<R>(R, u64);
    impl<R: Read> Read for Counted<R> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let read = self.0.read(buffer)?;
            self.1 += read as u64;
            Ok(read)
        }
    }
    let mut zeros = Counted(io::repeat(0), 0);
    let error = CountsFile::read(&mut zeros).unwrap_err();
    assert!(matches!(error, ReadError::Content(FileError::Magic)), "{error}");
    assert!(zeros.1 <= BLOCK as u64, "{} bytes were read", zeros.1);
    let whole = shard(0, 2).to_bytes();
    let mut endless = Counted((&whole[..]).chain(io::repeat(0)), 0);
    let error = CountsFile::read(&mut endless).unwrap_err();
    assert!(matches!(error, ReadError::Content(FileError::Long)), "{error}");
    assert!(endless.1 <= 2 * BLOCK as u64, "{} bytes were read", endless.1);
    let most = 8 * MAX_CELLS + u64::from(MAX_HEADER);
    let mut wrong = Counted((&whole[..30]).chain(io::repeat(0)), 0);
    let error = CountsFile::read(&mut wrong).unwrap_err();
    assert!(matches!(error, ReadError::Content(FileError::Checksum)), "{error}");
    assert!((most..most + 2 * BLOCK as u64).contains(&wrong.1), "{} bytes were read", wrong.1);
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("broken"))
        }
    }
    for at in [0, 20, 300] {
        let error = CountsFile::read((&whole[..at]).chain(Broken)).unwrap_err();
        assert!(matches!(error, ReadError::Io(_)), "{error}");
    }
}

#[test]
fn counts_are_checked_however_they_are_made() {
    let file = shard(0, 2);
    let (campaign, tables) = (file.campaign.clone(), file.tables.clone());
    let again = CountsFile::new(campaign.clone(), vec![(0, 0)], None, tables.clone());
    assert_eq!(again.as_ref(), Ok(&file));
    let long = [&tables[..], &tables[..1]].concat();
    let mut short = tables.clone();
    short[2].pop();
    for tables in [tables[1..].to_vec(), tables[..2].to_vec(), long, short] {
        let found = CountsFile::new(campaign.clone(), vec![(0, 0)], None, tables);
        assert_eq!(found, Err(FileError::Short));
    }
    for (shards, unfinished) in [
        (vec![(4, 4)], None),
        (vec![], None),
        (vec![(0, 0)], Some(0)),
        (vec![(0, 0)], Some(69)),
        (vec![(0, 1)], None),
    ] {
        assert!(CountsFile::new(campaign.clone(), shards, unfinished, tables.clone()).is_err());
    }
}

/// No two of the shards are neighbours.
#[test]
fn a_file_has_at_most_a_million_runs_of_shards() {
    let campaign = Campaign::parse(&format!(
        "seed = '{}'\nshards = 4194304\nkeystreams = 1\nkey-length = 5\n[count]\nequal = [[1, 2]]",
        "01".repeat(32)
    ))
    .unwrap();
    let counts = |shards: Vec<(u64, u64)>| {
        let tables = vec![vec![shards.len() as u64, 0]];
        CountsFile::new(campaign.clone(), shards, None, tables)
    };
    let runs = |n: usize| (0..n as u64).map(|n| (2 * n, 2 * n)).collect::<Vec<_>>();
    let beyond = FileError::TooManyRuns(MAX_RUNS + 1);
    assert_eq!(counts(runs(MAX_RUNS + 1)), Err(beyond.clone()));
    let mut file = counts(runs(MAX_RUNS)).unwrap();
    let last = 2 * MAX_RUNS as u64;
    assert_eq!(file.merge(counts(vec![(last, last)]).unwrap()), Err(beyond.clone()));
    file.merge(counts(vec![(1, 1)]).unwrap()).unwrap();
    file.merge(counts(vec![(last, last)]).unwrap()).unwrap();
    assert_eq!((file.shards.len(), file.keystreams()), (MAX_RUNS, MAX_RUNS as u64 + 2));
    assert_eq!(file.merge(counts(vec![(last + 2, last + 2)]).unwrap()), Err(beyond));
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(64))]

    /// The sum of shards does not depend on their grouping or order. A shard that is already
    /// present changes nothing.
    #[test]
    fn any_way_of_merging_gives_the_same_file(
        order in proptest::sample::subsequence(vec![0_u64, 1, 2, 3], 1..=4)
            .prop_shuffle(),
        cuts in proptest::collection::vec(proptest::bool::ANY, 4),
    ) {
        let sum = |indexes: &[u64]| {
            let mut files = indexes.iter().map(|&index| shard(index, 3));
            let mut all = files.next().unwrap();
            files.for_each(|file| all.merge(file).unwrap());
            all
        };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let expected = sum(&sorted);
        let groups: Vec<CountsFile> =
            order.chunk_by(|a, _| !cuts[*a as usize]).map(sum).collect();
        let mut found = groups[0].clone();
        for group in &groups[1..] {
            let read = CountsFile::parse(&group.to_bytes()).unwrap();
            found.merge(read).unwrap();
        }
        proptest::prop_assert_eq!(found.to_bytes(), expected.to_bytes());
        for again in order {
            let error = found.merge(shard(again, 3)).unwrap_err();
            proptest::prop_assert_eq!(error, FileError::Overlap(again));
        }
        proptest::prop_assert_eq!(found, expected);
    }
}

#[test]
fn merging_adds_and_refuses() {
    let mut all = shard(2, 5);
    for index in [0, 3, 1] {
        all.merge(shard(index, 5)).unwrap();
    }
    assert_eq!((&all.shards[..], all.keystreams()), (&[(0, 3)][..], 280));
    assert_eq!(CountsFile::parse(&all.to_bytes()).as_ref(), Ok(&all));
    let before = all.clone();
    assert_eq!(all.merge(shard(1, 5)), Err(FileError::Overlap(1)));
    assert!(matches!(shard(1, 5).merge(shard(0, 6)), Err(FileError::Foreign { .. })));
    let mut unfinished = shard(0, 5);
    unfinished.unfinished = Some(69); // false, but no test reads the tables
    assert_eq!(
        shard(1, 5).merge(unfinished),
        Err(FileError::Unfinished { shard: 0, done: 69, all: 70 })
    );
    assert_eq!(all, before);
}
