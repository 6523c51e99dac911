//! Compound files ([MS-CFB]), read with the places of their streams.
//!
//! A stream is changed in place, and every other byte of the file stays as it is. The reader
//! accepts the faults that Word accepts. Examples are a file allocation table longer than the file,
//! a last sector cut short, and links of the directory that lead nowhere. It refuses to change a
//! stream that shares a sector with another stream.

mod grow;

use std::ops::Range;

use super::{Error, error::damaged};

/// The first bytes of every compound file (§2.2).
pub(super) const MAGIC: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/// §2.1: the end of a chain, a sector without an owner, and the largest number of a sector.
const END_OF_CHAIN: u32 = 0xffff_fffe;
const FREE: u32 = 0xffff_ffff;
const LAST_SECTOR: u32 = 0xffff_fffa;
/// §2.2: streams with fewer bytes lie in sectors of 64 bytes of the mini stream.
const MINI_CUTOFF: usize = 4096;
const MINI_SECTOR: usize = 64;
/// §2.5: the header has room for the numbers of 109 sectors of the FAT.
const HEADER_DIFAT: usize = 109;
/// §2.6: an entry of the directory, and its kinds.
const ENTRY: usize = 128;
const STORAGE: u8 = 1;
/// The folder for all streams of nested storages.
const DEEP: &str = "//";
const STREAM: u8 = 2;

/// A compound file in memory.
pub(super) struct Compound {
    bytes: Vec<u8>,
    /// Bytes of a sector: 512 or 4096.
    sector: usize,
    fat: Vec<u32>,
    /// Place of each sector of the FAT.
    fat_at: Vec<usize>,
    /// Places of the numbers of those FAT sectors that the header does not list.
    difat_at: Vec<usize>,
    mini_fat: Vec<u32>,
    /// Place of each sector of the mini stream.
    mini: Vec<usize>,
    /// Place of each entry of the directory.
    directory: Vec<usize>,
    entries: Vec<Entry>,
    /// For each sector, and each sector of the mini stream: true if two chains contain it.
    shared: Vec<bool>,
    mini_shared: Vec<bool>,
}

/// A storage or a stream.
struct Entry {
    /// Its number in the directory.
    id: u32,
    /// Its name. The name of a storage in the root and a slash precede it, or [`DEEP`] for nested
    /// storages.
    path: String,
    kind: u8,
    start: u32,
    size: usize,
}

/// A piece of a stream: its place in the file, and whether the sector is shared.
struct Piece {
    place: Range<usize>,
    is_shared: bool,
}

impl Compound {
    /// Reads the header, the tables and the directory.
    pub(super) fn read(bytes: Vec<u8>) -> Result<Self, Error> {
        if bytes.len() < 512 {
            return Err(damaged("it ends too early"));
        }
        let sector = match u16_at(&bytes, 30) {
            shift @ (9 | 12) => 1 << shift,
            shift => return Err(damaged(&format!("its sectors have 2^{shift} bytes"))),
        };
        let (mini_shift, cutoff) = (u16_at(&bytes, 32), u32_at(&bytes, 56) as usize);
        if mini_shift != 6 || cutoff != MINI_CUTOFF {
            return Err(damaged(&format!(
                "streams of fewer than {cutoff} bytes lie in sectors of 2^{mini_shift} bytes"
            )));
        }
        let mut file = Self {
            bytes,
            sector,
            fat: vec![],
            fat_at: vec![],
            difat_at: vec![],
            mini_fat: vec![],
            mini: vec![],
            directory: vec![],
            entries: vec![],
            shared: vec![],
            mini_shared: vec![],
        };
        file.read_fat()?;
        file.mini_fat =
            file.sectors_of(u32_at(&file.bytes, 60)).flat_map(|at| file.words(at)).collect();
        file.read_directory()?;
        file.find_shared();
        Ok(file)
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns true if there is a stream of that path.
    pub(super) fn has(&self, path: &str) -> bool {
        self.entry(path).is_some()
    }

    /// Returns true if a storage or a stream has this path.
    pub(super) fn has_any(&self, path: &str) -> bool {
        self.entries.iter().any(|entry| entry.path.eq_ignore_ascii_case(path))
    }

    /// The paths of the streams in a storage.
    pub(super) fn streams_in(&self, storage: &str) -> Vec<String> {
        let is_in =
            |path: &str| path.strip_prefix(storage).is_some_and(|rest| rest.starts_with('/'));
        let streams =
            self.entries.iter().filter(|entry| entry.kind == STREAM && is_in(&entry.path));
        streams.map(|entry| entry.path.clone()).collect()
    }

    /// Returns a whole stream.
    pub(super) fn stream(&self, path: &str) -> Result<Vec<u8>, Error> {
        let mut stream = vec![];
        for piece in self.pieces(path)? {
            stream.extend_from_slice(&self.bytes[piece.place]);
        }
        Ok(stream)
    }

    /// Replaces the contents of a stream by contents of the same length.
    pub(super) fn replace(&mut self, path: &str, mut contents: &[u8]) -> Result<(), Error> {
        for Piece { place, is_shared } in self.pieces(path)? {
            if is_shared {
                return Err(damaged(&format!(
                    "{} shares the sector at byte {} with another",
                    shown(path),
                    place.start
                )));
            }
            let (piece, rest) = contents.split_at(place.len());
            self.bytes[place].copy_from_slice(piece);
            contents = rest;
        }
        Ok(())
    }

    fn entry(&self, path: &str) -> Option<&Entry> {
        self.entries
            .iter()
            .find(|entry| entry.kind == STREAM && entry.path.eq_ignore_ascii_case(path))
    }

    /// Returns the pieces of a stream, in order. Adjacent sectors are one piece.
    fn pieces(&self, path: &str) -> Result<Vec<Piece>, Error> {
        let short = || damaged(&format!("{} is cut short", shown(path)));
        let entry = self.entry(path);
        let entry = entry.ok_or_else(|| damaged(&format!("{} is not there", shown(path))))?;
        if entry.size > self.bytes.len() {
            return Err(damaged(&format!("{} claims to be larger than the file", shown(path))));
        }
        let is_mini = entry.size < MINI_CUTOFF;
        let (table, unit) = match is_mini {
            true => (&self.mini_fat, MINI_SECTOR),
            false => (&self.fat, self.sector),
        };
        let mut pieces: Vec<Piece> = vec![];
        let mut left = entry.size;
        let mut chain = chain(table, entry.start);
        while left > 0 {
            let number = chain.next().ok_or_else(short)? as usize;
            let (start, is_shared) = match is_mini {
                true => self.mini_sector(number).ok_or_else(short)?,
                false => (self.place(number), self.shared.get(number) == Some(&true)),
            };
            let place = start..start + left.min(unit);
            if place.end > self.bytes.len() {
                return Err(short());
            }
            left -= place.len();
            match pieces.last_mut() {
                Some(last) if last.place.end == place.start && last.is_shared == is_shared => {
                    last.place.end = place.end;
                }
                _ => pieces.push(Piece { place, is_shared }),
            }
        }
        Ok(pieces)
    }

    /// Returns the start of a sector, in the file or beyond its end.
    fn place(&self, number: usize) -> usize {
        (number + 1) * self.sector
    }

    /// Returns the start of a sector of the mini stream, and whether it is shared.
    fn mini_sector(&self, number: usize) -> Option<(usize, bool)> {
        let at = number * MINI_SECTOR;
        let sector = *self.mini.get(at / self.sector)?;
        let is_shared = self.mini_shared.get(number) == Some(&true)
            || self.shared.get(sector / self.sector - 1) == Some(&true);
        Some((sector + at % self.sector, is_shared))
    }

    /// Returns the number of sectors of the file. The last may be cut short.
    fn sectors(&self) -> usize {
        self.bytes.len().div_ceil(self.sector).saturating_sub(1)
    }

    /// Returns the starts of a chain's sectors, up to the first incomplete one.
    fn sectors_of(&self, start: u32) -> impl Iterator<Item = usize> {
        chain(&self.fat, start)
            .map(|number| self.place(number as usize))
            .take_while(|at| at + self.sector <= self.bytes.len())
    }

    /// Returns the numbers in a sector.
    fn words(&self, at: usize) -> impl Iterator<Item = u32> {
        let (words, _) = self.bytes[at..at + self.sector].as_chunks::<4>();
        words.iter().map(|word| u32::from_le_bytes(*word))
    }

    /// §2.3, §2.5: reads the FAT, up to the number of sectors in the file.
    fn read_fat(&mut self) -> Result<(), Error> {
        let mut numbers: Vec<u32> =
            (0..HEADER_DIFAT).map(|n| u32_at(&self.bytes, 76 + 4 * n)).collect();
        let mut next = u32_at(&self.bytes, 68);
        let per_sector = self.sector / 4;
        // Entries beyond the file's last sector mean nothing.
        let most = self.sectors().div_ceil(per_sector);
        while next <= LAST_SECTOR && numbers.len() < most {
            let at = self.place(next as usize);
            if at + self.sector > self.bytes.len() {
                break;
            }
            self.difat_at.push(at);
            let mut words: Vec<u32> = self.words(at).collect();
            next = words.pop().expect("a sector is not empty");
            numbers.extend(words);
        }
        for number in numbers.into_iter().take(most).take_while(|number| *number <= LAST_SECTOR) {
            let at = self.place(number as usize);
            if at + self.sector > self.bytes.len() {
                return Err(damaged("it ends too early"));
            }
            self.fat_at.push(at);
            let words: Vec<u32> = self.words(at).collect();
            self.fat.extend(words);
        }
        Ok(())
    }

    /// §2.6: reads the directory, and the mini stream, which is the stream of the root entry.
    fn read_directory(&mut self) -> Result<(), Error> {
        let sectors: Vec<usize> = self.sectors_of(u32_at(&self.bytes, 48)).collect();
        let entries = |at: usize| (at..at + self.sector).step_by(ENTRY);
        self.directory = sectors.into_iter().flat_map(entries).collect();
        let root = *self.directory.first().ok_or_else(|| damaged("it has no directory"))?;
        self.mini = self.sectors_of(u32_at(&self.bytes, root + 116)).collect();
        let mut seen = vec![false; self.directory.len()];
        seen[0] = true;
        let mut open = vec![(u32_at(&self.bytes, root + 76), String::new())];
        while let Some((id, folder)) = open.pop() {
            let Some(&at) = self.directory.get(id as usize) else { continue };
            if std::mem::replace(&mut seen[id as usize], true) {
                continue;
            }
            let record = &self.bytes[at..at + ENTRY];
            let (kind, size) = (record[66], u64_at(record, 120));
            // §2.6.1: with sectors of 512 bytes, the upper half is ignored.
            let size = if self.sector == 512 { size & 0xffff_ffff } else { size };
            let path = folder.clone() + &name(record);
            for link in [68, 72] {
                open.push((u32_at(record, link), folder.clone()));
            }
            if kind == STORAGE {
                // No caller needs deeper names, and whole paths could take memory quadratic in the
                // file.
                let inside = if folder.is_empty() { path.clone() + "/" } else { DEEP.to_owned() };
                open.push((u32_at(record, 76), inside));
            }
            let (start, size) = (u32_at(record, 116), usize::try_from(size).unwrap_or(usize::MAX));
            self.entries.push(Entry { id, path, kind, start, size });
        }
        Ok(())
    }

    /// Finds the sectors that two chains hold.
    fn find_shared(&mut self) {
        let mut owners = vec![0; self.fat.len()];
        let mut mini_owners = vec![0; self.mini_fat.len()];
        let root = self.directory[0];
        for field in [48, 60, root + 116] {
            claim(&self.fat, u32_at(&self.bytes, field), &mut owners);
        }
        for entry in self.entries.iter().filter(|entry| entry.kind == STREAM && entry.size > 0) {
            match entry.size < MINI_CUTOFF {
                true => claim(&self.mini_fat, entry.start, &mut mini_owners),
                false => claim(&self.fat, entry.start, &mut owners),
            }
        }
        for at in self.fat_at.iter().chain(&self.difat_at) {
            if let Some(owners) = owners.get_mut(at / self.sector - 1) {
                *owners += 1;
            }
        }
        self.shared = owners.into_iter().map(|owners| owners > 1).collect();
        self.mini_shared = mini_owners.into_iter().map(|owners| owners > 1).collect();
    }
}

/// The sectors of a chain. A chain that runs in a circle ends after `table.len()` sectors.
fn chain(table: &[u32], start: u32) -> impl Iterator<Item = u32> {
    let next = |number: &u32| table.get(*number as usize).copied();
    let in_table = |number: &u32| (*number as usize) < table.len();
    std::iter::successors(Some(start), next).take_while(in_table).take(table.len())
}

/// Adds one to the owners of each sector of a chain. If a sector already has two owners, so do all
/// that follow; thus each sector is visited at most twice.
fn claim(table: &[u32], start: u32, owners: &mut [u8]) {
    for number in chain(table, start) {
        let owners = &mut owners[number as usize];
        if *owners > 1 {
            return;
        }
        *owners += 1;
    }
}

/// Returns the name of an entry of the directory, up to its zero. A slash divides paths, so the
/// name has none.
fn name(record: &[u8]) -> String {
    let (units, _) = record[..64].as_chunks::<2>();
    let units = units.iter().map(|unit| u16::from_le_bytes(*unit)).take_while(|unit| *unit != 0);
    let letters = char::decode_utf16(units).map(|letter| letter.unwrap_or('\u{fffd}'));
    letters.map(|letter| if letter == '/' { '\u{fffd}' } else { letter }).collect()
}

/// Returns a path for messages.
fn shown(path: &str) -> String {
    path.trim_start_matches('\u{5}').escape_default().to_string()
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes[at..at + 2].try_into().expect("two bytes"))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests;
