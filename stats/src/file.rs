//! Files of counts: FORMAT.md. Every input is taken for hostile.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    campaign::{Campaign, CampaignError},
    sampler::Counts,
};

const MAGIC: &[u8] = b"arcfour counts 1\n";
const SUM: usize = 32;

/// The counts of some shards of a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountsFile {
    /// The campaign.
    pub campaign: Campaign,
    /// The shards in it: first and last of each run of numbers, in order.
    pub shards: Vec<(u64, u64)>,
    /// Keystreams counted so far, if its one shard is not complete.
    pub unfinished: Option<u64>,
    /// What was counted.
    pub counts: Counts,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    campaign: Campaign,
    hash: String,
    shards: Vec<(u64, u64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unfinished: Option<u64>,
}

/// Why bytes are no file of counts, or two files do not go together.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// Another kind of file.
    #[error("not a file of counts: it does not begin with \"arcfour counts 1\"")]
    Magic,
    /// Its checksum is wrong.
    #[error("damaged: the checksum does not match its contents")]
    Checksum,
    /// What its header says cannot be.
    #[error("its header is wrong: {0}")]
    Header(String),
    /// There are not as many cells as the campaign has.
    #[error("its tables have {found} bytes; the campaign's have {expected}")]
    Size {
        /// Bytes there are.
        found: usize,
        /// Bytes there must be.
        expected: u64,
    },
    /// A table does not add up.
    #[error(
        "the counts of table {table}, group {group} add up to {found}; they must to {expected}"
    )]
    Sum {
        /// The table, from 0.
        table: usize,
        /// The group, from 0.
        group: usize,
        /// What the cells add up to.
        found: u128,
        /// Events there were.
        expected: u128,
    },
    /// Another campaign.
    #[error("of another campaign: {found}, not {expected}")]
    Foreign {
        /// Its campaign's hash.
        found: String,
        /// The hash of the first file's campaign.
        expected: String,
    },
    /// A shard that was there before.
    #[error("shard {0} is there already")]
    Overlap(u64),
    /// A shard that is not complete.
    #[error("shard {shard} is not complete: {done} of {all} keystreams")]
    Unfinished {
        /// The shard.
        shard: u64,
        /// Keystreams counted.
        done: u64,
        /// Keystreams of a shard.
        all: u64,
    },
}

impl From<CampaignError> for FileError {
    fn from(error: CampaignError) -> Self {
        Self::Header(error.to_string())
    }
}

impl CountsFile {
    /// How many keystreams were counted.
    pub fn keystreams(&self) -> u64 {
        let shards: u64 = self.shards.iter().map(|(first, last)| last - first + 1).sum();
        self.unfinished.unwrap_or(shards * self.campaign.keystreams)
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            campaign: self.campaign.clone(),
            hash: self.campaign.hash(),
            shards: self.shards.clone(),
            unfinished: self.unfinished,
        };
        let header = serde_json::to_vec(&header).expect("a header is valid JSON");
        let mut bytes = MAGIC.to_vec();
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header);
        for table in &self.counts.tables {
            let width = width_of(table.iter().copied().max().unwrap_or(0));
            bytes.push(width as u8);
            bytes.reserve(table.len() * width);
            table.iter().for_each(|cell| bytes.extend(&cell.to_le_bytes()[..width]));
        }
        let sum = Sha256::digest(&bytes);
        bytes.extend(sum);
        bytes
    }

    /// Reads the bytes of a file: all of it is checked.
    ///
    /// # Errors
    /// If they are not what [`CountsFile::to_bytes`] gives for some counts that can be.
    pub fn parse(bytes: &[u8]) -> Result<Self, FileError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(FileError::Magic)?;
        let (_, sum) = bytes.split_last_chunk::<SUM>().ok_or(FileError::Checksum)?;
        let content = &bytes[..bytes.len() - SUM];
        if rest.len() < SUM || Sha256::digest(content)[..] != sum[..] {
            return Err(FileError::Checksum);
        }
        let wrong = |message: &str| FileError::Header(message.into());
        let rest = &rest[..rest.len() - SUM];
        let (length, rest) = rest.split_first_chunk().ok_or(wrong("it has no length"))?;
        let length = u32::from_le_bytes(*length) as usize;
        let (header, cells) = rest.split_at_checked(length).ok_or(wrong("it ends too soon"))?;
        let header: Header =
            serde_json::from_slice(header).map_err(|error| wrong(&error.to_string()))?;
        header.check()?;
        let Header { campaign, shards, unfinished, .. } = header;
        let counts = parse_cells(&campaign, cells)?;
        let file = Self { campaign, shards, unfinished, counts };
        file.check_sums()?;
        Ok(file)
    }

    fn check_sums(&self) -> Result<(), FileError> {
        let keystreams = u128::from(self.keystreams());
        for (table, section) in self.campaign.sections().iter().enumerate() {
            for (group, cells) in self.counts.tables[table].chunks(section.cells).enumerate() {
                let found = cells.iter().map(|&cell| u128::from(cell)).sum();
                let expected = keystreams * u128::from(self.campaign.events(section.kind, group));
                if found != expected {
                    return Err(FileError::Sum { table, group, found, expected });
                }
            }
        }
        Ok(())
    }

    /// Adds the shards of another file.
    ///
    /// # Errors
    /// If it is of another campaign, not complete, or has a shard that this one has. This one then
    /// stays as it was.
    pub fn merge(&mut self, other: Self) -> Result<(), FileError> {
        self.refuse_unfinished()?;
        other.refuse_unfinished()?;
        if self.campaign != other.campaign {
            let (found, expected) = (other.campaign.hash(), self.campaign.hash());
            return Err(FileError::Foreign { found, expected });
        }
        let mut runs = [self.shards.clone(), other.shards].concat();
        runs.sort_unstable();
        let mut shards: Vec<(u64, u64)> = vec![];
        for (first, last) in runs {
            match shards.last_mut() {
                Some((_, end)) if first <= *end => return Err(FileError::Overlap(first)),
                Some((_, end)) if first == *end + 1 => *end = last,
                _ => shards.push((first, last)),
            }
        }
        self.shards = shards;
        for (table, more) in self.counts.tables.iter_mut().zip(other.counts.tables) {
            table.iter_mut().zip(more).for_each(|(cell, more)| *cell += more);
        }
        Ok(())
    }

    /// Refuses a shard that is not complete.
    ///
    /// # Errors
    /// If it is one.
    pub fn refuse_unfinished(&self) -> Result<(), FileError> {
        match self.unfinished {
            Some(done) => {
                let (shard, all) = (self.shards[0].0, self.campaign.keystreams);
                Err(FileError::Unfinished { shard, done, all })
            }
            None => Ok(()),
        }
    }
}

impl Header {
    fn check(&self) -> Result<(), FileError> {
        let wrong = |message: &str| Err(FileError::Header(message.into()));
        self.campaign.check()?;
        if self.hash != self.campaign.hash() {
            return wrong("the hash is not the campaign's");
        }
        let mut next = 0;
        for &(first, last) in &self.shards {
            if first < next || last < first || last >= self.campaign.shards {
                return wrong("its shards are not in order, or not the campaign's");
            }
            next = last + 2; // neighbours would be one run
        }
        let one = matches!(self.shards[..], [(first, last)] if first == last);
        match self.unfinished {
            _ if self.shards.is_empty() => wrong("it has no shards"),
            Some(done) if !one || done >= self.campaign.keystreams => {
                wrong("only one shard can be unfinished, with fewer keystreams than a shard has")
            }
            _ => Ok(()),
        }
    }
}

/// Bytes of each cell: as few as the largest needs, of 2, 4 and 8.
fn width_of(largest: u64) -> usize {
    match largest {
        0..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}

fn parse_cells(campaign: &Campaign, mut bytes: &[u8]) -> Result<Counts, FileError> {
    let found = bytes.len();
    let mut expected = 0;
    let mut tables = vec![];
    for section in campaign.sections() {
        let width = usize::from(*bytes.first().unwrap_or(&2));
        if !matches!(width, 2 | 4 | 8) {
            return Err(FileError::Header(format!("cells of {width} bytes; they have 2, 4 or 8")));
        }
        let size = section.len() * width;
        expected += 1 + size as u64;
        let Some((cells, rest)) = bytes.get(1..).and_then(|bytes| bytes.split_at_checked(size))
        else {
            return Err(FileError::Size { found, expected });
        };
        bytes = rest;
        let cell = |cell: &[u8]| {
            let mut wide = [0; 8];
            wide[..width].copy_from_slice(cell);
            u64::from_le_bytes(wide)
        };
        tables.push(cells.chunks_exact(width).map(cell).collect());
    }
    if !bytes.is_empty() {
        return Err(FileError::Size { found, expected });
    }
    Ok(Counts { tables })
}

#[cfg(test)]
mod tests {
    use proptest::strategy::Strategy;

    use super::*;
    use crate::sampler::Sampler;

    fn shard(index: u64, single: u32) -> CountsFile {
        let text = format!(
            "seed = '{}'\nshards = 4\nkeystreams = 70\nkey-length = 16\n\
             [count]\nsingle = {single}\nequal = [[1, 2]]\nabsab = [3, 2]",
            "01".repeat(32)
        );
        let campaign = Campaign::parse(&text).unwrap();
        let mut sampler = Sampler::new(&campaign, index, 0, Counts::new(&campaign));
        while sampler.step() {}
        let counts = sampler.counts();
        CountsFile { shards: vec![(index, index)], unfinished: None, counts, campaign }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut file = shard(3, 5);
        assert_eq!(CountsFile::parse(&file.to_bytes()).as_ref(), Ok(&file));
        for scale in [1000, 1 << 20] {
            file.campaign.keystreams *= scale;
            file.counts.tables.iter_mut().flatten().for_each(|cell| *cell *= scale);
            assert_eq!(CountsFile::parse(&file.to_bytes()).as_ref(), Ok(&file));
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

    /// A file with a right checksum and a wrong content: what only its maker can do.
    #[test]
    fn counts_that_do_not_add_up_are_refused() {
        let mut file = shard(0, 2);
        file.counts.tables[0][256] += 1;
        let error = CountsFile::parse(&file.to_bytes()).unwrap_err();
        assert_eq!(error, FileError::Sum { table: 0, group: 1, found: 71, expected: 70 });
        let mut file = shard(0, 2);
        file.shards = vec![(4, 4)];
        assert!(matches!(CountsFile::parse(&file.to_bytes()), Err(FileError::Header(_))));
        let mut file = shard(0, 2);
        file.counts.tables[2].pop();
        assert!(matches!(CountsFile::parse(&file.to_bytes()), Err(FileError::Size { .. })));
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
        let content = [MAGIC, &length, &header, &cells].concat();
        [&content[..], &Sha256::digest(&content)].concat()
    }

    /// What a checksum does not show: files made wrong, each with one fault.
    #[test]
    fn every_fault_of_a_sealed_file_is_named() {
        type Change = fn(&mut serde_json::Value, &mut Vec<u8>);
        let faults: [(Change, &str); 13] = [
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
            (|header, _| header["unfinished"] = 70.into(), "only one shard can be unfinished"),
            (|header, _| header["unfinished"] = 69.into(), "add up to 70; they must to 69"),
            (|header, _| header["extra"] = 1.into(), "unknown field `extra`"),
            (|_, cells| cells[0] = 3, "cells of 3 bytes; they have 2, 4 or 8"),
            (|_, cells| cells.push(0), "its tables have 1040 bytes; the campaign's have 1039"),
        ];
        assert!(CountsFile::parse(&changed(|_, _| ())).is_ok());
        for (change, message) in faults {
            let error = CountsFile::parse(&changed(change)).unwrap_err().to_string();
            assert!(error.contains(message), "{error} is not: {message}");
        }
        let long = [MAGIC, &[0xff; 4], &[b' '; 40]].concat();
        let sealed = [&long[..], &Sha256::digest(&long)].concat();
        assert_eq!(CountsFile::parse(&sealed), Err(FileError::Header("it ends too soon".into())));
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config::with_cases(64))]

        /// However shards are grouped and in whatever order they come, the sum is the same; a
        /// shard that is there already changes nothing.
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
        unfinished.unfinished = Some(69);
        assert_eq!(
            shard(1, 5).merge(unfinished),
            Err(FileError::Unfinished { shard: 0, done: 69, all: 70 })
        );
        assert_eq!(all, before);
    }
}
