//! Files of counts: FORMAT.md.

mod content;
mod error;
mod layout;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use self::error::{FileError, ReadError};

use self::layout::MAX_RUNS;
use crate::campaign::{Campaign, Kind, Section};

/// The counts of one or more shards of a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountsFile {
    campaign: Campaign,
    shards: Vec<(u64, u64)>,
    unfinished: Option<u64>,
    /// The cells of each of [`Campaign::sections`].
    tables: Vec<Vec<u64>>,
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

    /// Makes counts that a sampler counted, without checks.
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

    /// Returns the shards: first and last of each run of numbers, in order.
    pub fn shards(&self) -> &[(u64, u64)] {
        &self.shards
    }

    /// Returns the number of keystreams counted so far, if the only shard is not complete.
    pub fn unfinished(&self) -> Option<u64> {
        self.unfinished
    }

    /// The cells of each of [`Campaign::sections`].
    pub fn tables(&self) -> &[Vec<u64>] {
        &self.tables
    }

    /// Returns the shape and the cells of one table; `None` if the campaign does not count it.
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

    /// Returns the campaign, its only shard, the number of keystreams counted and the tables;
    /// `None` if there are several shards.
    pub(crate) fn into_shard(self) -> Option<(Campaign, u64, u64, Vec<Vec<u64>>)> {
        let done = self.keystreams();
        match self.shards[..] {
            [(first, last)] if first == last => Some((self.campaign, first, done, self.tables)),
            _ => None,
        }
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
    /// If the other file is of another campaign, is not complete, or shares a shard. Then `self`
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

    /// Refuses an incomplete shard.
    ///
    /// # Errors
    /// If a shard is incomplete.
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
        next = last + 2; // adjacent runs would be one run
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
