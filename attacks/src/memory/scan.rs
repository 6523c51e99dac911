//! Finds the tables in a dump.
//!
//! Diary, on one core of a virtual Zen 5. A window of 256 bytes is read from its end. The first
//! byte that repeats a later byte refuses every window up to there together. Random data repeat
//! after about 20 bytes, so one byte in twelve is read. Zeros repeat at once. In counting ramps
//! windows advance by few bytes, so reading from the end would read each byte up to 256 times.
//! There the window grows from its start instead, one byte a step.

use std::io::{self, Read};

use super::{constant::is_constant, entry::Entry, layout::AROUND};

/// Number of entries of a table.
const N: usize = 256;
/// Size of the largest table, in bytes.
const LARGEST: usize = 8 * N;
/// Number of bytes read at a time.
const BLOCK: usize = 4 << 20;
/// A window that advances by fewer entries than this grows from its start.
const SMALL_STEP: usize = 48;

/// A table of 256 different values in a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its start, in bytes from the start of the dump.
    pub offset: u64,
    /// The storage of its entries. Entries of more than one byte begin at a multiple of their size.
    pub entry: Entry,
    /// Its values.
    pub s: [u8; 256],
    /// Up to 8 bytes of the dump before it.
    pub before: Vec<u8>,
    /// Up to 8 bytes of the dump after it.
    pub after: Vec<u8>,
}

/// Reads `dump` to its end. Calls `found` with every table that may be a state, in the order of
/// their ends. Calls `progress` with the number of bytes of each piece that was read. Takes 9 MiB
/// of memory.
///
/// It omits constants of other programs: regular tables such as the identity, and S-boxes of other
/// ciphers.
///
/// # Errors
/// If reading fails or a callback does.
pub fn scan<E: From<io::Error>>(
    mut dump: impl Read,
    mut found: impl FnMut(Table) -> Result<(), E>,
    mut progress: impl FnMut(u64) -> Result<(), E>,
) -> Result<u64, E> {
    // The bytes kept from the last block, which may precede or begin a table, then the next block.
    const KEPT: usize = LARGEST + 2 * AROUND;
    let mut buffer = vec![0; KEPT + BLOCK];
    let (mut base, mut filled, mut fresh) = (0_u64, 0_usize, 0_usize);
    loop {
        let mut ended = false;
        while filled < buffer.len() {
            match dump.read(&mut buffer[filled..]) {
                Ok(0) => {
                    ended = true;
                    break;
                }
                Ok(n) => {
                    filled += n;
                    progress(n as u64)?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        // A table is reported when all bytes that may follow it have been read.
        let data = &buffer[..filled];
        let complete = if ended { filled } else { filled - AROUND };
        let mut report = |start: usize, entry: Entry| {
            let end = start + N * entry.bytes();
            if end <= fresh || end > complete {
                return Ok(());
            }
            let s = entry.table(&data[start..end]).expect("a window is a table");
            if is_constant(&s) {
                return Ok(());
            }
            found(Table {
                offset: base + start as u64,
                entry,
                s,
                before: data[start.saturating_sub(AROUND)..start].to_vec(),
                after: data[end..(end + AROUND).min(data.len())].to_vec(),
            })
        };
        let mut starts = vec![];
        windows(data, &mut |start| starts.push((start, Entry::Byte)));
        // Blocks and the part of a block that is kept are multiples of 8, and so is `base`.
        let longs = data.as_chunks().0;
        entry_starts::<2>(data, Entry::Half, &mut starts);
        entry_starts::<4>(data, Entry::Word, &mut starts);
        entry_starts::<4>(data, Entry::SmallInteger, &mut starts);
        entry_starts::<8>(data, Entry::Long, &mut starts);
        entry_starts::<8>(data, Entry::SmallIntegerHigh, &mut starts);
        pointer_windows(longs, &mut |start| starts.push((8 * start, Entry::Pointer)));
        starts.sort_by_key(|&(start, entry)| start + N * entry.bytes());
        starts.into_iter().try_for_each(|(start, entry)| report(start, entry))?;
        if ended {
            return Ok(base + filled as u64);
        }
        let dropped = filled - KEPT;
        buffer.copy_within(dropped..filled, 0);
        fresh = complete - dropped;
        (base, filled) = (base + dropped as u64, KEPT);
    }
}

/// Calls `found` with the start of every window of 256 different bytes, except windows that are the
/// one before rotated by a byte.
fn windows(data: &[u8], found: &mut impl FnMut(usize)) {
    let mut start = 0;
    while start + N <= data.len() {
        let mut seen = [false; N];
        let window = &data[start..start + N];
        // The last byte that equals a later byte.
        let repeat =
            window.iter().rposition(|&byte| std::mem::replace(&mut seen[usize::from(byte)], true));
        match repeat {
            Some(at) if at + 1 >= SMALL_STEP => start += at + 1,
            _ => start = grow(data, start, found),
        }
    }
}

/// Does the same from `start` on, but grows the window byte by byte until it advances by many
/// bytes. Returns its start then.
fn grow(data: &[u8], mut start: usize, found: &mut impl FnMut(usize)) -> usize {
    let mut last = [0_usize; N]; // the last place of each byte, from 1
    let mut reported = None;
    for (at, &byte) in data.iter().enumerate().skip(start) {
        let before = last[usize::from(byte)];
        last[usize::from(byte)] = at + 1;
        if before > start {
            let step = before - start;
            start = before;
            if step >= SMALL_STEP && at + 1 - start < N {
                return start;
            }
        }
        if at + 1 - start == N {
            // Is it the one before, rotated?
            if reported.is_none_or(|reported| reported + 1 != start) {
                found(start);
            }
            reported = Some(start);
        }
    }
    data.len()
}

/// Adds the start of every window of 256 different entries of `K` bytes.
fn entry_starts<const K: usize>(data: &[u8], entry: Entry, starts: &mut Vec<(usize, Entry)>) {
    let found = &mut |start| starts.push((K * start, entry));
    entry_windows::<K>(data.as_chunks().0, |stored| entry.value(stored), found);
}

/// Does the same for 256 entries with values below 256.
fn entry_windows<const K: usize>(
    data: &[[u8; K]],
    value: impl Fn(&[u8; K]) -> Option<u8>,
    found: &mut impl FnMut(usize),
) {
    let mut start = 0;
    while start + N <= data.len() {
        let mut seen = [false; N];
        let window = &data[start..start + N];
        let refused = window.iter().rposition(|entry| match value(entry) {
            None => true,
            Some(value) => std::mem::replace(&mut seen[usize::from(value)], true),
        });
        match refused {
            Some(at) if at + 1 >= SMALL_STEP => start += at + 1,
            _ => start = grow_entries(data, &value, start, found),
        }
    }
}

/// [`grow`] for entries.
fn grow_entries<const K: usize>(
    data: &[[u8; K]],
    value: &impl Fn(&[u8; K]) -> Option<u8>,
    start: usize,
    found: &mut impl FnMut(usize),
) -> usize {
    let bytes: Vec<u8> = data[start..].iter().map_while(value).collect();
    let end = start + bytes.len();
    let next = start + grow(&bytes, 0, &mut |at| found(start + at));
    // No window holds the entry that ended them.
    if next >= end { end + 1 } else { next }
}

/// Does the same for 256 pointers to adjacent objects ([`Entry::Pointer`]).
fn pointer_windows(data: &[[u8; 8]], found: &mut impl FnMut(usize)) {
    // Pointers of one table are close to each other, so two neighbours are enough to refuse most
    // windows.
    let near = |pair: &[[u8; 8]]| {
        let [a, b] = [pair[0], pair[1]].map(u64::from_le_bytes);
        Entry::is_near(a, b)
    };
    let (mut start, mut reported) = (0, None);
    while start + N <= data.len() {
        let window = &data[start..start + N];
        match window.windows(2).rposition(|pair| !near(pair)) {
            Some(at) => start += at + 1,
            None => {
                let table = Entry::Pointer.table(window.as_flattened()).is_some();
                if table && reported.is_none_or(|reported| reported + 1 != start) {
                    found(start);
                }
                reported = if table { Some(start) } else { reported };
                start += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::experiment::Random;

    fn plain(data: &[u8]) -> Vec<(u64, Entry)> {
        let mut all = vec![];
        for end in 1..=data.len() {
            for entry in Entry::ALL {
                let size = entry.bytes();
                let Some(start) = end.checked_sub(N * size) else { continue };
                if start % size != 0 {
                    continue;
                }
                let mut values: Vec<u64> = data[start..end]
                    .chunks(size)
                    .map(|chunk| {
                        let mut long = [0; 8];
                        long[..size].copy_from_slice(chunk);
                        u64::from_le_bytes(long)
                    })
                    .collect();
                let first = *values.iter().min().unwrap();
                let scaled = |value: u64| match entry {
                    Entry::Byte | Entry::Half | Entry::Word | Entry::Long => Some(value),
                    Entry::SmallInteger => value.is_multiple_of(2).then_some(value / 2),
                    Entry::SmallIntegerHigh => value.is_multiple_of(1 << 32).then_some(value >> 32),
                    Entry::Pointer => {
                        (value - first).is_multiple_of(32).then_some((value - first) / 32)
                    }
                };
                let Some(scaled) = values.iter_mut().map(|value| scaled(*value)).collect() else {
                    continue;
                };
                let mut values: Vec<u64> = scaled;
                let s: [u8; 256] = std::array::from_fn(|at| values[at] as u8);
                values.sort_unstable();
                if values.into_iter().eq(0..256) && !is_constant(&s) {
                    all.push((start as u64, entry));
                }
            }
        }
        all
    }

    fn scanned(data: &[u8], piece: usize) -> Vec<(u64, Entry)> {
        struct Pieces<'a>(&'a [u8], usize);
        impl Read for Pieces<'_> {
            fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
                let n = room.len().min(self.1).min(self.0.len());
                room[..n].copy_from_slice(&self.0[..n]);
                self.0 = &self.0[n..];
                Ok(n)
            }
        }
        let mut all = vec![];
        let push = |table: Table| {
            all.push((table.offset, table.entry));
            Ok::<_, io::Error>(())
        };
        let size = scan(Pieces(data, piece), push, |_| Ok(())).unwrap();
        assert_eq!(size, data.len() as u64);
        all
    }

    fn shuffled(random: &mut Random) -> [u8; 256] {
        let mut s: [u8; 256] = std::array::from_fn(|at| at as u8);
        for at in (1..256).rev() {
            s.swap(at, random.below(at as u32 + 1) as usize);
        }
        s
    }

    /// The scan finds exactly the tables of a plain loop over all windows. Tables lie at the ends
    /// of the data, at odd offsets, next to ramps and repeats.
    #[test]
    fn the_tables_are_those_of_a_plain_loop() {
        let mut random = Random::new("scan", 1, 0);
        for _ in 0..60 {
            let mut data = vec![];
            for _ in 0..random.below(6) + 1 {
                let s = shuffled(&mut random);
                let n = random.below(300) as usize;
                match random.below(12) {
                    0 => data.extend(s),
                    1 => data.extend(Entry::Word.stored(&s)),
                    7 => data.extend(Entry::Half.stored(&s)),
                    8 => data.extend(Entry::Long.stored(&s)),
                    9 => data.extend(Entry::SmallInteger.stored(&s)),
                    10 => data.extend(Entry::SmallIntegerHigh.stored(&s)),
                    11 => data.extend(Entry::Pointer.stored(&s)),
                    2 => data.extend(random.bytes(n)),
                    3 => data.extend(vec![7; n]),
                    4 => data.extend((0..n).map(|at| at as u8)),
                    5 => data.extend((0..3 * n).map(|at| (at % 251) as u8)),
                    _ => data.extend(s.iter().cycle().skip(n).take(200 + n)),
                }
            }
            // In a repeat, rotated copies of the table follow. Only the first of a run is reported.
            let mut expected = plain(&data);
            let all = expected.clone();
            expected.retain(|&(start, entry)| {
                let size = entry.bytes() as u64;
                start < size || !all.contains(&(start - size, entry))
            });
            assert_eq!(scanned(&data, usize::MAX), expected);
            assert_eq!(scanned(&data, 100), expected);
        }
    }

    /// Tables before, across and after the end of a block.
    #[test]
    fn no_table_is_lost_between_blocks() {
        let s = shuffled(&mut Random::new("scan", 2, 0));
        let words: Vec<u8> = s.iter().flat_map(|&value| u32::from(value).to_le_bytes()).collect();
        let first = BLOCK + LARGEST + 2 * AROUND; // the end of the first block
        let mut data = vec![0; 2 * BLOCK];
        for (table, entry) in [(&s[..], Entry::Byte), (&words[..], Entry::Word)] {
            // Combines the bytes kept from a block, a table that waits for its following bytes, and
            // the lengths of both tables.
            let near = [0, 8, 256, 264, 512, 1024, 1032, 1040].into_iter();
            let backs = near.flat_map(|back: usize| [back.saturating_sub(4), back, back + 4]);
            for back in
                backs.chain([1, 3, 255, 257, 263, 265].into_iter().filter(|_| entry == Entry::Byte))
            {
                let at = first - back;
                let part = at..at + table.len() + 2;
                data[part.clone()].copy_from_slice(&[table, &[1, 2]].concat());
                let mut all = vec![];
                let push = |table: Table| {
                    all.push((table.offset, table.entry, table.after[..2].to_vec()));
                    Ok::<_, io::Error>(())
                };
                scan(&data[..], push, |_| Ok(())).unwrap();
                assert_eq!(all, [(at as u64, entry, vec![1, 2])], "{back}");
                data[part].fill(0);
            }
        }
    }
}
