//! Adds streams at the end of a compound file, and removes streams.

use std::cmp::Ordering;

use super::{
    super::{Error, error::damaged},
    Compound, END_OF_CHAIN, ENTRY, FREE, HEADER_DIFAT, MINI_CUTOFF, MINI_SECTOR, STREAM, chain,
    u16_at, u32_at,
};

/// §2.3: a sector of the FAT.
const FAT_SECTOR: u32 = 0xffff_fffd;
/// §2.6.1: the colours of the tree that the entries of a storage make.
const RED: u8 = 0;
const BLACK: u8 = 1;

impl Compound {
    /// Adds a stream to the root, and replaces a stream of the same name.
    pub(in super::super) fn put(&mut self, name: &str, contents: &[u8]) -> Result<(), Error> {
        if self.has(name) {
            self.remove(name)?;
        }
        let start = match contents.len() {
            0 => END_OF_CHAIN,
            1..MINI_CUTOFF => self.append_mini(contents)?,
            _ => self.append(contents)?,
        };
        let id = self.free_entry()?;
        let at = self.directory[id as usize];
        let record = &mut self.bytes[at..at + ENTRY];
        record.fill(0);
        let units: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        record[..units.len()].copy_from_slice(&units);
        record[64..66].copy_from_slice(&(units.len() as u16 + 2).to_le_bytes());
        record[66] = STREAM;
        record[76..80].copy_from_slice(&FREE.to_le_bytes());
        record[116..120].copy_from_slice(&start.to_le_bytes());
        record[120..124].copy_from_slice(&(contents.len() as u32).to_le_bytes());
        let mut ids = self.children();
        ids.push(id);
        self.plant(ids)
    }

    /// Removes a stream of the root and frees its sectors.
    pub(in super::super) fn remove(&mut self, name: &str) -> Result<(), Error> {
        let entry = self.entry(name).ok_or_else(|| damaged("a stream to remove is not there"))?;
        let (id, start, size) = (entry.id, entry.start, entry.size);
        let is_mini = size < MINI_CUTOFF;
        let (table, unit) =
            if is_mini { (&self.mini_fat, MINI_SECTOR) } else { (&self.fat, self.sector) };
        for number in chain(table, start).take(size.div_ceil(unit)).collect::<Vec<_>>() {
            if is_mini {
                self.set_mini_fat(number, FREE)?;
            } else {
                self.set_fat(number, FREE);
            }
        }
        let at = self.directory[id as usize];
        self.bytes[at..at + ENTRY].fill(0);
        for link in [68, 72, 76] {
            self.set(at + link, FREE);
        }
        let ids = self.children().into_iter().filter(|other| *other != id).collect();
        self.plant(ids)
    }

    fn set(&mut self, at: usize, number: u32) {
        self.bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }

    fn set_fat(&mut self, number: u32, next: u32) {
        let (number, per_sector) = (number as usize, self.sector / 4);
        self.fat[number] = next;
        self.set(self.fat_at[number / per_sector] + number % per_sector * 4, next);
    }

    fn set_mini_fat(&mut self, number: u32, next: u32) -> Result<(), Error> {
        let (number, per_sector) = (number as usize, self.sector / 4);
        let at = self.sectors_of(u32_at(&self.bytes, 60)).nth(number / per_sector);
        let at = at.ok_or_else(|| damaged("its table of small sectors is cut short"))?;
        self.mini_fat[number] = next;
        self.set(at + number % per_sector * 4, next);
        Ok(())
    }

    /// Appends a sector filled with a byte to the file, as the end of a chain.
    fn new_sector(&mut self, fill: u8) -> Result<u32, Error> {
        if self.sectors() >= self.fat.len() {
            self.grow_fat()?;
        }
        let number = self.sectors() as u32;
        let len = self.place(number as usize);
        self.bytes.resize(len, 0);
        self.bytes.resize(len + self.sector, fill);
        self.set_fat(number, END_OF_CHAIN);
        Ok(number)
    }

    /// Adds a sector of the FAT, whose first entry is for this sector itself.
    pub(super) fn grow_fat(&mut self) -> Result<(), Error> {
        let number = self.sectors() as u32;
        let slots = self.sector / 4 - 1;
        let slot = match self.fat_at.len().checked_sub(HEADER_DIFAT) {
            None => Some(76 + 4 * self.fat_at.len()),
            Some(n) => self.difat_at.get(n / slots).map(|at| at + n % slots * 4),
        };
        let slot = slot.ok_or_else(|| damaged("its table of sectors is full"))?;
        let at = self.place(number as usize);
        self.bytes.resize(at, 0);
        self.bytes.resize(at + self.sector, 0xff);
        self.set(slot, number);
        self.set(44, u32_at(&self.bytes, 44).saturating_add(1));
        self.fat_at.push(at);
        self.fat.resize(self.fat.len() + self.sector / 4, FREE);
        if number as usize >= self.fat.len() {
            return Err(damaged("its table of sectors does not reach its end"));
        }
        self.set_fat(number, FAT_SECTOR);
        Ok(())
    }

    /// Appends a chain of sectors, and returns its first.
    fn append(&mut self, contents: &[u8]) -> Result<u32, Error> {
        let mut numbers = vec![];
        for piece in contents.chunks(self.sector) {
            let number = self.new_sector(0)?;
            let at = self.place(number as usize);
            self.bytes[at..at + piece.len()].copy_from_slice(piece);
            numbers.push(number);
        }
        for pair in numbers.windows(2) {
            self.set_fat(pair[0], pair[1]);
        }
        Ok(numbers[0])
    }

    /// Puts a sector at the end of the chain that begins with the number at `field`.
    fn extend_chain(&mut self, field: usize, fill: u8) -> Result<usize, Error> {
        let last = chain(&self.fat, u32_at(&self.bytes, field)).last();
        let number = self.new_sector(fill)?;
        match last {
            Some(last) => self.set_fat(last, number),
            None => self.set(field, number),
        }
        Ok(self.place(number as usize))
    }

    /// Does the same for small sectors.
    fn append_mini(&mut self, contents: &[u8]) -> Result<u32, Error> {
        let root = self.directory[0];
        let first = (u32_at(&self.bytes, root + 120) as usize).div_ceil(MINI_SECTOR) as u32;
        let count = contents.len().div_ceil(MINI_SECTOR) as u32;
        for (n, piece) in (first..first + count).zip(contents.chunks(MINI_SECTOR)) {
            while n as usize >= self.mini_fat.len() {
                self.extend_chain(60, 0xff)?;
                self.set(64, u32_at(&self.bytes, 64).saturating_add(1));
                self.mini_fat.resize(self.mini_fat.len() + self.sector / 4, FREE);
            }
            while n as usize * MINI_SECTOR >= self.mini.len() * self.sector {
                let at = self.extend_chain(root + 116, 0)?;
                self.mini.push(at);
            }
            let (at, _) = self.mini_sector(n as usize).expect("the mini stream has grown");
            self.bytes[at..at + piece.len()].copy_from_slice(piece);
            self.set_mini_fat(n, if n + 1 == first + count { END_OF_CHAIN } else { n + 1 })?;
        }
        self.set(root + 120, (first + count) * MINI_SECTOR as u32);
        Ok(first)
    }

    /// Returns the number of an unused entry of the directory.
    fn free_entry(&mut self) -> Result<u32, Error> {
        if let Some(free) = self.directory.iter().position(|at| self.bytes[at + 66] == 0) {
            return Ok(free as u32);
        }
        let id = self.directory.len() as u32;
        let at = self.extend_chain(48, 0)?;
        if self.sector > 512 {
            self.set(40, u32_at(&self.bytes, 40).saturating_add(1));
        }
        for entry in (at..at + self.sector).step_by(ENTRY) {
            for link in [68, 72, 76] {
                self.set(entry + link, FREE);
            }
            self.directory.push(entry);
        }
        Ok(id)
    }

    /// Returns the numbers of the root's streams and storages.
    fn children(&self) -> Vec<u32> {
        self.entries
            .iter()
            .filter(|entry| !entry.path.contains('/'))
            .map(|entry| entry.id)
            .collect()
    }

    /// Makes a balanced tree of the root's entries (§2.6.4), and reads the directory again.
    fn plant(&mut self, mut ids: Vec<u32>) -> Result<(), Error> {
        ids.sort_by(|a, b| self.order(*a, *b));
        // Only entries of the last level are red, and only if the level is not full.
        let levels = (ids.len() + 1).ilog2();
        let top = self.subtree(&ids, levels);
        self.set(self.directory[0] + 76, top);
        self.entries.clear();
        self.read_directory()?;
        self.find_shared();
        Ok(())
    }

    fn subtree(&mut self, ids: &[u32], levels: u32) -> u32 {
        let middle = ids.len() / 2;
        let Some(&id) = ids.get(middle) else { return FREE };
        let at = self.directory[id as usize];
        self.bytes[at + 67] = if levels == 0 { RED } else { BLACK };
        let left = self.subtree(&ids[..middle], levels.saturating_sub(1));
        let right = self.subtree(&ids[middle + 1..], levels.saturating_sub(1));
        self.set(at + 68, left);
        self.set(at + 72, right);
        id
    }

    /// §2.6.4: compares by length, then by letters without case.
    fn order(&self, a: u32, b: u32) -> Ordering {
        let key = |id: u32| {
            let at = self.directory[id as usize];
            let units = (at..at + 64).step_by(2).map(|at| u16_at(&self.bytes, at));
            let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
            let name = String::from_utf16_lossy(&units).to_uppercase();
            (units.len(), name.encode_utf16().collect::<Vec<u16>>())
        };
        key(a).cmp(&key(b))
    }
}
