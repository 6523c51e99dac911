//! Files of counts: FORMAT.md. No input is trusted, and none is read further than it can be right.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    campaign::{Campaign, Kind, Section},
    shown,
};

const MAGIC: &[u8; 17] = b"arcfour counts 1\n";
const SUM: usize = 32;
/// The most bytes of a header: the longest campaign, and over a million runs of shards.
const MAX_HEADER: u32 = 64 << 20;
/// The most runs of shards.
const MAX_RUNS: usize = 1 << 20;
/// Bytes read and written at a time; a multiple of every width.
const BLOCK: usize = 1 << 16;

/// The counts of some shards of a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountsFile {
    campaign: Campaign,
    shards: Vec<(u64, u64)>,
    unfinished: Option<u64>,
    /// The cells of each of [`Campaign::sections`].
    tables: Vec<Vec<u64>>,
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

/// A file cannot be read, or what is read is not a file of counts.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not a file of counts.
    #[error(transparent)]
    Content(#[from] FileError),
}

/// What is wrong with a file of counts, or with merging two.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Another kind of file.
    #[error("not a file of counts: it does not begin with \"arcfour counts 1\"")]
    Magic,
    /// Its checksum is wrong.
    #[error("damaged: the checksum does not match its contents")]
    Checksum,
    /// The header is impossible.
    #[error("its header is wrong: {}", shown(.0))]
    Header(String),
    /// The tables do not have the campaign's cells.
    #[error("its tables have fewer cells than the campaign's")]
    Short,
    /// The tables have more cells.
    #[error("its tables have more cells than the campaign's")]
    Long,
    /// A table does not add up.
    #[error(
        "the counts of table {table}, group {group} add up to {found}; they must to {expected}"
    )]
    Sum {
        /// The table, from 0.
        table: usize,
        /// The group, from 0.
        group: usize,
        /// Sum of the cells.
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
    /// More runs of shards than a file may have.
    #[error("its shards are in {0} runs of numbers; a file has at most {MAX_RUNS}")]
    TooManyRuns(usize),
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

impl CountsFile {
    /// Counts of `shards`: runs of their numbers, first and last, in order. `unfinished` are the
    /// keystreams counted so far, if the only shard is not complete. `tables` are the cells of each of
    /// [`Campaign::sections`].
    ///
    /// # Errors
    /// If these counts cannot come from these shards.
    pub fn new(
        campaign: Campaign,
        shards: Vec<(u64, u64)>,
        unfinished: Option<u64>,
        tables: Vec<Vec<u64>>,
    ) -> Result<Self, FileError> {
        check_shards(&campaign, &shards, unfinished)?;
        let file = Self { campaign, shards, unfinished, tables };
        file.check_sums()?;
        Ok(file)
    }

    /// Counts that a sampler made, so that nothing needs to be checked.
    pub(crate) fn of_shard(
        campaign: Campaign,
        shard: u64,
        done: u64,
        tables: Vec<Vec<u64>>,
    ) -> Self {
        let unfinished = (done < campaign.keystreams()).then_some(done);
        Self { campaign, shards: vec![(shard, shard)], unfinished, tables }
    }

    /// The campaign.
    pub fn campaign(&self) -> &Campaign {
        &self.campaign
    }

    /// The shards in it: first and last of each run of numbers, in order.
    pub fn shards(&self) -> &[(u64, u64)] {
        &self.shards
    }

    /// Keystreams counted so far, if its one shard is not complete.
    pub fn unfinished(&self) -> Option<u64> {
        self.unfinished
    }

    /// The cells of each of [`Campaign::sections`].
    pub fn tables(&self) -> &[Vec<u64>] {
        &self.tables
    }

    /// The shape and the cells of one table; none if the campaign does not count it.
    pub fn table(&self, kind: Kind) -> Option<(Section, &[u64])> {
        let sections = self.campaign.sections().into_iter().zip(&self.tables);
        let mut found = sections.filter(|(section, _)| section.kind == kind);
        found.next().map(|(section, table)| (section, &table[..]))
    }

    /// Number of keystreams counted.
    pub fn keystreams(&self) -> u64 {
        let shards: u64 = self.shards.iter().map(|(first, last)| last - first + 1).sum();
        self.unfinished.unwrap_or(shards * self.campaign.keystreams())
    }

    /// The campaign, its only shard, the keystreams counted and the tables; none if there are more
    /// shards than one.
    pub(crate) fn into_shard(self) -> Option<(Campaign, u64, u64, Vec<Vec<u64>>)> {
        let done = self.keystreams();
        match self.shards[..] {
            [(first, last)] if first == last => Some((self.campaign, first, done, self.tables)),
            _ => None,
        }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let header = Header {
            campaign: self.campaign.clone(),
            hash: self.campaign.hash(),
            shards: self.shards.clone(),
            unfinished: self.unfinished,
        };
        let header = serde_json::to_vec(&header).expect("a header is valid JSON");
        let mut out = Hashing { inner: out, sum: Sha256::new() };
        out.write_all(MAGIC)?;
        out.write_all(&(header.len() as u32).to_le_bytes())?;
        out.write_all(&header)?;
        let mut block = Vec::with_capacity(BLOCK);
        for table in &self.tables {
            let width = width_of(table.iter().copied().max().unwrap_or(0));
            out.write_all(&[width as u8])?;
            for cells in table.chunks(BLOCK / width) {
                block.clear();
                cells.iter().for_each(|cell| block.extend(&cell.to_le_bytes()[..width]));
                out.write_all(&block)?;
            }
        }
        let (mut out, sum) = (out.inner, out.sum.finalize());
        out.write_all(&sum)
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![];
        self.write(&mut bytes).expect("a vector takes all bytes");
        bytes
    }

    /// Reads the bytes of a file, as [`CountsFile::read`] does.
    ///
    /// # Errors
    /// If they are not what [`CountsFile::to_bytes`] gives for some counts that can be.
    pub fn parse(bytes: &[u8]) -> Result<Self, FileError> {
        Self::read(bytes).map_err(|error| match error {
            ReadError::Content(error) => error,
            ReadError::Io(error) => unreachable!("bytes in memory cannot fail: {error}"),
        })
    }

    /// Reads a file and checks all of it. No more is read than the campaign in its header allows,
    /// and nothing after bytes that cannot be the start of such a file; only the counts are held in
    /// memory.
    ///
    /// # Errors
    /// If it cannot be read, or is not a file of counts.
    pub fn read(input: impl Read) -> Result<Self, ReadError> {
        let mut input = Content::new(input);
        let mut magic = [0; MAGIC.len()];
        if input.fill(&mut magic)? < magic.len() || magic != *MAGIC {
            // Nothing else is looked at: a device or a large file of another kind is left at once.
            return Err(FileError::Magic.into());
        }
        let content = read_content(&mut input).and_then(|file| match input.fill(&mut [0])? {
            0 => Ok(file),
            _ => Err(FileError::Long.into()),
        });
        // A damaged file is called that, rather than by what the damage looks like.
        let damaged = match &content {
            Err(ReadError::Io(_) | ReadError::Content(FileError::Long)) => false,
            Ok(_) | Err(ReadError::Content(_)) => !input.rest_has_its_sum()?,
        };
        if damaged {
            return Err(FileError::Checksum.into());
        }
        let file = content?;
        file.check_sums()?;
        Ok(file)
    }

    fn check_sums(&self) -> Result<(), FileError> {
        let keystreams = u128::from(self.keystreams());
        let sections = self.campaign.sections();
        let fits = |(section, table): (&Section, &Vec<u64>)| section.len() == table.len();
        if sections.len() != self.tables.len() || !sections.iter().zip(&self.tables).all(fits) {
            return Err(FileError::Short);
        }
        for (table, section) in sections.iter().enumerate() {
            for (group, cells) in self.tables[table].chunks(section.cells).enumerate() {
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
        if shards.len() > MAX_RUNS {
            return Err(FileError::TooManyRuns(shards.len()));
        }
        self.shards = shards;
        for (table, more) in self.tables.iter_mut().zip(other.tables) {
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
                let (shard, all) = (self.shards[0].0, self.campaign.keystreams());
                Err(FileError::Unfinished { shard, done, all })
            }
            None => Ok(()),
        }
    }
}

fn check_shards(
    campaign: &Campaign,
    shards: &[(u64, u64)],
    unfinished: Option<u64>,
) -> Result<(), FileError> {
    let wrong = |message: &str| Err(FileError::Header(message.into()));
    if shards.len() > MAX_RUNS {
        return Err(FileError::TooManyRuns(shards.len()));
    }
    let mut next = 0;
    for &(first, last) in shards {
        if first < next || last < first || last >= campaign.shards() {
            return wrong("its shards are not in order, or not the campaign's");
        }
        next = last + 2; // neighbours would be one run
    }
    let one = matches!(shards, [(first, last)] if first == last);
    match unfinished {
        _ if shards.is_empty() => wrong("it has no shards"),
        Some(done) if !one || done == 0 || done >= campaign.keystreams() => wrong(
            "only one shard can be unfinished, with at least one keystream and fewer than a shard has",
        ),
        _ => Ok(()),
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

/// Reads everything between the magic and the checksum.
fn read_content(input: &mut Content<impl Read>) -> Result<CountsFile, ReadError> {
    let wrong = |message: String| FileError::Header(message);
    let mut length = [0; 4];
    if input.fill(&mut length)? < length.len() {
        return Err(wrong("it has no length".into()).into());
    }
    let length = u32::from_le_bytes(length);
    if length > MAX_HEADER {
        let message = format!("it has {length} bytes; it may have {MAX_HEADER}");
        return Err(wrong(message).into());
    }
    let mut header = vec![];
    input.by_ref().take(length.into()).read_to_end(&mut header)?;
    if header.len() < length as usize {
        return Err(wrong("it ends too soon".into()).into());
    }
    let header = serde_json::from_slice(&header).map_err(|error| wrong(error.to_string()))?;
    let Header { campaign, hash, shards, unfinished } = header;
    if hash != campaign.hash() {
        return Err(wrong("the hash is not the campaign's".into()).into());
    }
    check_shards(&campaign, &shards, unfinished)?;
    let mut tables = vec![];
    for section in campaign.sections() {
        tables.push(read_table(input, section.len())?);
    }
    Ok(CountsFile { campaign, shards, unfinished, tables })
}

fn read_table(input: &mut Content<impl Read>, cells: usize) -> Result<Vec<u64>, ReadError> {
    let mut width = [0];
    input.fill(&mut width)?;
    let width = usize::from(width[0]);
    if !matches!(width, 2 | 4 | 8) {
        let message = format!("cells of {width} bytes; they have 2, 4 or 8");
        return Err(FileError::Header(message).into());
    }
    // The table grows as it is read: a header that lies about a short file takes no memory.
    let mut table = vec![];
    let mut block = vec![0; BLOCK];
    while table.len() < cells {
        let wanted = (cells - table.len()).min(BLOCK / width) * width;
        if input.fill(&mut block[..wanted])? < wanted {
            return Err(FileError::Short.into());
        }
        table.extend(block[..wanted].chunks_exact(width).map(|cell| {
            let mut wide = [0; 8];
            wide[..width].copy_from_slice(cell);
            u64::from_le_bytes(wide)
        }));
    }
    Ok(table)
}

/// Reads an input without its last bytes, which are the checksum of the others.
struct Content<R> {
    input: R,
    /// Bytes that were read and not yet returned, at `start..end`.
    block: Vec<u8>,
    start: usize,
    end: usize,
    sum: Sha256,
}

impl<R: Read> Content<R> {
    fn new(input: R) -> Self {
        Self { input, block: vec![0; BLOCK], start: 0, end: 0, sum: Sha256::new() }
    }

    /// Reads on, as far as a file can go, and says whether it ends with the checksum of all before.
    fn rest_has_its_sum(&mut self) -> io::Result<bool> {
        let most = 8 * crate::campaign::MAX_CELLS + u64::from(MAX_HEADER);
        let rest = io::copy(&mut self.by_ref().take(most), &mut io::sink())?;
        let sum: [u8; SUM] = self.sum.clone().finalize().into();
        Ok(rest < most && self.block[self.start..self.end] == sum)
    }
}

impl<R: Read> Read for Content<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.end - self.start <= SUM {
            self.block.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            match self.input.read(&mut self.block[self.end..])? {
                0 => return Ok(0),
                read => self.end += read,
            }
        }
        let given = (self.end - self.start - SUM).min(buffer.len());
        let bytes = &self.block[self.start..][..given];
        self.sum.update(bytes);
        buffer[..given].copy_from_slice(bytes);
        self.start += given;
        Ok(given)
    }
}

/// Writes to `inner`, and sums up what it wrote.
struct Hashing<W> {
    inner: W,
    sum: Sha256,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Reading of as much as there is.
trait Fill: Read {
    /// Fills `buffer` as far as the input goes, and says how far that is.
    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

impl<R: Read> Fill for R {}

#[cfg(test)]
mod tests {
    use proptest::strategy::Strategy;

    use super::*;
    use crate::{campaign::Plan, sampler::Sampler};

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
        let mut file = shard(3, 5);
        assert_eq!(CountsFile::parse(&file.to_bytes()).as_ref(), Ok(&file));
        for scale in [1000, 1 << 20] {
            let mut plan = Plan::from(file.campaign.clone());
            plan.keystreams *= scale;
            file.campaign = plan.try_into().unwrap();
            file.tables.iter_mut().flatten().for_each(|cell| *cell *= scale);
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
    }

    /// A reader without end is left as soon as it cannot be right; one that fails says so.
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
        for (shards, unfinished, tables) in [
            (vec![(4, 4)], None, tables.clone()),
            (vec![], None, tables.clone()),
            (vec![(0, 0)], Some(0), tables.clone()),
            (vec![(0, 0)], Some(69), tables.clone()),
            (vec![(0, 0)], None, tables[1..].to_vec()),
            (vec![(0, 1)], None, tables),
        ] {
            assert!(CountsFile::new(campaign.clone(), shards, unfinished, tables).is_err());
        }
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
        unfinished.unfinished = Some(69); // not what its tables hold, but none looks at them
        assert_eq!(
            shard(1, 5).merge(unfinished),
            Err(FileError::Unfinished { shard: 0, done: 69, all: 70 })
        );
        assert_eq!(all, before);
    }
}
